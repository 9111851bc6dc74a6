"""Combines several web searches: the first working one answers, and a failing one pauses."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from services.run.errors import SearchError, SearchRefused
from services.run.log import WARNING, log
from services.sandbox.slots import Slots
from services.search.hit import Hit, SearchProvider

MAX_FAILURES = 3
"""Consecutive failures after which a provider pauses."""
REST_SECONDS = 60.0
"""Length of a pause."""


@dataclass(slots=True)
class _State:
    turns: Slots
    failures: int = 0
    """Number of consecutive failures."""
    rests_until: float = 0.0
    reason: str = ""
    """Message of its last failure; later searches report it while the provider pauses."""


@dataclass(frozen=True, slots=True)
class Answered:
    """Result of a search, and the searches that failed before it."""

    hits: list[Hit]
    failed: dict[str, str]
    """Reason of each failed search, by its name."""


class FailOver:
    """Asks providers in order until one answers; keep one for the whole process, so that it remembers paused providers.

    A provider pauses after several consecutive failures, and at once if it refuses the key or reports a limit. An empty
    answer is valid. The choice of a provider depends only on the order, the failures so far and the clock.
    """

    def __init__(
        self, providers: Sequence[SearchProvider], *, at_once: int = 4, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Take providers with different names, the preferred one first, each of which is asked `at_once` in so many searches."""
        self.providers = list(providers)
        self.name = "|".join(provider.name for provider in self.providers)
        self._clock = clock
        self._states = {provider.name: _State(Slots(at_once)) for provider in self.providers}

    async def search(self, query: str, limit: int) -> list[Hit]:
        """Return the results of the first provider that answers.

        Raises:
            SearchError: no provider answers; the message gives the reason of each.
        """
        return (await self.answer(query, limit)).hits

    async def answer(self, query: str, limit: int) -> Answered:
        """Return the results and the providers that failed before.

        Raises:
            SearchError: no provider answers; the message gives the reason of each.
        """
        reasons: list[tuple[str, SearchError]] = []
        for provider in self.providers:
            try:
                hits = await self._ask(provider, query, limit)
            except SearchError as error:
                reasons.append((provider.name, error))
                continue
            for name, reason in reasons:
                log("search_instead", WARNING, asked=name, answered=provider.name, error=type(reason).__name__)
            with_provider = [hit.model_copy(update={"found_by": provider.name}) for hit in hits]
            return Answered(with_provider, {name: str(reason) for name, reason in reasons})
        if len(reasons) == 1:
            raise reasons[0][1]
        raise SearchError("No web search answered. " + " ".join(f"{name}: {reason}" for name, reason in reasons))

    async def _ask(self, provider: SearchProvider, query: str, limit: int) -> list[Hit]:
        state = self._states[provider.name]
        async with state.turns.held():
            # Checked only here: while this search waited for its turn, another search may have failed.
            if state.rests_until > self._clock():
                raise SearchError(state.reason)
            try:
                hits = await provider.search(query, limit)
            except SearchError as error:
                state.failures += 1
                if isinstance(error, SearchRefused) or state.failures >= MAX_FAILURES:
                    state.rests_until = self._clock() + REST_SECONDS
                    state.reason = str(error)
                raise
        state.failures = 0
        return hits
