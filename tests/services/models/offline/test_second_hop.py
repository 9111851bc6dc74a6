"""What a later step found of a name that the question only describes opens the report, with what tells the name."""

import pytest

from schemas.evidence_view import EvidenceView, FindingView
from services.models.offline.second_hop import second_hop

QUESTION = "Where was the owner of the schooner Corvo born?"
OWNER = "The schooner Corvo lay off Skagen, and its owner was Sir John Marlow."
BIRTH = "John Marlow was born in Bergen on 3 May 1821."
OTHER = "Wire cuts through water with little friction."


def views(*quotes: str) -> list[EvidenceView]:
    """Return excerpts of one source each."""
    return [
        EvidenceView(id=f"E1-{place}", title=f"Source {place}", kind="document", relevance="high", quote=quote)
        for place, quote in enumerate(quotes, 1)
    ]


def findings(*titles: str) -> list[FindingView]:
    """Return steps that are done."""
    return [FindingView(step_id=str(place), title=title, status="done") for place, title in enumerate(titles, 1)]


def test_the_answer_on_the_name_comes_first_and_what_tells_the_name_behind_it() -> None:
    told = second_hop(QUESTION, findings(QUESTION, "Where was John Marlow born"), views(OTHER, OWNER, BIRTH))
    assert told == ((BIRTH, "E1-3"), (OWNER, "E1-2"))


@pytest.mark.parametrize(
    ("titles", "quotes"),
    [
        ((QUESTION,), (OWNER, BIRTH)),
        ((QUESTION, "Where was John Marlow born"), (OWNER, OTHER)),
        ((QUESTION, "Where was John Marlow born"), (BIRTH, OTHER)),
        ((QUESTION, "How does wire cut through water"), (OWNER, BIRTH)),
    ],
)
def test_without_the_step_the_answer_or_what_tells_the_name_nothing_is_taken(
    titles: tuple[str, ...], quotes: tuple[str, ...]
) -> None:
    assert second_hop(QUESTION, findings(*titles), views(*quotes)) == ()
