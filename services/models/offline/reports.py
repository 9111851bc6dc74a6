"""The offline reporter: arranges quoted sentences into a report, each with its citation.

Where no sentence answers it says so, and shows the closest ones.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from schemas.evidence_view import EvidenceView, FindingView
from schemas.reporter import ReporterPrompt
from schemas.sections import Section, SectionPart
from services.models.offline.answers import answers
from services.models.offline.ranked_sentences import Piece, alike, rank, same_language, sentences_of
from services.models.offline.said_once import SaidOnce
from services.models.offline.shape import title_of
from services.models.offline.table_program import is_refusal
from services.run.ui_text import is_chinese
from services.text.names import missing_names
from services.text.passages import is_heading, sentences
from services.text.questions import clauses_of
from services.text.quotable import as_prose
from services.text.tokens import has_cjk
from services.text.word_count import words_in

MAX_POINTS, MAX_POINTS_BRIEF = 6, 3
"""Quotes below the heading Evidence."""
MANY = 12
"""Excerpts from which on all are told, and not the best of them alone."""
MAX_ANSWER, MAX_CONCLUSION = 3, 4
"""Sentences of the opening, and of the conclusion."""
_RELEVANCE = {"high": 0, "medium": 1, "low": 2}
CLOSE = 0.25
"""Share of what the best excerpt says on the question, from which on another stands in the text of a long report."""
LONGEST_TITLE = 200
"""Characters of a title."""
MAX_COMPUTED = 8
"""Lines of computations that a conclusion can have."""
CSV_COMMAS = 3
"""Commas without a space, other than in numbers, from which on a line is a row of a CSV file."""
_CSV = re.compile(r"(?<!\d),(?=\S)|,(?=[^\s\d])")
_RULE = re.compile(r"[|\s:-]+")


_PHRASES = {
    ("close", False): (
        "The sources found do not answer this directly. What comes nearest:",
        "The sources found do not answer “{about}” directly. What comes nearest:",
    ),
    ("close", True): (
        "找到的资料没有对这个问题的直接回答。最接近的内容：",
        "找到的资料没有对“{about}”的直接回答。最接近的内容：",
    ),
    ("spread", False): (
        "The sources found do not answer this in a single sentence. What comes nearest:",
        "The sources found do not answer “{about}” in a single sentence. What comes nearest:",
    ),
    ("spread", True): (
        "找到的资料没有用单独一句话回答这个问题。最接近的内容：",
        "找到的资料没有用单独一句话回答“{about}”。最接近的内容：",
    ),
    ("missing", False): ("The sources found do not answer this question.", "The sources found do not tell: {about}."),
    ("missing", True): ("找到的资料没有提到这个问题的答案。", "找到的资料没有提到“{about}”的答案。"),
}
"""What is said of all of a question, and of some of its clauses; `spread` where the report tells much on it below."""


@dataclass(frozen=True, slots=True)
class Part:
    """What is told on one clause of a question."""

    clause: str
    """Empty where the question has no other."""
    quotes: tuple[tuple[str, str], ...]
    """Sentences with the ids of their excerpts."""
    whole: bool
    """Whether they answer the clause."""


def report(prompt: ReporterPrompt) -> str:
    """Write the report, and below it the questions to ask next."""
    chinese = is_chinese(prompt.locale)
    findings = [finding for finding in prompt.findings if finding.evidence]
    evidence = _each_once([*(excerpt for finding in findings for excerpt in finding.evidence), *prompt.background])
    if not evidence:
        return "找到的资料没有提到这个问题的答案。" if chinese else "The sources found do not answer this."
    if prompt.length == "answer":
        return short_answer(prompt.question, evidence, chinese)
    parts = parts_of(prompt.question, evidence, MAX_ANSWER)
    sections = _sections(prompt, findings)
    opening = write(parts, chinese, spread=bool(sections))
    conclusion = "" if sections else write(parts_of(prompt.question, evidence, MAX_CONCLUSION), chinese)
    points = [] if sections else _points(prompt, evidence, parts)
    answers_any = any(part.whole and part.quotes for part in parts)
    blocks = [
        f"# {_title(prompt.question)}",
        f"**TL;DR** {opening}" if answers_any else opening,
        *(
            [f"## {'结论' if chinese else 'Conclusion'}", conclusion]
            if answers_any and conclusion not in {"", opening}
            else []
        ),
        *sections,
        *([f"## {'证据' if chinese else 'Evidence'}", *points] if points else []),
    ]
    return "\n\n".join(blocks) + _questions(prompt, chinese)


def _title(question: str) -> str:
    """Return a question as a title; of one that brings a text along, the beginning."""
    line = " ".join(question.split())
    return line if len(line) <= LONGEST_TITLE else title_of(line, LONGEST_TITLE)


def short_answer(question: str, evidence: Sequence[EvidenceView], chinese: bool) -> str:
    """Answer a question from evidence in a few sentences, each with its citation; say so where it does not answer."""
    return write(parts_of(question, evidence, MAX_ANSWER), chinese)


def parts_of(question: str, evidence: Sequence[EvidenceView], most: int) -> list[Part]:
    """Return what is told on each clause of a question; what was computed answers all of it."""
    computed = sorted(
        (excerpt for excerpt in evidence if excerpt.kind == "computation" and not is_refusal(excerpt.quote)),
        key=_number,
    )
    if computed:
        return [Part("", tuple((excerpt.quote.strip(), excerpt.id) for excerpt in computed[:MAX_COMPUTED]), whole=True)]
    several = len(clauses_of(question, short=True)) > 1
    return [
        Part(
            answer.clause if several else "",
            tuple((sentence.text, sentence.id) for sentence in answer.sentences),
            answer.whole,
        )
        for answer in answers(question, evidence, most)
    ]


def _number(excerpt: EvidenceView) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", excerpt.id)]


def write(parts: Sequence[Part], chinese: bool, *, spread: bool = False) -> str:
    """Write what answers, then what is closest, and which clauses nothing is said on.

    Args:
        parts: by clause.
        chinese: whether to write in Chinese.
        spread: whether sections follow that tell all that was quoted.
    """
    answered = [part for part in parts if part.whole and part.quotes]
    close = [part for part in parts if not part.whole and part.quotes]
    missing = [part for part in parts if not part.quotes]
    said: set[str] = set()
    lines = [cite([pair for part in answered for pair in part.quotes], said)] if answered else []
    for phrase, group in (("spread" if spread else "close", close), ("missing", missing)):
        about = ("；" if chinese else "; ").join(re.sub(r"[。！!]", "，", part.clause) for part in group if part.clause)
        if group:
            whole = not about or len(group) == len(parts)
            lines.append(_PHRASES[phrase, chinese][0] if whole else _PHRASES[phrase, chinese][1].format(about=about))
        if group is close and close:
            nearest = [pair for part in close for pair in part.quotes]
            lines.append(cite(nearest, said) or cite(nearest))
    return "\n\n".join(filter(None, lines))


def cite(quotes: Sequence[tuple[str, str]], said: set[str] | None = None) -> str:
    """Join sentences, each with its citation before the full stop, and each once: excerpts may begin with the same one.

    Args:
        quotes: with the ids of their excerpts.
        said: sentences that are not said again; those that are said now are added.
    """
    said = set() if said is None else said
    told: list[str] = []
    for quote, excerpt_id in quotes:
        prose = as_prose(quote)
        for span in sentences(prose):
            sentence = prose[span.start : span.end]
            if sentence not in said:
                said.add(sentence)
                told.append(_with_citation(sentence, excerpt_id))
    return " ".join(told)


def _with_citation(sentence: str, excerpt_id: str) -> str:
    stop = sentence[-1] if sentence[-1:] in ".!?。！？" else ("。" if has_cjk(sentence) else ".")
    return f"{sentence[:-1] if sentence[-1:] in '.!?。！？' else sentence} [{excerpt_id}]{stop}"


def _each_once(evidence: Sequence[EvidenceView]) -> list[EvidenceView]:
    return list({(excerpt.title, excerpt.quote): excerpt for excerpt in reversed(evidence)}.values())[::-1]


def _sections(prompt: ReporterPrompt, findings: Sequence[FindingView]) -> list[str]:
    """Return the sections with all that was quoted for them, as far as the words go: a paragraph a source, nothing said twice.

    What a step found stands below the section before it where it does not hold the names that the step looked for.
    """
    sections = prompt.outline
    evidence = [*(excerpt for finding in findings for excerpt in finding.evidence), *prompt.background]
    if not sections and (prompt.length == "full" or (prompt.length != "brief" and len(_each_once(evidence)) >= MANY)):
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
    """Return the excerpts that sections tell, the closest first, each statement once.

    What says far less on the question than the best one comes last, and only where a full report is asked for; the best of each
    section is always told. Where words are too few, less is.

    Args:
        sections: in order.
        evidence: by id.
        prompt: whose question, length and words count; no words: as many as it takes.
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
    for far, place, number in ranked:  # sections take turns, so that not always the first tells what two have
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
    """Return for each excerpt, by its id, how much it says on the question: a share of what the best one says, all on one scale.

    Relevance as the researcher gave it compares the passages of one round only. Where none has a word of the question, all are close.
    """
    pieces = sentences_of(Piece(item.id, item.title, item.quote) for item in evidence)
    closeness = dict.fromkeys((item.id for item in evidence), 0.0)
    for sentence, score in rank(question, question, pieces).scores.items():
        closeness[sentence.id] = max(closeness[sentence.id], score)
    best = max(closeness.values(), default=0.0)
    return {key: score / best if best else 1.0 for key, score in closeness.items()}


def _paragraphs(section: SectionPart, chosen: Mapping[str, EvidenceView], said: set[str]) -> Iterator[str]:
    """Give a paragraph for each source of a section's own excerpts, as chosen, then the tables that it quotes; empty where all was said."""
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
    """Give the tables of a quote and what stands between them, as lines; not rows whose columns nothing names."""
    for in_table, group in groupby(quote.strip().splitlines(), lambda line: line.startswith("|")):
        lines = [line for line in group if not is_heading(line) and len(_CSV.findall(line)) < CSV_COMMAS]
        if not in_table or (len(lines) > 2 and _RULE.fullmatch(lines[1])):
            yield in_table, lines


def _table(lines: Sequence[str], key: str) -> str:
    """Return a table with its citation in each row."""
    return "\n".join([*lines[:2], *(f"{row.rstrip().removesuffix('|').rstrip()} [{key}] |" for row in lines[2:])])


def _points(prompt: ReporterPrompt, evidence: Sequence[EvidenceView], parts: Sequence[Part]) -> list[str]:
    """Return verbatim excerpts with their sources: those that are told, then the best of each step, then the best others."""
    by_id = {excerpt.id: excerpt for excerpt in evidence}
    used = [by_id[excerpt_id] for part in parts for _, excerpt_id in part.quotes]
    if not used:
        return []
    best_of_steps = [
        excerpt for finding in prompt.findings for excerpt in finding.evidence[:1] if excerpt.kind != "computation"
    ]
    others = best_of_steps + _by_relevance(prompt.question, evidence)
    if any(excerpt.kind == "computation" for excerpt in used):
        others = []
    others = [excerpt for excerpt in others if any(same_language(excerpt.quote, quoted.quote) for quoted in used)]
    points: list[str] = []
    quoted: list[str] = []
    for excerpt in [*used, *others]:
        room = MAX_POINTS_BRIEF if prompt.length == "brief" else MAX_POINTS
        if len(points) < room and not any(alike(excerpt.quote, earlier) for earlier in quoted):
            quoted.append(excerpt.quote)
            points.append(f"**{excerpt.title}** [{excerpt.id}]\n\n> {' '.join(excerpt.quote.split())} [{excerpt.id}]")
    return points


def _by_relevance(question: str, evidence: Sequence[EvidenceView]) -> list[EvidenceView]:
    """Order excerpts by their best sentence; without those that say nothing of what is asked."""
    by_id = {excerpt.id: excerpt for excerpt in evidence if excerpt.kind != "computation"}
    pieces = sentences_of(Piece(excerpt.id, excerpt.title, excerpt.quote) for excerpt in by_id.values())
    return [
        by_id[excerpt_id]
        for excerpt_id in dict.fromkeys(sentence.id for sentence in rank(question, question, pieces).scores)
    ]


def _questions(prompt: ReporterPrompt, chinese: bool) -> str:
    """Suggest to ask what is disputed."""
    topics = [contradiction.topic for contradiction in prompt.contradictions if contradiction.topic][:3]
    lines = [
        f"关于“{topic}”，哪个数据更可靠？" if chinese else f"Which figure is right on: {topic}?" for topic in topics
    ]
    return "\n\n===\n" + "\n".join(lines) if lines else ""
