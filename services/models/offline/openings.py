"""The opening of a report by rules: what answers the question, clause by clause, what comes near, and what nothing is said on."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.evidence_view import EvidenceView
from services.models.offline.answers import answers
from services.models.offline.cited_sentences import cite
from services.models.offline.table_program import is_refusal
from services.text.questions import clauses_of

MAX_ANSWER = 3
"""Sentences of an opening."""
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
