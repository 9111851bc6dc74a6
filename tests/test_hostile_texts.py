"""Functions that read text from outside take linear time on hostile texts, whatever patterns and parsers they use."""

import contextlib
import signal
from collections.abc import Callable, Iterator
from types import FrameType

import pytest

from schemas.coder import Code
from schemas.evidence import Excerpt
from services import conversation
from services.evidence import citations, duplicates, exempt, locate, numbers, passages, plain, prose, quoting, support
from services.models import dialects, thinking
from services.models.offline import language
from services.normal_form import normalise_text
from services.reports import inlines
from services.search import tokens
from services.tools import structured

SIZE = 100_000
SECONDS = 15.0
"""Of processor time for the slowest: checking a report of 100,000 characters sentence by sentence. What is quadratic takes minutes."""
_UNITS = (
    " ", "\n ", "E1-1 ", "# a\n", ".", ". ", "1,", "1.", "[", "[a](", "(", "<", "> ", "- a\n", "*a ", "**a* ", "_a ", "```\n", "|",
    "|1|2|\n", "$", "\\", "\\[", "&#", "http://", "<think>", "“", '"', "\u0301\u0323", "三点", "two hundred and ", "Aa ", "A-",
    "a and ", "—", "{", '{"a":', "a", "ab cd ", "中。", "2020年", "![", "[[1]](", "，", "there is no ",
)  # fmt: skip
TEXTS = [
    *(unit * (SIZE // len(unit)) + "x" for unit in _UNITS),
    "".join("`" * count + " " for count in range(1, 440)),
    "|" + "a|" * 2_000 + "\n|" + "-|" * 2_000 + "\n" + ("|" + "1|" * 5 + "\n") * 2_000,
]
_QUOTE = "The king of Spain was here in 2020."
_EXCERPTS = {"E1-1": Excerpt(id="E1-1", source_id="a", quote=_QUOTE, start=0, end=len(_QUOTE))}
FUNCTIONS: dict[str, Callable[[str], object]] = {
    "normalise": normalise_text,
    "passages": lambda text: passages.split(normalise_text(text)),
    "sentences": passages.sentences,
    "numbers": numbers.quantities,
    "plain": plain.plain,
    "quote in": lambda text: locate.locate("what a long quote of it", text),
    "quote of": lambda text: locate.locate(f"{text}q", f"{text}p"),
    "names": support.names,
    "support by": lambda text: support.check_support(
        "In 2020 John Smith was not the king of Spain.", [text], [text[:300]]
    ),
    "support of": lambda text: support.check_support(text, [_QUOTE], ["a"]),
    "exempt": lambda text: exempt.claims_nothing(text, cites=False, evidence=text),
    "marks": lambda text: prose.without_marks(prose.with_marks(text)),
    "harmless": lambda text: prose.harmless(text, prose.Shelter(), ""),
    "inert": prose.inert,
    "lines": prose.lines_of,
    "prose sentences": prose.sentences_of,
    "words": lambda text: prose.words_of(text, prose.Shelter()),
    "formulas": lambda text: prose.Shelter().formulas(text),
    "inline": prose.kept_inline,
    "fingerprint": duplicates.fingerprint,
    "report": lambda text: citations.check_citations(text, _EXCERPTS, titles={"a": "A title"}),
    "window": lambda text: quoting.best_window(text, "who was the king of Spain in 2020?", 300),
    "tokens": tokens.tokens,
    "thinking": thinking.without_thinking,
    "answer": lambda text: dialects.parse(text, Code),
    "calls": structured.read_structured,
    "chosen": lambda text: conversation.chosen_question(text, None),
    "dollars": inlines.with_dollars,
    "clauses": language.clauses_of,
    "compared": language.compared_in,
    "need": language.need_of,
}


class _TooLong(Exception):
    pass


def _interrupt(_: int, __: FrameType | None) -> None:
    raise _TooLong


@pytest.fixture
def interrupted() -> Iterator[None]:
    """Interrupt by the process's own processor time, so that a busy machine fails nothing."""
    before = signal.signal(signal.SIGPROF, _interrupt)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("interrupted")
def test_hostile_texts_take_linear_time(name: str) -> None:
    slow: list[str] = []
    for text in TEXTS:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            with contextlib.suppress(ValueError):  # what cannot be read is said
                FUNCTIONS[name](text)
        except _TooLong:
            slow.append(f"{text[:20]}…")
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    assert slow == []
