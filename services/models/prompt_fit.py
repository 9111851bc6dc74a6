"""The tokens of a call: the context's shares for evidence, answer and reasoning, and prompts that are fitted into what is left.

A prompt is fitted by leaving out whole pieces of evidence, least relevant first.
"""

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeVar

from langchain_core.messages import BaseMessage
from langchain_core.messages.utils import count_tokens_approximately
from pydantic import BaseModel

from prompts import current_prompts, render
from schemas.cited_text import CitedTextPrompt
from schemas.evidence import Passage
from services.models.endpoint_memory import Learned, learned, load_learned
from services.models.local_endpoint import settled
from services.run.roles import CONTEXT_WINDOW, DEFAULTS, OFFLINE, RoleModel, role_model
from services.run.scope import Run
from services.text.length import estimate_cjk, estimate_surplus

_RELEVANCE = {"high": 2, "medium": 1, "low": 0}
MIN_PASSAGES = 4
_EXTRA = 8
"""Estimated tokens around a piece: tags, ids and a title."""
FILLED = 0.97
"""Share of the room that is filled: estimates of whole prompts fall short by up to a fiftieth of what Qwen2.5 counts."""

Path = tuple[str | int, ...]
Value = TypeVar("Value")


async def off_loop(stem: str, work: Callable[[], Value]) -> Value:
    """Render in a worker thread, off the event loop: a template that a run brought along may be slow."""
    return await asyncio.to_thread(work) if stem in current_prompts().custom else work()


class DoesNotFit(ValueError):
    """The prompt is too long even without any of its evidence, or shows none any more where its answer rests on it."""


def estimate_tokens(messages: Sequence[BaseMessage]) -> int:
    """Estimate the tokens of messages, in any script. Tokenizers differ; the usage that comes back is what counts."""
    return count_tokens_approximately(messages) + estimate_surplus("".join(message.text for message in messages))


class Fitted(NamedTuple):
    """A prompt that fits into the available tokens."""

    prompt: BaseModel
    messages: list[BaseMessage]
    left_out: int
    """Number of pieces of evidence that were left out."""
    limited: bool = False
    """Whether a limit of the run left less room than the model's context."""


def fit(role: str, prompt: BaseModel, room: int, rendered: list[BaseMessage] | None = None) -> Fitted:
    """Render a prompt into at most `room` tokens, by estimate a little less; `rendered` is the whole prompt, if it has been rendered.

    The conversation goes first, oldest turn first, then background, unused excerpts, tables, earlier looks and attempts and what other sections tell, then passages and
    excerpts from the lowest relevance up and from the last to the first, at the very last whole findings, the last one first.
    Pieces are kept whole or left out; the file of all texts stays. Where excerpts are cited, a finding keeps its best one to the end.

    Raises:
        DoesNotFit: nothing more can be left out.
    """
    room = int(room * FILLED)
    pieces = [path for _, path in sorted(_pieces(prompt))]

    @cache
    def without(count: int) -> Fitted:
        if not count:
            return Fitted(prompt, rendered or render(role, prompt), 0)
        shorter = _without(prompt, set(pieces[:count]))
        return Fitted(shorter, render(role, shorter), count)

    def fits(count: int) -> bool:
        return estimate_tokens(without(count).messages) <= room

    if fits(0):
        return without(0)
    fewest = bisect_left(range(len(pieces) + 1), True, lo=1, key=fits)
    if fewest > len(pieces) or (_shows_evidence(prompt) and not _shows_evidence(without(fewest).prompt)):
        raise DoesNotFit
    return without(fewest)


def passages_within(passages: Sequence[Passage], tokens: int) -> list[Passage]:
    """Return the best passages up to about so many tokens in total, and at least `MIN_PASSAGES` of them."""
    for count, passage in enumerate(passages):
        tokens -= passage_tokens(passage.above + passage.text)
        if tokens < 0 and count >= MIN_PASSAGES:
            return list(passages[:count])
    return list(passages)


def passage_tokens(text: str) -> int:
    """Return the approximate number of tokens of a passage in a prompt.

    Chinese counts as modern tokenizers have it, about two thirds of a token a character: no limit hangs on it here.
    """
    return _EXTRA + len(text) // 4 + estimate_cjk(text) // 2


def _pieces(prompt: BaseModel) -> list[tuple[tuple[int, int, int], Path]]:
    """List the removable pieces as (worth, path)."""
    pieces: list[tuple[tuple[int, int, int], Path]] = []
    order = {"conversation": 0, "background": 1, "known": 1, "unused": 1, "tables": 2, "shared": 2}
    order |= {"looks": 2, "attempts": 2, "passages": 3, "evidence": 3}
    for name, rank in order.items():
        items = getattr(prompt, name, [])
        for place, item in enumerate(items[:-1] if name in {"looks", "attempts"} else items):  # the last of these stays
            if getattr(item, "holds_texts", False):
                continue  # what a program is to read
            oldest_first = name in {"conversation", "looks", "attempts"}
            worth = (rank, _RELEVANCE.get(getattr(item, "relevance", ""), 0), place if oldest_first else -place)
            pieces.append((worth, (name, place)))
    cites = isinstance(prompt, CitedTextPrompt)
    for place, finding in enumerate(getattr(prompt, "findings", [])):
        excerpts: list[tuple[tuple[int, int, int], Path]] = []
        for number, evidence in enumerate(finding.evidence):
            worth = (3, _RELEVANCE.get(evidence.relevance, 0), -number)
            excerpts.append((worth, ("findings", place, "evidence", number)))
        pieces += sorted(excerpts)[:-1] if cites else excerpts
        pieces.append(((4, int(cites and bool(excerpts)), -place), ("findings", place)))
    return pieces


def _shows_evidence(prompt: BaseModel) -> bool:
    """Tell whether a prompt shows what its answer is to quote, cite or judge; plans, programs and work with tools do without it."""
    if getattr(prompt, "with_tools", False):
        return False
    shown = [*getattr(prompt, "passages", []), *getattr(prompt, "evidence", [])]
    if isinstance(prompt, CitedTextPrompt):
        shown += getattr(prompt, "background", [])
        shown += (item for finding in getattr(prompt, "findings", []) for item in finding.evidence)
    return bool(shown)


def _without(prompt: BaseModel, dropped: set[Path]) -> BaseModel:
    changed: dict[str, Any] = {}
    for name in {str(path[0]) for path in dropped}:
        items = [item for place, item in enumerate(getattr(prompt, name)) if (name, place) not in dropped]
        if name == "findings":
            findings = enumerate(prompt.findings)  # type: ignore[attr-defined]  # only prompts that have findings lose some
            items = [_fewer(finding, place, dropped) for place, finding in findings if (name, place) not in dropped]
        changed[name] = items
    return prompt.model_copy(update=changed)


def _fewer(finding: Any, place: int, dropped: set[Path]) -> Any:
    path = ("findings", place, "evidence")
    evidence = [item for number, item in enumerate(finding.evidence) if (*path, number) not in dropped]
    return finding.model_copy(update={"evidence": evidence})


OUTPUT_SHARE = 4
"""Divisor of the context: answer and reasoning get at most a fourth of it."""
OUTPUT_SHARE_THINKING = 2
"""Divisor for a model that is known to reason: one half."""
THINKING_ROOM = 4_096
"""Tokens for reasoning in addition to the answer's, while it is unknown whether a model reasons: only used tokens cost."""
MOST_THINKING = 32_768
"""Upper bound of the tokens for reasoning."""
MARGIN = 64
"""Tokens kept free for errors of the estimates."""
MORE_ROOM = 4
"""Factor on the room of an answer after it was cut off."""
EVIDENCE_OF_WINDOW = 3
"""Divisor of a small window: evidence gets at most a third of it. Instructions, findings and the answer need the rest."""
BESIDE_EVIDENCE = 16_000
"""Tokens for the rest in a large window, of which evidence gets at most half."""
EVIDENCE_OF_BUDGET = 2
"""Divisor of the remaining tokens: evidence gets at most half of them."""
INSTRUCTIONS = 2_000
"""Tokens of a prompt besides its evidence, about; with a fourth for the answer, a window below 6,000 has less than a third for evidence."""
LEAST_EVIDENCE = 300


def window_of(model: RoleModel) -> int:
    """Return the number of tokens that prompt and answer may have together."""
    wanted = model.context_window or CONTEXT_WINDOW
    return min(wanted, learned(model).context_window or wanted)


def output_room(model: RoleModel, scale: float, room: int) -> int:
    """Return the maximum tokens of an answer with its reasoning: `scale` is for long answers, `room` for one that was cut off before."""
    known = learned(model)
    share = OUTPUT_SHARE if known.thinking in {"unknown", "none"} else OUTPUT_SHARE_THINKING
    wanted = int(model.max_tokens * scale) * room + _thinking_room(model, known)
    return min(wanted, window_of(model) // share, known.max_output or wanted)


def _thinking_room(model: RoleModel, known: Learned) -> int:
    """Return the tokens for reasoning: none if the model does not reason, or if the user set the maximum tokens of the answer."""
    if known.thinking == "none":
        return 0
    if known.thinking == "unknown":
        chosen = model.max_tokens != DEFAULTS.get(model.role, (0.0, model.max_tokens))[1]
        return 0 if chosen else THINKING_ROOM
    return min(MOST_THINKING, max(THINKING_ROOM, 2 * known.thinking_tokens))


class _Tokens(BaseModel):
    tokens: int


async def evidence_tokens(run: Run, role: str, wanted: int) -> int:
    """Return the tokens of evidence for a role's prompt, at most what the depth wants; a replay, which knows no model, returns the recorded number."""

    async def work() -> _Tokens:
        bounds = [wanted]
        room = run.budget.room()
        if room is not None:
            bounds.append(room // EVIDENCE_OF_BUDGET)
        model = role_model(role, run.context)
        if model.provider != OFFLINE:
            await load_learned()
            model = await settled(model)
            window = window_of(model)
            large = min(window // 2, window - BESIDE_EVIDENCE)
            bounds += [max(window // EVIDENCE_OF_WINDOW, large), window - window // OUTPUT_SHARE - INSTRUCTIONS]
        return _Tokens(tokens=max(LEAST_EVIDENCE, min(bounds)))

    return (await run.journal.once("portion", role, {"wanted": wanted}, _Tokens, work)).answer.tokens
