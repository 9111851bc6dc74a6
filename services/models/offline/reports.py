"""The offline reporter: arranges quoted sentences into a report, each with its citation.

Where no sentence answers it says so, and shows the closest ones.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.evidence_view import EvidenceView, FindingView
from schemas.reporter import ReporterPrompt
from services.models.offline.answers import answers
from services.models.offline.ranked_sentences import Piece, alike, rank, same_language, sentences_of
from services.models.offline.table_program import is_refusal
from services.run.ui_text import is_chinese
from services.text.passages import sentences
from services.text.questions import clauses_of
from services.text.quotable import as_prose
from services.text.tokens import has_cjk

MAX_POINTS, MAX_POINTS_BRIEF = 6, 3
"""Quotes below the heading Evidence."""
MAX_ANSWER, MAX_CONCLUSION = 3, 4
"""Sentences of the opening, and of the conclusion."""
MAX_COMPUTED = 8
"""Lines of computations that a conclusion can have."""


_PHRASES = {
    ("close", False): (
        "The sources found do not answer this directly. What comes nearest:",
        "The sources found do not answer “{about}” directly. What comes nearest:",
    ),
    ("close", True): (
        "找到的资料没有对这个问题的直接回答。最接近的内容：",
        "找到的资料没有对“{about}”的直接回答。最接近的内容：",
    ),
    ("missing", False): ("The sources found do not answer this question.", "The sources found do not tell: {about}."),
    ("missing", True): ("找到的资料没有提到这个问题的答案。", "找到的资料没有提到“{about}”的答案。"),
}
"""What is said of all of a question, and of some of its clauses."""


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
    opening = write(parts, chinese)
    conclusion = write(parts_of(prompt.question, evidence, MAX_CONCLUSION), chinese)
    points = _points(prompt, evidence, parts)
    answers_any = any(part.whole and part.quotes for part in parts)
    blocks = [
        f"# {' '.join(prompt.question.split())}",
        f"**TL;DR** {opening}" if answers_any else opening,
        *([f"## {'结论' if chinese else 'Conclusion'}", conclusion] if answers_any and conclusion != opening else []),
        *(_sections(findings) if prompt.length == "full" else []),
        *([f"## {'证据' if chinese else 'Evidence'}", *points] if points else []),
    ]
    return "\n\n".join(blocks) + _questions(prompt, chinese)


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


def write(parts: Sequence[Part], chinese: bool) -> str:
    """Write what answers, then what is closest, and which clauses nothing is said on."""
    answered = [part for part in parts if part.whole and part.quotes]
    close = [part for part in parts if not part.whole and part.quotes]
    missing = [part for part in parts if not part.quotes]
    lines = [cite([pair for part in answered for pair in part.quotes])] if answered else []
    for phrase, group in (("close", close), ("missing", missing)):
        about = ("；" if chinese else "; ").join(re.sub(r"[。！!]", "，", part.clause) for part in group if part.clause)
        if group:
            whole = not about or len(group) == len(parts)
            lines.append(_PHRASES[phrase, chinese][0] if whole else _PHRASES[phrase, chinese][1].format(about=about))
        if group is close and close:
            lines.append(cite([pair for part in close for pair in part.quotes]))
    return "\n\n".join(lines)


def cite(quotes: Sequence[tuple[str, str]]) -> str:
    """Join sentences, each with its citation before the full stop, and each once: excerpts may begin with the same one."""
    once: dict[str, str] = {}
    for quote, excerpt_id in quotes:
        prose = as_prose(quote)
        for span in sentences(prose):
            once.setdefault(prose[span.start : span.end], excerpt_id)
    return " ".join(_with_citation(sentence, excerpt_id) for sentence, excerpt_id in once.items())


def _with_citation(sentence: str, excerpt_id: str) -> str:
    stop = sentence[-1] if sentence[-1:] in ".!?。！？" else ("。" if has_cjk(sentence) else ".")
    return f"{sentence[:-1] if sentence[-1:] in '.!?。！？' else sentence} [{excerpt_id}]{stop}"


def _each_once(evidence: Sequence[EvidenceView]) -> list[EvidenceView]:
    return list({(excerpt.title, excerpt.quote): excerpt for excerpt in reversed(evidence)}.values())[::-1]


def _sections(findings: Sequence[FindingView]) -> list[str]:
    """Return a section for each step with all that it found, a paragraph a source; nothing is said twice."""
    blocks: list[str] = []
    quoted: list[str] = []
    for finding in findings:
        paragraphs: dict[str, list[tuple[str, str]]] = {}
        for excerpt in finding.evidence:
            if not any(alike(excerpt.quote, earlier) for earlier in quoted):
                quoted.append(excerpt.quote)
                paragraphs.setdefault(excerpt.title, []).append((" ".join(excerpt.quote.split()), excerpt.id))
        if paragraphs:
            blocks += [f"## {finding.title}", *map(cite, paragraphs.values())]
    return blocks


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
