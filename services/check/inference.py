"""Whether a sentence that is marked as inference brings only numbers, dates and names that its premises give."""

from collections.abc import Sequence

from services.check.compared_text import read
from services.check.faults import unproved_on_fault
from services.check.numbers import fault_of, missing
from services.check.verdict import Verdict
from services.text.names import missing_names


@unproved_on_fault
def check_inference(
    text: str, quotes: Sequence[str], cards: Sequence[str] = (), *, question: str = "", untraced: Sequence[str] = ()
) -> Verdict:
    """Check a conclusion against its premises; whether it follows from them, a verifier decides.

    Args:
        text: the sentence, without citation marks and Markdown.
        quotes: the premises.
        cards: cards of their sources.
        question: question of the report, whose names and numbers may stand in a conclusion.
        untraced: premises with the numbers that they lack among the quotes (`proving`), as no source gives these.
    """
    if not quotes:
        return Verdict("premises")
    texts = [*quotes, *cards, question]
    if absent := missing(read(text), [read(part) for part in texts]):
        return fault_of(absent, untraced)
    strangers = missing_names(text, "\n".join(texts))
    return Verdict("names", tuple(strangers)) if strangers else Verdict()
