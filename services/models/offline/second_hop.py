"""Answers in two steps: the sentence that names the described thing, and what a later step found about that name.

`Where was the owner of the Corvo born?` is answered by who owned the Corvo and by where that person was born. Rules cannot tell whether
both belong together, so such an answer is shown as what comes nearest.
"""

from collections.abc import Sequence

from schemas.evidence_view import EvidenceView, FindingView
from services.models.offline.answers import answers
from services.models.offline.ranked_sentences import Piece, sentences_of
from services.text.terms import content, terms


def second_hop(
    question: str, findings: Sequence[FindingView], evidence: Sequence[EvidenceView]
) -> tuple[tuple[str, str], ...]:
    """Return the sentence that answers the latest such step and the sentence that names its subject, with their excerpt ids.

    Empty if no step asks the question about a name in place of the description, or if either sentence is missing.

    Args:
        question: the user's question.
        findings: findings of all steps, in order.
        evidence: all excerpts.
    """
    asked = set(terms(question))
    sentences = sentences_of(Piece(excerpt.id, excerpt.title, excerpt.quote) for excerpt in evidence)
    for finding in reversed(findings):
        wanted = set(content(finding.title))
        name = wanted - asked
        if not name or not wanted & asked:
            continue
        found = answers(finding.title, evidence, 1)
        if len(found) != 1 or not found[0].whole:
            continue
        told = found[0].sentences[0]
        naming = [sentence for sentence in sentences if name <= sentence.held and sentence.text != told.text]
        bridge = max(naming, key=lambda sentence: len(asked & sentence.held - wanted), default=None)
        if bridge is not None and asked & bridge.held - wanted:
            return (told.text, told.id), (bridge.text, bridge.id)
    return ()
