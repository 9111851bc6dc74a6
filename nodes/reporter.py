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
from schemas.reporter import Report, ReporterPrompt
from schemas.revision import Revision
from schemas.sections import Section
from schemas.state import ResearchState, plans_of, research_question
from schemas.usage import Usage
from services.embedding.cross_lingual import likeness_of
from services.embedding.endpoint import ROLE as EMBEDDING
from services.evidence.background import background_views
from services.evidence.citable_excerpts import cited_evidence
from services.evidence.confirmation import with_confirmations
from services.evidence.copy_resolution import settled_copies
from services.evidence.programs import Program, programs_of
from services.evidence.repeated_excerpts import held_by
from services.evidence.table_heads import with_places
from services.evidence.views import contradiction_views, finding_views, steps_by_id, within
from services.models import write
from services.models.fallback import answer_by_rules
from services.reports.chat_message import report_message
from services.reports.checking.checked_report import CheckedReport
from services.reports.checking.code_citations import CodeCitations
from services.reports.document import cited_in
from services.reports.editing import TEMPLATE as EDITING
from services.reports.labels import labels_for
from services.reports.length import FORCED_FROM, SECTIONS_FROM, Length, fits_one_call, length_of
from services.reports.markdown import ReportInputs, across_languages, check_draft, finish_report
from services.reports.markdown_blocks import read_draft
from services.reports.rendering import to_draft
from services.reports.report_draft import FOLLOW_UP_MARK, Written, draft_of
from services.reports.section_evidence import bears_sections, sections_of
from services.reports.sectioned_report import SectionedReport
from services.reports.sentence_report import SENTENCES, write_sentences
from services.reports.slides.draft import deck_for
from services.reports.statuses import sure_claims
from services.reports.verification import verify_draft
from services.reports.weakest_section import borne, weakest
from services.reports.wish_check import unmet_by_sources, unmet_wishes
from services.run.budget import limit_message
from services.run.errors import LimitReached, ModelError, RevisionRefused, UselessAnswer
from services.run.events import emit_message
from services.run.roles import CONTEXT_WINDOW, OFFLINE, role_model
from services.run.run_ends import run_ended
from services.run.scope import Run, choices, evidence_of, node_run, prompts_of
from services.run.settings import settings
from services.run.ui_text import problem_text, say
from services.run.wishes import obeyed, wishes_of
from services.text.word_count import words_in
from services.tools.mcp.offered_tools import failures_once
from services.tools.mcp.registry import close_sessions
from services.turn.added_evidence import with_excerpts
from services.turn.heard_messages import hear, late_messages
from services.turn.memory_keeping import remember_report
from services.turn.reused_evidence import reused_limits
from services.turn.revision import Revised, check_revised, refused_update, revised, revision_of
from services.turn.revision_gate import change_messages
from services.turn.section_research import SectionResearch
from services.turn.steps import left_out
from services.turn.versions import keep_version

MAX_CHARACTERS = 400_000
"""Maximum characters of a model's report; the longest requested reports have a third of that."""
BRIEF = 300
"""Words up to which a short answer has no sections."""
LONG = 3.0
"""Factor on the length of a whole report, relative to a short answer."""


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
                written = await _known_answer(run, answer, locale)
            elif excerpts:
                emit_message(runtime, "notice", "reporter", "writing", locale)
                prompt = await asyncio.to_thread(_prompt, state, context)
                tell = partial(_tell, runtime, locale)
                research = SectionResearch(run, state, prompt, evidence_of(runtime), excerpts, tell)
                written = await _write(run, prompt, research)
                if added := research.update():
                    state = await _settled(_with_research(state, added), runtime)
                    excerpts = cited_evidence(state)
            else:
                written.by_rules = await _by_rules(run, "reporter")
            if written.text or written.blocks:
                made = Revised(written, state, excerpts, added)
                written, state, excerpts, added = await _proved(run, made, revision, prompt, research, runtime)
                written.limits += await asyncio.to_thread(_unmet, run, state, written, excerpts)
                deck = await deck_for(run, written, draft_of(state, context, written, excerpts))
        finally:
            await closing
    new_failures = (failure for failure in failed if failure not in state["limits"])
    written.limits += [
        *new_failures,
        *left_out(run, locale),
        *reused_limits(state, to_draft(written.blocks)),
        *late_messages(state),
    ]
    written.programs = await _programs(state, excerpts, runtime)
    usage = state["usage"] + run.usage
    report = await asyncio.to_thread(finish_report, draft_of(state, context, written, excerpts), usage=usage)
    report.deck = deck
    run_ended(run.thread, run.journal.key, usage, "done", **_counts(report))
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


async def _proved(
    run: Run,
    made: Revised,
    revision: Revision | None,
    prompt: ReporterPrompt | None,
    research: SectionResearch | None,
    runtime: Runtime[RunContext],
) -> Revised:
    """Check a text until it proves something, and from deep on mend its weakest topic with what is found for that.

    Args:
        run: run scope of the node.
        made: the text and what it may cite.
        revision: the requested change, if it is one.
        prompt: the prompt of a newly written text.
        research: researches a topic of a newly written text.
        runtime: runtime of the node.
    """
    written, state, excerpts, added = made
    checked = await _check(run, state, written, excerpts, runtime)
    if told := written.verified.told:
        results = with_excerpts(state["results"], told)
        state = await _settled({**state, "results": {**state["results"], **results}}, runtime)
        added = {**added, "results": {**added.get("results", {}), **results}}
        excerpts = cited_evidence(state)
    check_revised(revision, checked)
    while prompt and not written.by_rules and checked.proves_nothing:
        if _computes(checked, state, excerpts):
            break
        written = await _write_simpler(prompt, written, state["locale"])
        checked = await _check(run, state, written, excerpts, runtime)
    if prompt and research and await _more_for_weakest(run, prompt, written, checked, research):
        researched = research.update()
        state = await _settled(_with_research(state, researched), runtime)
        added = {**researched, "results": {**added.get("results", {}), **researched["results"]}}
        excerpts = cited_evidence(state)
        found = [excerpt for excerpt in excerpts if excerpt.id in research.found]
        await _verify(run, draft_of(state, run.context, written, excerpts), written, runtime, found)
    return Revised(written, state, excerpts, added)


def _prompt_versions(context: RunContext, usage: Usage, written: Written) -> dict[str, int | str]:
    asked = [role for role in usage.roles if role != EMBEDDING]
    with prompts_of(context):
        return {stem: prompt_info(stem).version for stem in [*asked, *written.templates]}


async def _revised(
    run: Run, state: ResearchState, revision: Revision, excerpts: list[Excerpt], runtime: Runtime[RunContext]
) -> Revised:
    """Write the next version of the report."""
    emit_message(runtime, "notice", "reporter", "revision_writing", state["locale"])
    tell = partial(_tell, runtime, state["locale"])
    made = await revised(run, state, revision, excerpts, evidence_of(runtime), tell)
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


async def _known_answer(run: Run, answer: str, locale: str) -> Written:
    """Return the coordinator's answer as the written text; it counts as written by rules if no model is connected."""
    by_rules = await _by_rules(run, "coordinator")
    return Written(answer, notes=[say("offline", locale)] if by_rules else [], by_rules=by_rules)


def _with_research(state: ResearchState, added: ResearchState) -> ResearchState:
    """Merge the evidence found for sections into the state of the report."""
    results, sources = {**state["results"], **added["results"]}, {**state["sources"], **added["sources"]}
    return {**state, **added, "results": results, "sources": sources}


async def _by_rules(run: Run, role: str) -> bool:
    """Tell whether no model is connected for a role of this run."""
    return await run.journal.decided("rules", lambda: role_model(role, run.context).model == OFFLINE)


async def _write(run: Run, prompt: ReporterPrompt, research: SectionResearch) -> Written:
    """Let the model write; if a limit leaves no room, or no text comes, extracts selected by rules are the report."""
    locale, length = prompt.locale, _length(run.context, prompt)
    try:
        # the offline model selects passages step by step
        once = prompt if await _by_rules(run, "reporter") else _once(prompt, research.excerpts, run.context)
        if await _in_sections(run, once):
            excerpts = {excerpt.id: excerpt for excerpt in research.excerpts}
            sources, text_of = research.state["sources"], research.evidence.get_text
            prompt.words = _length(run.context, prompt).words
            long = await SectionedReport(run, prompt, length, excerpts, sources, text_of, research).write()
            long.limits += [*research.limits, *_words_missed(run.context, to_draft(long.blocks), length, locale)]
            return long
        reply = await write("reporter", once, scale=1.0 if prompt.length == "answer" else LONG)
    except LimitReached as limit:
        text = await answer_by_rules(prompt)
        return Written(text, [limit_message(limit, locale)], [say("report_by_rules", locale)], by_rules=True)
    except UselessAnswer:
        text = await answer_by_rules(prompt)
        return Written(text, [say("report_without_model", locale)], by_rules=True)
    notes = [say("offline", locale)] if reply.model == OFFLINE else []
    limits = [say("cut_off", locale)] if reply.cut_off else []
    if prompt.length != "answer" and not notes:
        limits += _words_missed(run.context, reply.text.partition(f"\n{FOLLOW_UP_MARK}")[0], length, locale)
    return Written(reply.text, limits, notes, by_rules=bool(notes))


def _words_missed(context: RunContext, text: str, length: Length, locale: str) -> list[str]:
    """Return a note if a report has clearly fewer words than its depth promises."""
    if context.words is not None or not length.missed(
        text, chosen=False
    ):  # a chosen number is checked when all is written
        return []
    return [say("words_missed", locale, written=words_in(text), wanted=length.promised)]


async def _write_simpler(prompt: ReporterPrompt, former: Written, locale: str) -> Written:
    """Let the model write one sentence per excerpt; if it already did, or cannot, rules select extracts."""
    limits: list[str] = []
    if SENTENCES not in former.templates:
        try:
            text = await write_sentences(prompt)
            return Written(text, [say("report_by_sentences", locale)], templates=(*former.templates, SENTENCES))
        except LimitReached as limit:
            limits.append(limit_message(limit, locale))
        except ModelError as problem:
            limits.append(problem_text(problem, locale))
    limits.append(say("report_unsupported", locale))
    return Written(await answer_by_rules(prompt), limits, templates=former.templates, by_rules=True)


async def _check(
    run: Run, state: ResearchState, written: Written, excerpts: list[Excerpt], runtime: Runtime[RunContext]
) -> CheckedReport:
    """Read the text, add missing citations, and check the draft; the checking model may change it."""
    sources = state["sources"]
    if written.text:
        body, _, _ = written.text.partition(f"\n{FOLLOW_UP_MARK}")
        if len(body) > MAX_CHARACTERS:
            written.limits.append(say("report_cut", state["locale"], characters=MAX_CHARACTERS))
        citable = {excerpt.id: excerpt for excerpt in excerpts}
        written.blocks = await asyncio.to_thread(read_draft, body[:MAX_CHARACTERS], citable)
    titles = {key: source.title for key, source in sources.items()}
    untraced = [key for key, source in sources.items() if source.untraced]
    known = [excerpt for excerpt in excerpts if excerpt.content_hash in sources]
    written.citing = CodeCitations(known, titles, untraced, written.sections)

    def draft() -> ReportInputs:
        return draft_of(state, run.context, written, excerpts)

    await asyncio.to_thread(check_draft, replace(draft(), excerpts=known))
    written.likeness = await likeness_of(await asyncio.to_thread(across_languages, draft()))
    await _verify(run, draft(), written, runtime)
    return await asyncio.to_thread(check_draft, draft())


async def _more_for_weakest(
    run: Run, prompt: ReporterPrompt, written: Written, checked: CheckedReport, research: SectionResearch
) -> bool:
    """Research the weakest topic of a report that one call wrote and an editor saw, from deep on; tell whether that found anything."""
    if not (run.context.level.wide and prompt.outline and written.verified.edited) or research.tries:
        return False
    place = weakest(borne(prompt.outline, checked.claims), ())
    return place is not None and await research(prompt.outline[place]) is not None


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
        return [*([say("unmet_form", locale)] if context.wishes.asks_form else []), *by_sources]
    return [
        *unmet_wishes(written.blocks, context, locale, translated=bool(run.wishes.language)),
        *by_sources,
    ]


async def _verify(
    run: Run,
    draft: ReportInputs,
    written: Written,
    runtime: Runtime[RunContext],
    found: Sequence[Excerpt] | None = None,
) -> None:
    """Let a model check the draft, if the run enables that and has a model; once more for what was found for its weakest topic.

    A quick answer is checked by a model where it lacks what was asked for.
    """
    context, locale, translated = run.context, draft.locale, bool(run.wishes.language)
    unmet = [] if draft.former else unmet_wishes(draft.blocks, context, locale, translated=translated)
    wanted = context.verify == "model" or (context.verify == "auto" and (context.deep_research or bool(unmet)))
    if not wanted or written.by_rules:
        return
    if not await run.journal.decided("verify", lambda: role_model("verifier", context).model != OFFLINE):
        written.limits += [say("no_verifier", locale)] if context.verify == "model" else []
        return
    emit_message(runtime, "notice", "reporter", "verifying", locale)
    tone = context.profile.tone if context.profile else ""
    text_of, before = evidence_of(runtime).get_text, written.verified if found else None
    written.verified = await verify_draft(draft, text_of, tone=tone, before=before, unused=found, unmet=unmet)
    written.limits += [limit for limit in written.verified.limits if limit not in written.limits]
    if written.verified.blocks is not None:
        written.templates += (EDITING,)
        written.blocks = written.verified.blocks
        written.likeness = await likeness_of(across_languages(written.verified.draft(draft)))


async def _in_sections(run: Run, prompt: ReporterPrompt) -> bool:
    """Tell whether a report is written in sections: one call writes what fits into it, and the offline model writes everything so."""

    def decide() -> bool:
        model = role_model("reporter", run.context)
        if not prompt.outline or prompt.wishes.shape or model.model == OFFLINE:
            return False
        evidence = [item.quote for finding in prompt.findings for item in finding.evidence]
        evidence += [item.quote for item in prompt.background]
        words, window = _length(run.context, prompt).fewest, model.context_window or CONTEXT_WINDOW
        return not fits_one_call(evidence, words, settings().leadline_one_call_tokens, window)

    return await run.journal.decided("sections", decide)


def _prompt(state: ResearchState, context: RunContext) -> ReporterPrompt:
    triage, reflection = state["triage"], state["reflection"]
    findings = finding_views(steps_by_id(plans_of(state)), state["results"], state["sources"])
    fast = not state["plans"] and triage is not None and triage.complexity == "simple"
    fast = fast and not context.wishes.shape and (context.words or 0) <= BRIEF
    prompt = ReporterPrompt(
        question=research_question(state),
        locale=state["locale"],
        today=state["today"],
        length="answer" if fast else "full" if (context.words or 0) >= SECTIONS_FROM else context.length,
        words=context.words or 0,
        wishes=context.wishes,
        tone=context.profile.tone if context.profile else "",
        findings=findings,
        background=background_views(state["background"], state["results"], state["sources"]),
        contradictions=contradiction_views(reflection),
        outdated=reflection.outdated if reflection else [],
        missing_aspects=reflection.missing_aspects if reflection else [],
    )
    prompt.outline = _sections(state, context, prompt)
    return prompt


def _once(prompt: ReporterPrompt, excerpts: Sequence[Excerpt], context: RunContext) -> ReporterPrompt:
    """Return a prompt that shows everything once: what several steps quote, except the sides of contradictions, and no finding beside its quotes.

    Of the background search the prompt has only what no step quotes. Where brevity counts, it has all excerpts that answer a step, and of
    others those for which there is room: a strong model cited 102 of 175 that answer a step, and 21 of 181 others (two runs over PEPs).
    """
    kept = {key for contradiction in prompt.contradictions for key in contradiction.excerpt_ids} | {*prompt.outdated}
    views = {item.id: item for finding in prompt.findings for item in finding.evidence}
    holders = held_by(excerpt for excerpt in excerpts if excerpt.id in views)
    findings = [
        finding.model_copy(
            update={
                "evidence": [item for item in finding.evidence if item.id in kept or item.id not in holders],
                "finding": "" if finding.evidence and finding.step_type == "research" else finding.finding,
                "missing_aspects": [] if prompt.missing_aspects else finding.missing_aspects,
            }
        )
        for finding in prompt.findings
    ]
    if room := context.level.written_tokens:
        answering = {holders.get(key, key) for key, item in views.items() if item.relevance == "high"}
        findings = within(findings, room, kept | answering)
    return prompt.model_copy(update={"findings": findings})


def _sections(state: ResearchState, context: RunContext, prompt: ReporterPrompt) -> list[Section]:
    """Return the sections of the report; none for a short report, or for little evidence unless the user chose a long one."""
    words = context.words
    short = prompt.length in {"answer", "brief"} or (words is not None and words < SECTIONS_FROM)
    if short or not any(finding.evidence for finding in prompt.findings):
        return []
    sections = sections_of(state.get("outline", []), prompt.findings, prompt.background)
    asked_for = (context.length == "full" and words is None) or (words or 0) >= FORCED_FROM
    return sections if asked_for or bears_sections(sections) else []


def _length(context: RunContext, prompt: ReporterPrompt) -> Length:
    """Return the target length of the report; a report written in one call has the requested length."""
    if not prompt.outline:
        return Length(prompt.words, prompt.words, prompt.words)
    evidence = [item for finding in prompt.findings for item in finding.evidence]
    quoted = sum(words_in(item.quote) for item in [*evidence, *prompt.background])
    return length_of(context, quoted, sum(bool(finding.evidence) for finding in prompt.findings))


async def _programs(state: ResearchState, excerpts: list[Excerpt], runtime: Runtime[RunContext]) -> dict[str, Program]:
    """Return the programs that the report shows if it cites their output."""
    sources = state["sources"]
    used = dict.fromkeys(excerpt.content_hash for excerpt in excerpts if excerpt.content_hash in sources)
    return await programs_of((sources[key] for key in used), evidence_of(runtime))


def _tell(runtime: Runtime[RunContext], locale: str, key: str, title: str) -> None:
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
    counts = labels_for(locale).head(report.answered, statuses)
    emit_message(runtime, "report", "reporter", "report", locale, data=data, counts=counts, sources=values["sources"])
