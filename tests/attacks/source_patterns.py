"""Every regular expression of the source, with the way in which it is used."""

import ast
import dataclasses
import functools
import importlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[2]
PACKAGES = ("graph", "nodes", "prompts", "schemas", "services", "leadline")
_CALLS = {
    "compile": 1, "search": 2, "match": 2, "fullmatch": 2, "findall": 2, "finditer": 2, "split": 3, "sub": 4, "subn": 4,
}  # fmt: skip
"""Functions of `re`, and where their flags stand."""
_ANCHORED = frozenset({"match", "fullmatch"})


@dataclasses.dataclass(frozen=True)
class SourcePattern:
    """A regular expression and where it stands."""

    place: str
    """File and name, or file and function of a call."""
    pattern: re.Pattern[Any]
    anchored: bool = False
    """Whether it is only ever tried at the beginning of a text, by `match` or `fullmatch`."""


@functools.cache
def files() -> list[str]:
    """Return the source files that use regular expressions."""
    found = (path for name in PACKAGES for path in (ROOT / name).rglob("*.py"))
    return sorted(str(path.relative_to(ROOT)) for path in found if re.search(r"\bre\.", path.read_text("utf-8")))


def patterns_of(file: str) -> list[SourcePattern]:
    """Return the patterns of a file: those that its names hold, and those that it gives to functions of `re` in place."""
    module = importlib.import_module(file.removesuffix(".py").replace("/", ".").removesuffix(".__init__"))
    found = [entry for name, value in vars(module).items() for entry in _held(file, name, value)]
    known = {(entry.pattern.pattern, entry.pattern.flags) for entry in found}
    for place, call in _calls(file):
        pattern = _evaluated(call, module)
        if pattern is not None and (pattern.pattern, pattern.flags) not in known:
            found.append(SourcePattern(place, pattern, call.func.attr in _ANCHORED))  # type: ignore[attr-defined]  # `_calls` chose it
    return found


def hidden_of(file: str) -> list[str]:
    """Return the calls of a file whose patterns are made while it runs, as `file:function`."""
    module = importlib.import_module(file.removesuffix(".py").replace("/", ".").removesuffix(".__init__"))
    return [place for place, call in _calls(file) if not place.endswith(":") and _evaluated(call, module) is None]


def _held(file: str, name: str, value: object) -> Iterator[SourcePattern]:
    """Yield the patterns in a module's value, containers included."""
    if isinstance(value, re.Pattern):
        used = _uses(file if name.startswith("_") else "").get(name, set())
        yield SourcePattern(f"{file}:{name}", value, bool(used) and used <= _ANCHORED)
    elif isinstance(value, Mapping):
        for part in [*value.keys(), *value.values()]:
            yield from _held(file, f"{name}[]", part)
    elif isinstance(value, tuple | list | set | frozenset):
        for part in value:
            yield from _held(file, f"{name}[]", part)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _held(file, f"{name}.{field.name}", getattr(value, field.name))


@functools.cache
def _tree(file: str) -> ast.Module:
    return ast.parse((ROOT / file).read_text("utf-8"))


@functools.cache
def _uses(only: str) -> Mapping[str, set[str]]:
    """Return the methods that are called on each name, in one file or in all; a name that is passed on may be used in every way."""
    uses: dict[str, set[str]] = {}
    for file in [only] if only else files():
        owned = {id(node.value): node.attr for node in ast.walk(_tree(file)) if isinstance(node, ast.Attribute)}
        for node in ast.walk(_tree(file)):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                uses.setdefault(node.id, set()).add(owned.get(id(node), "passed on"))
    return uses


def _calls(file: str) -> Iterator[tuple[str, ast.Call]]:
    """Yield the calls of functions of `re` with the function that they stand in; none at the top of the file."""
    for parent in _tree(file).body:
        for place, node in _walk(parent, ""):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "re"
                and node.func.attr in _CALLS
            ):
                yield f"{file}:{place}", node


def _walk(node: ast.AST, place: str) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        place = f"{place}.{node.name}".lstrip(".")
    yield place, node
    for child in ast.iter_child_nodes(node):
        yield from _walk(child, place)


def _evaluated(call: ast.Call, module: ModuleType) -> re.Pattern[Any] | None:
    """Return the pattern of a call; None where it is made of what only a run knows."""
    place = _CALLS[call.func.attr]  # type: ignore[attr-defined]  # `_calls` chose it
    given = [keyword.value for keyword in call.keywords if keyword.arg == "flags"] or call.args[place : place + 1]
    try:
        pattern, flags = (_value(part, module) for part in (call.args[0], given[0] if given else ast.Constant(0)))
    except NameError:
        return None
    return re.compile(pattern, flags)


def _value(expression: ast.expr, module: ModuleType) -> Any:
    return eval(compile(ast.Expression(ast.fix_missing_locations(expression)), module.__name__, "eval"), vars(module))  # noqa: S307 - the source's own constants
