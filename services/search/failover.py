"""One web search out of several: the first that works answers, and one that keeps failing rests."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from services.run.errors import SearchError, SearchRefused
from services.run.log import WARNING, log
from services.search.hit import Hit, SearchProvider


@dataclass(slots=True)
class _State:
    """How one provider has been doing."""

    failures: int = 0
    """In a row."""
    rests_until: float = 0.0
    reason: str = ""
    """What its last failure said; a search that finds it resting says the same."""
    turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = field(default_factory=WeakKeyDictionary)
    """Searches that may run at once, for each event loop: a semaphore belongs to the loop it was waited for in."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What a search found, and which ones failed before it."""

    hits: list[Hit]
    failed: dict[str, str]
    """Why each failed that was asked in vain, by its name."""


class FailOver:
    """Asks providers in order until one answers; keep one for the whole process, so that it remembers who rests.

    A provider rests after some failures in a row, and at once when it refuses the key or says that a limit is reached.
    An empty answer is an answer. Which provider is asked depends on the order, the failures so far and the clock only.
    """

    def __init__(
        self,
        providers: Sequence[SearchProvider],
        *,
        at_once: int = 4,
        failures: int = 3,
        rest_seconds: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take providers, the preferred one first.

        Args:
            providers: at least one; their names tell them apart.
            at_once: searches that one provider does at the same time.
            failures: in a row, after which a provider rests.
            rest_seconds: how long it rests.
            clock: seconds that never go back.
        """
        self.providers = list(providers)
        self.name = "|".join(provider.name for provider in self.providers)
        self._at_once = at_once
        self._failures = failures
        self._rest_seconds = rest_seconds
        self._clock = clock
        self._states = {provider.name: _State() for provider in self.providers}

    async def search(self, query: str, limit: int) -> list[Hit]:
        """Return what the first provider that answers finds.

        Raises:
            SearchError: none answers; the message gives each one's reason.
        """
        return (await self.answer(query, limit)).hits

    async def answer(self, query: str, limit: int) -> Answered:
        """Return the same, and which providers failed before.

        Raises:
            SearchError: none answers; the message gives each one's reason.
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
            found = [hit.model_copy(update={"found_by": provider.name}) for hit in hits]
            return Answered(found, {name: str(reason) for name, reason in reasons})
        if len(reasons) == 1:
            raise reasons[0][1]
        raise SearchError(
            "No web search answered. "
            + " ".join(f"{name}: {reason}" for name, reason in reasons)
            + ("" if reasons else "There is none: choose one with LEADLINE_SEARCH.")
        )

    def resting(self) -> list[str]:
        """Return the names of the providers that rest now."""
        return [name for name, state in self._states.items() if state.rests_until > self._clock()]

    async def _ask(self, provider: SearchProvider, query: str, limit: int) -> list[Hit]:
        state = self._states[provider.name]
        turns = state.turns.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(self._at_once))
        async with turns:
            # Asked here and not before: while this search waited its turn, another one may have failed.
            if state.rests_until > self._clock():
                raise SearchError(state.reason)
            try:
                hits = await provider.search(query, limit)
            except SearchError as error:
                state.failures += 1
                if isinstance(error, SearchRefused) or state.failures >= self._failures:
                    state.rests_until = self._clock() + self._rest_seconds
                    state.reason = str(error)
                raise
        state.failures = 0
        return hits
