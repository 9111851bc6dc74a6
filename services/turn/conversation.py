"""A thread's earlier turns: the context that they pass on, and their evidence that answers the next question."""

import asyncio
import re
from collections.abc import Mapping, Sequence

from langchain_core.messages import AnyMessage

from schemas.conversation import Former
from schemas.coordinator import Turn
from schemas.evidence import Excerpt, quoted_sources
from schemas.results import RECALLED
from schemas.revision import MAX_REQUEST, Revision
from schemas.state import ResearchState
from schemas.usage import Usage
from services.evidence.citable_excerpts import all_excerpts
from services.reports.labels import ALL_LABELS
from services.reports.statuses import without_signs
from services.run.errors import StoreError
from services.run.evidence_store import EvidenceStore
from services.search.filters import Filters
from services.search.pool import Key
from services.text.passages import split
from services.text.questions import answering_places, names_in, near_best
from services.text.ranking import bm25, take_turns
from services.text.tokens import tokens
from services.text.units import best_window
from services.turn.agent_inbox import PLANNER

MAX_SOURCES = 30
"""Maximum sources that a thread passes on; the oldest are dropped first."""
PASSAGES, PER_SOURCE = 4, 3
"""Maximum passages of them shown for a question, and of one source before other sources get their turn."""
OF_RESEARCH = 12
"""Maximum passages of them with which research of a question begins that needed the conversation to be understood."""
QUOTE = 320
"""Maximum characters of each passage."""
CONTEXT = 0.25
"""Weight of a word of the previous turn, relative to a word of the question."""
MAX_QUESTIONS = 3
"""Maximum earlier questions that are shown, latest first; only the last answer is shown."""
LONGEST_MESSAGE = 50_000
"""Characters at the beginning of an answer in which its prose is searched."""
MAX_TURN = 300
"""Maximum characters of each question and answer."""
_LINK = re.compile(r"\s?\[\[\d+\]\]\((?>(?:[^)\s\]]|\](?!\())*)\)")
_COUNTS = re.compile(r"[*_][^*_]*+[*_]")
"""The line of counts below a title, the only one of a report that is emphasised as a whole."""
_LISTS = re.compile(
    rf"^## (?:{'|'.join(name for own in ALL_LABELS.values() for name in (own.limits, own.references))})$", re.MULTILINE
)
_CHINESE = re.compile(r"^[^\u3040-\u30ff]*[\u4e00-\u9fff][^\u3040-\u30ff]*$")
_ENGLISH = re.compile(r"\b(?:the|is|are|was|were|what|who|how|does|did|do|of|when|where|which|why)\b", re.IGNORECASE)
_LEANS = re.compile(
    r"\b(?:it|its|he|him|his|she|her|hers|they|them|their|theirs|this|that|these|those|there|then|one|ones|other|others|another|"
    r"else|more|same|such|instead|too|also|again|both|former|latter|first|second|last|above|earlier|before|you|your)\b|"
    r"^(?:and|but|so|or|because|what about|how about)\b|[它他她其此这那该另还也再又上前后两]|为什么[?？]?$|呢[?？]?$",
    re.IGNORECASE,
)
_DEFINITION = re.compile(r"^what (?:is|are) an? [\w’' -]+[?？]?$|^什么是[^这那其它此该]+$", re.IGNORECASE)
_NUMBER = re.compile(r"^\s*+(?:(?:#|no\.?|第)\s*+)?([1-9])\s*+(?:(?:[.)、。]|个问题|个|题|号)\s*+)?$", re.IGNORECASE)

CHANGE = "change"
"""Name of the messages that ask for a change of a report, and of those that refuse it: no part of what the thread asks about."""


def carried_context(state: ResearchState) -> Former | None:
    """Return the context that the previous turn passes to the new one; None in a thread's first turn."""
    triage, before = state.get("triage"), state.get("former") or Former()
    if triage is None:
        return state.get("former")
    report = state.get("report")
    quoted = quoted_sources(all_excerpts(state), state.get("sources") or {})
    sources = [*((key, source) for key, source in before.sources.items() if key not in quoted), *quoted.items()]
    researched = bool(quoted) or not before.question
    return Former(
        question=triage.question if researched else before.question,
        asked=triage.original if researched else before.asked,
        sources=dict(sources[-MAX_SOURCES:]),
        follow_up_questions=report.follow_up_questions if report else before.follow_up_questions,
        asked_back=triage.question if triage.intent == "unclear" else "",
    )


def chosen_question(text: str, former: Former | None) -> str:
    """Return the recommended question of a bare number; other texts are returned unchanged."""
    number = _NUMBER.match(text)
    offered = former.follow_up_questions if former else []
    return offered[int(number[1]) - 1] if number and int(number[1]) <= len(offered) else text


def conversation_of(messages: Sequence[AnyMessage], former: Former | None) -> list[Turn]:
    """Return the turns before the present question, shortened; the last question in its completed form.

    A question may omit words of the last answer or of an earlier question, so older answers are not shown. Plans and requests for
    a change of the report are no turns.
    """
    spoken = [
        message
        for message in messages
        if message.type in {"human", "ai"} and message.text and message.name not in {PLANNER, CHANGE}
    ]
    questions = [place for place, message in enumerate(spoken) if message.type == "human"][-MAX_QUESTIONS:]
    answers = [place for place, message in enumerate(spoken) if message.type == "ai"][-1:]
    turns = []
    for place in sorted({*questions, *answers}):
        text = spoken[place].text
        if spoken[place].type == "human":
            understood = former is not None and text.strip() == former.asked
            turns.append(Turn(role="user", text=(former.question if understood and former else text)[:MAX_TURN]))
        else:
            turns.append(Turn(role="assistant", text=_prose(text[:LONGEST_MESSAGE])[:MAX_TURN]))
    return turns


def _prose(report: str) -> str:
    """Return a report's prose: without headings, counts, quotes, links, and what stands below its limits or references."""
    lines = [
        line
        for line in without_signs(_LINK.sub("", _LISTS.split(report, maxsplit=1)[0])).splitlines()
        if line.strip() and not line.startswith(("#", ">", "|")) and not _COUNTS.fullmatch(line)
    ]
    return " ".join(lines or [report]).replace("**TL;DR** ", "").replace("**摘要** ", "")


def stands_alone(question: str, former: Former, conversation: Sequence[Turn]) -> bool:
    """Tell whether a question is independent of the conversation, which then need not be shown.

    A pronoun, an opening such as `And`, few words, a comparing word, or a word of the conversation outside of names
    makes it dependent. Questions in other languages than English and Chinese count as dependent.
    """
    chinese, english = _CHINESE.search(question) is not None, _ENGLISH.search(question) is not None
    own = set(tokens(question))
    named = set(tokens(" ".join(names_in(question))))
    if _DEFINITION.match(question):
        return True
    if not (chinese or english) or len(own) <= (4 if chinese else 2) or _LEANS.search(question) or former.asked_back:
        return False
    earlier = set(tokens(" ".join([former.question, former.asked, *(turn.text for turn in conversation)])))
    return not (own - named) & earlier


async def recall(
    question: str,
    former: Former,
    conversation: Sequence[Turn],
    evidence: EvidenceStore,
    filters: Filters,
    known: Sequence[Excerpt] = (),
    *,
    broad: bool = False,
) -> list[Excerpt]:
    """Search the stored texts of earlier turns' sources for a question, without new searches or page reads.

    Shown passages cost tokens, so only passages that probably answer a clause are returned; with `broad`, those nearest to the question,
    with which its research begins.

    Returns:
        The known windows, and the best others of whole sentences, best first; with the ids `T0-1`, `T0-2`, …
    """
    around = f"{former.question} {' '.join(turn.text for turn in conversation[-1:])}"
    texts: dict[str, str] = {}
    for key, source in former.sources.items():
        if (
            source.duplicate_of in former.sources
            or not filters.in_time(source.published)
            or (source.kind == "web" and not filters.permit(source.url, source.source_kind))
        ):
            continue
        try:
            texts[key] = await evidence.get_text(key)
        except StoreError:
            continue  # the text is in another store, so it cannot be quoted
    titles = {key: former.sources[key].title for key in texts}
    found = await asyncio.to_thread(_windows, question, around, texts, titles, broad)
    new = [
        each
        for each in found
        if all(each.content_hash != old.content_hash or each.start >= old.end or old.start >= each.end for old in known)
    ]
    excerpts = [*known, *new][: OF_RESEARCH if broad else PASSAGES]
    return [excerpt.model_copy(update={"id": f"T{RECALLED}-{number}"}) for number, excerpt in enumerate(excerpts, 1)]


def _windows(
    question: str, around: str, texts: Mapping[str, str], titles: Mapping[str, str], broad: bool
) -> list[Excerpt]:
    passages: list[Key] = [(key, span.start, span.end) for key, text in texts.items() for span in split(text)]
    held = [tokens(texts[key][start:end]) for key, start, end in passages]
    by_question, by_context = bm25(held, tokens(question)), bm25(held, tokens(around))
    scores = [score + CONTEXT * context for score, context in zip(by_question, by_context, strict=True)]
    if broad:
        places = sorted((place for place, score in enumerate(by_question) if score), key=lambda place: -scores[place])
    else:
        answering = answering_places(question, held, [set(tokens(titles[key])) for key, _, _ in passages])
        places = [place for place in near_best(scores) if place in answering]
    by_words = [passages[place] for place in places]
    best = take_turns(
        by_words, {passage: passage[0] for passage in by_words}, OF_RESEARCH if broad else PASSAGES, PER_SOURCE
    )
    excerpts = []
    for key, first, last in best:
        passage = texts[key][first:last]
        start, end = best_window(passage, question if {*tokens(question)} & {*tokens(passage)} else around, QUOTE)
        excerpts.append(
            Excerpt(
                id="",
                content_hash=key,
                quote=passage[start:end],
                start=first + start,
                end=first + end,
            )
        )
    return excerpts


def change_messages(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Return the last message under the name `CHANGE`, if a person wrote it: it replaces the one without a name."""
    last = messages[-1] if messages else None
    return [last.model_copy(update={"name": CHANGE})] if last is not None and last.type == "human" else []


def as_change(state: ResearchState, message: str, chosen: str, usage: Usage) -> ResearchState:
    """Return the update that starts the change of the report; question, evidence and journal of the previous turn stay."""
    triage, report = state.get("triage"), state["report"]
    question = triage.original if triage is not None and triage.original else report.question if report else message
    return {
        "question": question,
        "revision": Revision(request=message[:MAX_REQUEST], by_message=True),
        "choices": chosen,
        "usage": usage,
    }
