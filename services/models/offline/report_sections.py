"""The sections of a report by rules: what was quoted for each and is close to the question, a paragraph a source, nothing twice."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from schemas.evidence_view import EvidenceView, FindingView
from schemas.reporter import ReporterPrompt
from schemas.sections import Section, SectionPart
from services.models.offline.broad_questions import digest_topic
from services.models.offline.cited_sentences import cite, each_once
from services.models.offline.opening_phrases import KINDS_CHINESE
from services.models.offline.question_shape import compared_in
from services.models.offline.ranked_sentences import SAME, Piece, rank, sentences_of
from services.run.ui_text import is_chinese
from services.text.names import missing_names
from services.text.passages import is_heading
from services.text.quotable import as_prose, is_csv
from services.text.terms import terms
from services.text.tokens import tokens
from services.text.word_count import words_in

MANY = 12
"""Excerpts from which on all are told, and not the best of them alone."""
MAX_SOURCES, MAX_SOURCES_BRIEF, OF_SOURCE = 8, 3, 3
"""Sources of a digest, and excerpts of each."""
CLOSE = 0.25
"""Share of what the best excerpt says on the question, from which on another stands in the text of a long report."""
_RELEVANCE = {"high": 0, "medium": 1, "low": 2}
_RULE = re.compile(r"[|\s:-]+")


def sections_of_report(
    prompt: ReporterPrompt, findings: Sequence[FindingView], evidence: Sequence[EvidenceView]
) -> list[str]:
    """Return the sections as blocks of Markdown; none where the report is short.

    What a step found stands below the section before it where it does not hold the names that the step looked for.
    """
    by_id = {item.id: item for item in evidence}
    closeness = _closeness(prompt.question, evidence)
    sections = _planned(prompt, findings, evidence, closeness)
    chosen = _chosen(sections, by_id, closeness, prompt)
    broad = digest_topic(prompt.question) is not None
    said: set[str] = set()
    blocks: list[str] = []
    for section in sections:
        told = [*filter(None, _paragraphs(section, chosen, said))]
        for part in section.parts:
            if below := [*filter(None, _paragraphs(part, chosen, said))]:
                told += [f"### {part.title}", *below]
        if told and broad:
            told = [*_kind_and_date(by_id[section.excerpt_ids[0]], is_chinese(prompt.locale)), *told]
        told_of = " ".join([prompt.question, *told])
        headed = broad or prompt.outline or not blocks or not missing_names(section.title, told_of)
        blocks += [f"## {section.title}", *told] if told and headed else told
    return blocks


def _planned(
    prompt: ReporterPrompt,
    findings: Sequence[FindingView],
    evidence: Sequence[EvidenceView],
    closeness: Mapping[str, float],
) -> list[Section]:
    """Return the sections: of a digest the sources, of a comparison what is compared, else those of the outline or the steps."""
    brief = prompt.length == "brief"
    if digest_topic(prompt.question) is not None:
        by_title: dict[str, list[str]] = {}
        for item in sorted(evidence, key=lambda item: -closeness[item.id]):
            if closeness[item.id] and item.kind != "computation":
                by_title.setdefault(item.title, []).append(item.id)
        listed = [Section(title=title, excerpt_ids=ids[:OF_SOURCE]) for title, ids in by_title.items()]
        return listed[: MAX_SOURCES_BRIEF if brief else MAX_SOURCES]
    if not prompt.outline and (brief or (prompt.length != "full" and len(each_once(evidence)) < MANY)):
        return []
    if compared := compared_in(prompt.question):
        on = {side: [item.id for item in evidence if _is_on(side, compared, item)] for side in compared}
        return [Section(title=f"{side[:1].upper()}{side[1:]}", excerpt_ids=ids) for side, ids in on.items()]
    if prompt.outline:
        return prompt.outline
    ids_of = {finding.title: [item.id for item in finding.evidence] for finding in findings}
    single = "证据" if is_chinese(prompt.locale) else "Evidence"
    return [Section(title=title if len(ids_of) > 1 else single, excerpt_ids=ids) for title, ids in ids_of.items()]


def _is_on(side: str, compared: Sequence[str], item: EvidenceView) -> bool:
    """Tell whether an excerpt is on one of the things that are compared: it names it, or its source does and it names no other."""
    own, held = set(terms(side)), set(terms(item.quote))
    others = [set(terms(other)) for other in compared if other != side]
    return own <= held or (own <= set(terms(item.title)) and not any(other <= held for other in others))


def _chosen(
    sections: Sequence[Section],
    evidence: Mapping[str, EvidenceView],
    closeness: Mapping[str, float],
    prompt: ReporterPrompt,
) -> list[EvidenceView]:
    """Return the excerpts that sections tell, the closest first, each statement once.

    What says far less on the question than the best one comes last, and only where a full report is asked for; the best of each
    section is always told. Sections take turns, so that not always the first tells what two have. Where words are too few, less is.
    """
    listed = [
        sorted(
            (evidence[key] for key in section.all_ids if key in evidence),
            key=lambda item: (-closeness[item.id], _RELEVANCE.get(item.relevance, 1)),
        )
        for section in sections
    ]
    ranked = sorted(
        (place > 0 and closeness[item.id] < CLOSE, place, number)
        for number, items in enumerate(listed)
        for place, item in enumerate(items)
    )
    said: list[frozenset[str]] = []
    chosen: dict[str, EvidenceView] = {}
    used = 0
    for far, place, number in ranked:
        item = listed[number][place]
        own = frozenset(tokens(item.quote))
        if far and prompt.length != "full":
            break
        if any(_says(earlier, own) for earlier in said):
            continue
        used += words_in(item.quote)
        if prompt.words and chosen and used > prompt.words:
            break
        said.append(own)
        chosen[item.id] = item
    return sorted(chosen.values(), key=lambda item: -closeness[item.id])


def _says(said: frozenset[str], own: frozenset[str]) -> bool:
    """Tell whether an earlier text says all of another; other figures are another statement."""
    figures = [any(term[0].isdigit() for term in each) for each in (own - said, said - own)]
    return not all(figures) and len(own & said) >= SAME * len(own)


def _closeness(question: str, evidence: Sequence[EvidenceView]) -> dict[str, float]:
    """Return for each excerpt, by its id, how much it says on the question: a share of what the best one says, all on one scale.

    Relevance as the researcher gave it compares the passages of one round only. Where none has a word of the question, all are close.
    """
    topic = digest_topic(question)
    pieces = sentences_of(Piece(item.id, item.title, item.quote) for item in evidence)
    closeness = dict.fromkeys((item.id for item in evidence), 0.0)
    for sentence, score in rank(question if topic is None else topic, pieces).scores.items():
        closeness[sentence.id] = max(closeness[sentence.id], score)
    best = max(closeness.values(), default=0.0)
    return {key: score / best if best else 1.0 for key, score in closeness.items()}


def _kind_and_date(excerpt: EvidenceView, chinese: bool) -> list[str]:
    """Tell what kind of source a section is from and when that was published, as an introduction; nothing where neither is known."""
    kinds = [kind for kind in (excerpt.kind, excerpt.source_kind) if kind in KINDS_CHINESE]
    known = [*(KINDS_CHINESE[kind] if chinese else kind for kind in kinds), excerpt.published]
    line = ("，" if chinese else ", ").join(filter(None, known))
    return [f"{line[:1].upper()}{line[1:]}{'：' if chinese else ':'}"] if line else []


def _paragraphs(section: SectionPart, chosen: Sequence[EvidenceView], said: set[str]) -> Iterator[str]:
    """Give a paragraph for each source of a section's own excerpts, as chosen, then the tables that it quotes; empty where all was said."""
    own = [item for item in chosen if item.id in section.excerpt_ids]
    first = {item.title: place for place, item in reversed([*enumerate(own)])}
    for _, excerpts in groupby(sorted(own, key=lambda item: first[item.title]), lambda item: item.title):
        parts = [(part, item.id) for item in excerpts for part in _parts(item.quote)]
        yield cite(
            [(" ".join(as_prose("\n".join(lines)).split()), key) for (in_table, lines), key in parts if not in_table],
            said,
        )
        yield from (_table(lines, key) for (in_table, lines), key in parts if in_table)


def _parts(quote: str) -> Iterator[tuple[bool, list[str]]]:
    """Give the tables of a quote and what stands between them, as lines; not rows whose columns nothing names."""
    for in_table, group in groupby(quote.strip().splitlines(), lambda line: line.startswith("|")):
        lines = [line for line in group if not is_heading(line) and not is_csv(line)]
        if not in_table or (len(lines) > 2 and _RULE.fullmatch(lines[1])):
            yield in_table, lines


def _table(lines: Sequence[str], key: str) -> str:
    """Return a table with its citation in each row."""
    return "\n".join([*lines[:2], *(f"{row.rstrip().removesuffix('|').rstrip()} [{key}] |" for row in lines[2:])])
