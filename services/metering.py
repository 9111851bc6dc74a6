"""What a node uses while it runs: model calls, searches, code runs and time.

A meter is scoped: `with Meter() as meter` counts everything that happens inside it, also in tasks started there.
"""

import time
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Self

from schemas.usage import RoleUsage, Usage

_current: ContextVar["Meter | None"] = ContextVar("meter", default=None)


class Meter:
    """Counts into one `Usage`; `usage.seconds` is set when the meter closes."""

    def __init__(self) -> None:
        self.usage = Usage()
        self._started = 0.0
        self._token: Token[Meter | None] | None = None

    def __enter__(self) -> Self:
        self._started = time.monotonic()
        self._token = _current.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.usage = self.usage.model_copy(update={"seconds": self.seconds})
        if self._token is not None:
            _current.reset(self._token)

    @property
    def seconds(self) -> float:
        """Seconds since the meter opened."""
        return round(time.monotonic() - self._started, 3)


def count_model_call(role: str, input_tokens: int, output_tokens: int) -> None:
    """Add one model call to the current meter, if there is one."""
    _add(Usage(roles={role: RoleUsage(calls=1, input_tokens=input_tokens, output_tokens=output_tokens)}))


def count(*, searches: int = 0, pages: int = 0, code_runs: int = 0) -> None:
    """Add searches, page reads or code runs to the current meter, if there is one."""
    _add(Usage(searches=searches, pages=pages, code_runs=code_runs))


def _add(usage: Usage) -> None:
    meter = _current.get()
    if meter is not None:
        meter.usage = meter.usage + usage
