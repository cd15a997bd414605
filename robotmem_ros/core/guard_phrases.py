"""Join the words of a listed phrase, and put one word for its synonyms."""

from __future__ import annotations

from robotmem_ros.core.guard_words import BOUNDARY, Token
from robotmem_ros.core.synonyms import PHRASES, SPLIT_VERBS, SYNONYMS

_SEPARABLE = frozenset(verb for verb, _ in SPLIT_VERBS)
_CLAUSE_ENDS = frozenset((BOUNDARY, 'when', 'if', 'before', 'after', 'once', 'until'))


def canonical(tokens: list[Token]) -> list[Token]:
    """Join listed phrases and put listed synonyms for one another; boundaries stay."""
    result: list[Token] = []
    tokens = _negation_first(tokens)
    i, size = 0, len(tokens)
    while i < size:
        token = tokens[i]
        key = token.key
        if key in PHRASES:
            length, joined = _phrase(tokens, i)
            if length:
                result.extend(joined)
                i += length
                continue
        if key in _SEPARABLE:
            particle = _split_particle(tokens, i)
            if particle:
                result.append(Token(SPLIT_VERBS[key, tokens[particle].key], token.shown, token.form))
                result.extend(canonical(tokens[i + 1 : particle]))
                i = particle + 1
                continue
        i += 1
        synonym = SYNONYMS.get(key, key) if token.form else key
        # 'zone 3' and 'area 3' may be two names: a word with a number keeps its own form
        if synonym is key or (synonym.islower() and i < size and tokens[i].key[0] == '#'):
            result.append(token)
        else:
            result.append(Token(synonym, token.shown, token.form))
    return result


def _negation_first(tokens: list[Token]) -> list[Token]:
    """'is not able' -> 'not is able': phrases begin with their negation."""
    for i in range(len(tokens) - 1):
        if tokens[i].key == 'be' and tokens[i + 1].key == 'not':
            tokens[i], tokens[i + 1] = tokens[i + 1], tokens[i]
    return tokens


def _phrase(tokens: list[Token], i: int) -> tuple[int, list[Token]]:
    for rest, right in PHRASES[tokens[i].key]:
        if all(i + n < len(tokens) and tokens[i + n].key == word for n, word in enumerate(rest, 1)):
            length = 1 + len(rest)
            shown = ' '.join(t.shown for t in tokens[i : i + length])
            return length, [Token(word, shown, tokens[i].form) for word in right]
    return 0, []


def _split_particle(tokens: list[Token], i: int) -> int:
    """Position of the particle that ends the clause of a separable verb ('turn the pump off'), else 0."""
    for j in range(i + 2, min(i + 5, len(tokens))):
        if (tokens[i].key, tokens[j].key) in SPLIT_VERBS:
            return j if j + 1 == len(tokens) or tokens[j + 1].key in _CLAUSE_ENDS else 0
    return 0
