"""What a regular expression finds hardest to read, derived from its own parse tree.

A backtracking matcher takes quadratic time or worse where a repeat can end in several places and what follows fails, or where every
start of a search reads the same long stretch again. So each repeat of a pattern is fed with a beginning that leads to it, then with
what it accepts, over and over, and then with something that makes the rest fail.
"""

import random
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from re import _constants as ops  # type: ignore[attr-defined]  # there is no public parser; `sre_parse` is this module and warns
from re import _parser as parser  # type: ignore[attr-defined]  # as above
from typing import Any

SIZE = 50_000
"""Characters of a hard case."""
_ALPHABET = " \t\n\u3000a1,.-_'\"()[]<>{}*`#|:;/\\$%&=+!?~^@A0e中十年一。，、；《“"
_UNITS = 3
_REPEATS = frozenset({ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT})
_SINGLE = frozenset({ops.LITERAL, ops.NOT_LITERAL, ops.ANY, ops.IN})
_FAILURES = ("", "\x00", "\n", "a")
_LONG = 16
"""A repeat that is bounded below this many turns is not pumped."""

Tree = Iterable[tuple[Any, Any]]


def hard_cases(pattern: str, flags: int, sizes: Sequence[int]) -> Iterator[tuple[str, ...]]:
    """Yield texts that a matcher finds hard, each in several sizes; the same for the same pattern."""
    grammar = _Grammar(pattern, flags)
    seen = set()
    for prefix, unit in grammar.repeats():
        for texts in zip(*(_texts(prefix, unit, size) for size in sizes), strict=True):
            if texts not in seen:
                seen.add(texts)
                yield texts
    whole = [grammar.example(grammar.tree, lengthen=True) for _ in range(3)]
    for cut in (cut for example in whole for cut in (example, example[:-1])):
        texts = tuple(_filled(cut, size) for size in sizes)
        if texts not in seen:
            seen.add(texts)
            yield texts


def _texts(prefix: str, unit: str, size: int) -> Iterator[str]:
    for failure in _FAILURES:
        yield prefix + _filled(unit, size) + failure
    yield _filled(unit, size) + "\x00"
    yield "a" + prefix + _filled(unit, size) + "a"
    yield _filled(prefix + unit, size) + "\x00"
    if prefix:
        yield _filled(prefix, size)


def _filled(unit: str, size: int) -> str:
    return unit * max(size // max(len(unit), 1), 1)


def has_possessive_group(pattern: str, flags: int = 0) -> bool:
    """Tell whether a pattern repeats possessively more than a single character: `(?:ab?)++` instead of `(?>(?:ab?)+)`."""
    return _holds_possessive_group(parser.parse(pattern, flags))


def _holds_possessive_group(part: Any) -> bool:
    if isinstance(part, tuple) and len(part) > 1 and part[0] is ops.POSSESSIVE_REPEAT:
        body = list(part[1][2])
        if len(body) != 1 or body[0][0] not in _SINGLE:
            return True
    return isinstance(part, (tuple, list, parser.SubPattern)) and any(map(_holds_possessive_group, part))


class _Grammar:
    """Examples of what a pattern's parts accept."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._random = random.Random(repr(pattern))  # noqa: S311 - examples, no secrets
        self.tree = parser.parse(pattern, flags)
        literals = "".join(dict.fromkeys(chr(char) for char in _literals(self.tree)))[:60]
        self._alphabet = _ALPHABET + literals
        sets = list(_sets(self.tree))
        self._accepting = {char: sum(_accepts(chars, char) for chars in sets) for char in set(self._alphabet)}
        self._groups: dict[int, str] = {}

    def repeats(self) -> Iterator[tuple[str, str]]:
        """Yield each repeat's beginnings and what it accepts."""
        for prefix, body in self._walk(self.tree, ""):
            for unit in self._units(body):
                yield prefix, unit

    def _walk(self, tree: Tree, prefix: str) -> Iterator[tuple[str, Tree]]:
        for op, value in tree:
            for part in _parts(op, value):
                yield from self._walk(part, prefix)
            if op in _REPEATS:
                _, high, body = value
                if high > _LONG:
                    yield prefix, body
                    yield prefix + self.example(body), body
            prefix += self.example([(op, value)])

    def _units(self, body: Tree) -> list[str]:
        """Return examples of a repeat's body: characters that most sets of the pattern accept come first."""
        items = list(body)
        while len(items) == 1 and items[0][0] is ops.SUBPATTERN:
            items = list(items[0][1][-1])
        if len(items) == 1 and items[0][0] in {ops.IN, ops.NOT_LITERAL, ops.ANY, ops.LITERAL}:
            accepted = [char for char in self._alphabet if _accepts(items[0], char)]
            shared = sorted(dict.fromkeys(accepted), key=lambda char: -self._accepting[char])
            varied = shared[:_UNITS] + [char for char in accepted if char in " \na1"]
            return list(dict.fromkeys(varied)) or [self.example(items)]
        return list(dict.fromkeys(filter(None, (self.example(items, lengthen=turn > 0) for turn in range(2 * _UNITS)))))

    def example(self, tree: Tree, *, lengthen: bool = False) -> str:
        """Return a text that `tree` accepts, as short as it goes unless it is lengthened."""
        return "".join(self._of(op, value, lengthen) for op, value in tree)

    def _of(self, op: Any, value: Any, lengthen: bool) -> str:
        if op in {ops.LITERAL, ops.NOT_LITERAL, ops.ANY, ops.IN}:
            if op is ops.LITERAL:
                return chr(value)
            accepted = [char for char in self._alphabet if _accepts((op, value), char)]
            return self._random.choice(accepted) if accepted else _from_range(value)
        if op is ops.BRANCH:
            return self.example(self._random.choice(value[1]), lengthen=lengthen)
        if op in _REPEATS:
            low, high, body = value
            turns = min(high, low + self._random.randrange(3)) if lengthen else low
            return "".join(self.example(body, lengthen=lengthen) for _ in range(min(turns, 100)))
        if op is ops.ASSERT:
            return self.example(value[1], lengthen=lengthen) if value[0] < 0 else ""
        if op is ops.GROUPREF:
            return self._groups.get(value, "")
        if op is ops.SUBPATTERN:
            text = self.example(value[-1], lengthen=lengthen)
            self._groups[value[0]] = text
            return text
        return (
            "".join(self.example(part, lengthen=lengthen) for part in _parts(op, value))
            if op is ops.ATOMIC_GROUP
            else ""
        )


def _parts(op: Any, value: Any) -> list[Tree]:
    """Return the trees inside an item."""
    if op is ops.BRANCH:
        return list(value[1])
    if op in _REPEATS or op is ops.SUBPATTERN:
        return [value[-1]]
    if op in {ops.ASSERT, ops.ASSERT_NOT}:
        return [value[1]]
    if op is ops.ATOMIC_GROUP:
        return [value]
    if op is ops.GROUPREF_EXISTS:
        return [part for part in value[1:] if part is not None]
    return []


def _sets(tree: Tree) -> Iterator[tuple[Any, Any]]:
    for op, value in tree:
        if op in {ops.IN, ops.NOT_LITERAL, ops.ANY, ops.LITERAL}:
            yield op, value
        for part in _parts(op, value):
            yield from _sets(part)


def _literals(tree: Tree) -> Iterator[int]:
    for op, value in _sets(tree):
        if op is ops.LITERAL:
            yield value
        elif op is ops.IN:
            yield from (char for kind, char in value if kind is ops.LITERAL)


_CATEGORIES = {
    ops.CATEGORY_DIGIT: re.compile(r"\d"), ops.CATEGORY_NOT_DIGIT: re.compile(r"\D"), ops.CATEGORY_SPACE: re.compile(r"\s"),
    ops.CATEGORY_NOT_SPACE: re.compile(r"\S"), ops.CATEGORY_WORD: re.compile(r"\w"), ops.CATEGORY_NOT_WORD: re.compile(r"\W"),
}  # fmt: skip


def _accepts(item: tuple[Any, Any], char: str) -> bool:
    """Tell whether a set of characters has `char`."""
    op, value = item
    if op is ops.LITERAL:
        return bool(ord(char) == value)
    if op is ops.NOT_LITERAL:
        return bool(ord(char) != value)
    if op is ops.ANY:
        return char != "\n"
    negated = value[0][0] is ops.NEGATE
    return bool(negated) != any(_in_class(kind, of, char) for kind, of in value[negated:])


def _in_class(kind: Any, value: Any, char: str) -> bool:
    if kind is ops.LITERAL:
        return bool(ord(char) == value)
    if kind is ops.RANGE:
        return bool(value[0] <= ord(char) <= value[1])
    return _CATEGORIES[value].fullmatch(char) is not None


def _from_range(value: Any) -> str:
    for kind, of in value if isinstance(value, list) else ():
        if kind is ops.RANGE:
            return chr(of[0])
        if kind is ops.LITERAL:
            return chr(of)
    return chr(min(0x4E2D, sys.maxunicode))
