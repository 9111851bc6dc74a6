"""Measures of one run, and their computation."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from leadline.evaluation.gold import gold_among, states
from leadline.evaluation.question_set import EvalQuestion
from leadline.runs.store import Gatherings
from schemas.document import Block, Quotation, Table
from schemas.evidence import Excerpt, Source, root_of
from schemas.reporter import Report
from services.reports.document import ParsedReport, contents, letters, within, words
from services.reports.parser import parse_report
from services.reports.statuses import status_of
from services.run.ui_text import say
from services.search.source_kinds import owner_of
from services.text.length import words_in
from services.text.passages import sentences

Figures = dict[str, float | None]
"""Values by the measure's key; None if unknown, or if nothing is expected."""
Unit = Literal["share", "number", "dollars", "seconds"]
SHORTEST = 16
"""Minimum letters and digits of a sentence for a repetition to count."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of a run."""

    key: str
    unit: Unit = "number"
    better: Literal["more", "less", ""] = ""

    def label(self, locale: str) -> str:
        """Return its label in the locale's language."""
        return say(f"measure_{self.key}", locale)


MEASURES = (
    Measure("answered", "share", "more"),
    Measure("facts_stated", "share", "more"),
    Measure("facts_quoted", "share", "more"),
    Measure("gold_found", "share", "more"),
    Measure("gold_quoted", "share", "more"),
    Measure("gold_cited", "share", "more"),
    Measure("criteria_cited", "share", "more"),
    Measure("supported_share", "share", "more"),
    Measure("supported"),
    Measure("inferred"),
    Measure("unverified", "number", "less"),
    Measure("sources_cited"),
    Measure("independent_sources"),
    Measure("repeated", "number", "less"),
    Measure("words"),
    Measure("calls", "number", "less"),
    Measure("input_tokens", "number", "less"),
    Measure("output_tokens", "number", "less"),
    Measure("cost", "dollars", "less"),
    Measure("seconds", "seconds", "less"),
)
"""All measures in display order."""
BY_KEY = {measure.key: measure for measure in MEASURES}
_ANSWERED = {"yes": 1.0, "partly": 0.5, "no": 0.0}


def figures_of(question: EvalQuestion, report: Report, gathered: Gatherings) -> Figures:
    """Return the figures of a run. Blocking."""
    texts = list(own_text(parse_report(report)))
    statuses = Counter(status_of(claim) for claim in report.citations)
    cited = _cited(report)
    sources = gathered.sources | {source.content_hash: source for source in report.sources}
    usage = report.usage.total
    return {
        "answered": _ANSWERED.get(report.answered),
        **fact_shares(question, "\n".join(text for _, text in texts), report),
        **_gold(question, report, gathered, sources),
        "criteria_cited": _criteria_cited(question, cited, sources),
        "supported_share": _share(statuses["quoted"] + statuses["supported"], len(report.citations)),
        "supported": statuses["quoted"] + statuses["supported"],
        "inferred": statuses["inferred"],
        "unverified": statuses["unverified"] + statuses["contradicted"],
        "sources_cited": len(cited),
        "independent_sources": len(_independent(cited, sources)),
        "repeated": repeated(texts),
        "words": sum(words_in(text) for _, text in texts),
        "calls": usage.calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost": usage.cost,
        "seconds": report.usage.seconds,
    }


def figures_of_nothing(question: EvalQuestion) -> Figures:
    """Return the values of a question without a report: nothing expected was found."""
    expected = {
        "answered": True,
        "facts_stated": bool(question.facts),
        "facts_quoted": bool(question.facts),
        **dict.fromkeys(("gold_found", "gold_quoted", "gold_cited"), bool(question.sources)),
        "criteria_cited": any(criterion.gold for criterion in question.criteria),
    }
    return {key: 0.0 for key, wanted in expected.items() if wanted}


def quotes_of(report: Report) -> list[Excerpt]:
    """Return the excerpts of a report: those of its steps, and those that it cites."""
    cited = {key for claim in report.citations for key in claim.citations}
    of_steps = {excerpt.id for result in report.results for excerpt in result.excerpts}
    return [excerpt for excerpt in report.excerpts if excerpt.id in cited or excerpt.id in of_steps or not of_steps]


def facts_missing(question: EvalQuestion, text: str) -> list[str]:
    """Return the facts that occur in a text in none of their forms, by their first form."""
    return [forms[0] for forms in question.facts if not states(text, forms)]


def fact_shares(question: EvalQuestion, text: str, report: Report) -> Figures:
    """Return the share of facts in a report's own text, and the share in its quotes."""
    quotes = "\n".join(excerpt.quote for excerpt in quotes_of(report))
    count = len(question.facts)
    return {
        "facts_stated": _share(count - len(facts_missing(question, text)), count),
        "facts_quoted": _share(count - len(facts_missing(question, quotes)), count),
    }


def _gold(question: EvalQuestion, report: Report, gathered: Gatherings, sources: Mapping[str, Source]) -> Figures:
    gold = question.sources
    stages = {
        "gold_found": {passage.content_hash for passage in gathered.passages},
        "gold_quoted": {excerpt.content_hash for excerpt in report.excerpts},
        "gold_cited": _cited(report),
    }
    return {key: _share(len(gold_among(gold, keys, sources)), len(gold)) for key, keys in stages.items()}


def _cited(report: Report) -> set[str]:
    """Return the content hashes of the sources that a report cites."""
    by_id = {excerpt.id: excerpt.content_hash for excerpt in report.excerpts}
    return {by_id[key] for claim in report.citations for key in claim.citations if key in by_id}


def _criteria_cited(question: EvalQuestion, cited: set[str], sources: Mapping[str, Source]) -> float | None:
    """Return the weighted share of criteria with a cited gold source; None if no criterion names its sources."""
    judged = [criterion for criterion in question.criteria if criterion.gold and criterion.weight]
    among = gold_among([name for criterion in judged for name in criterion.gold], cited, sources)
    return _share(
        sum(criterion.weight for criterion in judged if among & set(criterion.gold)),
        sum(criterion.weight for criterion in judged),
    )


def _independent(cited: set[str], sources: Mapping[str, Source]) -> set[str]:
    """Return the owners of cited sources: copies and pages of one site count once."""
    roots = {root_of(key, sources) for key in cited}
    return {owner_of(sources[key].url, sources[key].kind) for key in roots if key in sources}


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def shown_measures(figures: Sequence[Figures]) -> list[Measure]:
    """Return the measures with a value in at least one of the runs."""
    return [measure for measure in MEASURES if any(row.get(measure.key) is not None for row in figures)]


def own_text(report: ParsedReport) -> Iterator[tuple[str, str]]:
    """Yield the texts of a report, each as `prose` or `quotation`, without the parts that the program adds."""
    if report.summary:
        yield "prose", words(report.summary)
    for block in (*report.points, *report.lead):
        yield from _texts(block)
    for section in report.body:
        yield "heading", words(section.title)
        for block in section.blocks:
            yield from _texts(block)


def _texts(block: Block) -> Iterator[tuple[str, str]]:
    for part in within(block):
        kind = "cell" if isinstance(part, Table) else "quotation" if isinstance(block, Quotation) else "prose"
        yield from ((kind, words(content)) for content in contents(part))


def repeated(texts: Iterable[tuple[str, str]]) -> int:
    """Count repeated sentences: those of prose within prose, those of quotations within quotations."""
    seen: Counter[tuple[str, str]] = Counter()
    for kind, text in texts:
        if kind in {"prose", "quotation"}:
            spans = sentences(text)
            seen.update((kind, letters(text[span.start : span.end]).casefold()) for span in spans)
    return sum(count - 1 for (_, text), count in seen.items() if len(text) >= SHORTEST)
