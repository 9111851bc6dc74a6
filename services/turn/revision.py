"""Revises a finished report: a model gets its text, the request and the evidence, and returns a new draft."""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage
from pydantic import ValidationError

from schemas.evidence import EXCERPT_ID, Excerpt
from schemas.reporter_revising import ReporterRevisingPrompt
from schemas.revision import MAX_REQUEST, Revision
from schemas.state import ResearchState, plans_of
from schemas.usage import Usage
from services.evidence.views import evidence_views
from services.models import write
from services.reports.checking.checked_report import CheckedReport
from services.reports.report_draft import FOLLOW_UP_MARK, Written
from services.reports.revision.cited_draft import cited_draft, without_empty_headings
from services.reports.statuses import proves_nothing
from services.run.errors import RevisionRefused, UnprovenRevision
from services.run.evidence_store import EvidenceStore
from services.run.roles import OFFLINE, role_model
from services.run.scope import Run
from services.run.ui_text import is_chinese, say
from services.text.tokens import has_cjk, message_language
from services.turn.revision_gate import CHANGE, change_messages
from services.turn.revision_research import RevisionResearch

REVISING = "reporter_revising"
"""Stem of the template."""
LONG = 2.0
"""Factor on the answer's maximum length, relative to a short answer."""
MAX_LACKING, LONGEST = 5, 300
"""Maximum missing items that are reported, and maximum characters of each."""
CHINESE_SHARE = 0.2
"""Minimum share of Chinese characters among a text's letters for it to count as Chinese; names alone make up less."""


_GAP = 0
"""Placeholder value in messages whose beginning is matched."""
_CITATION = re.compile(rf"\[{EXCERPT_ID}\]")


class Revised(NamedTuple):
    """A draft of the next version, and the data for its check."""

    written: Written
    state: ResearchState
    excerpts: list[Excerpt]
    """All citable excerpts."""
    added: ResearchState
    """Research for the revision, as an update of the state."""


def revision_of(state: ResearchState) -> tuple[Revision | None, ResearchState]:
    """Return the requested change of the state's report, and the state with the usage of this change, which has its own limits.

    A client of the API sends the change as plain data.

    Raises:
        RevisionRefused: the request is empty or too long, or there is no report.
    """
    given: Any = state.get("revision")
    if given is None:
        return None, state
    try:
        revision = Revision.model_validate(given)
    except ValidationError:
        raise RevisionRefused(say("revision_length", _spoken(state), most=MAX_REQUEST)) from None
    if state.get("report") is None:
        raise RevisionRefused(say("revising_no_report", _spoken(state)))
    return revision, {**state, "usage": Usage()}


def refused_update(state: ResearchState, refused: RevisionRefused) -> ResearchState:
    """Return the update of a state whose report stays unchanged: the reason is the answer in the conversation."""
    given: Any = state.get("revision")
    by_message = given.by_message if isinstance(given, Revision) else False
    request = _request(state)[:MAX_REQUEST].strip() or "-"
    revision = Revision(request=request, by_message=by_message, refused=str(refused))
    asked = change_messages(state.get("messages", []))
    return {"revision": revision, "messages": [*asked, AIMessage(str(refused), name=CHANGE)]}


def _request(state: ResearchState) -> str:
    given: Any = state.get("revision")
    request = given.get("request", "") if isinstance(given, Mapping) else getattr(given, "request", "")
    return request if isinstance(request, str) else ""


def _spoken(state: ResearchState) -> str:
    """Return the language of the request."""
    request = _request(state).strip()
    return message_language(request) if request else state.get("locale", "en-US")


def check_revised(revision: Revision | None, checked: CheckedReport, locale: str) -> None:
    """Check that a revised report has a proven statement; a newly written report is handled otherwise.

    Raises:
        UnprovenRevision: no statement of the report is quoted or supported.
    """
    if revision is not None and proves_nothing(checked):
        raise UnprovenRevision(say("revision_unproven", locale))


async def revised(
    run: Run,
    state: ResearchState,
    revision: Revision,
    excerpts: Sequence[Excerpt],
    evidence: EvidenceStore,
    tell: Callable[[str, str], None],
) -> Revised:
    """Write the next version of a state's report; requested content without evidence is searched for once.

    Args:
        run: run scope of the node.
        state: state of the run.
        revision: the requested change.
        excerpts: excerpts that the state's report may cite.
        evidence: the store of the texts.
        tell: reports progress with a message key and the searched topic.

    Raises:
        RevisionRefused: no model is connected.
        LimitReached: the budget or the time left does not suffice for the call.
        ModelError: the endpoint failed, or the answer is empty.
    """
    report = state["report"]
    if report is None:
        raise RevisionRefused(say("revising_no_report", state["locale"]))
    if await run.journal.decided("rules", lambda: role_model("reporter", run.context).model == OFFLINE):
        raise RevisionRefused(say("revising_needs_model", message_language(revision.request)))
    draft = await asyncio.to_thread(cited_draft, report)
    cited = {excerpt.id: excerpt for excerpt in [*report.excerpts, *excerpts]}  # new steps hide background excerpts
    known = [excerpt for excerpt in cited.values() if excerpt.content_hash in state["sources"]]
    research = RevisionResearch(run, state, report, revision, evidence, tell)
    await research.search(research.wanted(draft, known), known)
    version = await _written(run, draft, research, known)
    if version.lacking and not research.topics:
        await research.search(version.lacking, known)
        if research.found:
            version = await _written(run, draft, research, known)
    locale = revision.locale or _locale(version.text, draft, report.locale)
    limits = research.lacks(version.text, version.lacking, locale, known)
    limits += [say("cut_off", locale)] if version.cut_off else []
    asked = report.follow_up_questions if is_chinese(locale) == is_chinese(report.locale) else []
    written = Written(
        version.text,
        [*research.limits, *limits],
        research.notes(version.text, locale),
        templates=(REVISING,),
        asked=asked,
    )
    after: ResearchState = {**state, "locale": locale, "limits": _lasting(state["limits"], report.locale)}
    if added := research.update():
        after = {
            **after,
            **added,
            "results": {**state["results"], **added["results"]},
            "sources": {**added["sources"], **state["sources"]},
            "plans": plans_of({**state, **added}),
        }
    return Revised(written, after, [*known, *research.found], added)


class _Version(NamedTuple):
    text: str
    lacking: list[str]
    """Content that the evidence lacks, according to the model."""
    cut_off: bool


async def _written(run: Run, draft: str, research: RevisionResearch, known: Sequence[Excerpt]) -> _Version:
    """Write the next version."""
    report, revision, sources = research.report, research.revision, {**research.sources, **research.state["sources"]}
    found = [excerpt.id for excerpt in research.found]
    cited_first = sorted(
        [*known, *research.found], key=lambda excerpt: f"[{excerpt.id}]" not in draft and excerpt.id not in found
    )
    prompt = ReporterRevisingPrompt(
        request=revision.request,
        question=report.question,
        locale=revision.locale or report.locale,
        tone=run.context.profile.tone if run.context.profile else "",
        report=draft,
        evidence=evidence_views(cited_first, sources),
        found=found,
    )
    reply = await write("reporter", prompt, scale=LONG, template=REVISING)
    text, _, below = reply.text.partition(f"\n{FOLLOW_UP_MARK}")
    lacking = [line.strip(" -*•")[:LONGEST] for line in below.strip("=\n ").splitlines() if line.strip(" -*•")]
    return _Version(without_empty_headings(text), lacking[:MAX_LACKING], reply.cut_off)


def _lasting(limits: Sequence[str], locale: str) -> list[str]:
    """Drop limits that only apply to the former text: its number of words, and content that its change lacked."""
    openings = tuple(
        say(key, locale, written=_GAP, wanted=_GAP, aspect=_GAP, aspects=_GAP).partition(str(_GAP))[0]
        for key in ("words_missed", "revision_lacks", "revision_not_found", "revision_no_room")
    )
    return [limit for limit in limits if not limit.startswith(openings)]


def _locale(text: str, draft: str, former: str) -> str:
    """Return the language of a new version's labels: the former one, unless the text changed to or from Chinese."""
    is_now, was = _is_chinese(text), _is_chinese(draft)
    if is_now == was:
        return former
    return "zh-CN" if is_now else "en-US"


def _is_chinese(text: str) -> bool:
    prose = "".join(line for line in text.splitlines() if not line.startswith(">"))  # quotes keep their language
    told = [char for char in _CITATION.sub("", prose) if char.isalpha()]
    return sum(has_cjk(char) for char in told) > CHINESE_SHARE * len(told)
