"""The sections of a report by rules: their quotes that are relevant to the question, one paragraph for each source."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby

from schemas.evidence_view import EvidenceView, FindingView
from schemas.reporter import ReporterPrompt
from schemas.sections import Section, SectionPart
from services.models.offline.cited_sentences import cite, each_once
from services.models.offline.ranked_sentences import Piece, rank, sentences_of
from services.models.offline.repeated_sentences import SaidOnce
from services.models.offline.table_program import is_refusal
from services.run.ui_text import is_chinese
from services.text.names import missing_names
from services.text.passages import is_heading
from services.text.quotable import as_prose, is_csv
from services.text.terms import terms
from services.text.word_count import words_in

MANY = 12
"""Minimum number of excerpts for a report with all of them, not only the best ones."""
_RELEVANCE = {"high": 0, "medium": 1, "low": 2}
CLOSE = 0.25
"""Minimum share of the best excerpt's relevance for another excerpt to stand in a long report."""
_RULE = re.compile(r"[|\s:-]+")


def sections_of_report(prompt: ReporterPrompt, findings: Sequence[FindingView]) -> list[str]:
    """Return the sections with their quotes, within the word limit: a paragraph for each source, without repetitions.

    Findings of a step without the names that it searched for stand below the previous section. Computations and their
    data are in the opening.
    """
    sections = prompt.outline
    found = [*(excerpt for finding in findings for excerpt in finding.evidence), *prompt.background]
    evidence = [item for item in found if item.kind != "computation"]
    titles = [item.title for item in found if item.kind == "computation" and not is_refusal(item.quote)]
    computed = set(terms(" ".join(titles)))
    if not sections and (prompt.length == "full" or (prompt.length != "brief" and len(each_once(evidence)) >= MANY)):
        ids_of = {finding.title: [item.id for item in finding.evidence] for finding in findings}
        single = "证据" if is_chinese(prompt.locale) else "Evidence"
        sections = [
            Section(title=title if len(ids_of) > 1 else single, excerpt_ids=ids) for title, ids in ids_of.items()
        ]
    if not sections:
        return []
    chosen = _chosen(sections, {item.id: item for item in evidence}, prompt)
    said: set[str] = set()
    blocks: list[str] = []
    for section in sections:
        if computed and computed.issuperset(terms(section.title)):
            continue
        told = [*filter(None, _paragraphs(section, chosen, said))]
        for part in section.parts:
            if below := [*filter(None, _paragraphs(part, chosen, said))]:
                told += [f"### {part.title}", *below]
        told_of = " ".join([prompt.question, *told])
        headed = prompt.outline or not blocks or not missing_names(section.title, told_of)
        blocks += [f"## {section.title}", *told] if told and headed else told
    return blocks


def _chosen(
    sections: Sequence[Section], evidence: Mapping[str, EvidenceView], prompt: ReporterPrompt
) -> dict[str, EvidenceView]:
    """Return the excerpts to write in the sections, closest first, without repeated statements.

    Excerpts of far lower relevance than the best come last, and only in a full report; the best of each section is
    always written. The word limit drops the rest.

    Args:
        sections: the sections, in order.
        evidence: excerpts by id.
        prompt: gives question, length and word limit; 0 words is no limit.
    """
    closeness = _closeness(prompt.question, evidence.values())
    listed = [[evidence[key] for key in section.all_ids if key in evidence] for section in sections]
    listed = [
        sorted(items, key=lambda item: (-closeness[item.id], _RELEVANCE.get(item.relevance, 1))) for items in listed
    ]
    ranked = sorted(
        (place > 0 and closeness[item.id] < CLOSE, place, number)
        for number, items in enumerate(listed)
        for place, item in enumerate(items)
    )
    said = SaidOnce([item.quote for items in listed for item in items])
    chosen: dict[str, EvidenceView] = {}
    used = 0
    for far, place, number in ranked:  # sections take turns: the first does not get all shared excerpts
        item = listed[number][place]
        if far and prompt.length != "full":
            break
        if not said.is_new(item.quote):
            continue
        used += words_in(item.quote)
        if prompt.words and chosen and used > prompt.words:
            break
        chosen[item.id] = item
    return dict(sorted(chosen.items(), key=lambda pair: -closeness[pair[0]]))


def _closeness(question: str, evidence: Collection[EvidenceView]) -> dict[str, float]:
    """Return each excerpt's relevance to the question by its id, as a share of the best excerpt's, on one scale.

    Relevance as the researcher gave it compares the passages of one round only. Where none has a word of the question, all are close.
    """
    pieces = sentences_of(Piece(item.id, item.title, item.quote) for item in evidence)
    closeness = dict.fromkeys((item.id for item in evidence), 0.0)
    for sentence, score in rank(question, question, pieces).scores.items():
        closeness[sentence.id] = max(closeness[sentence.id], score)
    best = max(closeness.values(), default=0.0)
    return {key: score / best if best else 1.0 for key, score in closeness.items()}


def _paragraphs(section: SectionPart, chosen: Mapping[str, EvidenceView], said: set[str]) -> Iterator[str]:
    """Yield a paragraph for each source of a section's excerpts, then the quoted tables; empty if all was already written."""
    by_source: dict[str, list[EvidenceView]] = {}
    own = set(section.excerpt_ids)
    for key, item in chosen.items():
        if key in own:
            by_source.setdefault(item.title, []).append(item)
    for excerpts in by_source.values():
        parts = [(part, item.id) for item in excerpts for part in _parts(item.quote)]
        yield cite(
            [(" ".join(as_prose("\n".join(lines)).split()), key) for (in_table, lines), key in parts if not in_table],
            said,
        )
        yield from (_table(lines, key) for (in_table, lines), key in parts if in_table)


def _parts(quote: str) -> Iterator[tuple[bool, list[str]]]:
    """Split a quote into its tables and the text between them, as lines; drop table rows without a header."""
    for in_table, group in groupby(quote.strip().splitlines(), lambda line: line.startswith("|")):
        lines = [line for line in group if not is_heading(line) and not is_csv(line)]
        if not in_table or (len(lines) > 2 and _RULE.fullmatch(lines[1])):
            yield in_table, lines


def _table(lines: Sequence[str], key: str) -> str:
    """Render a table with its citation in each row."""
    return "\n".join([*lines[:2], *(f"{row.rstrip().removesuffix('|').rstrip()} [{key}] |" for row in lines[2:])])
