"""Writes the report as Markdown: checked sentences, numbered sources, whether it answers, and the necessary notes.

The reporter imports it, with its parser and patterns, when the first report is finished, in the thread of the event loop.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from schemas.document import (
    Block,
    Citation,
    Document,
    Heading,
    Inlines,
    Link,
    Listing,
    Paragraph,
    Quotation,
    Role,
    Style,
    Text,
)
from schemas.evidence import Answered, Artifact, Contradiction, Excerpt, Source
from schemas.planner import Plan
from schemas.reflector import Reflection
from schemas.reporter import Report
from schemas.results import StepResult
from schemas.usage import Usage
from schemas.wishes import Form
from services.check.numbers import proving
from services.embedding.cross_lingual import Likeness
from services.evidence.computation import Program
from services.evidence.views import steps_by_id
from services.reports.added_sections import computations, marked_sentences, side_notes
from services.reports.charts.checks import ChartRefused, with_chart_checked
from services.reports.charts.written import chart_of
from services.reports.checking.checked_report import CheckedReport, FormerClaims
from services.reports.checking.citable_evidence import CitableEvidence
from services.reports.checking.claim_check import ClaimCheck, Judgements
from services.reports.checking.code_citations import CodeCitations
from services.reports.checking.report_check import check_citations
from services.reports.document import cited_in, contents, words
from services.reports.labels import ENGLISH, Labels, labels_for
from services.reports.numbered_text import numbered_text, with_references
from services.reports.references import artifact_path, number_sources, numbers_of
from services.reports.rendering import to_markdown
from services.reports.statuses import sure_claims
from services.reports.wishes import with_json
from services.run.ui_text import say
from services.text.held_numbers import missing_quantities
from services.text.passages import sentences
from services.text.questions import headline
from services.text.quotable import as_line
from services.text.sentence_ranking import sentence_scores
from services.text.tokens import has_cjk

_SEMICOLON = re.compile(r"(?<=[;；])\s*")
LONGEST_SIDE = 200
"""Characters of a quote that is shown whole as the side of a contradiction."""


def answered(checked: CheckedReport, *, enough: bool) -> Answered:
    """Judge whether a checked report answers its question.

    `no` if the opening has no supported sentence before its first statement that the sources lack information: later
    sentences are only related to the question.
    `yes` only if the opening has no such statement, every statement of it is verified, and the last reflection found
    enough evidence and no missing aspects. Other reports are `partly`. The closest passages, which no model wrote, are not judged.
    """
    opening = checked.claims[: checked.opening]
    if not sure_claims(opening[: checked.declined]):
        return "no"
    whole = checked.declined is None and all(claim.verified for claim in opening)
    return "yes" if whole and enough else "partly"


@dataclass(slots=True)
class ReportInputs:
    """All inputs of a report."""

    question: str
    locale: str
    title: str
    blocks: tuple[Block, ...]
    """What the model wrote; empty without evidence."""
    excerpts: list[Excerpt]
    sources: Mapping[str, Source]
    """Sources by content hash."""
    plans: list[Plan] = field(default_factory=list)
    results: list[StepResult] = field(default_factory=list)
    reflections: list[Reflection] = field(default_factory=list)
    contradictions: list[Contradiction] = field(default_factory=list)
    missing_aspects: list[str] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)
    """Reached limits and failed searches, in words."""
    follow_up_questions: list[str] = field(default_factory=list)
    unsupported: Literal["mark", "drop"] = "mark"
    notes: list[str] = field(default_factory=list)
    """Further notes for the reader, such as that no language model wrote the report."""
    likeness: Likeness | None = None
    """Compares sentences with quotes in another language by meaning."""
    judgements: Judgements = field(default_factory=dict)
    """A model's judgements of sentences."""
    citing: CodeCitations | None = None
    """Finds excerpts for sentences without citations; by default among all."""
    opening: str = ""
    """Notes at the top, one per line: a safety note, or the note of an edge case."""
    by_rules: bool = False
    """Whether it shows the closest passages, and no model wrote it."""
    enough: bool = True
    """Whether the last reflection found enough evidence; true without a reflection."""
    programs: Mapping[str, Program] = field(default_factory=dict)
    """Programs of computations and database queries, by the content hash of their source."""
    former: Report | None = None
    """The report that it changes, whose statements keep what the check said of them."""
    wishes: Form = field(default_factory=Form)
    """How it is to look, and for whom."""
    asked: str = ""
    """The question with what users said to the run."""


def _proving(draft: ReportInputs) -> dict[str, str]:
    citable = [excerpt for excerpt in draft.excerpts if excerpt.content_hash in draft.sources]
    return {excerpt.id: proving(excerpt.quote, draft.sources[excerpt.content_hash]) for excerpt in citable}


def with_charts_checked(draft: ReportInputs) -> tuple[tuple[Block, ...], list[str]]:
    """Return the blocks of a draft with a table in place of each chart that may not be drawn, and why others were left out, in words."""
    quotes, blocks, refused = _proving(draft), list[Block](), list[str]()
    naming = "\n".join([draft.question, *(source.card.evidence for source in draft.sources.values())])
    for block in draft.blocks:
        try:
            blocks.append(with_chart_checked(block, quotes, naming=naming, locale=draft.locale))
        except ChartRefused as reason:
            refused.append(say("chart_refused", draft.locale, reason=reason))
    return tuple(blocks), refused


def finish_report(draft: ReportInputs, usage: Usage) -> Report:
    """Check a draft's citations, number its sources, and render it.

    Returns:
        The report with numbered sources. Without evidence it says so and makes no claims, whatever the draft says.
    """
    draft = replace(draft, excerpts=[excerpt for excerpt in draft.excerpts if excerpt.content_hash in draft.sources])
    labels = labels_for(draft.locale)
    blocks, refused = with_charts_checked(draft)
    draft = replace(draft, blocks=blocks, limits=[*draft.limits, *refused])
    checked = check_draft(draft)
    enough = draft.enough and not draft.missing_aspects
    answer: Answered = "" if draft.by_rules else answered(checked, enough=enough)
    body = _with_title(checked.blocks, draft)
    if draft.wishes.shape == "json":
        body = with_json(body)
    contradictions = _grounded(draft)
    conflicts = tuple(_conflicts(contradictions, draft, labels))
    cited = cited_in([*body, *conflicts])
    charted = [key for block in blocks if (chart := chart_of(block)) for key in chart.sources]
    sources = number_sources(draft.sources, draft.excerpts, [*cited, *charted])
    limits = _limits(draft, checked, sources, labels)
    artifacts = [artifact for result in draft.results for artifact in result.artifacts]
    used = {number for key, number in numbers_of(sources, draft.excerpts).items() if key in cited}
    lines = [*map(_text, limits), *marked_sentences(checked.claims, labels), *map(_text, draft.notes)]
    used_sources = [source for source in sources if source.number in used]
    programs = computations(used_sources, draft.programs, labels, draft.locale)
    opening = tuple(Paragraph(_text(line)) for line in draft.opening.splitlines() if line.strip())
    document = Document(
        body,
        (Quotation(opening),) if opening else (),
        (
            *([] if body[1:] else [Paragraph(_text(labels.nothing_held if draft.excerpts else labels.nothing_found))]),
            *_section(labels.contradictions, "contradictions", conflicts),
            *_section(labels.limits, "limits", _listed(lines)),
            *_section(labels.follow_up, "follow_up", _listed(map(_text, draft.follow_up_questions), ordered=True)),
            *_section(labels.computations, "computations", programs),
            *_section(labels.files, "files", _listed(map(_file, artifacts))),
        ),
    )
    report = Report(
        title=words(contents(body[0])[0]),
        question=draft.question,
        locale=draft.locale,
        answered=answer,
        by_rules=draft.by_rules or not draft.blocks,
        document=document,
        connecting=checked.connecting,
        markdown="",
        sources=sources,
        excerpts=draft.excerpts,
        citations=checked.claims,
        left_out=checked.left_out,
        contradictions=contradictions,
        reflections=draft.reflections,
        plans=draft.plans,
        results=[_with_known_excerpts(result, sources) for result in draft.results],
        follow_up_questions=draft.follow_up_questions,
        limits=limits,
        usage=usage,
        artifacts=artifacts,
    )
    return with_references(report.model_copy(update={"markdown": to_markdown(numbered_text(report)) + "\n"}))


def _with_known_excerpts(result: StepResult, sources: Sequence[Source]) -> StepResult:
    hashes = {source.content_hash for source in sources}
    known = [excerpt for excerpt in result.excerpts if excerpt.content_hash in hashes]
    return result.model_copy(update={"excerpts": known})


def check_draft(draft: ReportInputs) -> CheckedReport:
    """Check every sentence of a draft; the statements of the report that it changes keep what the check said of them."""
    if not draft.excerpts:
        return CheckedReport()
    titles = {key: source.title for key, source in draft.sources.items()}
    check = ClaimCheck(
        CitableEvidence({excerpt.id: excerpt for excerpt in draft.excerpts}, draft.sources, draft.question),
        labels_for(draft.locale),
        likeness=draft.likeness,
        judgements=draft.judgements,
        citing=draft.citing or CodeCitations(draft.excerpts, titles),
        former=FormerClaims.of(draft.former),
    )
    return check_citations(draft.blocks, check, drop=draft.unsupported == "drop")


def across_languages(draft: ReportInputs) -> list[tuple[str, tuple[str, ...]]]:
    """Return the sentences of a draft with quotes in another language, which can only be compared by meaning."""
    chinese = has_cjk(to_markdown(draft.blocks))
    if all(has_cjk(excerpt.quote) == chinese for excerpt in draft.excerpts):
        return []
    pairs: dict[tuple[str, tuple[str, ...]], None] = {}

    def note(text: str, quotes: Sequence[str]) -> None:
        pairs[text, tuple(quotes)] = None

    check_draft(replace(draft, likeness=note))
    return list(pairs)


def _with_title(blocks: tuple[Block, ...], draft: ReportInputs) -> tuple[Block, ...]:
    """Add a title to a draft that does not begin with one: that of the plan, unless it contains new numbers."""
    match blocks:
        case [Heading(level=1), *_]:
            return blocks
    known = [draft.question, *_proving(draft).values()]
    title = draft.title if draft.title and not missing_quantities(draft.title, known) else draft.question
    return (Heading(1, _text(headline(title))), *blocks)


def _grounded(draft: ReportInputs) -> list[Contradiction]:
    """Keep contradictions whose sides are excerpts with different quotes, and those of one excerpt that disagrees with itself."""
    by_id = {excerpt.id: excerpt for excerpt in draft.excerpts}
    grounded = []
    for contradiction in draft.contradictions:
        sides = {by_id[side].quote: side for side in dict.fromkeys(contradiction.excerpt_ids) if side in by_id}
        if len(sides) > 1 or (sides and len({*contradiction.excerpt_ids}) == 1):
            grounded.append(contradiction.model_copy(update={"excerpt_ids": list(sides.values())}))
    return grounded


def _conflicts(contradictions: list[Contradiction], draft: ReportInputs, labels: Labels) -> Iterator[Block]:
    """Yield the contradictions, each topic once, with the sentence of each side that tells most of it.

    One that code did not confirm is left to the text if a paragraph, list or table of it cites two of its sides, or its only one.
    """
    cited = [set(cited_in([block])) for block in draft.blocks]
    by_id = {excerpt.id: excerpt for excerpt in draft.excerpts}

    def is_shown(named: Contradiction) -> bool:
        sides = {*named.excerpt_ids}
        return bool(named.differs) or all(len(ids & sides) < min(2, len(sides)) for ids in cited)

    shown = filter(is_shown, contradictions)
    for contradiction in {named.topic or named.explanation: named for named in shown}.values():
        sides = [by_id[side] for side in contradiction.excerpt_ids]
        topic, about = contradiction.topic, f"{contradiction.topic} {contradiction.explanation}"
        cards = [draft.sources[side.content_hash].card.evidence for side in sides if side.content_hash in draft.sources]
        known = [draft.question, *(side.quote for side in sides), *cards]
        if topic and not missing_quantities(topic, known):
            yield Paragraph(_text(topic, "strong"))
        longest = LONGEST_SIDE if topic else 0  # without a topic, rules compared sentences
        lines: list[Inlines] = []
        for side, note in zip(sides, side_notes(sides, draft.sources, labels), strict=True):
            told = next((each for each in contradiction.said if each in side.quote), "")
            told = told or _best_sentence(side.quote, about, longest)
            quote = as_line(side.quote if len(sides) == 1 else told)
            lines.append((*_text(f"“{quote}” "), Citation(0, "", (side.id,)), *_text(f" — {note}" if note else "")))
        yield from _listed(lines)
        if not contradiction.differs:
            explained = "" if missing_quantities(contradiction.explanation, known) else contradiction.explanation
            yield Paragraph(_text(" ".join(filter(None, [explained, labels.unconfirmed]))))


def _best_sentence(quote: str, about: str, longest: int) -> str:
    """Return the sentence of a longer quote that tells most of a topic, and of a longer sentence the part between semicolons."""
    spans = sentences(quote) if len(quote) > longest else []
    best = _best([quote[span.start : span.end] for span in spans], about) or quote
    return _best(_SEMICOLON.split(best), about) if longest and len(best) > longest else best


def _best(parts: Sequence[str], about: str) -> str:
    scores = sentence_scores(about, parts)
    return parts[max(range(len(parts)), key=lambda place: scores[place])] if parts else ""


def _limits(draft: ReportInputs, checked: CheckedReport, sources: Sequence[Source], labels: Labels) -> list[str]:
    steps = steps_by_id(draft.plans)
    lines = list(draft.limits)
    if labels is ENGLISH and draft.locale and not draft.locale.lower().startswith("en"):
        lines.append(say("texts_missing", draft.locale, language=draft.locale))
    for result in draft.results:
        title = steps[result.step_id].title if result.step_id in steps else result.step_id
        if result.status != "done":
            label = labels.failed_step if result.status == "failed" else labels.skipped_step
            lines.append(label.format(title=title, error=result.error))
    lines.extend(labels.missing.format(aspect=aspect) for aspect in draft.missing_aspects)
    if by_code := sum(claim.cited_by == "code" for claim in checked.claims):
        lines.append(labels.cited_by_code.format(count=by_code))
    if checked.claims and not any(claim.verified for claim in checked.claims):
        lines.append(say("nothing_supported", draft.locale))
    if checked.contradicted:
        lines.append(labels.contradicted.format(count=checked.contradicted))
    if dropped := len(checked.left_out) - checked.contradicted:
        lines.append(labels.dropped.format(count=dropped))
    lines.extend(
        (labels.abstract if source.abstract_only else labels.snippet).format(source=source.title or source.url)
        for source in sources
        if source.snippet_only or source.abstract_only
    )
    return list(dict.fromkeys(lines))


def _file(artifact: Artifact) -> Inlines:
    described = f": {artifact.description}" if artifact.description else ""
    return (Link(artifact.name, artifact_path(artifact)), *_text(described))


def _section(heading: str, role: Role, blocks: Iterable[Block]) -> list[Block]:
    held = list(blocks)
    return [Heading(2, _text(heading), role), *held] if held else []


def _listed(lines: Iterable[Inlines], *, ordered: bool = False) -> list[Block]:
    items = tuple((Paragraph(line),) for line in lines)
    return [Listing(items, ordered)] if items else []


def _text(text: str, *styles: Style) -> Inlines:
    return (Text(text, frozenset(styles)),) if text else ()
