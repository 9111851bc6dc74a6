"""Where the numbers of a program's output come from: what it reads, what sources say, or nowhere.

A program's output proves that it ran, not that its numbers are anybody's: `print(12345)` runs, too. A number of the output is computed
from what the program takes in, or the program prints it as it stands in its code; then a source must give it. This reads the program, it
does not run it: what a program that reads a file makes of numbers of its own in a roundabout way is not seen.
"""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import PurePath

from schemas.evidence import NO_INPUT
from services.evidence.non_claims import SMALL_NUMBER
from services.text.held_numbers import is_held
from services.text.numbers import Quantity, quantities

QUOTES_FILE, FINDINGS_FILE = "excerpts.json", "findings.json"
"""Files of every work folder that hold what earlier steps quoted and found."""
PIECE = 2_000
"""Characters of a text in a program that are read at a time."""
MAX_BITS = 1_000
"""Bits of the longest whole number that is written out."""
_LONGEST_PATTERN = 100
"""Characters of a pattern of file names."""
_LISTING = frozenset({"listdir", "scandir", "iterdir", "walk"})
"""Calls after which a program may have read every table of its folder."""
_GAP = re.compile(r"\{[^{}]{0,30}\}|%\d{0,2}[ds]")
"""Where a text has something set in: `soundings_{}.csv`, `soundings_%d.csv`."""
_SET_IN = "{}"
_DIGITS = re.compile(r"(\d{1,30}(?:,\d{3}){0,9}(?:\.\d{1,30})?)\s?([%％]|percent\b|per cent\b)?")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the numbers of a program's output come from."""

    untraced: tuple[str, ...] = ()
    """Numbers of the output that no source gives; of a program that takes in nothing `NO_INPUT` and the numbers in it."""
    sourced: tuple[str, ...] = ()
    """Numbers in the program that a source gives."""


def origin_of(code: str, output: str, known: Sequence[str], inputs: Collection[str]) -> Origin:
    """Trace the numbers of a program's output.

    Args:
        code: Python source.
        output: what it printed.
        known: texts whose numbers a program may use: quotes of sources and the question.
        inputs: names of the files in its work folder.
    """
    tree = parsed(code)
    if tree is None:
        return Origin((NO_INPUT,))
    program = _Program(tree)
    held = [quantity for text in (*known, *inputs) for quantity in quantities(text)]
    written = [_values(text) for text in (*known, *inputs)]

    def is_sourced(number: str) -> bool:
        values, stated = _values(number), quantities(number)
        return (bool(values) and any(values <= there for there in written)) or (
            bool(stated) and all(is_held(quantity, held) for quantity in stated)
        )

    data = program.data()
    sourced = tuple(number for number in data if is_sourced(number))
    if not files_read(tree, inputs) and (not data or len(sourced) < len(data)):
        return Origin((NO_INPUT, *(number for number in data if number not in sourced)), sourced)
    selecting = [quantity for number in program.selecting() for quantity in quantities(number)]
    printed = [number for number in program.printed() if not SMALL_NUMBER.fullmatch(number) and not is_sourced(number)]
    own = [quantity for number in printed for quantity in quantities(number) if not is_held(quantity, selecting)]
    unsourced = (
        quantity
        for quantity in (quantities(output) if own else ())
        if is_held(_as_printed(quantity), own) and not is_held(quantity, held)
    )
    return Origin(tuple(dict.fromkeys(quantity.text for quantity in unsourced)), sourced)


def _as_printed(quantity: Quantity) -> Quantity:
    """Return a number of the output as one that may have been rounded to the digits it shows; digits alone, such as the year 2020, not to their zeros."""
    return replace(quantity, approximate=True, step=1.0 if quantity.text.isdecimal() else quantity.step)


def parsed(code: str) -> ast.Module | None:
    """Return a program's syntax tree; None if it cannot be parsed or is nested too deeply."""
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _values(text: str) -> frozenset[float]:
    """Return the values of a text's digits without unit, scale or calendar, and percentages as shares of 1, too: 28 of `28亿`."""
    numbers = [(float(digits.replace(",", "")), percent) for digits, percent in _DIGITS.findall(text)]
    return frozenset([value for value, _ in numbers] + [round(value / 100, 9) for value, percent in numbers if percent])


class _Program:
    """What a program does with the numbers that it writes: hold them under names, print them, select by them."""

    def __init__(self, tree: ast.Module) -> None:
        self._bound: dict[str, list[ast.AST]] = {}
        """Expressions by the names that may hold what they carry."""
        self._shown: list[ast.AST] = []
        """Expressions that are printed or written."""
        self._keys: list[ast.AST] = []
        """Comparisons, bounds of ranges, what stands in the brackets behind a table or list, what a table is asked with (`table.head(20)`), and scales of rates."""
        self._modules: set[str] = set()
        self._changing: set[ast.AST] = set()
        """Calls that change what they are called of: `rows.append(20)`."""
        self._operands: list[ast.AST] = []
        functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        for node in ast.walk(tree):
            self._note(node, functions)
            self._keys += node.args if isinstance(node, ast.Call) and _name_of(node) == "range" else ()

    def _note(self, node: ast.AST, functions: Mapping[str, ast.FunctionDef]) -> None:
        match node:
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                self._modules |= {name.asname or name.name for name in names}
            case ast.Assign(targets=targets, value=value):
                self._bind(targets, value)
            case ast.AnnAssign() | ast.AugAssign() | ast.NamedExpr() if node.value is not None:
                self._bind([node.target], node.value)
            case ast.For(target=target, iter=items) | ast.comprehension(target=target, iter=items):
                self._bind([target], items)
            case ast.FunctionDef(name=name, args=arguments):
                self._bind(arguments.args[-len(arguments.defaults) :], *arguments.defaults)
                returns = [part.value for part in ast.walk(node) if isinstance(part, ast.Return) and part.value]
                self._bind([ast.Name(name)], *returns)
            case ast.Call(func=ast.Name("print") | ast.Attribute(attr="write"), args=arguments):
                self._shown += arguments
            case ast.Call(func=ast.Name(name), args=arguments) if name in functions:
                self._bind(functions[name].args.args, *arguments)
            case ast.Expr(ast.Call(func=ast.Attribute(value=changed), args=arguments) as call):
                self._bind([changed], *arguments)
                self._changing.add(call)
            case ast.Call(func=ast.Attribute(value=asked), args=arguments) if node not in self._changing:
                named = [keyword.value for keyword in node.keywords]
                root = _root(asked)
                self._keys += [] if root is None or root in self._modules else [*arguments, *named]
            case ast.Subscript(slice=key) | (ast.Compare() as key):
                self._keys.append(key)
            case ast.BinOp():
                self._operands.append(node)
                self._keys += [part for part in (node.left, node.right) if _is_scale(part)]

    def _bind(self, targets: Iterable[ast.AST], *values: ast.AST) -> None:
        for part in (part for target in targets for part in ast.walk(target)):
            if isinstance(part, ast.Name | ast.arg):
                self._bound.setdefault(part.id if isinstance(part, ast.Name) else part.arg, []).extend(values)

    def data(self) -> list[str]:
        """Return the numbers that the program holds under names or prints as they stand; else those that it computes with, else those in its texts."""
        carried = [
            part for values in (self._shown, *self._bound.values()) for value in values for part in _carried(value)
        ]
        numbers = [number for part in carried if not _is_text(part) for number in _numbers(part)]
        operands = [
            number for node in self._operands for part in ast.iter_child_nodes(node) for number in _numbers(part)
        ]
        own = numbers or operands or [number for part in carried for number in _numbers(part)]
        return list(dict.fromkeys([number for number in own if not SMALL_NUMBER.fullmatch(number)] or own))

    def printed(self) -> list[str]:
        """Return the numbers that may be printed as they stand."""
        return self._reached(self._shown)

    def selecting(self) -> frozenset[str]:
        """Return the numbers by which the program selects or compares what it reads."""
        parts = (part for key in self._keys for part in ast.walk(key))
        return frozenset(self._reached(part for part in parts if isinstance(part, ast.Constant | ast.Name)))

    def _reached(self, expressions: Iterable[ast.AST]) -> list[str]:
        """Return the numbers that expressions carry, by themselves and by names."""
        numbers: dict[str, None] = {}
        names: set[str] = set()
        waiting = list(expressions)
        while waiting:
            for part in _carried(waiting.pop()):
                numbers |= dict.fromkeys(_numbers(part))
                if isinstance(part, ast.Name) and part.id not in names:
                    names.add(part.id)
                    waiting += self._bound.get(part.id, ())
        return list(numbers)


def _carried(expression: ast.AST) -> Iterator[ast.AST]:
    """Yield the constants and names of an expression whose values it may have unchanged: no number that is computed with or selects."""
    waiting = [expression]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.Constant() | ast.Name():
                yield node
            case ast.Subscript(value=value) | ast.FormattedValue(value=value):
                waiting.append(value)
            case ast.BinOp() | ast.Call() | ast.keyword():
                parts = ast.iter_child_nodes(node)
                waiting += (part for part in parts if not isinstance(part, ast.Constant) or _is_text(part))
            case _ if not isinstance(node, ast.Compare):
                waiting += ast.iter_child_nodes(node)


def _root(node: ast.AST) -> str | None:
    """Return the name at the beginning of a chain: `table` of `table.depth[1].abs()`."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def _is_scale(node: ast.AST) -> bool:
    """Tell whether something is a power of ten, by which rates are told: per 1,000 inhabitants."""
    value = node.value if isinstance(node, ast.Constant) else None
    return isinstance(value, int | float) and bool(re.fullmatch(r"10+(?:\.0)?", str(value)))


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _numbers(node: ast.AST) -> list[str]:
    match node:
        case ast.Constant(value=bool()):
            return []
        case ast.Constant(value=int() | float() as value):
            return [f"{value:x}" if isinstance(value, int) and value.bit_length() > MAX_BITS else f"{value}"]
        case ast.Constant(value=str() as text):
            pieces = (text[start : start + PIECE] for start in range(0, len(text), PIECE))
            return [quantity.text for piece in pieces for quantity in quantities(piece)]
    return []


def files_read(program: ast.Module, inputs: Collection[str]) -> tuple[str, ...]:
    """Return which of its inputs a program names, by name or pattern; all tables where it lists its folder."""
    nodes = list(ast.walk(program))
    listed = any(_name_of(node) in _LISTING for node in nodes if isinstance(node, ast.Call))
    tables = {name for name in inputs if listed and name not in {QUOTES_FILE, FINDINGS_FILE}}
    for text in _texts(nodes):
        tables.update(_named_in(text, inputs))
        tables.update(_composed_by(text, inputs))
    return tuple(name for name in inputs if name in tables)


def _composed_by(text: str, inputs: Collection[str]) -> Iterator[str]:
    """Yield the files whose names a text becomes with something in its gaps: `soundings_{year}.csv`; it has to have the ending."""
    pattern = _GAP.sub("*", text.replace("\\", "/").rpartition("/")[2])
    if "*" in pattern and len(pattern) <= _LONGEST_PATTERN:
        yield from (
            name for name in inputs if pattern.endswith(PurePath(name).suffix or "/") and fnmatchcase(name, pattern)
        )


def _named_in(text: str, inputs: Collection[str]) -> Iterator[str]:
    """Yield the files that a text names, but none whose name is only a part of another name."""
    base = text.replace("\\", "/").rpartition("/")[2]
    if "*" in base and len(base) <= _LONGEST_PATTERN:
        yield from (name for name in inputs if fnmatchcase(name, base))
    for name in sorted(inputs, key=len, reverse=True):
        around = pairwise(text.split(name))
        if any(not _goes_on(before[-1:]) and not _goes_on(after[:1]) for before, after in around):
            yield name
        text = text.replace(name, "\n")


def _goes_on(char: str) -> bool:
    return char.isalnum() or char in {"-", "_"}


def _name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _texts(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Yield the texts in a program that do something: none that stands alone, as comments do, and none that is only printed.

    What is put together of several is one text, with `{}` for what the program sets in.
    """
    idle: list[ast.expr] = [
        node.value for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ]
    idle += [part for node in nodes if isinstance(node, ast.Call) and _name_of(node) == "print" for part in node.args]
    idle += [part for node in idle for part in _template(node)]
    ignored = set(map(id, idle))
    for node in nodes:
        if id(node) in ignored:
            continue
        match node:
            case ast.Constant(value=str() as text):
                yield text
            case ast.JoinedStr() | ast.BinOp(op=ast.Add()):
                yield "".join(_pieces(node))


def _template(node: ast.AST) -> Sequence[ast.expr]:
    """Return the texts of an expression into which it sets something."""
    match node:
        case ast.JoinedStr(values=parts):
            return parts
        case ast.BinOp(op=ast.Mod(), left=text) | ast.Call(func=ast.Attribute(attr="format", value=text)):
            return [text]
    return []


def _pieces(node: ast.AST) -> Iterator[str]:
    """Yield the pieces of a text that is put together, at most as many as a name of a file has characters."""
    waiting = [node]
    for _ in range(_LONGEST_PATTERN):
        match waiting.pop() if waiting else None:
            case None:
                break
            case ast.Constant(value=str() as text):
                yield text
            case ast.JoinedStr(values=values):
                waiting += reversed(values)
            case ast.BinOp(op=ast.Add(), left=left, right=right):
                waiting += [right, left]
            case _:
                yield _SET_IN
