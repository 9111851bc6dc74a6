"""Whether a sentence that is marked as inference brings only numbers, dates and names that its premises give."""

from collections.abc import Sequence

from services.check.compared_text import read
from services.check.faults import unproved_on_fault
from services.check.numbers import missing
from services.check.verdict import Verdict
from services.text.names import missing_names
from services.text.numbers import quantities


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
        untraced: premises that are output of programs whose numbers no source gives; nothing follows from these.
    """
    if untraced:
        numbers = (quantity.text for quote in untraced for quantity in quantities(quote))
        return Verdict("untraced", tuple(dict.fromkeys(numbers)))
    if not quotes:
        return Verdict("premises")
    texts = [*quotes, *cards, question]
    if absent := missing(read(text), [read(part) for part in texts]):
        return Verdict("numbers", tuple(absent))
    strangers = missing_names(text, "\n".join(texts))
    return Verdict("names", tuple(strangers)) if strangers else Verdict()
