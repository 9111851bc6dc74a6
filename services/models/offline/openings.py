"""The opening of a report by rules: answers clause by clause, then the closest sentences, then the unanswered clauses."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.evidence_view import EvidenceView
from schemas.reporter import ContradictionView
from services.models.offline.answers import answers
from services.models.offline.cited_sentences import cite
from services.models.offline.digests import digest, digest_topic
from services.models.offline.opening_phrases import DISAGREE, FOREIGN, OTHERWISE, PHRASES, Phrase
from services.models.offline.question_shape import asks_to_compare_figures, compared_in
from services.models.offline.ranked_sentences import same_language
from services.models.offline.table_program import is_refusal
from services.text.languages import name_of_language
from services.text.questions import clauses_of

MAX_ANSWER = 3
"""Maximum sentences of an opening."""
MAX_COMPUTED = 8
"""Maximum result lines of computations in a conclusion."""


@dataclass(frozen=True, slots=True)
class Part:
    """The sentences on one clause of a question."""

    clause: str
    """The clause; empty if the question has only one."""
    quotes: tuple[tuple[str, str], ...]
    """Sentences, each with the id of its excerpt."""
    whole: bool
    """Whether the quotes answer the clause."""
    others: tuple[tuple[str, str], ...] = ()
    """Sentences of other sources that answer the clause with another figure."""
    disagreeing: bool = False
    """Whether the quotes are the two sides of a contradiction that the clause asks about."""


def short_answer(question: str, evidence: Sequence[EvidenceView], chinese: bool) -> str:
    """Answer a question from evidence in a few cited sentences, or say that the evidence does not answer it."""
    if digest_topic(question) is not None:
        return digest(question, evidence, chinese=chinese, brief=True)
    compared = compared_in(question) is not None
    return write(parts_of(question, evidence, MAX_ANSWER), chinese, compared=compared)


def parts_of(
    question: str, evidence: Sequence[EvidenceView], most: int, contradictions: Sequence[ContradictionView] = ()
) -> list[Part]:
    """Return the sentences on each clause of a question; results of computations answer the whole question.

    Args:
        question: the user's question.
        evidence: excerpts, best first.
        most: maximum number of sentences of all clauses together; each clause gets at least one.
        contradictions: their sides answer a clause that asks whether figures agree.
    """
    computed = sorted(
        (excerpt for excerpt in evidence if excerpt.kind == "computation" and not is_refusal(excerpt.quote)),
        key=_number,
    )
    if computed:
        return [Part("", tuple((excerpt.quote.strip(), excerpt.id) for excerpt in computed[:MAX_COMPUTED]), whole=True)]
    several = len(clauses_of(question, short=True)) > 1
    parts: list[Part] = []
    for answer in answers(question, evidence, most):
        clause = answer.clause if several else ""
        sides = _sides(contradictions, evidence) if asks_to_compare_figures(answer.clause) else ()
        if sides:
            parts.append(Part(clause, sides, whole=True, disagreeing=True))
            continue
        quotes, others = (
            tuple((sentence.text, sentence.id) for sentence in sentences)
            for sentences in (answer.sentences, answer.others)
        )
        parts.append(Part(clause, quotes, answer.whole, others))
    return parts


def _number(excerpt: EvidenceView) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", excerpt.id)]


def _sides(
    contradictions: Sequence[ContradictionView], evidence: Sequence[EvidenceView]
) -> tuple[tuple[str, str], ...]:
    """Return the two quotes of the first contradiction."""
    quotes = {excerpt.id: excerpt.quote for excerpt in evidence}
    ids = next((conflict.excerpt_ids for conflict in contradictions if set(conflict.excerpt_ids) <= quotes.keys()), [])
    return tuple((quotes[excerpt_id].strip(), excerpt_id) for excerpt_id in ids)


def write(parts: Sequence[Part], chinese: bool, *, spread: bool = False, compared: bool = False) -> str:
    """Write the answers, then the closest sentences, then a note on unanswered clauses.

    Args:
        parts: the sentences, clause by clause.
        chinese: whether to write in Chinese.
        spread: whether sections with all quotes follow.
        compared: whether the question compares things, each of which has quotes in the parts.
    """
    answered = [part for part in parts if part.whole and part.quotes and not part.disagreeing]
    disagreeing = [pair for part in parts if part.disagreeing for pair in part.quotes]
    close = [part for part in parts if not part.whole and part.quotes]
    missing = [part for part in parts if not part.quotes]
    said: set[str] = set()
    lines = [cite([pair for part in answered for pair in part.quotes], said)] if answered else []
    others = cite([pair for part in answered for pair in part.others], said)
    lines += [OTHERWISE[chinese], others] if others and not disagreeing else []
    lines += [DISAGREE[chinese], cite(disagreeing)] if disagreeing else []
    groups: tuple[tuple[Phrase, list[Part]], ...] = (
        ("compared" if compared else "spread" if spread else "close", close),
        ("missing", missing),
    )
    for phrase, group in groups:
        about = ("；" if chinese else "; ").join(re.sub(r"[。！!]", "，", part.clause) for part in group if part.clause)
        if group:
            whole = not about or len(group) == len(parts)
            lines.append(PHRASES[phrase, chinese][0] if whole else PHRASES[phrase, chinese][1].format(about=about))
        if group is close and close:
            nearest = [pair for part in close for pair in part.quotes]
            lines.append(cite(nearest, said) or cite(nearest))
    return "\n\n".join(filter(None, [*_language_note(parts, chinese), *lines]))


def _language_note(parts: Sequence[Part], chinese: bool) -> list[str]:
    """Return a note on the quotes' language if it is not the language of the report."""
    quotes = [quote for part in parts for quote, _ in part.quotes]
    own = "的" if chinese else "the"
    if not quotes or any(same_language(quote, own) for quote in quotes):
        return []
    return [FOREIGN[chinese].format(language=name_of_language(" ".join(quotes), chinese=chinese))]
