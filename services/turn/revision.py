"""Revises a finished report: the editor sees all of its blocks, its evidence and the reader's instruction, and changes whole blocks.

Requested content without evidence is searched for once, as a further step.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage
from pydantic import ValidationError

from schemas.clean_text import beginning
from schemas.document import Block
from schemas.evidence import Excerpt, Source
from schemas.planner import Plan, Step
from schemas.reporter import Report
from schemas.reporter_editing import MAX_LACKS, MAX_REVISED, ReporterEditingPrompt, Revising
from schemas.revision import MAX_REQUEST, Revision
from schemas.state import ResearchState, plans_of, with_messages
from schemas.usage import Usage
from services.evidence.views import evidence_views
from services.models import ask
from services.reports.document import cited_in
from services.reports.editing import TEMPLATE, headings_of, pieces_of, shortened, views_of, with_edits, without_section
from services.reports.rendering import to_draft
from services.reports.report_draft import Written
from services.run.errors import RevisionRefused, UselessAnswer, problem_text
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run
from services.run.ui_text import is_chinese, say
from services.text.ranking import bm25
from services.text.terms import content
from services.text.tokens import message_language, tokens
from services.turn.added_evidence import AddedEvidence, has_room, last_step, search_step
from services.turn.conversation import CHANGE, change_messages

MAX_TOPICS = 4
"""Maximum topics searched for one change."""
MAX_SOURCES = 8
"""Approximate maximum number of sources quoted for it."""
LONGEST_TOPIC = 200
LONGEST_SHOWN = 100
"""Maximum characters of a request in a line of progress."""


@dataclass(slots=True)
class RevisionResearch:
    """Searches once for the content of a change, and keeps the findings for the state."""

    run: Run
    state: ResearchState
    report: Report
    revision: Revision
    evidence: EvidenceStore
    notify: Callable[[str, str], None]
    """Reports progress with a message key and the searched topic."""
    topics: list[str] = field(default_factory=list)
    """Searched topics."""
    step: Step | None = None
    added: AddedEvidence = field(default_factory=AddedEvidence)
    """What the search found."""

    @property
    def new_excerpts(self) -> list[Excerpt]:
        """Excerpts that the search found."""
        return self.added.result.excerpts if self.added.result is not None else []

    @property
    def missing(self) -> list[str]:
        """What the search was to find and did not, as the researcher tells."""
        return self.added.result.missing_aspects if self.added.result is not None else []

    @property
    def sources(self) -> Mapping[str, Source]:
        """Sources of all excerpts, by hash."""
        return {**self.added.sources, **self.state["sources"]}

    async def search(self, topics: Sequence[str], known: Sequence[Excerpt]) -> bool:
        """Search for topics, unless the change forbids research, and tell whether something was found."""
        if not self.revision.research:
            return False
        locale = self.report.locale or self.state["locale"]
        self.topics = [" ".join(topic.split())[:LONGEST_TOPIC] for topic in topics][:MAX_TOPICS]
        named = "; ".join(self.topics)
        if not await has_room(self.run, "revision"):
            self.added = AddedEvidence(limits=[say("revision_no_room", locale, aspects=named)])
            return False
        self.notify("revision_researching", named)
        queries = [*self.topics, *(f"{topic} {self.report.question}" for topic in self.topics)]
        self.step = Step(
            id=str(last_step(self.state) + 1),
            title="; ".join(self.topics),
            description=self.revision.request,
            queries=list(dict.fromkeys(queries))[: 2 * MAX_TOPICS],
        )
        self.added = await search_step(
            self.run,
            self.step,
            self.evidence,
            question=self.report.question,
            locale=locale,
            known=known,
            max_sources=MAX_SOURCES,
        )
        return bool(self.new_excerpts)

    def notes(self, text: str, locale: str) -> list[str]:
        """Return a note on the searched topics, if the text cites a found excerpt."""
        cited = [excerpt for excerpt in self.new_excerpts if f"[{excerpt.id}]" in text]
        if not cited:
            return []
        named, sources = "; ".join(self.topics), len({excerpt.content_hash for excerpt in cited})
        return [say("revision_researched", locale, aspects=named, quotes=len(cited), sources=sources)]

    def lacks(self, lacking: Sequence[str], locale: str, known: Sequence[Excerpt]) -> list[str]:
        """Return limits for the aspects that the editor lacks, except those of which an excerpt holds all words."""
        titles = {key: source.title for key, source in self.sources.items()}
        held = [
            set(content(f"{titles[excerpt.content_hash]} {excerpt.quote}")) for excerpt in [*known, *self.new_excerpts]
        ]
        wanted = {aspect.rstrip(".。"): set(content(aspect)) for aspect in lacking}
        key = "revision_lacks" if self.step is None else "revision_not_found"
        return [
            say(key, locale, aspects=aspect)
            for aspect, terms in wanted.items()
            if not terms or not any(map(terms.issubset, held))
        ]

    def update(self) -> ResearchState:
        """Return the findings as an update of the state: the result, its sources, and the step in the plan."""
        if self.step is None or self.added.result is None:
            return {}
        update: ResearchState = {"results": {self.step.id: self.added.result}, "sources": {**self.added.sources}}
        plans = plans_of(self.state)
        plan = plans[-1] if plans else Plan(locale=self.report.locale, title=self.report.title)
        plan = plan.model_copy(update={"steps": [*plan.steps, self.step]})
        return {**update, "plan": plan} if plans else {**update, "plan": plan, "plans": [plan]}


LONG = 3.0
"""Factor on the answer's maximum length, as for a whole report."""
_GAP = 0
"""Placeholder value in messages whose beginning is matched."""


class Revised(NamedTuple):
    """A draft of the next version, and the data for its check."""

    written: Written
    state: ResearchState
    excerpts: list[Excerpt]
    """All citable excerpts."""
    added: ResearchState
    """Research for the revision, as an update of the state."""


def worded(request: str, spoken: str, *, without: object = "", shorten: object = False) -> str:
    """Return a request, or else the words for a change that code can make; `spoken` is their language."""
    if request.strip():
        return request.strip()
    if without:
        return say("revision_without", spoken, heading=without)
    return say("revision_shorter", spoken) if shorten else ""


def change_title(revision: Revision) -> str:
    """Return the line of progress that a change begins with."""
    request = beginning(revision.request, LONGEST_SHOWN)
    return say("changing", message_language(revision.request), request=request)


def revision_of(state: ResearchState) -> tuple[Revision | None, ResearchState]:
    """Return the requested change of the state's report, and the state with the usage of this change, which has its own limits.

    A client of the API sends the change as plain data.

    Raises:
        RevisionRefused: the request is empty or too long, or there is no report.
    """
    requested: Any = state.get("revision")
    if requested is None:
        return None, state
    if isinstance(requested, Mapping):
        shorten = requested.get("shorten") or requested.get("shorter")
        words = worded(_request(state), _spoken(state), without=requested.get("without"), shorten=shorten)
        requested = {**requested, "request": words}
    try:
        revision = Revision.model_validate(requested)
    except ValidationError:
        raise RevisionRefused(say("revision_length", _spoken(state), most=MAX_REQUEST)) from None
    if state.get("report") is None:
        raise RevisionRefused(say("revising_no_report", _spoken(state)))
    return revision, {**state, "usage": Usage()}


def refused_update(state: ResearchState, refused: RevisionRefused) -> ResearchState:
    """Return the update of a state whose report stays unchanged: the reason is the answer in the conversation.

    Where no turn has begun, no request stays: the next message is a question.
    """
    requested: Any = state.get("revision")
    by_message = requested.by_message if isinstance(requested, Revision) else False
    request = _request(state)[:MAX_REQUEST].strip() or "-"
    revision = Revision(request=request, by_message=by_message, refused=str(refused))
    request_messages = change_messages(state.get("messages", []))
    standing = revision if state.get("triage") is not None else None
    return {"revision": standing, "messages": [*request_messages, AIMessage(str(refused), name=CHANGE)]}


def _request(state: ResearchState) -> str:
    requested: Any = state.get("revision")
    request = requested.get("request", "") if isinstance(requested, Mapping) else getattr(requested, "request", "")
    return request if isinstance(request, str) else ""


def _spoken(state: ResearchState) -> str:
    request = _request(state).strip()
    return message_language(request) if request else state.get("locale", "en-US")


def changed_by_code(report: Report, revision: Revision, *, by_rules: bool) -> tuple[Block, ...] | None:
    """Return the draft that a revision makes of a report without a model: without a section, or with the first statement of each.

    Returns:
        None where a model makes the revision.

    Raises:
        RevisionRefused: the report is of an earlier version of the program, has no such section, or needs a model.
    """
    spoken = message_language(revision.request)
    if report.document is None:
        raise RevisionRefused(say("revising_earlier_version", spoken))
    body = report.document.body
    sections = "; ".join(headings_of(body))
    if revision.without:
        blocks = without_section(body, revision.without)
        if blocks is None:
            key = "revising_no_section" if sections else "revising_no_sections"
            raise RevisionRefused(say(key, spoken, heading=revision.without, sections=sections))
        return blocks
    if not by_rules:
        return None
    if not revision.shorten:
        key = "revising_needs_model" if sections else "revising_needs_model_whole"
        raise RevisionRefused(say(key, spoken, sections=sections))
    return shortened(body)


async def revised(
    run: Run,
    state: ResearchState,
    revision: Revision,
    excerpts: Sequence[Excerpt],
    evidence: EvidenceStore,
    notify: Callable[[str, str], None],
) -> Revised:
    """Write the next version of a state's report; requested content without evidence is searched for once.

    Raises:
        RevisionRefused: the report cannot be changed so, or the model changes nothing or gives no usable answer.
        LimitReached: the budget or the time left does not suffice for the call.
        ModelError: the endpoint failed.
    """
    report = state["report"]
    if report is None:
        raise RevisionRefused(say("revising_no_report", state["locale"]))
    answered = sum(message.type == "ai" for message in state.get("messages", []))
    run.journal.branch_key += f":{answered}"  # a change that was answered is asked anew, one that was stopped goes on
    by_rules = await run.by_rules("reporter")
    by_code = await asyncio.to_thread(changed_by_code, report, revision, by_rules=by_rules)
    cited = {excerpt.id: excerpt for excerpt in [*report.excerpts, *excerpts]}  # new steps hide background excerpts
    known = [excerpt for excerpt in cited.values() if excerpt.content_hash in state["sources"]]
    research = RevisionResearch(run, state, report, revision, evidence, notify)
    answer = Revising()
    if by_code is None:
        try:
            answer = await _answer(run, research, known)
            if answer.lacks and await research.search(answer.lacks, known):
                answer = await _answer(run, research, known)
        except UselessAnswer as useless:
            raise RevisionRefused(problem_text(useless, message_language(revision.request))) from None
    body = report.document.body if report.document else ()
    by_id = {excerpt.id: excerpt for excerpt in [*known, *research.new_excerpts]}
    blocks = with_edits(pieces_of(body), answer.edits[:MAX_REVISED], by_id) if by_code is None else by_code
    locale = revision.locale or answer.locale.strip().replace("_", "-") or report.locale
    limits = [*research.added.limits, *research.lacks((answer.lacks or research.missing)[:MAX_LACKS], locale, known)]
    if blocks == body and not limits:
        key = "revision_shortest" if by_code is not None else "revision_unchanged"
        raise RevisionRefused(say(key, message_language(revision.request)))
    former = report.model_copy(update={"connecting": []}) if research.new_excerpts else report  # it may tell the untold
    written = Written(
        blocks=blocks,
        limits=limits,
        notes=[*([say("offline", locale)] if report.by_rules else []), *research.notes(to_draft(blocks), locale)],
        by_rules=by_rules and report.by_rules,
        templates=() if by_code is not None else (TEMPLATE,),
        contradictions=report.contradictions,
        follow_up_questions=report.follow_up_questions if is_chinese(locale) == is_chinese(report.locale) else [],
        former=former,
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
    return Revised(written, after, [*known, *research.new_excerpts], added)


async def _answer(run: Run, research: RevisionResearch, known: Sequence[Excerpt]) -> Revising:
    """Ask the editor for changes: it sees what the report cites, then everything else, nearest to the instruction first."""
    report, revision, sources = research.report, research.revision, research.sources
    body = report.document.body if report.document else ()
    ids = set(cited_in(body))
    cited = [excerpt for excerpt in known if excerpt.id in ids]
    others = [excerpt for excerpt in known if excerpt.id not in ids]
    scores = bm25([tokens(excerpt.quote) for excerpt in others], tokens(revision.request))
    nearest = sorted(range(len(others)), key=lambda place: (-scores[place], place))
    prompt = ReporterEditingPrompt(
        question=with_messages(report.question, research.state, reported=True),
        locale=revision.locale or report.locale,
        tone=run.context.profile.tone if run.context.profile else "",
        blocks=views_of(pieces_of(body)),
        evidence=evidence_views([*cited, *research.new_excerpts], sources),
        unused=evidence_views([others[place] for place in nearest], sources),
        instruction=revision.request,
        searched=research.topics,
    )
    return await ask("reporter", prompt, Revising, template=TEMPLATE, scale=LONG)


def _lasting(limits: Sequence[str], locale: str) -> list[str]:
    """Drop limits that only apply to the former text: its number of words, and content that its change lacked."""
    openings = tuple(
        say(key, locale, written=_GAP, wanted=_GAP, aspects=_GAP, found=_GAP, columns=_GAP).partition(str(_GAP))[0]
        for key in (
            *("words_missed", "revision_lacks", "revision_not_found", "revision_no_room"),
            *("unmet_language", "unmet_table", "unmet_columns", "unmet_list", "unmet_json", "unmet_form"),
        )
    )
    return [limit for limit in limits if not limit.startswith(openings)]
