"""The offline reporter: arranges quoted sentences into a report, each with its citation.

If no sentence answers the question, the report says so and shows the closest sentences.
"""

import re
from collections.abc import Sequence
from itertools import dropwhile, takewhile

from schemas.evidence_view import EvidenceView
from schemas.reporter import ReporterPrompt
from services.models.offline.cited_sentences import each_once
from services.models.offline.digests import digest, digest_topic
from services.models.offline.group_charts import group_charts
from services.models.offline.openings import MAX_ANSWER, Part, parts_of, short_answer, write
from services.models.offline.question_shape import compared_in, title_of
from services.models.offline.ranked_sentences import Piece, alike, rank, same_language, sentences_of
from services.models.offline.report_sections import sections_of_report
from services.models.offline.second_hop import second_hop
from services.models.offline.table_program import is_refusal
from services.run.ui_text import is_chinese
from services.text.questions import headline

MAX_POINTS, MAX_POINTS_BRIEF = 6, 3
"""Maximum quotes below the heading Evidence, in a normal and in a brief report."""
MAX_CONCLUSION = 4
"""Maximum sentences of the conclusion."""
LONGEST_TITLE = 200
"""Maximum characters of a title."""


def report(prompt: ReporterPrompt) -> str:
    """Write the report, and below it the suggested questions."""
    chinese = is_chinese(prompt.locale)
    findings = [finding for finding in prompt.findings if finding.evidence]
    found = each_once([*(excerpt for finding in findings for excerpt in finding.evidence), *prompt.background])
    evidence = [excerpt for excerpt in found if not (excerpt.kind == "computation" and is_refusal(excerpt.quote))]
    if not evidence:
        return "找到的资料没有提到这个问题的答案。" if chinese else "The sources found do not answer this."
    if prompt.length == "answer":
        return short_answer(prompt.question, evidence, chinese)
    if digest_topic(prompt.question) is not None:
        brief = prompt.length == "brief"
        return f"# {_title(prompt.question)}\n\n{digest(prompt.question, evidence, chinese=chinese, brief=brief)}"
    parts = parts_of(prompt.question, evidence, MAX_ANSWER, prompt.contradictions)
    compared = compared_in(prompt.question) is not None
    sections = sections_of_report(prompt, findings)
    hop = () if compared or any(part.whole for part in parts) else second_hop(prompt.question, findings, evidence)
    if hop:
        parts = [Part("", hop, whole=False)]
    opening = write(parts, chinese, spread=bool(sections or hop), compared=compared)
    longer = parts_of(prompt.question, evidence, MAX_CONCLUSION, prompt.contradictions)
    conclusion = "" if sections or compared or _quotes(longer) <= _quotes(parts) else write(longer, chinese)
    points = [] if sections else _points(prompt, evidence, parts)
    answers_any = any(part.whole and part.quotes for part in parts)
    blocks = [
        f"# {_title(prompt.question)}",
        f"**TL;DR** {opening}" if answers_any else opening,
        *([f"## {'结论' if chinese else 'Conclusion'}", conclusion] if answers_any and conclusion else []),
        *sections,
        *group_charts(evidence),
        *([f"## {'证据' if chinese else 'Evidence'}", *points] if points else []),
    ]
    return "\n\n".join(blocks) + _questions(prompt, chinese)


def _quotes(parts: Sequence[Part]) -> set[tuple[str, str]]:
    """Return all sentences of the parts, so that a conclusion does not repeat the opening."""
    return {quote for part in parts for quote in (*part.quotes, *part.others)}


def _title(question: str) -> str:
    """Return a question as a title; of a question that includes a text, its beginning."""
    line = headline(" ".join(question.split()))
    return line if len(line) <= LONGEST_TITLE else title_of(line, LONGEST_TITLE)


def _points(prompt: ReporterPrompt, evidence: Sequence[EvidenceView], parts: Sequence[Part]) -> list[str]:
    """Return verbatim excerpts with their sources: those of the opening, then the best of each step, then the best others.

    Results of programs are not among them: the opening tells them as they are.
    """
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
        if (
            excerpt.kind != "computation"
            and excerpt.quote.strip() != excerpt.title
            and len(points) < room
            and not any(alike(excerpt.quote, earlier) for earlier in quoted)
        ):
            quoted.append(excerpt.quote)
            points.append(f"**{excerpt.title}** [{excerpt.id}]\n\n> {_below_heading(excerpt.quote)} [{excerpt.id}]")
    return points


def _below_heading(quote: str) -> str:
    """Return the text below a quote's first heading, up to the next heading, on one line."""
    lines = dropwhile(lambda line: not line.strip() or _is_marked(line), quote.split("\n"))
    body = takewhile(lambda line: not _is_marked(line), lines)
    return " ".join(" ".join(body).split()) or " ".join(quote.split())


def _is_marked(line: str) -> bool:
    return re.match(r"#{1,6} ", line) is not None


def _by_relevance(question: str, evidence: Sequence[EvidenceView]) -> list[EvidenceView]:
    """Order excerpts by their best sentence, without irrelevant ones."""
    by_id = {excerpt.id: excerpt for excerpt in evidence if excerpt.kind != "computation"}
    pieces = sentences_of(Piece(excerpt.id, excerpt.title, excerpt.quote) for excerpt in by_id.values())
    return [
        by_id[excerpt_id]
        for excerpt_id in dict.fromkeys(sentence.id for sentence in rank(question, question, pieces).scores)
    ]


def _questions(prompt: ReporterPrompt, chinese: bool) -> str:
    """Suggest questions about the contradictions."""
    topics = [contradiction.topic for contradiction in prompt.contradictions if contradiction.topic][:3]
    lines = [
        f"关于“{topic}”，哪个数据更可靠？" if chinese else f"Which figure is right on: {topic}?" for topic in topics
    ]
    return "\n\n===\n" + "\n".join(lines) if lines else ""
