"""A thread's earlier turns: what they leave for the next one, and which of their evidence answers it."""

import asyncio
import re
from collections.abc import Mapping, Sequence

from langchain_core.messages import AnyMessage

from schemas.conversation import Former
from schemas.coordinator import Turn
from schemas.evidence import Excerpt, Source
from schemas.results import RECALLED
from schemas.state import ResearchState
from services.errors import StoreError
from services.evidence.passages import Span, split
from services.evidence.quoting import best_window
from services.evidence.ranking import bm25, take_turns
from services.evidence.store import EvidenceStore
from services.inbox import PLANNER
from services.search.filters import Filters
from services.search.tokens import tokens

MAX_SOURCES = 30
"""Sources that a thread carries on; the oldest go first."""
PASSAGES, PER_SOURCE = 5, 3
"""Passages of them that a question is shown, and of one source before others have had their turn."""
NEAR = 0.4
"""Share of the best passage's score that another must reach to be shown."""
QUOTE = 320
"""Characters of each."""
CONTEXT = 0.25
"""What a word of the turn before counts beside one of the question."""
MAX_TURNS = 8
MAX_TURN, MAX_OLD_TURN = 400, 120
"""Characters that are shown of the last answer and of a message of the person, and of an older answer."""
_LINK = re.compile(r"\s?\[\[\d+\]\]\([^)\s]*\)")
_NUMBER = re.compile(r"^\s*(?:#|no\.?\s*|第)?\s*([1-9])\s*(?:[.)、。]|个问题|个|题|号)?\s*$", re.IGNORECASE)


def carried(state: ResearchState) -> Former | None:
    """Return what the turn that has just ended leaves for the one that begins; None at the first of a thread."""
    triage, before = state.get("triage"), state.get("former") or Former()
    if triage is None:
        return state.get("former")
    background, report = state.get("background"), state.get("report")
    results = [one.excerpts for one in (state.get("results") or {}).values()]
    quoted = {one.source_id for excerpts in results for one in excerpts}
    quoted |= {one.source_id for one in background.excerpts} if background else set()
    found = {
        key: one
        for key, one in (state.get("sources") or {}).items()
        if key in quoted or (one.duplicate_of or "") in quoted
    }
    sources = list({**{key: one for key, one in before.sources.items() if key not in found}, **found}.items())
    researched = bool(found) or not before.question
    return Former(
        question=triage.question if researched else before.question,
        asked=triage.original if researched else before.asked,
        sources=dict(sources[-MAX_SOURCES:]),
        follow_up_questions=report.follow_up_questions if report else before.follow_up_questions,
        asked_back=triage.question if triage.intent == "unclear" else "",
    )


def chosen_question(text: str, former: Former | None) -> str:
    """Return the recommended question that a bare number stands for; any other text as it is."""
    number = _NUMBER.match(text)
    offered = former.follow_up_questions if former else []
    return offered[int(number[1]) - 1] if number and int(number[1]) <= len(offered) else text


def conversation_of(messages: Sequence[AnyMessage], former: Former | None) -> list[Turn]:
    """Return the turns before the present question, shortened, without links; the last question as it was understood."""
    told = [one for one in messages if one.type in {"human", "ai"} and one.text and one.name != PLANNER][-MAX_TURNS:]
    last_answer = max((place for place, one in enumerate(told) if one.type == "ai"), default=-1)
    turns = []
    for place, message in enumerate(told):
        text = message.text
        if message.type == "human":
            understood = former is not None and text.strip() == former.asked
            turns.append(Turn(role="user", text=(former.question if understood and former else text)[:MAX_TURN]))
        else:
            room = MAX_TURN if place == last_answer else MAX_OLD_TURN
            turns.append(Turn(role="assistant", text=_LINK.sub("", text)[:room]))
    return turns


async def recall(
    question: str, former: Former, conversation: Sequence[Turn], evidence: EvidenceStore, filters: Filters
) -> list[Excerpt]:
    """Look for a question in the stored texts of the sources that earlier turns quoted; nothing is searched or read anew.

    Args:
        question: as asked; what it leaves out is taken from the turn before.
        former: whose sources are looked through.
        conversation: the turns before.
        evidence: holds the texts.
        filters: pages of sites that this run leaves out are not looked at.

    Returns:
        The best windows of whole sentences, best first, with the ids `E0-1`, `E0-2`, …
    """
    around = f"{former.question} {' '.join(turn.text for turn in conversation[-1:])}"
    texts: dict[str, str] = {}
    for key, source in former.sources.items():
        if source.duplicate_of in former.sources or (source.kind == "web" and not filters.permit(source.url)):
            continue
        try:
            texts[key] = await evidence.get_text(key)
        except StoreError:
            continue  # it was kept in another store; what is not there cannot be quoted
    return await asyncio.to_thread(_windows, question, around, texts)


def _windows(question: str, around: str, texts: Mapping[str, str]) -> list[Excerpt]:
    places: list[tuple[str, Span]] = [(key, span) for key, text in texts.items() for span in split(text)]
    held = [tokens(texts[key][span.start : span.end]) for key, span in places]
    own, near = bm25(held, tokens(question)), bm25(held, tokens(around))
    scores = [one + CONTEXT * other for one, other in zip(own, near, strict=True)]
    least = NEAR * max(scores, default=0.0)
    ranked = sorted(
        (one for one in range(len(places)) if scores[one] > 0 and scores[one] >= least),
        key=lambda one: (-scores[one], one),
    )
    best = take_turns(ranked, {one: places[one][0] for one in ranked}, PASSAGES, PER_SOURCE)
    excerpts = []
    for number, one in enumerate(best, 1):
        key, span = places[one]
        passage = texts[key][span.start : span.end]
        start, end = best_window(passage, question if own[one] else around, QUOTE)
        excerpts.append(
            Excerpt(
                id=f"E{RECALLED}-{number}",
                source_id=key,
                quote=passage[start:end],
                start=span.start + start,
                end=span.start + end,
            )
        )
    return excerpts


def sources_of(excerpts: Sequence[Excerpt], former: Former) -> dict[str, Source]:
    """Return the sources that excerpts quote, and copies of them."""
    quoted = {one.source_id for one in excerpts}
    return {key: one for key, one in former.sources.items() if key in quoted or (one.duplicate_of or "") in quoted}
