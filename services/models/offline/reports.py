"""The offline reporter: arranges quoted sentences into a report, each with its citation.

Where no sentence answers it says so, and shows the closest ones. A broad question gets a digest, which is called one.
"""

from collections.abc import Sequence

from schemas.evidence_view import EvidenceView
from schemas.reporter import ReporterPrompt
from services.models.offline.broad_questions import digest_topic
from services.models.offline.cited_sentences import each_once
from services.models.offline.group_charts import group_charts
from services.models.offline.opening_phrases import DIGEST
from services.models.offline.openings import Part, language_note, parts_of, write
from services.models.offline.question_shape import compared_in, title_of
from services.models.offline.ranked_sentences import Piece, alike, rank, same_language, sentences_of
from services.models.offline.report_sections import sections_of_report
from services.models.offline.table_program import is_refusal
from services.run.ui_text import is_chinese

MAX_POINTS, MAX_POINTS_BRIEF = 6, 3
"""Quotes below the heading Evidence."""
LONGEST_TITLE = 200
"""Characters of a title."""


def report(prompt: ReporterPrompt) -> str:
    """Write the report, and below it the questions to ask next."""
    chinese = is_chinese(prompt.locale)
    findings = [finding for finding in prompt.findings if finding.evidence]
    found = [*(excerpt for finding in findings for excerpt in finding.evidence), *prompt.background]
    told = [excerpt for excerpt in found if not (excerpt.kind == "computation" and is_refusal(excerpt.quote))]
    evidence = each_once(told)
    if not evidence:
        return "找到的资料没有提到这个问题的答案。" if chinese else "The sources found do not answer this."
    broad = digest_topic(prompt.question) is not None
    compared = compared_in(prompt.question) is not None
    parts = [] if broad else parts_of(prompt.question, evidence, prompt.contradictions)
    if prompt.length == "answer" and not broad:
        return write(parts, chinese, compared=compared)
    sections = sections_of_report(prompt, findings, told)
    if broad:
        opening = [*filter(None, [language_note([item.quote for item in evidence], chinese), DIGEST[chinese]])]
    else:
        answered = any(part.whole and part.quotes for part in parts)
        opening = [f"{'**TL;DR** ' * answered}{write(parts, chinese, spread=bool(sections), compared=compared)}"]
    points = [] if sections else _points(prompt, evidence, parts)
    blocks = [
        f"# {title_of(prompt.question, LONGEST_TITLE, mark=True)}",
        *opening,
        *sections,
        *group_charts(evidence),
        *([f"## {'证据' if chinese else 'Evidence'}", *points] if points else []),
    ]
    return "\n\n".join(blocks) + _questions(prompt, chinese)


def _points(prompt: ReporterPrompt, evidence: Sequence[EvidenceView], parts: Sequence[Part]) -> list[str]:
    """Return verbatim excerpts with their sources: those that the opening tells, then those that say most."""
    by_id = {excerpt.id: excerpt for excerpt in evidence}
    used = [by_id[excerpt_id] for part in parts for _, excerpt_id in part.quotes]
    sentences = sentences_of(Piece(item.id, item.title, item.quote) for item in evidence if item.kind != "computation")
    computed = any(excerpt.kind == "computation" for excerpt in used)
    others = [] if computed else [by_id[sentence.id] for sentence in rank(prompt.question, sentences).scores]
    others = [excerpt for excerpt in others if any(same_language(excerpt.quote, quoted.quote) for quoted in used)]
    points: dict[str, str] = {}
    for excerpt in [*used, *others]:
        room = MAX_POINTS_BRIEF if prompt.length == "brief" else MAX_POINTS
        if len(points) < room and not any(alike(excerpt.quote, earlier) for earlier in points):
            quote = f"> {' '.join(excerpt.quote.split())} [{excerpt.id}]"
            points[excerpt.quote] = f"**{excerpt.title}** [{excerpt.id}]\n\n{quote}"
    return list(points.values())


def _questions(prompt: ReporterPrompt, chinese: bool) -> str:
    """Suggest to ask what is disputed."""
    topics = [contradiction.topic for contradiction in prompt.contradictions if contradiction.topic][:3]
    lines = [
        f"关于“{topic}”，哪个数据更可靠？" if chinese else f"Which figure is right on: {topic}?" for topic in topics
    ]
    return "\n\n===\n" + "\n".join(lines) if lines else ""
