"""What the statements of a report are held against: its excerpts with the cards of their sources, and which of their numbers prove nothing."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from schemas.evidence import EXCERPT_ID, Excerpt, Source
from services.check.numbers import proving
from services.check.verdict import Verdict
from services.evidence.non_claims import SMALL_NUMBER
from services.reports.checking.code_citations import holds_sentence
from services.reports.document import letters
from services.text.held_numbers import is_held, missing_of, missing_quantities
from services.text.names import missing_names
from services.text.numbers import Quantity, quantities

_DIAGRAM_LABEL = re.compile(r"[\[({|\"]([^\[\](){}|\"\n]{2,200})[\])}|\"]")
_EXCERPT = re.compile(rf"\b{EXCERPT_ID}\b")
_DIGITS = re.compile(r"\d++(?>(?:[.,]\d++)*)")


def lines_of(text: str) -> frozenset[str]:
    """Return the lines that hold anything, with one blank between words."""
    return frozenset(" ".join(line.split()) for line in text.splitlines() if line.strip())


@dataclass(frozen=True)
class CitableEvidence:
    """All that a report may cite."""

    excerpts: Mapping[str, Excerpt]
    """By id."""
    sources: Mapping[str, Source] = field(default_factory=dict)
    """By content hash."""
    question: str = ""

    @cached_property
    def known(self) -> str:
        """All quotes that may prove a number."""
        return "\n".join(map(self._proof, self.excerpts.values()))

    @cached_property
    def lines(self) -> frozenset[str]:
        """Their lines."""
        return lines_of(self.known)

    @cached_property
    def source_names(self) -> frozenset[str]:
        """The letters of the sources' titles, each alone and with the sections of its quotes."""
        titles = {key: source.card.heading for key, source in self.sources.items()}
        cited = (excerpt for excerpt in self.excerpts.values() if titles.get(excerpt.content_hash))
        named = (f"{titles[excerpt.content_hash]}{excerpt.section}" for excerpt in cited)
        return frozenset(letters(name).lower() for name in [*titles.values(), *named]) - {""}

    @cached_property
    def _everything(self) -> list[str]:
        """All evidence with the question, the titles, and the sections of quotes."""
        sections = dict.fromkeys(excerpt.section for excerpt in self.excerpts.values())
        cards = (source.card.evidence for source in self.sources.values())
        return [*map(self._proof, self.excerpts.values()), self.question, *cards, *sections]

    @cached_property
    def _anywhere(self) -> str:
        return "\n".join(self._everything)

    @cached_property
    def _numbers(self) -> list[Quantity]:
        return [quantity for text in self._everything for quantity in quantities(text)]

    @cached_property
    def _digits(self) -> frozenset[str]:
        return frozenset(_DIGITS.findall(self._anywhere))

    def of(self, ids: Iterable[str]) -> tuple[list[str], list[str], list[str]]:
        """Return the quotes of excerpts without the numbers that no source gives, the cards of their sources, and the quotes with such numbers.

        Ids without an excerpt are left out.
        """
        cited = (self.excerpts[key] for key in ids if key in self.excerpts)
        known = [(excerpt.headed_quote, self.sources.get(excerpt.content_hash)) for excerpt in cited]
        quotes = [proving(quote, source) for quote, source in known]
        cards = [source.card.evidence for _, source in known if source]
        return quotes, cards, [quote for quote, source in known if source and source.without_input]

    def untraced_numbers(self, words: str, ids: Sequence[str]) -> list[str]:
        """Return the numbers of a statement that only cited computations give, and these from no source: no rewording would help."""
        quotes, cards, untraced = self.of(ids)
        absent = missing_quantities(words, [*quotes, *cards]) if untraced else []
        return [number for number in absent if not missing_quantities(number, untraced)]

    def typed_numbers(self, words: str, ids: Sequence[str]) -> tuple[str, ...]:
        """Return the numbers of a statement that the cited programs print as they stand in them."""
        sources = (self.sources.get(self.excerpts[key].content_hash) for key in ids)
        typed = [quantity for source in sources if source for number in source.typed for quantity in quantities(number)]
        return tuple(quantity.text for quantity in quantities(words) if is_held(quantity, typed)) if typed else ()

    def quotes(self, words: str, ids: Sequence[str]) -> bool:
        """Tell whether a sentence is a whole sentence, line or cell of a cited quote, not only a part of one, and has no number that is only typed."""
        cited = (self.excerpts[key] for key in ids)
        return any(holds_sentence(self._proof(excerpt), words) for excerpt in cited) and not self.typed_numbers(
            words, ids
        )

    def nowhere(self, text: str, *, is_diagram: bool = False) -> Verdict:
        """Return the verdict on a heading, a formula or code: its numbers, and the names in the labels of a diagram, must stand somewhere."""
        missing = missing_of(quantities(_EXCERPT.sub("", text)), self._numbers)
        numbers = [each for each in missing if each not in self._digits and not SMALL_NUMBER.fullmatch(each)]
        if numbers:
            return Verdict("numbers", tuple(numbers))
        labels = _DIAGRAM_LABEL.findall(text) if is_diagram else []
        strangers = missing_names(" | ".join(labels), self._anywhere) if labels else []
        return Verdict("names", tuple(strangers)) if strangers else Verdict()

    def _proof(self, excerpt: Excerpt) -> str:
        return proving(excerpt.quote, self.sources.get(excerpt.content_hash))
