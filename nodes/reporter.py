"""Reporter: writes the report from the evidence, streaming; then code and a verifier check every statement, and code renders it."""

import asyncio
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from langgraph.runtime import Runtime

from prompts import prompt_info
from schemas.context import RunContext
from schemas.coordinator import Triage
from schemas.evidence import Excerpt, status_counts
from schemas.reporter import ContradictionView, Report, ReporterPrompt
from schemas.results import RECALLED
from schemas.state import ResearchState, plans_of, research_question
from services.embedding.cross_lingual import Likeness, likeness_of
from services.embedding.endpoint import ROLE as EMBEDDING
from services.evidence.background import background_views
from services.evidence.citable import cited_evidence, in_report
from services.evidence.programs import Program, programs_of
from services.evidence.settled_copies import settled_copies
from services.evidence.views import evidence_views, finding_views, steps_by_id
from services.models import write
from services.models.fallback import answer_by_rules
from services.reports.chat_message import report_message
from services.reports.checking.checked_report import CheckedReport
from services.reports.checking.code_citations import CodeCitations
from services.reports.checking.numbered_citations import read_citations
from services.reports.labels import labels_for
from services.reports.markdown import Draft, across_languages, check_draft, finish_report
from services.reports.sectioned import TEMPLATES, words_of, write_long
from services.reports.sentence_report import SENTENCES, write_sentences
from services.reports.statuses import proves_nothing, sure_claims
from services.reports.verification import REWRITING, Verified, verify_draft
from services.run.budget import limit_message
from services.run.errors import LimitReached, ModelError, StoreError, UselessAnswer
from services.run.events import emit_message
from services.run.roles import OFFLINE, role_model
from services.run.run_ends import run_ended
from services.run.scope import Run, choices, evidence_of, node_run, prompts_of
from services.run.ui_text import is_chinese, problem_text, say
from services.text.suggestions import recommended
from services.tools.mcp.offered_tools import failures_once
from services.tools.mcp.registry import close_sessions
from services.turn.steps import left_out

LONG = 2.0
"""By how much a whole report may be longer than a short answer."""
SECTIONS_FROM = 2_000
"""Words from which a report is written in sections, side by side."""
FOLLOW_UP_MARK = "==="
"""The line that parts the report from the follow-up questions."""


async def reporter(state: ResearchState, runtime: Runtime[RunContext]) -> ResearchState:
    """Write the report, or say honestly that nothing was found; no model writes from nothing."""
    context, locale = choices(runtime), state["locale"]
    excerpts = cited_evidence(state)
    state = {**state, "sources": await settled_copies(state["sources"], excerpts, evidence_of(runtime))}
    written = Written()
    prompt: ReporterPrompt | None = None
    async with node_run(state, runtime, "reporter", report=True) as run:
        failed = [failure.message(locale) for failure in await failures_once(run)]
        closing = asyncio.ensure_future(close_sessions(run.journal.key))
        try:
            if answer := _answered(state):
                by_rules = await run.journal.decided(
                    "rules", lambda: role_model("coordinator", context).model == OFFLINE
                )
                written = Written(answer, notes=[say("offline", locale)] if by_rules else [], by_rules=by_rules)
            elif excerpts:
                emit_message(runtime, "notice", "reporter", "writing", locale)
                prompt = _prompt(state, context)
                written = await _write(run, prompt, locale)
            if written.text:
                checked = await _check(run, state, written, excerpts, runtime)
                while prompt and not written.by_rules and proves_nothing(checked):
                    if _computes(checked, state, excerpts):
                        break
                    written = await _write_simpler(prompt, written, locale)
                    checked = await _check(run, state, written, excerpts, runtime)
        finally:
            await closing
    if written.by_rules:
        written.asked = await _recommended(state, written, excerpts, runtime)
    written.limits += [failure for failure in failed if failure not in state["limits"]]
    written.limits += [*left_out(run, locale), *_reused(state)]
    written.programs = await _programs(state, excerpts, runtime)
    usage = state["usage"] + run.usage
    report = await asyncio.to_thread(finish_report, _draft(state, context, written, excerpts), usage=usage)
    asked = [role for role in usage.roles if role != EMBEDDING]
    run_ended(run.thread, run.journal.key, usage, "done", **_counts(report))
    with prompts_of(context):
        report.prompts = {role: prompt_info(role).version for role in [*asked, *written.templates]}
    _announce(runtime, locale, report)
    return {
        "report": report,
        "messages": [report_message(report, run.thread)],
        "usage": run.usage,
        "limits": written.limits,
    }


@dataclass(slots=True)
class Written:
    """What a model, or the rules in its place, wrote."""

    text: str = ""
    limits: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    templates: tuple[str, ...] = ()
    """Of the model calls that were made besides the reporter's own."""
    by_rules: bool = False
    """Whether rules wrote it, which see only what was found and not what else there is to ask."""
    asked: list[str] = field(default_factory=list)
    """Questions to ask next, besides those in the text."""
    likeness: Likeness | None = None
    """Of its sentences with quotes in another language."""
    sections: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Ids of the excerpts that a section was written from, by its heading, where it was written in sections."""
    citing: CodeCitations | None = None
    """Finds excerpts for sentences that cite nothing."""
    verified: Verified = field(default_factory=Verified)
    """What a model that checked it says."""
    programs: dict[str, Program] = field(default_factory=dict)
    """Behind the numbers that it may cite, by the content hash of their source."""


def _computes(checked: CheckedReport, state: ResearchState, excerpts: list[Excerpt]) -> bool:
    """Tell whether a report cites a computation whose numbers no source gives: no other wording would prove it."""
    untraced = {key for key, source in state["sources"].items() if source.untraced}
    computed = {excerpt.id for excerpt in excerpts if excerpt.content_hash in untraced}
    return any(computed.intersection(claim.citations) for claim in checked.claims)


def _answered(state: ResearchState) -> str:
    """Return the answer that the coordinator has written from what earlier turns found, where it has."""
    triage = state["triage"]
    return triage.answer if triage is not None and not state["plans"] else ""


async def _write(run: Run, prompt: ReporterPrompt, locale: str) -> Written:
    """Let the model write; where a limit leaves no room for it, or it writes nothing, extracts selected by rules are the report."""
    try:
        if await _in_sections(run, prompt):
            long = await write_long(prompt, words_of(prompt, run.context.words))
            text = "\n".join([long.markdown, f"\n{FOLLOW_UP_MARK}", *long.follow_up_questions])
            return Written(text, long.limits, templates=TEMPLATES, sections=long.sections)
        reply = await write("reporter", prompt, scale=1.0 if prompt.length == "answer" else LONG)
    except LimitReached as limit:
        text = await answer_by_rules(prompt)
        return Written(text, [limit_message(limit, locale)], [say("report_by_rules", locale)], by_rules=True)
    except UselessAnswer:
        text = await answer_by_rules(prompt)
        return Written(text, [say("report_without_model", locale)], by_rules=True)
    notes = [say("offline", locale)] if reply.model == OFFLINE else []
    return Written(reply.text, [say("cut_off", locale)] if reply.cut_off else [], notes, by_rules=bool(notes))


async def _write_simpler(prompt: ReporterPrompt, former: Written, locale: str) -> Written:
    """Let the model write one sentence an excerpt; where it has done that already, or cannot, rules select extracts."""
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
    """Read the citations, find those that are missing, and check the draft; the model that checks too may change it."""
    sources = state["sources"]
    body, mark, rest = written.text.partition(f"\n{FOLLOW_UP_MARK}")
    views, question = evidence_views(excerpts, sources), _title_question(state)
    body = await asyncio.to_thread(read_citations, body, views, question=question, locale=state["locale"])
    written.text = f"{body}{mark}{rest}"
    titles = {key: source.title for key, source in sources.items()}
    untraced = [key for key, source in sources.items() if source.untraced]
    known = [excerpt for excerpt in excerpts if excerpt.content_hash in sources]
    written.citing = CodeCitations(known, titles, untraced, written.sections)

    def draft() -> Draft:
        return _draft(state, run.context, written, excerpts)

    await asyncio.to_thread(check_draft, replace(draft(), excerpts=known))
    written.likeness = await likeness_of(await asyncio.to_thread(across_languages, draft()))
    await _verify(run, draft(), written, runtime)
    return await asyncio.to_thread(check_draft, draft())


async def _verify(run: Run, draft: Draft, written: Written, runtime: Runtime[RunContext]) -> None:
    """Let a model check the draft, where the run wants that and has one."""
    context, locale = run.context, draft.locale
    wanted = context.verify == "model" or (context.verify == "auto" and context.deep_research)
    if not wanted or written.by_rules:
        return
    if not await run.journal.decided("verify", lambda: role_model("verifier", context).model != OFFLINE):
        written.limits += [say("no_verifier", locale)] if context.verify == "model" else []
        return
    emit_message(runtime, "notice", "reporter", "verifying", locale)
    tone = context.profile.tone if context.profile else ""
    written.verified = await verify_draft(draft, evidence_of(runtime).get_text, tone=tone)
    written.limits += written.verified.limits
    if written.verified.rewritten:
        written.templates += (REWRITING,)
        written.likeness = await likeness_of(across_languages(written.verified.draft(draft)))


async def _recommended(
    state: ResearchState, written: Written, excerpts: list[Excerpt], runtime: Runtime[RunContext]
) -> list[str]:
    """Return questions that the sources which a report by rules cites can answer."""
    cited = [excerpt for excerpt in excerpts if f"[{excerpt.id}]" in written.text]
    texts: dict[str, str] = {}
    for key in dict.fromkeys(excerpt.content_hash for excerpt in cited if excerpt.content_hash in state["sources"]):
        source = state["sources"][key]
        if source.kind != "computation":
            with suppress(StoreError):
                texts[source.title] = await evidence_of(runtime).get_text(key)
    told = [excerpt.quote for excerpt in cited]
    before = [message.text for message in state.get("messages", []) if message.type == "human"]
    return await asyncio.to_thread(
        recommended, _title_question(state), is_chinese(state["locale"]), texts, told, before
    )


async def _in_sections(run: Run, prompt: ReporterPrompt) -> bool:
    """Tell whether a report is long enough to be written in sections; the offline model writes all in one."""
    found = sum(bool(finding.evidence) for finding in prompt.findings)
    wanted = prompt.length != "answer" and (run.context.words or 0) >= SECTIONS_FROM
    wanted = wanted or (prompt.length == "full" and run.context.words is None)
    wanted = wanted and found > 0
    return await run.journal.decided(
        "sections", lambda: wanted and role_model("reporter", run.context).model != OFFLINE
    )


def _prompt(state: ResearchState, context: RunContext) -> ReporterPrompt:
    triage, reflection = state["triage"], state["reflection"]
    findings = finding_views(steps_by_id(plans_of(state)), state["results"], state["sources"])
    fast = not state["plans"] and triage is not None and triage.complexity == "simple"
    return ReporterPrompt(
        question=research_question(state),
        locale=state["locale"],
        today=state["today"],
        length="answer" if fast else context.length,
        words=0 if fast else context.words or 0,
        tone=context.profile.tone if context.profile else "",
        findings=findings,
        background=background_views(state["background"], state["results"], state["sources"]),
        contradictions=[ContradictionView(**contradiction.model_dump()) for contradiction in reflection.contradictions]
        if reflection
        else [],
        missing_aspects=reflection.missing_aspects if reflection else [],
    )


def _note(triage: Triage | None, context: RunContext) -> str:
    """Return what the report must open with: the note of an edge case or a topic, and the profile's safety note."""
    note = triage.reply if triage is not None else ""
    safety = context.profile.safety_note if context.profile else ""
    return "\n".join(part for part in (note, safety) if part)


def _draft(state: ResearchState, context: RunContext, written: Written, excerpts: list[Excerpt]) -> Draft:
    reflection, background, locale = state["reflection"], state["background"], state["locale"]
    body, _, questions = written.text.partition(f"\n{FOLLOW_UP_MARK}")
    asked = [line.strip(" -*•0123456789.、") for line in questions.strip("=\n ").splitlines()]
    question = _title_question(state)
    return Draft(
        question=question,
        locale=locale,
        title=state["plan"].title if state["plan"] else question,
        markdown=body.strip(),
        excerpts=in_report(state, excerpts, f"{body} {' '.join(written.citing.cited if written.citing else ())}"),
        sources=state["sources"],
        plans=plans_of(state),
        results=[state["results"][step_id] for step_id in sorted(state["results"], key=int) if step_id != RECALLED],
        reflections=state.get("reflections", []),
        contradictions=reflection.contradictions if reflection else [],
        missing_aspects=reflection.missing_aspects if reflection else [],
        limits=[*state["limits"], *written.limits, *(background.failures if background else [])],
        follow_up_questions=list(dict.fromkeys([*(line for line in asked if line), *written.asked]))[:3],
        unsupported=context.unsupported,
        notes=written.notes,
        opening=_note(state["triage"], context),
        likeness=written.likeness,
        judgements=written.verified.judgements,
        rewritten=written.verified.rewritten,
        citing=written.citing,
        programs=written.programs,
    )


async def _programs(state: ResearchState, excerpts: list[Excerpt], runtime: Runtime[RunContext]) -> dict[str, Program]:
    """Return the programs that the report shows if it cites what they printed."""
    sources = state["sources"]
    used = dict.fromkeys(excerpt.content_hash for excerpt in excerpts if excerpt.content_hash in sources)
    return await programs_of((sources[key] for key in used), evidence_of(runtime))


def _title_question(state: ResearchState) -> str:
    """Return the question as the report names it: one that leans on earlier turns as it was completed, else as asked."""
    triage = state["triage"]
    completed = triage is not None and triage.rewritten and state.get("former")
    return research_question(state) if completed else state["question"]


def _reused(state: ResearchState) -> list[str]:
    """Say which evidence was not looked up for this question."""
    recalled = state["results"].get(RECALLED)
    if recalled is None:
        return []
    sources = {excerpt.content_hash for excerpt in recalled.excerpts}
    return [say("reused", state["locale"], quotes=len(recalled.excerpts), sources=len(sources))]


def _counts(report: Report) -> dict[str, int]:
    return {
        "claims": len(report.citations),
        "verified": sum(claim.verified for claim in report.citations),
        "sure": sure_claims(report.citations),
        "sources": sum(bool(source.id) for source in report.sources),
    }


def _announce(runtime: Runtime[RunContext], locale: str, report: Report) -> None:
    values, statuses = _counts(report), status_counts(report.citations)
    data = {"title": report.title, **values, "statuses": statuses}
    counts = labels_for(locale).counted(statuses)
    emit_message(runtime, "report", "reporter", "report", locale, data=data, counts=counts, sources=values["sources"])
