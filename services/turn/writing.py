"""Writes a report: in one call, by a second draft and in its last wording; in sections where the evidence does not fit; or by rules."""

import asyncio
from collections.abc import Sequence
from itertools import accumulate

from schemas.context import RunContext
from schemas.evidence import Contradiction, Excerpt
from schemas.evidence_view import EvidenceView, FindingView
from schemas.outline import Section
from schemas.reporter import ReporterPrompt
from schemas.reporter_wording import ReporterWordingPrompt
from schemas.state import ResearchState, plans_of, research_question
from services.evidence.citable_excerpts import background_views
from services.evidence.contradictions import check_contradiction
from services.evidence.views import finding_views, held_by, steps_by_id, within
from services.models import answer_by_rules, write
from services.models.prompt_fit import evidence_tokens
from services.reports.document import cited_in
from services.reports.markdown_blocks import read_draft
from services.reports.rendering import to_draft
from services.reports.report_draft import FOLLOW_UP_MARK, SENTENCES, Written, rows_left_out, write_sentences
from services.reports.section_evidence import bears_sections, sections_of
from services.reports.section_writer import TOKENS_A_WORD
from services.reports.sectioned_report import SectionedReport
from services.reports.wishes import FORCED_FROM, ONE_CALL_WORDS, SECTIONS_FROM, Length, length_of
from services.run.budget import limit_message
from services.run.errors import LimitReached, ModelError, PromptTooLong, UselessAnswer, problem_text
from services.run.log import WARNING, log
from services.run.roles import DEFAULTS, OFFLINE, role_model
from services.run.scope import Run
from services.run.settings import settings
from services.run.ui_text import say
from services.text.code_blocks import FENCED
from services.text.length import estimate, words_in
from services.turn.added_evidence import besides_the_report, has_room
from services.turn.section_research import SectionResearch

BRIEF = 300
"""Words up to which a short answer has no sections."""
LONG = 3.0
"""Factor on the length of a whole report, relative to a short answer; a longer one has room for its words."""
MOST_EVIDENCE = 1_000_000
"""Tokens of evidence that a writer is shown at most, where its window and the budget have room for them."""
QUOTED = 2 / 3
"""Share of them for quotes; the rest is for what stands beside these in their passages."""
BACKGROUND = 0.25
"""Share of the quotes that the background search may have."""
AGAIN = 0.25
"""Share of the room of evidence that a second draft has besides, for the first and for what is found for it."""
ENOUGH = 15_000
"""Tokens of quotes from which one call writes a better report than sections do from all (7.3 and 6.0 of 10, graded blind; November 2026)."""
LEAST_LEFT = 0.5
"""Share of a draft's words, and of the excerpts that it cites, that a second draft has at least."""
LEAST_KEPT = 0.8
"""Share of a report's words, and of the excerpts that it cites, that are left in its last wording at least."""
WORDING = "reporter_wording"
"""Stem of the template."""
MAX_LOOKED_UP = 6
"""Statements that the first draft lacks and that are searched for the second."""
MAX_STATEMENT = 300
"""Characters of such a statement."""


async def write_report(research: SectionResearch) -> Written:
    """Let the model write; if a limit leaves no room, or no text comes, extracts selected by rules are the report."""
    run, prompt = research.run, research.prompt
    locale, length = prompt.locale, _length(run.context, prompt)
    try:
        offline = await run.by_rules("reporter")
        room = 0 if offline else await evidence_tokens(run, "reporter", MOST_EVIDENCE)
        once = prompt if offline else _once(prompt, research.excerpts, run.context, room)
        if not prompt.words and length.promised:
            once.fewest, once.most = length.fewest, min(length.words, ONE_CALL_WORDS)
        if await _in_sections(run, once, room):
            return await _sectioned(research, length)
        if not offline and prompt.length != "answer":
            once.findings = await _whole_passages(research, once, once.findings, room)
        reply = await write("reporter", once, scale=1.0 if prompt.length == "answer" else _scale(once))
        if reply.cut_off and once.outline and not once.wishes.shape:
            return await _sectioned(research, length)
    except LimitReached as limit:
        text = await answer_by_rules(prompt)
        return Written(text, [limit_message(limit, locale)], [say("report_by_rules", locale)], by_rules=True)
    except (PromptTooLong, UselessAnswer) as problem:
        text = await answer_by_rules(prompt)
        limits = [problem_text(problem, locale)] if isinstance(problem, PromptTooLong) else []
        return Written(text, [*limits, say("report_without_model", locale)], by_rules=True)
    notes = [say("offline", locale)] if reply.model == OFFLINE else []
    if notes:
        notes += await rows_left_out(reply.text, research.citable, research.state["sources"], research.evidence, locale)
    body, questions, lacking = [*reply.text.split(f"\n{FOLLOW_UP_MARK}"), "", ""][:3]
    text = f"{body}\n{FOLLOW_UP_MARK}{questions}"
    written = Written(text, [say("cut_off", locale)] if reply.cut_off else [], notes, by_rules=bool(notes))
    if notes and research.state["reflection"] is None:
        written.contradictions = await asyncio.to_thread(_differing, research)
    if once.outline and not (once.wishes.shape or notes):
        again = once.model_copy(update={"draft": body.strip(), "draft_words": _prose_words(body)})
        await _write_again(research, again, written, lacking, room)
        await _word(research, once, written)
    if research.beside:
        cited = {*cited_in(await asyncio.to_thread(read_draft, written.text, research.citable))}
        research.add(excerpt for key, excerpt in research.beside.items() if key in cited)
    if prompt.length != "answer" and not notes:
        body = written.text.partition(f"\n{FOLLOW_UP_MARK}")[0]
        written.limits += _words_missed(run.context, body, length, locale)
    return written


def _differing(research: SectionResearch) -> list[Contradiction]:
    """Return the figures in which the closest passages differ, as rules find them in a reflection."""
    from services.models.offline import differences

    known = {excerpt.id: excerpt for excerpt in research.excerpts}
    checked = (check_contradiction(one, known, research.state["sources"]) for one in differences(research.prompt))
    return [one for one in checked if one is not None and one.differs]


async def _write_again(
    research: SectionResearch, prompt: ReporterPrompt, written: Written, lacking: str, room: int
) -> None:
    """Hold the draft against the texts, or search for what it lacks, one query a line, and let its writer write it anew; if that fails, the draft stays.

    Graded blind, a second draft was 0.3 of 10 better than the first with an editor's changes of blocks (four questions), and 0.6 better
    than the bare first (six of six questions; November 2026).
    """
    lines = [line.strip(" -*•=")[:MAX_STATEMENT] for line in lacking.splitlines()]
    wanted = [line for line in lines if line][:MAX_LOOKED_UP]
    try:
        added = await research.look_up(prompt.draft, wanted)
        written.limits += research.limits
        if added is not None:
            found = await _whole_passages(research, prompt, [research.latest(added)], room)
            prompt.findings = [*prompt.findings, *found]
        prompt.searched, prompt.found_for_draft = wanted, added is not None
        if await _in_sections(research.run, prompt, room):
            return  # it does not fit into one call
        research.notify("second_draft", "")
        reply = await write("reporter", prompt, scale=_scale(prompt))
    except (LimitReached, ModelError) as reason:
        written.limits.append(limit_message(reason, prompt.locale))
        return
    new, _, _ = reply.text.partition(f"\n{FOLLOW_UP_MARK}")
    if not reply.cut_off and _left(prompt.draft, new, research) >= LEAST_LEFT:
        written.text, written.rewritten = reply.text, True


async def _word(research: SectionResearch, prompt: ReporterPrompt, written: Written) -> None:
    """Let an editor who does not see the evidence mend what a reader has to read twice, before the check; if that fails, the report stays.

    Graded blind, three reports read 0.75 of 10 better for it and told the same (November 2026).
    """
    body, mark, questions = written.text.partition(f"\n{FOLLOW_UP_MARK}")
    run = research.run
    if not await has_room(run, "wording"):
        return
    research.notify("wording", "")
    asked = ReporterWordingPrompt(
        draft=body.strip(),
        draft_words=_prose_words(body),
        **prompt.model_dump(include={"question", "locale", "tone", "wishes"}),
    )
    try:
        with besides_the_report(run):  # whose share is left for the check
            reply = await write("reporter", asked, scale=_scale(prompt), template=WORDING)
    except (LimitReached, ModelError) as problem:
        log("report_not_worded", WARNING, error=type(problem).__name__)
        return
    written.templates += (WORDING,)
    new, _, _ = reply.text.partition(f"\n{FOLLOW_UP_MARK}")
    before, after = ({*cited_in(read_draft(text, research.citable))} for text in (body, new))
    if not reply.cut_off and after <= before and _left(body, new, research) >= LEAST_KEPT:
        written.text = f"{new}{mark}{questions}"


def _prose_words(text: str) -> int:
    """Count the words of a report without its code."""
    return words_in(FENCED.sub("", text))


def _left(draft: str, new: str, research: SectionResearch) -> float:
    """Return the share of a draft's words, or of the number of excerpts that it cites, that a new one has; the smaller of both."""
    before, after = (len({*cited_in(read_draft(text, research.citable))}) for text in (draft, new))
    return min(after / max(1, before), words_in(new) / max(1, words_in(draft)))


def _words_missed(context: RunContext, text: str, length: Length, locale: str) -> list[str]:
    """Return a note if a report has clearly fewer words than its depth promises."""
    if context.words is not None or not length.missed(text):
        return []  # a chosen number is checked when all is written
    return [say("words_missed", locale, written=words_in(text), wanted=length.promised)]


async def write_simpler(prompt: ReporterPrompt, former: Written) -> Written:
    """Let the model write one sentence per excerpt; if it already did, or cannot, rules select extracts."""
    locale, limits = prompt.locale, list[str]()
    if SENTENCES not in former.templates:
        try:
            text = await write_sentences(prompt)
            return Written(text, [say("report_by_sentences", locale)], templates=(*former.templates, SENTENCES))
        except (LimitReached, ModelError) as reason:
            limits.append(limit_message(reason, locale))
    limits.append(say("report_unsupported", locale))
    return Written(await answer_by_rules(prompt), limits, templates=former.templates, by_rules=True)


async def _sectioned(research: SectionResearch, length: Length) -> Written:
    run, prompt = research.run, research.prompt
    excerpts = {excerpt.id: excerpt for excerpt in research.excerpts}
    sources, text_of = research.state["sources"], research.evidence.get_text
    prompt.words = length.words
    long = await SectionedReport(run, prompt, length, excerpts, sources, text_of, research).write()
    long.limits += [*research.limits, *_words_missed(run.context, to_draft(long.blocks), length, prompt.locale)]
    return long


async def _in_sections(run: Run, prompt: ReporterPrompt, room: int) -> bool:
    """Tell whether a report is written in sections: no, if one call can write it or the offline model writes it."""

    def decide() -> bool:
        if not prompt.outline or prompt.wishes.shape or role_model("reporter", run.context).model == OFFLINE:
            return False
        in_one = prompt.draft or settings().leadline_one_call_tokens
        return not in_one or _length(run.context, prompt).fewest > ONE_CALL_WORDS or not _fits(prompt, room)

    return await run.journal.decided("sections", decide, "again" if prompt.draft else "")


def _fits(prompt: ReporterPrompt, room: int) -> bool:
    """Tell whether the evidence of a prompt fits; of a second draft the first one is evidence, too, and has room of its own."""
    evidence = [item.quote for finding in prompt.findings for item in finding.evidence]
    tokens = sum(map(estimate, [*evidence, prompt.draft, *(item.quote for item in prompt.background)]))
    return tokens <= room * (1 + AGAIN * bool(prompt.draft))


def _scale(prompt: ReporterPrompt) -> float:
    """Return the factor on the tokens of the writer's answer that a report of the wanted length needs."""
    return max(LONG, (prompt.words or prompt.most) * TOKENS_A_WORD / DEFAULTS["reporter"][1])


def prompt_of(state: ResearchState, context: RunContext) -> ReporterPrompt:
    """Return the reporter's prompt with all evidence of a run."""
    triage, reflection = state["triage"], state["reflection"]
    plans = plans_of(state)
    findings = finding_views(steps_by_id(plans), state["results"], state["sources"])
    last = {step.id for step in plans[-1].steps} if plans else set()
    findings = [  # what a step of an earlier plan missed, later steps were planned to find
        finding if finding.step_id in last else finding.model_copy(update={"missing_aspects": []})
        for finding in findings
    ]
    simple = not context.deep_research or (triage is not None and triage.complexity == "simple")
    fast = simple and not state["plans"] and not context.wishes.shape and (context.words or 0) <= BRIEF
    prompt = ReporterPrompt(
        question=research_question(state, reported=True),
        locale=state["locale"],
        today=state["today"],
        length="answer" if fast else "full" if (context.words or 0) >= SECTIONS_FROM else context.length,
        words=context.words or 0,
        wishes=context.wishes,
        tone=context.profile.tone if context.profile else "",
        findings=findings,
        background=background_views(state["background"], state["results"], state["sources"]),
        contradictions=reflection.contradictions if reflection else [],
        outdated=reflection.outdated if reflection else [],
        missing_aspects=reflection.missing_aspects if reflection else [],
    )
    prompt.outline = _sections(state, context, prompt)
    return prompt


def _once(prompt: ReporterPrompt, excerpts: Sequence[Excerpt], context: RunContext, room: int) -> ReporterPrompt:
    """Remove repetition from a prompt: quotes of several steps, except the sides of contradictions, and findings beside their quotes.

    Of the background search the prompt has only what no step quotes; of more excerpts than one call can write from, the most relevant. At
    `standard` it has the excerpts that answer a step, and as many others as the depth wants: a strong model cited 102 of 175 that
    answer a step, and 21 of 181 others (two runs over PEPs).
    """
    pinned = {key for contradiction in prompt.contradictions for key in contradiction.excerpt_ids} | {*prompt.outdated}
    views = {item.id: item for finding in prompt.findings for item in finding.evidence}
    holders = held_by(excerpt for excerpt in excerpts if excerpt.id in views)
    shown = {key for key in views if key in pinned or key not in holders} | {item.id for item in prompt.background}

    answering = {holders.get(key, key) for key, item in views.items() if item.relevance == "high"}

    def confirmed(item: EvidenceView) -> EvidenceView:
        found = {"confirmed_by": [key for key in item.confirmed_by if key in shown]}
        return item.model_copy(update={**found, **({"relevance": "high"} if item.id in answering else {})})

    findings = [
        finding.model_copy(
            update={
                "evidence": [confirmed(item) for item in finding.evidence if item.id in shown],
                "finding": "" if finding.evidence and finding.step_type == "research" else finding.finding,
                "missing_aspects": [] if prompt.missing_aspects else finding.missing_aspects,
            }
        )
        for finding in prompt.findings
    ]
    left = QUOTED * room
    if fewest := context.level.written_tokens:
        findings = within(findings, fewest, pinned | answering)
        left = min(left, settings().leadline_one_call_tokens or left)
    background = [confirmed(item) for item in prompt.background]
    if fewest or left >= ENOUGH:  # else what does not fit is written in sections
        sizes = accumulate(estimate(item.quote) for item in background)
        background = [item for item, size in zip(background, sizes, strict=True) if size <= BACKGROUND * left]
        left -= sum(estimate(item.quote) for item in background)
        findings = within(findings, int(left), pinned)
    findings = [finding.model_copy(update={"hidden": 0}) for finding in findings]
    return prompt.model_copy(update={"findings": findings, "background": background})


async def _whole_passages(
    research: SectionResearch, prompt: ReporterPrompt, findings: list[FindingView], room: int
) -> list[FindingView]:
    """Show the passages of the excerpts of findings whole, if the writer's window has room for that beside the prompt's other evidence.

    Graded blind, a draft from whole passages was 0.4 of 10 better beside a single answer than one from the quotes alone (each of two
    questions, November 2026); they have a sixth more characters (three runs).
    """
    whole = await research.whole_passages(findings)
    others = [finding for finding in prompt.findings if finding not in findings]
    shown = prompt.model_copy(update={"findings": others + whole})
    key = "again" if prompt.draft else ""
    return whole if await research.run.journal.decided("passages", lambda: _fits(shown, room), key) else findings


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
