"""Text as it is compared, indexed and asked for: one form, one set of tokens, on every path.

Duplicates (the comparison form, contract 4), the full-text index and its queries (contract 8) all
read from here, so that what was written in one spelling is found in another. Every function works
in linear time on any string, hostile ones included.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

_CHINESE = '的 了 在 是 把 被 给 和 与 从 到 也 都 就 对 又 所 而 且 但 或'
_ENGLISH = 'a an the is are was were be to of and in for on with'
FUNCTION_WORDS = frozenset(f'{_CHINESE} {_ENGLISH}'.split())
"""Words of grammar (seed 000): a query for other words does without them."""
_ASKING = 'what which who whom whose when where why how do does did has have had'
SILENT_IN_QUESTIONS = FUNCTION_WORDS | frozenset(_ASKING.split())
"""With the words of asking: memories seldom hold them, so that BM25 would take them for telling (docs/retrieval.md)."""

FORM = f'1, Unicode {unicodedata.unidata_version}'
"""Names the form that texts are folded and cut into: a file of another form is indexed anew (FTS-06).

Raise the number whenever ``tokens`` or ``compare_form`` gives another result for any text. Which signs are letters
and what they fold to is Python's own table: another Python may have another.
"""

MAX_PHRASES = 64
"""Most phrases of one query; a longer text is sampled evenly from its start to its end."""

_MAX_MARKS = 30  # on one base sign, as in Unicode's stream-safe format: ordering them takes quadratic time

# Letters of scripts that set no blanks between words; each is a token of its own.
_HAN = (
    '\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b'
    '\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd'
)
_KANA = '\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\U0001b000-\U0001b16f'
_BOPOMOFO = '\u3105-\u312f\u31a0-\u31bf'
_SOUTH_EAST = '\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1050-\u108f\u1780-\u17d3'
_HANGUL = '\uac00-\ud7a3'  # with blanks, but with particles that stick to the word
_SIGNS = _HAN + _KANA + _BOPOMOFO + _SOUTH_EAST + _HANGUL
_EMOJI = (  # without the five skin tones
    '\u231a\u231b\u23e9-\u23fa\u25a0-\u25ff\u2600-\u27bf\u2b1b\u2b1c\u2b50\u2b55'
    '\U0001f000-\U0001f3fa\U0001f400-\U0001faff'
)
# Default-ignorable code points of Unicode, without the zero width space, which is a blank.
_IGNORABLE = (
    '\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200c-\u200f\u202a-\u202e\u2060-\u206f\u3164'
    '\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff'
)
_BLANK = r'\s\x00-\x1f\x7f-\x9f\u200b\u2800'


def _mark_ranges() -> str:
    """Give the combining marks as the inside of a character class (``re`` has no class for them)."""
    marks = [code for code in range(0x300, 0x20000) if unicodedata.category(chr(code))[0] == 'M']
    starts = [code for code, before in zip(marks, [0, *marks]) if code != before + 1]
    ends = [code for code, after in zip(marks, [*marks[1:], 0]) if code != after - 1]
    return ''.join(f'{chr(low)}-{chr(high)}' for low, high in zip(starts, ends))


_MARKS = _mark_ranges()
_LETTER = rf'[^\W\d_{_SIGNS}]'
_VISIBLE = re.compile(f'[^{_BLANK}{_IGNORABLE}]')
_BLANKS = re.compile(f'[{_BLANK}]+')
_IGNORED = re.compile(f'[{_IGNORABLE}]+')
_MARK_RUN = re.compile(f'[{_MARKS}]{{{_MAX_MARKS + 1},}}')
_CJK = f'[{_HAN}{_KANA}{_BOPOMOFO}\u3001-\u3003\u3008-\u3011]'
_BLANK_IN_CJK = re.compile(f'(?<={_CJK}) (?={_CJK})')
_MAY_HAVE_ACCENTS = re.compile('[\u00c0-\u052f\u1e00-\u1fff]')
_ACCENTS = re.compile('(?<=[a-z\u00df-\u024f\u0370-\u03ff\u0400-\u052f])[\u0300-\u036f]+')
_POSSESSIVE = re.compile(r"(?<=[^\W\d_])'s(?![^\W_])")
_NUMBER = r'\d+(?:[.,]\d+)*'
_ASCII_TOKEN = re.compile(rf"[a-z]+(?:'[a-z]+)*|{_NUMBER}")
_WORD = f'{_LETTER}+(?:[{_MARKS}]+{_LETTER}*)*'
_TOKEN = re.compile(rf"[{_SIGNS}][{_MARKS}]*|{_NUMBER}|[{_EMOJI}]|{_WORD}(?:'{_WORD})*")
_SIGN = re.compile(f'[{_SIGNS}]')


def is_blank(text: str) -> bool:
    """Tell whether ``text`` shows nothing: blanks, control signs and invisible characters only (EMB-06)."""
    return _VISIBLE.search(text) is None


def compare_form(text: str) -> str:
    """Give the form in which two texts are the same text (contract 4).

    NFKC and case-folded; blanks between CJK characters go, others fold to one; invisible characters
    go. Hence ``m²`` is ``m2`` and ``①`` is ``1`` here: whether two such texts are the same *fact* is
    for the guard, which reads them unfolded. ``compare_form(compare_form(x)) == compare_form(x)``.
    """
    return _BLANK_IN_CJK.sub('', _BLANKS.sub(' ', _fold(text)).strip(' '))


def content_hash(text: str) -> str:
    """Give the first 16 hex digits of the SHA-256 of the comparison form."""
    return hashlib.sha256(compare_form(text).encode('utf-8', 'surrogatepass')).hexdigest()[:16]


def tokens(text: str) -> tuple[str, ...]:
    """Give the words of ``text`` in order, as they are indexed and compared.

    A word is a run of letters without its accents (``can't`` is one, ``dock's`` is ``dock``), a number
    with its points and commas (``12.5``), an emoji, or one sign of Chinese, Japanese, Korean, Thai and
    other scripts that run words together. Letters and digits part: ``grip_force=12.5N`` is ``grip
    force 12.5 n``, and ``bin-7``, ``bin 7`` and ``bin7`` are the same two words. Punctuation is none.
    """
    folded = _folded_words(text)
    return tuple((_ASCII_TOKEN if folded.isascii() else _TOKEN).findall(folded))


def index_text(text: str) -> str:
    """Give what the full-text index stores: the tokens, joined by blanks ('' for ``...``)."""
    return ' '.join(tokens(text))


def query_phrases(text: str, silent: frozenset[str] = FUNCTION_WORDS) -> tuple[tuple[str, ...], ...]:
    """Give the phrases of adjacent tokens that a text asks for, any of which may match.

    A word is a phrase; words that were written without a blank (``bin-7``) are also asked for in
    pairs, and their one-character parts in pairs only, since ``7`` alone is in every other text. A
    run of signs is asked for by its overlapping pairs, a run of one by itself, so that one- and
    two-character Chinese words are found (FTS-03). Phrases of ``silent`` words are left out unless the
    text has nothing else. At most ``MAX_PHRASES``, distinct; none for a text without words.
    """
    chunks = _chunks(_folded_words(text))
    phrases = [phrase for chunk in chunks for phrase in _chunk_phrases(chunk)]
    telling = [phrase for phrase in phrases if not silent.issuperset(phrase)]
    distinct = tuple(dict.fromkeys(telling or phrases))
    if len(distinct) <= MAX_PHRASES:
        return distinct
    return tuple(distinct[place * len(distinct) // MAX_PHRASES] for place in range(MAX_PHRASES))


def _fold(text: str) -> str:
    """NFKC and case folding, nothing invisible.

    Decomposed first (NFKD), since folding makes letters of some marks, whose order must be settled before.
    """
    if text.isascii():
        return text.lower()
    folded = _MARK_RUN.sub(_first_marks, _IGNORED.sub('', text))
    folded = unicodedata.normalize('NFKC', unicodedata.normalize('NFKD', folded).casefold())
    return _MARK_RUN.sub(_first_marks, folded)


def _first_marks(run: re.Match[str]) -> str:
    return run[0][:_MAX_MARKS]


def _folded_words(text: str) -> str:
    """Fold ``text`` further, to where a word is found without its accents and its possessive."""
    folded = _fold(text)
    if not folded.isascii():
        folded = folded.replace('\u2019', "'").replace('\u2018', "'")
        if _MAY_HAVE_ACCENTS.search(folded):
            folded = unicodedata.normalize('NFC', _ACCENTS.sub('', unicodedata.normalize('NFD', folded)))
    return _POSSESSIVE.sub('', folded) if "'s" in folded else folded


def _chunks(folded: str) -> list[list[str]]:
    """Group the tokens that stand together: no blank between words, nothing at all beside a sign."""
    chunks: list[list[str]] = []
    end = -1
    for match in _TOKEN.finditer(folded):
        start, token = match.start(), match[0]
        joined = start == end or (
            end >= 0 and not _BLANKS.search(folded, end, start) and not _SIGN.match(token)
            and not _SIGN.match(chunks[-1][-1])
        )
        if joined:
            chunks[-1].append(token)
        else:
            chunks.append([token])
        end = match.end()
    return chunks


def _chunk_phrases(chunk: list[str]) -> list[tuple[str, ...]]:
    """Give the phrases of one chunk: what stands by itself, and each adjacent pair."""
    if len(chunk) == 1:
        return [(chunk[0],)]
    sign = [_SIGN.match(token) is not None for token in chunk]
    phrases: list[tuple[str, ...]] = []
    for place, token in enumerate(chunk):
        in_run = sign[place] and True in sign[max(0, place - 1):place] + sign[place + 1:place + 2]
        if not in_run and (sign[place] or len(token) > 1):
            phrases.append((token,))
        phrases.extend((token, after) for after in chunk[place + 1:place + 2])
    return phrases
