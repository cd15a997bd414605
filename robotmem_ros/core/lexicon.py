"""
English words for the guard: their classes, their forms, and what a difference in one is called.

Canonical forms in capitals are function words that carry meaning (``synonyms`` says which words they stand for).
"""

from __future__ import annotations

from robotmem_ros.core.synonyms import SYNONYMS

# Words without a fact of their own.
DROPPED = frozenset('an the do does did please it its which'.split())
JOINING = frozenset(('and', 'but'))  # dropped too, but they part a sentence

BE_FORMS = frozenset('be is are am been being'.split())
PAST_BE = frozenset(('was', 'were'))
SUBJECTS = frozenset(('you', 'we', 'robot'))
FRONTABLE = frozenset(
    'COND BEFORE AFTER UNTIL BECAUSE DURING UNLESS while IN ON WITH UNDER at near for from around beside '
    'infront ONCE'.split()
)
SUBORDINATORS = frozenset('COND BEFORE AFTER UNTIL BECAUSE UNLESS while ONCE'.split())
PREPOSITIONS = frozenset(
    'IN ON into onto WITH UNDER at near for from to by of around beside infront over above through across '
    'along between toward off'.split()
)
# 'X of Y' is 'Y X' for these parts and measures only: a cup of water is no water cup.
PARTS = frozenset(
    'surface edge handle door camera wheel encoder battery arm joint motor lid rim corner center force torque speed '
    'temperature position height width length depth weight mass size pressure color angle image floor '
    'wall roof'.split()
)
NOMINAL = frozenset('navigation insertion detection alignment calibration recalibration rotation delivery'.split())

IRREGULAR = {
    form: lemma
    for lemma, forms in (
        line.split(': ')
        for line in """keep: kept
hold: held
drive: drove driven
put: puts putting
set: sets setting
break: broke broken
take: took taken
give: gave given
see: saw seen
bend: bent
build: built
find: found
lose: lost
make: made
run: ran running
begin: began begun beginning
hang: hung
stick: stuck
slide: slid
spin: spun spinning
lead: led
lay: laid
send: sent
tell: told
go: went gone goes
fall: fell fallen
freeze: froze frozen
wear: wore worn
write: wrote written
choose: chose chosen
steal: stole stolen
shake: shook shaken
rise: rose risen
stand: stood
sit: sat
know: knew known
bring: brought
catch: caught
teach: taught
have: has had having
do: doing done
person: persons people
foot: feet
shelf: shelves
knife: knives
half: halves
glass: glasses
lens: lenses
box: boxes
bus: buses
switch: switches
get: gets got getting
become: became
swing: swung
pour: pours pouring
label: labelled labelling
travel: travelled travelling
control: controlled controlling
use: uses used
tie: tying
lie: lying
die: dying
wet: wetted""".splitlines()
    )
    for form in forms.split()
}
PARTICIPLES = frozenset(
    'kept held driven put set broken taken given seen bent built found lost made run begun hung stuck '
    'slid spun led laid '
    'sent told frozen worn written chosen stolen shaken known brought caught shut done left hit cut read fed'.split()
)
# Verbs that are also adjectives or nouns: 'the door is open' is not 'the door opens'.
STATEFUL = frozenset(
    'open close clear clean empty dry free lock load fill mount attach block wet warm cool light charge '
    'connect install damage occupy activate enable break'.split()
)
# Acts that do not last: 'when water is poured' is 'when pouring water'.
EVENTS = frozenset((
    'pour push pull wipe raise carry insert release grip touch press deliver rotate cut stir throw drop'
).split())
# Not inflected, whatever they end in.
BASE_WORDS = frozenset(
    'always across previous gas glass lens class mass press brass grass less bus plus axis chassis basis '
    'status bias canvas '
    'his this has as us was is string ring spring wing king thing nothing something anything everything '
    'ceiling during '
    'morning evening building meeting warning opening bearing wiring heading red bed speed need feed seed '
    'weed indeed exceed '
    'proceed hundred shed sled using excluding tuesday wednesday news series species lbs perhaps upwards downwards '
    'outwards inwards forwards backwards towards besides stairs scissors pliers goods allowed permitted '
    'forbidden prohibited '
    'banned disallowed broken left right dress stress cross loss toss process access success address '
    'compass progress rubbish '
    'nearby yes its does'.split()
)


VOCABULARY = BASE_WORDS | frozenset(SYNONYMS) | frozenset(SYNONYMS.values()) | PARTS | STATEFUL

POLARITY = frozenset((
    'NOT NEVER CANNOT WITHOUT no none nobody nothing always FORBIDDEN ALLOWED MAY CAN MUST SHOULD neither '
    'nor hardly ?'
).split())
QUALIFIER = frozenset(
    'ONLY EXCEPT UNLESS COND BEFORE AFTER UNTIL BECAUSE DURING while ONCE incase ALL ABOUT GE LE MORE '
    'LESS some most any both many few '
    'almost nearly often usual rare sometimes maybe PAST will would very too again INSTEAD OR other another'.split()
)
_OPPOSITES = """left right|push pull|open close|up down|BEFORE AFTER|IN out|ON off|switch_on switch_off|enter leave
|raise lower|upward downward|forward backward|inward outward|clockwise counterclockwise|front back rear behind
|infront behind|above UNDER over|north south east west|top bottom|toward from|to from|increase reduce|insert remove
|load unload|lock unlock|attach detach|first last|inside outside|start end|begin stop|horizontal vertical|in out|on off
|MORE LESS|GE LE|fast slow|high low|more less"""
DIRECTIONS = {
    word: group for group, words in enumerate(_OPPOSITES.replace('\n', '').split('|')) for word in words.split()
}
COLOURS = frozenset(
    'red blue green yellow black white gray orange purple brown pink cyan magenta violet silver golden '
    'turquoise beige'.split()
)
