"""
English words and phrases that may stand for one another in what a robot is told.

The guard takes every difference for a difference of facts; only what is listed here is forgiven. So a group must hold
in *every* sentence that a robot may hear: 'hold' is not 'grip', 'hall' not 'corridor', 'in' not 'at'. Canonical forms
in capitals are function words that carry meaning.
"""

from __future__ import annotations

# canonical form: single words (lemmas) that mean the same
_SYNONYMS = """
NOT: not
NEVER: never
CANNOT: cannot
WITHOUT: without w/o
ONLY: only merely solely
EXCEPT: except excluding
UNLESS: unless
OR: or
COND: when if whenever
BEFORE: before
AFTER: after
UNTIL: until till
BECAUSE: because
DURING: during
WITH: with using via
IN: in inside
ON: on upon
UNDER: under below beneath underneath
MUST: must shall
SHOULD: should ought
MAY: may
CAN: can able
ALLOWED: allowed permitted
FORBIDDEN: forbidden prohibited banned disallowed
NEED: need require
ALL: all every each
ABOUT: about approximately approx roughly circa
GE: minimum
LE: maximum
THEN: then
grip: grip grasp
require: necessary
restart: restart reboot
begin: begin start commence
carry: carry transport convey
check: check verify
put: put place
stop: stop halt
turn: turn
raise: raise elevate lift
reduce: reduce decrease
happen: happen occur
try: try attempt
help: help assist
choose: choose select
ensure: ensure
slip: slip skid
close: close shut
finish: finish complete
leave: leave exit
charge: charge recharge
insert: insert insertion
navigate: navigate navigation
detect: detect detection
align: align alignment
calibrate: calibrate calibration
recalibrate: recalibrate recalibration
rotate: rotate rotation
deliver: deliver delivery
use: use utilize utilise employ
attach: attach fasten
area: area zone region
tile: tile
corridor: corridor hallway passageway
image: image picture
noon: noon midday
trash: trash garbage rubbish
speed: speed velocity
error: error fault
person: person human people
parcel: parcel package
trolley: trolley cart
sofa: sofa couch
fridge: fridge refrigerator
bicycle: bicycle bike
flashlight: flashlight torch
wrench: wrench spanner
faucet: faucet tap
center: center centre
color: color colour
aluminum: aluminum aluminium
fiber: fiber fibre
gray: gray grey
tire: tire tyre
wifi: wifi wlan
ground: ground
big: big large
fast: fast quick rapid quickly rapidly
slow: slow slowly
gentle: gentle gently
careful: careful carefully
smooth: smooth smoothly
firm: firm firmly
quiet: quiet quietly
loose: loose loosely
tight: tight tightly
slippery: slippery slick
fragile: fragile breakable
broken: broken defective faulty
dangerous: dangerous hazardous
near: near nearby
become: become get
often: often frequently
usual: usually normally typically
rare: rarely seldom
immediate: immediately instantly
maybe: maybe perhaps
outward: outward outwards
inward: inward inwards
upward: upward upwards
downward: downward downwards
forward: forward forwards
backward: backward backwards
toward: toward towards
clockwise: clockwise
counterclockwise: counterclockwise anticlockwise
"""

# sequences of lemmas (articles are gone already) -> canonical words
_PHRASES = """
slow down = reduce speed
speed up = increase speed
turn off = switch_off
switch off = switch_off
shut off = switch_off
power off = switch_off
turn on = switch_on
switch on = switch_on
power on = switch_on
pick up = pick
ahead of = BEFORE
prior to = BEFORE
due to = BECAUSE
owing to = BECAUSE
because of = BECAUSE
as long as = while
in case of = incase
in case = incase
as soon as = ONCE
by means of = WITH
with help of = WITH
with the help of = WITH
at least = GE
no less than = GE
not less than = GE
at most = LE
no more than = LE
not more than = LE
up to = LE
more than = MORE
less than = LESS
rather than = INSTEAD
instead of = INSTEAD
in front of = infront
next to = beside
adjacent to = beside
close to = near
close by = near
out of order = outoforder
out of service = outoforder
can not = CANNOT
not be able to = CANNOT
be unable to = CANNOT
unable to = CANNOT
be impossible to = CANNOT
fail to = CANNOT
not work = CANNOT
not function = CANNOT
fail = CANNOT
be able to = CAN
have to = MUST
need to = MUST
be required to = MUST
ought to = SHOULD
make sure to = MUST
make sure that = ENSURE
make sure = ENSURE
be sure to = MUST
remember to = MUST
be allowed to = MAY
be permitted to = MAY
not be allowed to = NOT MAY
in order to = to
so as to = to
wi fi = wifi
wireless network = wifi
wireless connection = wifi
once more = again
right away = immediate
at once = immediate
arrive at = reach
go into = enter
get into = enter
drive into = enter
collide with = collide
bump into = collide
run into = collide
except for = EXCEPT
apart from = EXCEPT
other than = EXCEPT
with exception of = EXCEPT
unsafe = NOT safe
there be = be
there PAST be = PAST be
be locate = be
be situate = be
open outward = swing outward
open inward = swing inward
before enter = BEFORE LIGHT
prior to enter = BEFORE LIGHT
ahead of enter = BEFORE LIGHT
per cent = percent
"""

# split particle verbs: 'turn the pump off'
SPLIT_VERBS = {
    (verb, particle): f'switch_{particle}' for verb in ('turn', 'switch', 'power') for particle in ('on', 'off')
} | {('shut', 'off'): 'switch_off', ('pick', 'up'): 'pick'}


def _groups(text: str) -> dict[str, str]:
    table: dict[str, str] = {}
    for line in text.strip().splitlines():
        canonical, words = line.split(': ')
        for word in words.split():
            table[word] = canonical
    return table


def _phrases(text: str) -> dict[str, tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]]:
    by_first: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
    for line in text.strip().splitlines():
        left, right = line.split(' = ')
        words = tuple(left.split())
        by_first.setdefault(words[0], []).append((words[1:], tuple(right.split())))
    return {first: tuple(sorted(rest, key=lambda p: -len(p[0]))) for first, rest in by_first.items()}


SYNONYMS = _groups(_SYNONYMS)
PHRASES = _phrases(_PHRASES)
