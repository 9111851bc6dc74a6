"""Origin of a program's numbers: the files that it reads, numbers that a source gives, or nowhere.

A program's output proves that it ran, not that its numbers are anybody's: `print(12345)` runs, too. So the numbers that
are written into a program must stand in what it was given, and a program must take something in. This reads the
program, it does not run it: what is made of allowed parts in a roundabout way (the length of a text, a product of small
numbers beside a table that is read and not used) is not seen.
"""

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from services.text.numbers import is_held, quantities
from services.text.numerals import SCALES

TRIVIAL = frozenset({0, 1, 2, 10, 100, 1_000, 0.5, 10_000, 1_000_000, 100_000_000, 1_000_000_000})
"""Numbers that start a sum, halve, or change a scale."""
DEFINED = frozenset(
    {3, 4, 5, 6, 7, 8, 9, 12, 24, 30, 52, 60, 365, 366, 365.25, 3_600, 86_400, 180, 360}
    | {
        1.8288,
        0.3048,
        0.9144,
        2.54,
        25.4,
        1.609344,
        1_609.344,
        1.852,
        1_852,
        0.45359237,
        453.59237,
        273.15,
        32,
        1.8,
        4.184,
    }
)
"""Numbers that calculate: small ones, parts of a day and of a year, and units that are defined (a foot is 0.3048 m)."""
SMALL = 100
"""Most that an argument such as `head(20)` or `quantile(0.9)` can be without being data."""
IN_WORDS = 10
"""Most that a number in words within a printed text can be without being data: `两项`, `both of the two`; `a part in a thousand` is none."""
_COUNTS = frozenset({0, 1, 2})
"""Numbers within a printed text that are no data: `1 of the dates`, `按1个年份`."""
MAX_BITS = 1_000
"""Of a whole number that is written out."""
PIECE = 2_000
"""Characters of a text in a program that are read at a time."""
FIRST_YEAR, LAST_YEAR = 1400, 2100
_TAKES_DATA = frozenset(
    "print int float complex str repr format sum max min abs divmod pow chr bytes bytearray list tuple set dict "
    "Decimal Fraction array Series DataFrame write StringIO BytesIO loads Timestamp".split()
)
"""Calls that pass on what they are given, so that a number given to them may be printed."""
_NOWHERE = frozenset(
    "random secrets uuid base64 binascii codecs zlib gzip bz2 lzma hashlib hmac urandom getrandbits "
    "hash id ord eval exec compile __import__ time_ns perf_counter monotonic utcnow today now getpid".split()
)
"""Modules and calls whose numbers come from chance, the clock or a disguise."""
_EXPRESSIONS = ast.Lambda | ast.IfExp | ast.BoolOp | ast.UnaryOp | ast.JoinedStr
_CONTAINERS = ast.Starred | ast.Tuple | ast.Slice | ast.List | ast.arguments
"""These, as the expressions above, are nodes whose parts are used as they are themselves."""
_PATTERN_CALLS = frozenset("compile search match fullmatch findall finditer sub split subn".split())
_REPEAT = re.compile(r"\{\d{1,3},\d{0,3}\}")
"""How often a regular expression takes a character, in patterns that a program keeps in a list or a table."""
_DIGITS = re.compile(r"(\d{1,30}(?:,\d{3}){0,9}(?:\.\d{1,30})?)\s?([%％]|percent\b|per cent\b)?")
_FIELD = re.compile(r"\{[\w.\[\]]{0,40}(?:![rsa])?(?::[^{}\"'\s]{0,20})?\}|%[-+#0-9.]{0,12}[a-zA-Z]")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a program's numbers come from."""

    nowhere: tuple[str, ...] = ()
    """Numbers that no source gives, as the program writes them, and names of what makes numbers out of nothing."""
    given: tuple[str, ...] = ()
    """Numbers that a source gives, as the program writes them."""
    reads: bool = False
    """Whether it names an input that it can read."""

    @property
    def traced(self) -> bool:
        """True where every number comes from somewhere."""
        return not self.nowhere and (self.reads or bool(self.given))


NO_INPUT = "no input"
"""Stands in `nowhere` for a program that takes in nothing at all."""


def origin_of(code: str, known: Sequence[str], inputs: Collection[str]) -> Origin:
    """Trace the numbers of a program.

    Args:
        code: Python source.
        known: texts whose numbers a program may use: quotes of sources and the question.
        inputs: names of the files in its work folder.
    """
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Origin((NO_INPUT,))
    walk = _Walk(inputs, _printed_names(tree))
    walk.run(tree)
    literals = [*walk.literals, *walk.parameters]
    if walk.reads:
        literals = [literal for literal in walk.literals if not _names_a_key(literal, walk.years)]
    held = [quantity for text in known for quantity in quantities(text)]
    written = [_written(text) for text in known]
    given: dict[str, None] = {}
    nowhere: dict[str, None] = dict.fromkeys(sorted(walk.disguises))
    for literal in dict.fromkeys(literals):
        numbers = quantities(literal)
        digits = _written(literal)
        as_written = bool(digits) and any(digits <= values for values in written)
        found = as_written or (numbers and all(is_held(quantity, held) for quantity in numbers))
        (given if found else nowhere).setdefault(literal)
    if not nowhere and not given and not walk.reads:
        nowhere[NO_INPUT] = None
    return Origin(tuple(nowhere), tuple(given), walk.reads)


def _written(text: str) -> frozenset[float]:
    """Return the values of a text's digits without unit, scale or calendar, and percentages as shares of 1, too: 28 of `28亿`."""
    numbers = [(float(digits.replace(",", "")), percent) for digits, percent in _DIGITS.findall(text)]
    return frozenset([value for value, _ in numbers] + [round(value / 100, 9) for value, percent in numbers if percent])


@dataclass(slots=True)
class _Walk:
    """What a walk over a program has met."""

    inputs: Collection[str]
    printed: Collection[str] = ()
    """Names whose values are printed as they are."""
    literals: list[str] = field(default_factory=list)
    parameters: list[str] = field(default_factory=list)
    """Small numbers that are not printed as they are: beside an input that is read, they say how to calculate with it."""
    disguises: set[str] = field(default_factory=set)
    years: set[float] = field(default_factory=set)
    """Those by which it takes rows and columns."""
    reads: bool = False

    def run(self, tree: ast.AST) -> None:
        """Walk a program, without recursion: a program may be nested deeply."""
        waiting: list[tuple[ast.AST, str]] = [(tree, "data")]
        while waiting:
            node, use = waiting.pop()
            self._look(node, use)
            waiting.extend(self._printed(node) or _children(node, use))

    def _printed(self, node: ast.AST) -> list[tuple[ast.AST, str]]:
        """Return the constant that a name is given which is printed as it is."""
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=value) as constant):
                if name in self.printed and isinstance(value, int | float) and value not in DEFINED:
                    return [(constant, "printed")]
        return []

    def _look(self, node: ast.AST, use: str) -> None:
        match node:
            case ast.Constant(value=bool() | None):
                return
            case ast.Constant(value=int() | float() | complex() as value):
                if not isinstance(value, complex):
                    self._key(value, use)
                if not _harmless(value, use):
                    self._add(_number_text(value), use, small=not isinstance(value, complex) and abs(value) <= SMALL)
            case ast.Constant(value=str() | bytes() as text):
                self._text(text if isinstance(text, str) else text.decode("latin-1"), use)
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in _NOWHERE and use != "pattern":
                self.disguises.add(name)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                modules = {name.name.split(".")[0] for name in names} | {getattr(node, "module", None) or ""}
                self.disguises |= modules & _NOWHERE

    def _text(self, text: str, use: str) -> None:
        if use in {"place", "compared", "pattern", "ignored"}:
            if re.fullmatch(r"\d{4}", text, re.ASCII):
                self._key(int(text), use)
            return
        named = [name for name in self.inputs if name in text]
        is_path = text.replace("\\", "/").rpartition("/")[2] in named or (use == "argument" and bool(named))
        self.reads = self.reads or (is_path and use != "printed") or re.search(r"\*\.\w+$", text) is not None
        for name in sorted(named, key=len, reverse=True):
            text = text.replace(name, " ")
        bare = _FIELD.sub(" ", text if use == "printed" else _REPEAT.sub(" ", text))
        for piece in (bare[start : start + PIECE] for start in range(0, len(bare), PIECE)):
            for quantity in quantities(piece):
                number = quantity.kind in {"number", "percent"}
                in_words = number and not any(map(str.isdigit, quantity.text))
                counts = use == "printed" and quantity.kind == "number" and quantity.value in _COUNTS
                if counts or (in_words and (quantity.value <= IN_WORDS or quantity.text.casefold() in SCALES)):
                    continue
                if not number or not _harmless(quantity.value, use):
                    self._add(quantity.text, use, small=number and quantity.value <= SMALL)

    def _key(self, value: float, use: str) -> None:
        if use in {"place", "compared"} and _is_year(value):
            self.years.add(value)

    def _add(self, literal: str, use: str, *, small: bool) -> None:
        (self.parameters if small and use != "printed" else self.literals).append(literal)


def _printed_names(tree: ast.AST) -> set[str]:
    """Return the names that a program prints without doing anything with them."""
    names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.FormattedValue(value=ast.Name(id=name)):
                names.add(name)
            case ast.Call(func=ast.Name(id="print"), args=arguments):
                names.update(argument.id for argument in arguments if isinstance(argument, ast.Name))
    return names


def _harmless(value: complex, use: str) -> bool:
    """Tell whether a number in a program is no datum, by what it is used for."""
    if use in {"place", "compared", "pattern", "ignored"}:
        return True
    if isinstance(value, complex):
        return False
    if use == "argument":
        return abs(value) <= SMALL or value in TRIVIAL or _is_year(value)
    if use == "operand":
        return value in TRIVIAL or value in DEFINED
    return use != "printed" and value in TRIVIAL


def _names_a_key(literal: str, years: Collection[float]) -> bool:
    """Tell whether a number is a year by which the program takes a row or a column of what it reads: `p[2019]`."""
    numbers = quantities(literal)
    return bool(numbers) and all(number.kind == "number" and number.value in years for number in numbers)


def _is_year(value: float) -> bool:
    return FIRST_YEAR <= value <= LAST_YEAR and float(value).is_integer()


def _number_text(value: complex) -> str:
    """Return a number as text; Python refuses to write out a whole number of thousands of digits, which 0x… may be."""
    return f"0x{value:x}"[:40] if isinstance(value, int) and value.bit_length() > MAX_BITS else str(value)


def _children(node: ast.AST, use: str) -> Iterator[tuple[ast.AST, str]]:
    """Yield the parts of a node with what they are used for."""
    match node:
        case ast.Subscript(value=value, slice=place):
            yield value, use
            yield place, "place"
        case ast.Compare():
            yield from ((part, "compared") for part in ast.iter_child_nodes(node))
        case ast.Call():
            yield from _of_call(node, use)
        case ast.BinOp(left=left, right=right):
            yield from ((part, use if use in {"place", "compared"} else "operand") for part in (left, right))
        case ast.FormattedValue(value=value):
            yield value, "printed" if isinstance(value, ast.Constant) else "data"
        case ast.Expr(value=ast.Constant(value=str())):
            return
        case ast.FunctionDef(args=arguments) | ast.AsyncFunctionDef(args=arguments):
            yield from ((part, "argument" if part is arguments else "data") for part in ast.iter_child_nodes(node))
        case _:
            part_use = use if isinstance(node, _EXPRESSIONS | _CONTAINERS) else "data"
            yield from ((part, part_use) for part in ast.iter_child_nodes(node))


def _of_call(call: ast.Call, use: str) -> Iterator[tuple[ast.AST, str]]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    module = getattr(getattr(call.func, "value", None), "id", "")
    yield call.func, "pattern" if module == "re" else "data"
    if module == "re" and name in _PATTERN_CALLS:
        inside = "pattern"
    elif name == "print":
        inside = "printed"
    elif name in _TAKES_DATA:
        inside = "data"
    else:
        inside = use if use == "place" else "argument"
    further = "ignored" if name in {"format", "round", "int"} else inside
    for place, argument in enumerate(call.args):
        yield argument, further if place else inside
    for keyword in call.keywords:
        yield keyword.value, "argument" if not isinstance(keyword.value, ast.List | ast.Dict) else "data"
