"""Values that hold inside a block, also in the tasks that it starts."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Value = TypeVar("Value")


@contextmanager
def scoped(variable: ContextVar[Value], value: Value) -> Iterator[Value]:
    """Set a variable while the block runs."""
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)
