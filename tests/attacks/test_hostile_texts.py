"""Functions that read text from outside take linear time on hostile texts, whatever patterns and parsers they use.

What takes quadratic time takes a twenty-fifth of it for a fifth of the text, so most functions are cleared by that.
"""

import contextlib
import math
from collections.abc import Callable

import pytest

from schemas.coder import Code
from schemas.document import Paragraph, Text
from schemas.evidence import Excerpt
from services.check import support
from services.evidence import non_claims
from services.models import reasoning_tags, structured_output
from services.reports import formulas
from services.reports.markdown_blocks import read_draft, read_markdown
from services.reports.rendering import to_markdown
from services.text import copies, numbers, passages, questions, quote_location, tokens, units, wrapped_lines
from services.text.names import names
from services.text.normal_form import normalise_text
from services.tools import structured_calls
from services.turn import conversation
from tests.attacks.processor_time import ProcessorTimeExceeded, processor_time
from tests.services.reports.checking.conftest import check_citations

SIZE = 20_000
SECONDS = 3.0
"""Of processor time for the slowest: checking a report of 20,000 characters sentence by sentence. What is quadratic takes longer."""
_UNITS = (
    " ", "\n ", "E1-1 ", "# a\n", ".", ". ", "1,", "1.", "[", "[a](", "(", "<", "> ", "- a\n", "*a ", "**a* ", "_a ", "```\n", "|",
    "|1|2|\n", "$", "\\", "\\[", "&#", "http://", "<think>", "“", '"', "\u0301\u0323", "三点", "two hundred and ", "Aa ", "A-",
    "a and ", "—", "{", '{"a":', "a", "ab cd ", "中。", "中\n", "2020年", "![", "[[1]](", "，", "there is no ",
)  # fmt: skip
FIRST = 5
"""How many times shorter the texts are that each function is given first."""
_QUOTE = "The king of Spain was here in 2020."
_EXCERPTS = {"E1-1": Excerpt(id="E1-1", content_hash="a", quote=_QUOTE, start=0, end=len(_QUOTE))}
FUNCTIONS: dict[str, Callable[[str], object]] = {
    "passages": lambda text: passages.split(normalise_text(text)),
    "sentences": passages.sentences,
    "numbers": numbers.quantities,
    "plain": lambda text: to_markdown([Paragraph((Text(text),))]),
    "quote in": lambda text: quote_location.locate("what a long quote of it", text),
    "quote of": lambda text: quote_location.locate(f"{text}q", f"{text}p"),
    "names": names,
    "support by": lambda text: support.check_support(
        "In 2020 John Smith was not the king of Spain.", [text], [text[:300]]
    ),
    "support of": lambda text: support.check_support(text, [_QUOTE], ["a"]),
    "exempt": lambda text: non_claims.claims_nothing(text, cites=False, evidence=text),
    "draft written": lambda text: to_markdown(read_draft(text)),
    "finished": lambda text: to_markdown(read_markdown(text)),
    "statements": passages.statements,
    "wraps of Chinese": wrapped_lines.without_chinese_wraps,
    "fingerprint": copies.fingerprint,
    "report": lambda text: check_citations(text, _EXCERPTS, titles={"a": "A title"}),
    "window": lambda text: units.best_window(text, "who was the king of Spain in 2020?", 300),
    "tokens": tokens.tokens,
    "thinking": reasoning_tags.split_thinking,
    "answer": lambda text: structured_output.parse(text, Code),
    "calls": structured_calls.read_structured,
    "chosen": lambda text: conversation.chosen_question(text, None),
    "dollars": formulas.with_dollars,
    "clauses": questions.clauses_of,
    "kind of answer": questions.answer_type,
    "names of a question": questions.names_in,
    "persons": questions.persons_in,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.timeout(600)
@pytest.mark.filterwarnings(
    "ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning"
)  # an interruption, see there
def test_hostile_texts_take_linear_time(name: str) -> None:
    slow = [
        f"{text[:20]}…"
        for short, text in zip(_texts(SIZE // FIRST), _texts(SIZE), strict=True)
        if _takes_long(name, short, SECONDS / FIRST**2) and _takes_long(name, text, SECONDS)
    ]
    assert slow == []


def _texts(size: int) -> list[str]:
    cells = size // 20
    return [
        *(unit * (size // len(unit)) + "x" for unit in _UNITS),
        "".join("`" * count + " " for count in range(1, math.isqrt(5 * size))),
        "|" + "a|" * cells + "\n|" + "-|" * cells + "\n" + ("|" + "1|" * 5 + "\n") * cells,
    ]


def _takes_long(name: str, text: str, seconds: float) -> bool:
    try:
        with processor_time(seconds), contextlib.suppress(ValueError):  # what cannot be read is said
            FUNCTIONS[name](text)
    except ProcessorTimeExceeded:
        return True
    return False
