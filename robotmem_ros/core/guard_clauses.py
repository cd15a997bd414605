"""Bring clauses to one word order where the grammar proves that nothing changes: passive, 把/被, parts, orders.

Every rewriting is a narrow pattern; a clause that does not fit it keeps its own order, and then only a sentence in
the same order equals it.
"""

from __future__ import annotations

from typing import NamedTuple

from robotmem_ros.core import lexicon_zh
from robotmem_ros.core.guard_words import BOUNDARY, Token
from robotmem_ros.core.inflection import is_participle, lemma
from robotmem_ros.core.lexicon import (
    EVENTS,
    NOMINAL,
    PARTS,
    PREPOSITIONS,
    STATEFUL,
    SUBJECTS,
    SUBORDINATORS,
)

_MODAL = frozenset(('MUST', 'NOT', 'CAN', 'MAY', 'SHOULD', 'CANNOT', 'NEVER', 'always', 'will'))
_BEFORE_QUANTITY = frozenset(('at', 'with', 'WITH', 'of'))
_AROUND_NUMBER = {'about': 'ABOUT', 'around': 'ABOUT', 'above': 'MORE', 'over': 'MORE', 'UNDER': 'LESS'}
# A unit says what is measured: '25 N' is a force.
_MEASURED = {'force': 'N', '力': 'N', 'torque': 'N m', '扭矩': 'N m', 'temperature': 'degC', '温度': 'degC'}
_UNRESOLVED = _BEFORE_QUANTITY | frozenset(_AROUND_NUMBER) | {'be', 'have', '需要'}
_LIGHT = 'LIGHT'
_ENDS_OWNER = frozenset((BOUNDARY, 'be', 'use', 'have', 'take'))


class Sentence(NamedTuple):
    """
    Tokens in canonical order; ``light``: a word was let go.

    ``bounds`` are the positions at which a clause begins, ``joined`` those of them behind an 'and' or 'but'.
    """

    tokens: tuple[Token, ...]
    bounds: frozenset[int]
    joined: frozenset[int]
    light: bool


def arrange(tokens: list[Token]) -> Sentence:
    """Resolve auxiliaries, then put each clause into canonical order."""
    result: list[Token] = []
    bounds: set[int] = set()
    joined: set[int] = set()
    clause: list[Token] = []
    light = False

    def close() -> None:
        marker = clause[:1] if clause and clause[0].key in SUBORDINATORS else []
        result.extend(marker)
        result.extend(_clause(clause[len(marker) :], marker[0].key if marker else ''))
        clause.clear()

    for token in _resolved(_parts_first(tokens)):
        if token.key == _LIGHT:
            light = True
        elif token.key == BOUNDARY:
            _conditional(clause)
            close()
            bounds.add(len(result))
            if token.form:
                joined.add(len(result))
        else:
            if token.key in SUBORDINATORS and clause:
                close()
            clause.append(token)
    close()
    return Sentence(tuple(result), frozenset(bounds - {0, len(result)}), frozenset(joined), light)


def _conditional(clause: list[Token]) -> None:
    """如果 X， Y -> X 时 Y: the comma shows where the condition ends."""
    if len(clause) > 1 and clause[0].key == '如果' and all(t.key != '时' for t in clause):
        clause.append(clause.pop(0)._replace(key='时'))


def _resolved(tokens: list[Token]) -> list[Token]:
    """Auxiliary verbs and prepositions that say nothing by themselves are decided by what follows them."""
    result: list[Token] = []
    for i, token in enumerate(tokens):
        if token.key not in _UNRESOLVED:
            result.append(token)
        elif token.key == 'be':
            if _before_state(tokens, i):
                result.append(Token('BE', token.shown, token.form))
        elif token.key == '需要':
            if not result or result[-1].key != '时':  # '…时要慢' is an order, as '…时慢' is
                result.append(token)
        elif i + 1 == len(tokens) or not _says_nothing(token, tokens[i + 1]):
            number = i + 1 < len(tokens) and _counts(token, tokens[i + 1])
            result.append(Token(_AROUND_NUMBER[token.key], token.shown, token.form) if number else token)
    if _MEASURED.keys().isdisjoint([t.key for t in result]):
        return result
    return [t for i, t in enumerate(result) if t.key not in _MEASURED or not _measured_beside(result, i)]


def _before_state(tokens: list[Token], i: int) -> bool:
    j = i + 1
    while j < min(i + 4, len(tokens)) and tokens[j].key in _MODAL:
        j += 1
    return j < len(tokens) and _is_state(tokens[j])


def _says_nothing(token: Token, following: Token) -> bool:
    """'has been', 'at 5 N': an auxiliary before its participle, a preposition before a quantity."""
    if token.key == 'have':
        return following.key == 'be' or is_participle(following.form)
    return token.key in _BEFORE_QUANTITY and following.key[:2] == 'q:'


def _counts(token: Token, following: Token) -> bool:
    """Whether 'about', 'above', … speak of the number that follows."""
    if token.key not in _AROUND_NUMBER:
        return False
    return following.key[:2] == 'q:' or (following.key[:1] == '#' and token.key in ('about', 'around'))


def _is_state(token: Token) -> bool:
    return is_participle(token.form) or (token.key in STATEFUL and token.form == token.key)


def _measured_beside(tokens: list[Token], i: int) -> bool:
    beside = tokens[max(0, i - 1) : i] + tokens[i + 1 : i + 2]
    return any(t.key[:2] == 'q:' and t.key.partition(' ')[2] == _MEASURED[tokens[i].key] for t in beside)


def _clause(tokens: list[Token], marker: str) -> list[Token]:
    if not tokens:
        return tokens
    keys = [t.key for t in tokens]
    if 'BA' in keys or 'BEI' in keys:
        tokens = _chinese_order(tokens, keys)
        keys = [t.key for t in tokens]
    tokens = _without_subject(tokens)
    keys = [t.key for t in tokens]
    if 'BE' in keys:
        tokens = _active(tokens, keys, marker)
    if not marker:
        tokens = _order(tokens)
    if 'CANNOT' in keys and (tokens[0].form in NOMINAL or _is_gerund(tokens[0])):
        first = next(i for i, t in enumerate(tokens) if t.key == 'CANNOT')
        tokens = [tokens[first], *tokens[:first], *tokens[first + 1 :]]
    return tokens


def _without_subject(tokens: list[Token]) -> list[Token]:
    """'you must', 'the robot cannot': who else; a robot with a number or a describing word is not 'the robot'."""
    for i, token in enumerate(tokens[:-1]):
        if token.key in SUBJECTS and tokens[i + 1].key in ('MUST', 'CANNOT') and (i == 0 or _is_state(tokens[i - 1])):
            return tokens[:i] + tokens[i + 1 :]
    return tokens


def _order(tokens: list[Token]) -> list[Token]:
    """'must push', 'never push', 'pushing is forbidden' and the like are the orders 'push' and 'not push'."""
    if len(tokens) > 1 and tokens[0].key == 'MUST':
        tokens = tokens[1:]
    if len(tokens) > 2 and tokens[0].key == 'FORBIDDEN' and tokens[1].key == 'to':
        tokens = [Token('NOT', tokens[0].shown, tokens[0].form), *tokens[2:]]
    if len(tokens) > 1 and tokens[-1].key == 'FORBIDDEN' and _is_gerund(tokens[0]):
        tokens = [Token('NOT', tokens[-1].shown, tokens[-1].form), *tokens[:-1]]
    if len(tokens) > 3 and tokens[0].key == 'take' and tokens[1].key[:2] == 'q:' and tokens[2].key == 'to':
        tokens = [*tokens[3:], *tokens[:2]]  # 'it takes 8 N to open it' is 'opening it takes 8 N'
    if len(tokens) > 1 and tokens[0].key == 'NEVER' and lemma(tokens[1].form) == tokens[1].form:
        tokens = [Token('NOT', tokens[0].shown, tokens[0].form), *tokens[1:]]
    return tokens


def _is_gerund(token: Token) -> bool:
    return token.form.endswith('ing') and lemma(token.form) != token.form


def _parts_first(tokens: list[Token]) -> list[Token]:
    """
    'the handle of door 3 is' -> 'door 3 handle is', for listed parts and measures.

    The owner must be one plain noun, with its number: in 'the encoder of the left wheel' and 'the door of the kitchen
    cabinet' the new order could be read in two ways.
    """
    of = next((i for i, t in enumerate(tokens) if t.key == 'of'), 0)
    if of == 0 or of + 1 == len(tokens) or tokens[of - 1].key not in PARTS:
        return tokens
    owner = tokens[of + 1]
    if not owner.form:
        return tokens
    end = of + 2
    while end < len(tokens) and tokens[end].key[:1] == '#':
        end += 1
    following = tokens[end].key if end < len(tokens) else BOUNDARY
    if following in _ENDS_OWNER or following in PREPOSITIONS or following[:2] == 'q:' or following.isupper():
        return [*tokens[: of - 1], *tokens[of + 1 : end], tokens[of - 1], *tokens[end:]]
    return tokens


def _active(tokens: list[Token], keys: list[str], marker: str) -> list[Token]:
    """'Y is V-ed by X' -> 'X V Y'; 'Y must be V-ed' -> 'V Y'; 'Y is needed (for X)' -> '(X) need Y'."""
    at = keys.index('BE')
    head = at
    while head > 0 and (keys[head - 1] in _MODAL or keys[head - 1] == 'PAST'):
        head -= 1
    verb = at + 1
    while keys[verb] in _MODAL:
        verb += 1
    patient, action, rest = tokens[:head], tokens[verb], tokens[verb + 1 :]
    modal = [t for t in tokens[head:verb] if t.key in _MODAL]
    if not patient:
        return tokens
    if action.key == 'NEED':
        return _needed(tokens, patient, action, rest) if not modal else tokens
    if any(t.key in PREPOSITIONS for t in patient):
        return tokens
    by = next((i for i, t in enumerate(rest) if t.key == 'by'), None)
    if by is not None and by + 1 < len(rest) and _is_agent(rest[by + 1]):
        end = by + 1
        while end < len(rest) and rest[end].key not in PREPOSITIONS:
            end += 1
        return [*rest[by + 1 : end], *modal, action, *patient, *rest[:by], *rest[end:]]
    # 'after the part is released' is 'after releasing it'; 'when the door is closed' is a state, not an act
    act = not modal and _is_act(action.key, marker)
    order = not marker and [t.key for t in modal] in (['MUST'], ['MUST', 'NOT'])
    if (act or order) and 'PAST' not in keys:
        return [*modal[1:], action, *patient, *rest]
    return tokens


def _needed(tokens: list[Token], patient: list[Token], action: Token, rest: list[Token]) -> list[Token]:
    if not rest:
        return [action, *patient]
    if rest[0].key == 'for' and len(rest) > 1 and not any(t.key in PREPOSITIONS for t in patient):
        return [*rest[1:], action, *patient]
    return tokens


def _is_act(verb: str, marker: str) -> bool:
    return verb in EVENTS if marker == 'COND' else marker in ('BEFORE', 'AFTER') and verb not in STATEFUL


def _is_agent(token: Token) -> bool:
    return bool(token.form) and not token.form.endswith('ing')


def _chinese_order(tokens: list[Token], keys: list[str]) -> list[Token]:
    """X 把 Y V … and Y 被 X V … -> X V Y …, where V is a listed verb with its complement."""
    mark = keys.index('BA') if 'BA' in keys else keys.index('BEI')
    verb = next((i for i in range(mark + 1, len(keys)) if keys[i] in lexicon_zh.VERBS), None)
    if verb is None or keys.count('BA') + keys.count('BEI') != 1:
        return tokens
    end = verb + 1
    while end < len(keys) and keys[end] in lexicon_zh.RESULTS:
        end += 1
    before, between, action, rest = tokens[:mark], tokens[mark + 1 : verb], tokens[verb:end], tokens[end:]
    if keys[mark] == 'BA':
        return [*before, *action, *between, *rest] if between else tokens
    held = len(before)
    while held > 0 and before[held - 1].key in lexicon_zh.POLARITY:
        held -= 1
    if not between or held == 0:
        return tokens
    return [*between, *before[held:], *action, *before[:held], *rest]
