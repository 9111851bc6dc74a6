"""Reporter: writes the report from the evidence, checks every statement by code and a verifier, and renders it."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from langgraph.runtime import Runtime

from prompts import prompt_info
from schemas.context import RunContext
from schemas.deck import DeckPage
from schemas.evidence import Excerpt, status_counts
from schemas.files_read import FilesRead, furthest
from schemas.reporter import Report, ReporterPrompt
from schemas.revision import Revision
from schemas.state import ResearchState
from schemas.usage import Usage
from services.embedding.cross_lingual import likeness_of
from services.embedding.endpoint import ROLE as EMBEDDING
from services.evidence.citable_excerpts import cited_evidence, with_background, with_places
from services.evidence.computation import Program, programs_of
from services.evidence.contradictions import settled_copies, with_confirmations
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
from services.run.scope import Run, choices, evidence_of, node_run, prompts_of
from services.run.ui_text import is_chinese, say
from services.run.wishes import obeyed, wishes_of
from services.search.files_read import file_messages
from services.text.tokens import message_language
from services.tools.mcp.offered_tools import failures_once
from services.tools.mcp.registry import close_sessions
from services.turn.added_evidence import document_search, with_excerpts
from services.turn.conversation import change_messages
from services.turn.remembered_statements import remember_report, reused_limits
from services.turn.revision import Revised, change_title, refused_update, revised, revision_of
from services.turn.section_research import SectionResearch
from services.turn.steering import hear, late_messages
from services.turn.steps import left_out
from services.turn.thread_data import keep_version
from services.turn.writing import by_rules, prompt_of, write_report, write_simpler

_IN_SLIDES = frozenset({"slides", "pptx"})
"""Formats of slides."""
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
    context, locale = obeyed(choices(runtime), wishes_of(state.get("triage"))).context, state["locale"]
    state, steering = await hear(state, runtime, "reporter")
    state = await _settled(state, runtime)
    excerpts = cited_evidence(state)
    written, added, deck = Written(), ResearchState(), list[DeckPage]()
    prompt: ReporterPrompt | None = None
    research: SectionResearch | None = None
    async with node_run(account, runtime, "reporter", report=True) as run:
        failed = [failure.message(locale) for failure in await failures_once(run)]
        closing = asyncio.ensure_future(close_sessions(run.journal.key))
        try:
            if revision is not None:
                written, state, excerpts, added = await _revised(run, state, revision, excerpts, runtime)
            elif answer := _answered(state):
                offline = await by_rules(run, "coordinator")
                written = Written(answer, notes=[say("offline", locale)] if offline else [], by_rules=offline)
            elif excerpts:
                emit_message(runtime, "notice", "reporter", "writing", locale)
                prompt = await asyncio.to_thread(prompt_of, state, context)
                notify = partial(_emit_notice, runtime, locale)
                research = SectionResearch(run, state, prompt, evidence_of(runtime), excerpts, notify)
                written = await write_report(run, prompt, research)
                if added := research.update():
                    state = await _settled(_with_research(state, added), runtime)
                    excerpts = cited_evidence(state)
            else:
                written.by_rules = await by_rules(run, "reporter")
            if written.text or written.blocks:
                made = Revised(written, state, excerpts, added)
                written, state, excerpts, added = await _proved(run, made, revision, prompt, research, runtime)
                written.limits += await asyncio.to_thread(_unmet, run, state, written, excerpts)
                if not written.by_rules and not _IN_SLIDES.isdisjoint(run.context.output_formats):
                    from services.reports.slides.draft import deck_for

                    deck = await deck_for(run, written, draft_of(state, context, written, excerpts))
        finally:
            await closing
    new_failures = (failure for failure in failed if failure not in state["limits"])
    written.limits += [
        *new_failures,
        *file_messages(_files_read(state, run), locale),
        *left_out(run, locale),
        *reused_limits(state, to_draft(written.blocks)),
        *late_messages(state),
    ]
    written.programs = await _programs(state, excerpts, runtime)
    usage = state["usage"] + run.usage
    report = await asyncio.to_thread(finish_report, draft_of(state, context, written, excerpts), usage=usage)
    report.deck = deck
    run_ended(run.thread, usage, "done", **_counts(report))
    report.prompts = _prompt_versions(context, usage, written)
    await remember_report(run, report, evidence_of(runtime))
    await keep_version(run, state, report, revision)
    _announce(runtime, locale, report)
    return {
        **steering,
        **added,
        "report": report,
        "revision": revision,
        "messages": [
            *(change_messages(state.get("messages", [])) if revision else []),
            report_message(report, run.thread),
        ],
        "usage": run.usage,
        "limits": written.limits,
    }


def _files_read(state: ResearchState, run: Run) -> FilesRead:
    """Return how files were read that the report has not told yet: of a report that is changed those of further searches alone."""
    earlier = FilesRead() if state.get("report") else state.get("files") or FilesRead()
    return furthest(earlier, run.files)


async def _proved(
    run: Run,
    made: Revised,
    revision: Revision | None,
    prompt: ReporterPrompt | None,
    research: SectionResearch | None,
    runtime: Runtime[RunContext],
) -> Revised:
    """Check a text, simplify it while it proves nothing, and from depth `deep` on complete its weakest topic with new quotes."""
    written, state, excerpts, added = made
    checked = await _check(run, state, written, excerpts, runtime, as_sentences=prompt is not None)
    if new_excerpts := written.verified.new_excerpts:
        results = with_excerpts(state["results"], new_excerpts)
        if research:
            research.results |= results
        sources = {**state["sources"], **written.verified.new_sources}
        background = with_background(state["background"], new_excerpts)
        found: ResearchState = {
            "results": {**state["results"], **results},
            "background": background,
            "sources": sources,
        }
        state = await _settled({**state, **found}, runtime)
        added = {
            **added,
            "background": background,
            "results": {**added.get("results", {}), **results},
            "sources": {**added.get("sources", {}), **written.verified.new_sources},
        }
        excerpts = cited_evidence(state)
    if revision is not None and checked.proves_nothing:
        raise RevisionRefused(say("revision_unproven", message_language(revision.request)))
    while prompt and not written.by_rules and (checked.proves_nothing or _cites_nothing(written, checked)):
        if _computes(checked, state, excerpts):
            break
        written = await write_simpler(prompt, written, state["locale"])
        checked = await _check(run, state, written, excerpts, runtime)
    if prompt and research and (new := await _more_for_weakest(run, prompt, written, checked, research)):
        researched = research.update()
        state = await _settled(_with_research(state, researched), runtime)
        added = {**researched, "results": {**added.get("results", {}), **researched["results"]}}
        excerpts = cited_evidence(state)
        ids = {excerpt.id for excerpt in new.excerpts}
        new_quotes = [excerpt for excerpt in excerpts if excerpt.id in ids]
        await _verify(run, draft_of(state, run.context, written, excerpts), written, runtime, new_quotes)
    return Revised(written, state, excerpts, added)


def _prompt_versions(context: RunContext, usage: Usage, written: Written) -> dict[str, int | str]:
    roles = [role for role in usage.roles if role != EMBEDDING]
    with prompts_of(context):
        return {stem: prompt_info(stem).version for stem in [*roles, *written.templates]}


async def _revised(
    run: Run, state: ResearchState, revision: Revision, excerpts: list[Excerpt], runtime: Runtime[RunContext]
) -> Revised:
    emit(runtime, "notice", "reporter", change_title(revision))
    notify = partial(_emit_notice, runtime, state["locale"])
    made = await revised(run, state, revision, excerpts, evidence_of(runtime), notify)
    return made._replace(state=await _settled(made.state, runtime)) if made.added else made


async def _settled(state: ResearchState, runtime: Runtime[RunContext]) -> ResearchState:
    """Return the state with merged copies of texts, pages and headings of quotes, and figures that independent sources confirm."""
    state = await with_places(state, evidence_of(runtime))
    sources = await settled_copies(state["sources"], cited_evidence(state), evidence_of(runtime))
    return await asyncio.to_thread(with_confirmations, {**state, "sources": sources})


def _computes(checked: CheckedReport, state: ResearchState, excerpts: list[Excerpt]) -> bool:
    """Tell whether a report cites a computation with untraced numbers, which no other wording would prove."""
    untraced = {key for key, source in state["sources"].items() if source.untraced}
    computed = {excerpt.id for excerpt in excerpts if excerpt.content_hash in untraced}
    return any(computed.intersection(claim.citations) for claim in checked.claims)


def _answered(state: ResearchState) -> str:
    """Return the coordinator's answer from earlier turns' evidence, if there is one."""
    triage = state["triage"]
    return triage.answer if triage is not None and not state["plans"] else ""


def _with_research(state: ResearchState, added: ResearchState) -> ResearchState:
    results, sources = {**state["results"], **added["results"]}, {**state["sources"], **added["sources"]}
    return {**state, **added, "results": results, "sources": sources}


def _cites_nothing(written: Written, checked: CheckedReport) -> bool:
    """Tell whether a model's text has no citation at all and code proves at most half of it: no verifier can judge that, and no editor mend it."""
    citable = written.text and not written.by_rules and SENTENCES not in written.templates
    return bool(citable) and not cited_in(written.blocks) and checked.proves_little


async def _check(
    run: Run,
    state: ResearchState,
    written: Written,
    excerpts: list[Excerpt],
    runtime: Runtime[RunContext],
    *,
    as_sentences: bool = False,
) -> CheckedReport:
    """Check a text; `as_sentences` tells that one which cites nothing is written anew, so that no model checks it."""
    sources = state["sources"]
    if written.text:
        body, _, _ = written.text.partition(f"\n{FOLLOW_UP_MARK}")
        if len(body) > MAX_CHARACTERS:
            written.limits.append(say("report_cut", state["locale"], characters=MAX_CHARACTERS))
        citable = {excerpt.id: excerpt for excerpt in excerpts}
        written.blocks = await asyncio.to_thread(read_draft, body[:MAX_CHARACTERS], citable)
    titles = {key: source.title for key, source in sources.items()}
    known = [excerpt for excerpt in excerpts if excerpt.content_hash in sources]
    written.citing = CodeCitations(known, titles, written.sections)

    def draft() -> ReportInputs:
        return draft_of(state, run.context, written, excerpts)

    written.blocks, refused = await asyncio.to_thread(with_charts_checked, draft())
    written.limits += refused
    checked = await asyncio.to_thread(check_draft, replace(draft(), excerpts=known))
    if as_sentences and _cites_nothing(written, checked):
        return checked
    written.likeness = await likeness_of(await asyncio.to_thread(across_languages, draft()))
    await _verify(run, draft(), written, runtime)
    return await asyncio.to_thread(check_draft, draft())


async def _more_for_weakest(
    run: Run, prompt: ReporterPrompt, written: Written, checked: CheckedReport, research: SectionResearch
) -> NewEvidence | None:
    """Research the weakest topic of a report that one call wrote and an editor saw, from deep on; return what that found."""
    if not (run.context.level.wide and prompt.outline and written.verified.edited) or written.sections:
        return None
    place = weakest(prompt.outline, checked.claims)
    return None if place is None else await research(prompt.outline[place])


def _unmet(run: Run, state: ResearchState, written: Written, excerpts: Sequence[Excerpt]) -> list[str]:
    """Return what the finished text lacks of what was asked for, as far as code can tell."""
    context, locale = run.context, state["locale"]
    cited = set(cited_in(written.blocks))
    used = dict.fromkeys(excerpt.content_hash for excerpt in excerpts if excerpt.id in cited)
    sources = [state["sources"][key] for key in used if key in state["sources"]]
    by_sources = unmet_by_sources(sources, context, locale)
    if written.former:
        return by_sources
    if written.by_rules:
        form = [say("unmet_form", locale)] if context.wishes.asks_form else []
        return [*form, *unmet_length(written.blocks, context, locale), *by_sources]
    return [
        *unmet_wishes(written.blocks, context, locale, translated=bool(run.wishes.language)),
        *by_sources,
    ]


async def _verify(
    run: Run,
    draft: ReportInputs,
    written: Written,
    runtime: Runtime[RunContext],
    new_quotes: Sequence[Excerpt] | None = None,
) -> None:
    """Let a model check the draft if the run enables that and has a model; a second time with new quotes for its weakest topic.

    A model checks a quick answer only if it lacks what was asked for, code cannot prove all of it, or it calls something untold.
    """
    context, locale, translated = run.context, draft.locale, bool(run.wishes.language)
    unmet = [] if draft.former else unmet_wishes(draft.blocks, context, locale, translated=translated)
    if written.by_rules or context.verify == "code":
        return
    if context.verify == "auto" and not (context.deep_research or unmet):
        by_code = await asyncio.to_thread(check_draft, draft)
        if not (by_code.failed or by_code.left_out or by_code.declined is not None):
            return
    if not await run.journal.decided("verify", lambda: role_model("verifier", context).model != OFFLINE):
        written.limits += [say("no_verifier", locale)] if context.verify == "model" else []
        return
    emit_message(runtime, "notice", "reporter", "verifying", locale)
    tone = context.profile.tone if context.profile else ""
    text_of, before = evidence_of(runtime).get_text, written.verified if new_quotes else None
    only_mend = draft.former is not None or (written.rewritten and not new_quotes)
    edits = SENTENCES not in written.templates  # whose writer could not cite, and no more can as an editor
    written.verified = await verify_draft(
        draft,
        text_of,
        tone=tone,
        before=before,
        unused=new_quotes,
        unmet=unmet,
        only_mend=only_mend,
        edits=edits,
        search=document_search(run, evidence_of(runtime)),
    )
    written.limits += [limit for limit in written.verified.limits if limit not in written.limits]
    if written.verified.blocks is not None:
        written.templates += (EDITING,)
        written.blocks = written.verified.blocks
        written.likeness = await likeness_of(across_languages(written.verified.draft(draft)))


async def _programs(state: ResearchState, excerpts: list[Excerpt], runtime: Runtime[RunContext]) -> dict[str, Program]:
    sources = state["sources"]
    used = dict.fromkeys(excerpt.content_hash for excerpt in excerpts if excerpt.content_hash in sources)
    return await programs_of((sources[key] for key in used), evidence_of(runtime))


def _emit_notice(runtime: Runtime[RunContext], locale: str, key: str, title: str) -> None:
    emit_message(runtime, "notice", "reporter", key, locale, title=title, data={"section": title})


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
