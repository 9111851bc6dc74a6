"""Reporter: writes the report from the evidence, checks every statement by code and a verifier, and renders it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from langgraph.runtime import Runtime

from prompts import prompt_version
from schemas.context import RunContext
from schemas.deck import DeckPage
from schemas.evidence import Excerpt, status_counts
from schemas.files_read import FilesRead, furthest
from schemas.reporter import Report
from schemas.revision import Revision
from schemas.state import ResearchState
from schemas.usage import Usage
from services.embedding.cross_lingual import likeness_of
from services.embedding.endpoint import ROLE as EMBEDDING
from services.evidence.citable_excerpts import cited_evidence, with_background
from services.evidence.computation import Program, programs_of
from services.evidence.contradictions import settled
from services.reports.checking.checked_report import CheckedReport
from services.reports.checking.code_citations import CodeCitations
from services.reports.document import cited_in
from services.reports.editing import TEMPLATE as EDITING
from services.reports.labels import labels_for
from services.reports.markdown import ReportInputs, across_languages, check_draft, finish_report, with_charts_checked
from services.reports.markdown_blocks import read_draft
from services.reports.rendering import to_draft
from services.reports.report_draft import FOLLOW_UP_MARK, SENTENCES, Written, draft_of, report_message
from services.reports.sectioned_report import NewEvidence, weakest
from services.reports.statuses import sure_claims
from services.reports.verification import verify_draft
from services.reports.wishes import unmet_by_sources, unmet_length, unmet_wishes
from services.run.errors import RevisionRefused
from services.run.events import emit, emit_message
from services.run.log import run_ended
from services.run.roles import OFFLINE, role_model
from services.run.scope import Run, evidence_of, node_run, prompts_of
from services.run.ui_text import is_chinese, say
from services.search.files_read import file_messages
from services.text.tokens import message_language
from services.tools.mcp.offered_tools import failures_once
from services.tools.mcp.registry import close_sessions
from services.turn.added_evidence import document_search, with_excerpts
from services.turn.conversation import change_messages
from services.turn.remembered_statements import remember_report, reused_limits
from services.turn.revision import change_title, refused_update, revised, revision_of
from services.turn.section_research import SectionResearch
from services.turn.steering import hear, late_messages
from services.turn.steps import left_out
from services.turn.thread_data import keep_version
from services.turn.writing import prompt_of, write_report, write_simpler

MAX_CHARACTERS = 400_000
"""Maximum characters of a model's report; the longest requested reports have a third of that."""


async def reporter(state: ResearchState, runtime: Runtime[RunContext]) -> ResearchState:
    """Write the report, or revise a finished report on request; a refused revision is explained, and the report stays."""
    try:
        return await _reported(state, runtime)
    except RevisionRefused as refused:
        return refused_update(state, refused)


async def _reported(state: ResearchState, runtime: Runtime[RunContext]) -> ResearchState:
    """Write the report, or state that nothing was found; without evidence no model is called."""
    revision, account = revision_of(state)
    locale = state["locale"]
    state, steering = await hear(state, runtime, "reporter")
    state = await settled(state, evidence_of(runtime))
    deck: list[DeckPage] = []
    async with node_run(account, runtime, "reporter", report=True) as run:
        failed = [failure.message(locale) for failure in await failures_once(run)]
        making = _Making(run, runtime, state, cited_evidence(state))
        closing = asyncio.ensure_future(close_sessions(run.journal.key))
        try:
            await making.write(revision)
            if making.written.text or making.written.blocks:
                await making.prove(revision)
                making.written.limits += await asyncio.to_thread(making.unmet)
                deck = await making.slides()
        finally:
            await closing
    state, written = making.state, making.written
    written.limits += [
        *(failure for failure in failed if failure not in state["limits"]),
        *file_messages(_files_read(state, run), locale),
        *left_out(run, locale),
        *reused_limits(state, to_draft(written.blocks)),
        *late_messages(state),
    ]
    written.programs = await _programs(state, making.excerpts, runtime)
    usage = state["usage"] + run.usage
    report = await asyncio.to_thread(finish_report, making.draft(), usage=usage)
    report.deck = deck
    run_ended(run.thread, usage, "done", **_counts(report))
    report.prompts = _prompt_versions(run.context, usage, written)
    await remember_report(run, report, evidence_of(runtime))
    await keep_version(run, state, report, revision)
    _announce(runtime, locale, report)
    return {
        **steering,
        **making.added,
        "report": report,
        "revision": revision,
        "messages": [
            *(change_messages(state.get("messages", [])) if revision else []),
            report_message(report, run.thread),
        ],
        "usage": run.usage,
        "limits": written.limits,
    }


@dataclass(slots=True)
class _Making:
    """A report under way: its text, its evidence, and what was found for it."""

    run: Run
    runtime: Runtime[RunContext]
    state: ResearchState
    excerpts: list[Excerpt]
    """What it may cite."""
    written: Written = field(default_factory=Written)
    research: SectionResearch | None = None
    """Finds more for a report that is written from evidence; None for others."""
    added: ResearchState = field(default_factory=ResearchState)
    """What was found for it, as an update of the state."""

    def draft(self) -> ReportInputs:
        """Return the report as it is now."""
        return draft_of(self.state, self.run.context, self.written, self.excerpts)

    def notify(self, key: str, title: str) -> None:
        """Tell what is being done, and for which section or topic."""
        locale, data = self.state["locale"], {"section": title}
        emit_message(self.runtime, "notice", "reporter", key, locale, title=title, data=data)

    async def take(self, found: ResearchState) -> None:
        """Add what was found to the evidence, and to the update of the state."""
        if found:
            self.added = _merged(self.added, found)
            self.state = await settled(_merged(self.state, found), evidence_of(self.runtime))
            self.excerpts = cited_evidence(self.state)

    async def write(self, revision: Revision | None) -> None:
        """Write the text, or revise that of a finished report; nothing without evidence."""
        run, state, evidence = self.run, self.state, evidence_of(self.runtime)
        if revision is not None:
            emit(self.runtime, "notice", "reporter", change_title(revision))
            made = await revised(run, state, revision, self.excerpts, evidence, self.notify)
            self.written, self.state, self.excerpts, self.added = made
            if self.added:
                self.state = await settled(self.state, evidence)
        elif answer := _answered(state):
            offline = await run.by_rules("coordinator")
            notes = [say("offline", state["locale"])] if offline else []
            self.written = Written(answer, notes=notes, by_rules=offline)
        elif self.excerpts:
            emit_message(self.runtime, "notice", "reporter", "writing", state["locale"])
            prompt = await asyncio.to_thread(prompt_of, state, run.context)
            self.research = SectionResearch(run, state, prompt, evidence, self.excerpts, self.notify)
            self.written = await write_report(self.research)
            await self.take(self.research.update())
        else:
            self.written.by_rules = await run.by_rules("reporter")

    async def prove(self, revision: Revision | None) -> None:
        """Check the text, simplify it while it proves nothing, and from depth `deep` on complete its weakest topic with new quotes."""
        checked, verified = await self.check(), self.written.verified
        if verified.new_excerpts:
            results = with_excerpts(self.state["results"], verified.new_excerpts)
            if self.research:
                self.research.results |= results
            background = with_background(self.state["background"], verified.new_excerpts)
            await self.take({"results": results, "background": background, "sources": verified.new_sources})
        if revision is not None and checked.proves_nothing:
            raise RevisionRefused(say("revision_unproven", message_language(revision.request)))
        if self.research is None:
            return
        while not self.written.by_rules and (checked.proves_nothing or self.cites_nothing(checked)):
            if self.computes(checked):
                break
            self.written = await write_simpler(self.research.prompt, self.written)
            checked = await self.check()
        if new := await self.more_for_weakest(self.research, checked):
            await self.take(self.research.update())
            ids = {excerpt.id for excerpt in new.excerpts}
            await self.verify([excerpt for excerpt in self.excerpts if excerpt.id in ids])

    async def check(self) -> CheckedReport:
        """Check the text; no model checks one that cites nothing and is to be written anew."""
        written, sources = self.written, self.state["sources"]
        if written.text:
            body, _, _ = written.text.partition(f"\n{FOLLOW_UP_MARK}")
            if len(body) > MAX_CHARACTERS:
                written.limits.append(say("report_cut", self.state["locale"], characters=MAX_CHARACTERS))
            citable = {excerpt.id: excerpt for excerpt in self.excerpts}
            written.blocks = await asyncio.to_thread(read_draft, body[:MAX_CHARACTERS], citable)
        titles = {key: source.title for key, source in sources.items()}
        known = [excerpt for excerpt in self.excerpts if excerpt.content_hash in sources]
        written.citing = CodeCitations(known, titles, written.sections)
        written.blocks, refused = await asyncio.to_thread(with_charts_checked, self.draft())
        written.limits += refused
        checked = await asyncio.to_thread(check_draft, replace(self.draft(), excerpts=known))
        if self.research and self.cites_nothing(checked):
            return checked
        written.likeness = await likeness_of(await asyncio.to_thread(across_languages, self.draft()))
        await self.verify()
        return await asyncio.to_thread(check_draft, self.draft())

    async def verify(self, new_quotes: Sequence[Excerpt] | None = None) -> None:
        """Let a model check the draft if the run enables that and has a model; a second time with new quotes for its weakest topic.

        A model checks a quick answer only if it lacks what was asked for, code cannot prove all of it, or it calls something untold.
        """
        run, context, written, draft = self.run, self.run.context, self.written, self.draft()
        if written.by_rules or context.verify == "code":
            return
        unmet = [] if draft.former else self.unmet_wishes()
        if context.verify == "auto" and not (context.deep_research or unmet):
            by_code = await asyncio.to_thread(check_draft, draft)
            if not (by_code.failed or by_code.left_out or by_code.declined is not None):
                return
        if not await run.journal.decided("verify", lambda: role_model("verifier", context).model != OFFLINE):
            written.limits += [say("no_verifier", draft.locale)] if context.verify == "model" else []
            return
        verifying = partial(emit_message, self.runtime, "notice", "reporter", "verifying", draft.locale)
        verifying()
        evidence = evidence_of(self.runtime)
        written.verified = await verify_draft(
            draft,
            evidence.get_text,
            tone=context.profile.tone if context.profile else "",
            before=written.verified if new_quotes else None,
            unused=new_quotes,
            unmet=unmet,
            only_mend=draft.former is not None or (written.rewritten and not new_quotes),
            edits=SENTENCES not in written.templates,  # whose writer could not cite, and no more can as an editor
            search=document_search(run, evidence, verifying),
        )
        written.limits += [limit for limit in written.verified.limits if limit not in written.limits]
        if written.verified.blocks is not None:
            written.templates += (EDITING,)
            written.blocks = written.verified.blocks
            written.likeness = await likeness_of(across_languages(written.verified.draft(draft)))

    async def more_for_weakest(self, research: SectionResearch, checked: CheckedReport) -> NewEvidence | None:
        """Research the weakest topic of a report that one call wrote and an editor saw, from deep on; return what that found."""
        written, outline = self.written, research.prompt.outline
        if not (self.run.context.level.wide and outline and written.verified.edited) or written.sections:
            return None
        place = weakest(outline, checked.claims)
        return None if place is None else await research(outline[place])

    def cites_nothing(self, checked: CheckedReport) -> bool:
        """Tell whether a model's text has no citation at all and code proves at most half of it: no verifier can judge that, and no editor mend it."""
        written = self.written
        citable = written.text and not written.by_rules and SENTENCES not in written.templates
        return bool(citable) and not cited_in(written.blocks) and checked.proves_little

    def computes(self, checked: CheckedReport) -> bool:
        """Tell whether the report cites a computation that takes in nothing, which no other wording would prove."""
        made_up = {key for key, source in self.state["sources"].items() if source.without_input}
        computed = {excerpt.id for excerpt in self.excerpts if excerpt.content_hash in made_up}
        return any(computed.intersection(claim.citations) for claim in checked.claims)

    def unmet_wishes(self) -> list[str]:
        """Return what the text lacks of the form that was asked for."""
        context, translated = self.run.context, bool(self.run.wishes.language)
        return unmet_wishes(self.written.blocks, context, self.state["locale"], translated=translated)

    def unmet(self) -> list[str]:
        """Return what the finished text lacks of what was asked for, as far as code can tell."""
        context, locale, written = self.run.context, self.state["locale"], self.written
        cited = set(cited_in(written.blocks))
        used = dict.fromkeys(excerpt.content_hash for excerpt in self.excerpts if excerpt.id in cited)
        sources = [self.state["sources"][key] for key in used if key in self.state["sources"]]
        by_sources = unmet_by_sources(sources, context, locale)
        if written.former:
            return by_sources
        if written.by_rules:
            form = [say("unmet_form", locale)] if context.wishes.asks_form else []
            return [*form, *unmet_length(written.blocks, context, locale), *by_sources]
        return [*self.unmet_wishes(), *by_sources]

    async def slides(self) -> list[DeckPage]:
        """Return the deck of a model's report, if slides are wanted."""
        if self.written.by_rules or {"slides", "pptx"}.isdisjoint(self.run.context.output_formats):
            return []
        from services.reports.slides.draft import deck_for

        return await deck_for(self.run, self.written, self.draft())


def _files_read(state: ResearchState, run: Run) -> FilesRead:
    """Return how files were read that the report has not told yet: of a report that is changed those of further searches alone."""
    earlier = FilesRead() if state.get("report") else state.get("files") or FilesRead()
    return furthest(earlier, run.files)


def _prompt_versions(context: RunContext, usage: Usage, written: Written) -> dict[str, int | str]:
    roles = [role for role in usage.roles if role != EMBEDDING]
    with prompts_of(context):
        return {stem: prompt_version(stem) for stem in [*roles, *written.templates]}


def _answered(state: ResearchState) -> str:
    """Return the coordinator's answer from earlier turns' evidence, if there is one."""
    triage = state["triage"]
    return triage.answer if triage is not None and not state["plans"] else ""


def _merged(state: ResearchState, found: ResearchState) -> ResearchState:
    results = {**state.get("results", {}), **found["results"]}
    sources = {**state.get("sources", {}), **found["sources"]}
    return {**state, **found, "results": results, "sources": sources}


async def _programs(state: ResearchState, excerpts: list[Excerpt], runtime: Runtime[RunContext]) -> dict[str, Program]:
    sources = state["sources"]
    used = dict.fromkeys(excerpt.content_hash for excerpt in excerpts if excerpt.content_hash in sources)
    return await programs_of((sources[key] for key in used), evidence_of(runtime))


def _counts(report: Report) -> dict[str, int]:
    return {
        "claims": len(report.citations),
        "verified": sum(claim.verified for claim in report.citations),
        "sure": sure_claims(report.citations),
        "sources": sum(bool(source.id) and not source.duplicate_of for source in report.sources),
    }


def _announce(runtime: Runtime[RunContext], locale: str, report: Report) -> None:
    values, statuses = _counts(report), status_counts(report.citations)
    data = {"title": report.title, **values, "answered": report.answered, "statuses": statuses}
    counts = labels_for(locale if is_chinese(locale) else "en").head(
        report.answered, statuses, by_rules=report.by_rules
    )
    emit_message(runtime, "report", "reporter", "report", locale, data=data, counts=counts, sources=values["sources"])
