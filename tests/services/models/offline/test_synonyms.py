"""An answer may say what is asked in other words."""

from schemas.evidence_view import EvidenceView
from services.models.offline.answers import answers


def whole(question: str, sentence: str) -> bool:
    [answer] = answers(question, [EvidenceView(id="E1-1", title="Aviators", quote=sentence, url="a")], 1)
    return answer.whole


def test_an_answer_in_other_words_is_an_answer() -> None:
    assert whole(
        "Who was the first woman to fly from Britain to Australia?",
        "Amy Johnson was the first female pilot to fly from Britain to Australia.",
    )
    assert not whole(
        "Who was the first woman to fly from Britain to Australia?",
        "Amy Johnson was a pilot who liked Britain and Australia.",
    )
