"""Bounds of a prompt that a run brings along: it is rendered in Jinja's sandbox, and stops when it becomes too much.

Every turn of a loop, every character that a filter handles and every character that comes out is counted while Jinja renders,
so that no text can hold up the process, whatever it multiplies.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from jinja2 import Environment, nodes, pass_context
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

MAX_RENDERED = 1_000_000
"""Characters of one rendered prompt: some 250,000 tokens."""
MAX_HANDLED = 1_000_000
"""Characters that filters may handle while one prompt is rendered."""
MAX_TURNS = 20_000
"""Turns of all loops while one prompt is rendered: more than a run finds passages, excerpts and tables."""
MAX_SECONDS = 0.5
"""Of the processor's time for one rendering. What a run needs takes milliseconds."""
FILTERS = frozenset("attribute join lower upper title trim length first last default".split())
"""What a prompt that a run brings along may use."""
_LOOP = "loop_turns"
"""Name of the filter that stands around what a loop goes through; no prompt may name it itself."""
_PLAIN = Environment(autoescape=False)  # noqa: S701 - prompts are no HTML; it only calls filters


class TooMuch(ValueError):
    """Rendering has reached one of its bounds; the message says which."""


@dataclass(slots=True)
class Meter:
    """What one rendering has taken so far."""

    turns: int = 0
    handled: int = 0
    rendered: int = 0
    _began: float = field(default_factory=time.thread_time)

    def turn(self) -> None:
        """Count a turn of a loop."""
        self.turns += 1
        self._hold(self.turns, MAX_TURNS, "turns of loops")

    def handle(self, value: object) -> None:
        """Count what a filter is given, or what it returns."""
        self.handled += len(value) if isinstance(value, str) else 1
        self._hold(self.handled, MAX_HANDLED, "characters in filters")

    def pieces(self, rendered: Iterable[str]) -> Iterator[str]:
        """Count the pieces of a rendered template as they come."""
        for piece in rendered:
            self.rendered += len(piece)
            self._hold(self.rendered, MAX_RENDERED, "characters")
            yield piece

    def _hold(self, amount: int, limit: int, what: str) -> None:
        if amount > limit:
            raise TooMuch(f"it comes to more than {limit:,} {what}")
        if time.thread_time() - self._began > MAX_SECONDS:
            raise TooMuch(f"it takes longer than {MAX_SECONDS:g} s")


_meter: ContextVar[Meter | None] = ContextVar("meter", default=None)


@contextmanager
def metered() -> Iterator[Meter]:
    """Count what is rendered inside the block."""
    token = _meter.set(meter := Meter())
    try:
        yield meter
    finally:
        _meter.reset(token)


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """Jinja's sandbox with every loop and every filter counted; only inside `metered` does it render either."""

    def compile(self, source: Any, *place: Any, **choices: Any) -> Any:
        """Compile a template with a counter in each of its loops."""
        if isinstance(source, str):
            source = self.parse(source, *place[:2])
        return super().compile(_CountedLoops().visit(source), *place, **choices)

    def count_filters(self) -> None:
        """Count what the filters handle that a prompt may use."""
        counted = {name: _counted(name, self.filters[name]) for name in FILTERS}
        self.filters = {**self.filters, **counted, _LOOP: _turns}


class _CountedLoops(NodeTransformer):
    """Puts the counter around what each loop goes through."""

    def visit_For(self, node: nodes.For, *_: Any) -> nodes.For:  # noqa: N802 - Jinja names its visitors after its nodes
        self.generic_visit(node)
        node.iter = nodes.Filter(node.iter, _LOOP, [], [], None, None, lineno=node.lineno)
        return node


def _present() -> Meter:
    meter = _meter.get()
    if meter is None:
        raise TooMuch("nothing counts what it takes")
    return meter


@pass_context  # also so that Jinja does not compute it when it compiles
def _turns(_: Context, value: Iterable[Any]) -> Iterator[Any]:
    meter = _present()
    for item in value:
        meter.turn()
        yield item


def _counted(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
    """Return a filter that counts what it is given and what it returns; what it joins, before it does."""
    own = name not in _PLAIN.filters

    @pass_context  # as above
    def counted(context: Context, value: Any, *arguments: Any, **named: Any) -> Any:
        meter = _present()
        meter.handle(value)
        if name == "join":
            value = _joined(meter, value, arguments[0] if arguments else named.get("d", ""))
        result = work(value, *arguments, **named) if own else _PLAIN.call_filter(name, value, arguments, named, context)
        meter.handle(result)
        return result

    return counted


def _joined(meter: Meter, items: Iterable[Any], separator: object) -> Iterator[Any]:
    """Count the separators before there is a text of them."""
    for item in items:
        meter.handle(separator)
        yield item
