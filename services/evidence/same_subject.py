"""Whether two sentences speak of one thing: no other name, and no other word in the same place.

Who says something (`according to the Harbour Office`) is not what it is about, and is left out of the comparison.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from services.evidence.period_binding import Period
from services.evidence.readings import Number, Reading, read
from services.text.measures import unit_of
from services.text.names import names
from services.text.numbers import quantities_with_places
from services.text.tokens import CJK_STOP, STOP_WORDS, has_cjk, pieces, stem

MAX_WORDS = 120
"""Words, or Chinese characters, of a sentence that are aligned with those of another."""
_LONGEST_UNIT = 20
"""Characters of the longest name of a unit, with the space before it."""
_NUMBER = "#"
"""Stands for the number that two sentences are compared for."""
_LINKING = frozenset(
    stem(word)
    for word in "amount amounted total totalled totaled reach reached stand stands stood come comes came equal equals".split()
) | frozenset("达共计约合")
"""Words that lead from what is measured to its number, and say nothing of it."""
_SAID_BY = re.compile(
    r"\baccording to [^,;.]{1,80}|"
    r"^[^,;.]{1,60}?\b(?:said|says?|reported|reports?|found|finds?|estimated?|estimates|stated?|states|noted?|notes|showed|shows?) that\b|"
    r"^[^,;.]{1,60}?\b(?:measured|puts?|estimated|estimates)\b(?=[^,;.]{1,60}\bat\b)|"
    r"(?<=, )[^,;.]{1,60}\b(?:said|says|reported|reports|estimated|estimates)\.?$|"
    r"据[^，。；：,:]{0,30}[，：,:]|"
    r"^[^，。；]{1,20}?(?:表示|指出|报道|显示|认为|发现|称)[，：,:]?",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"[,，;；—]|\s(?:and|but|while|whereas|although|though|which|who|because|since|unlike)\b", re.IGNORECASE
)
"""Where the clause of a number ends."""
_CLAUSE = re.compile(r"[;；]")


@dataclass(frozen=True, eq=False)
class Subject:
    """A sentence with what may stand outside of it and still says what it is about."""

    text: str
    title: str
    """Of its source, which often names what the sentence calls `it`."""
    before: "Subject | None" = None
    """The sentence before it."""

    @cached_property
    def reading(self) -> Reading:
        """Its numbers, periods and clauses."""
        return read(self.text)

    @cached_property
    def periods(self) -> frozenset[Period]:
        """Its periods; where it names none, those of the sentence before."""
        return self.reading.periods or (self.before.periods if self.before else frozenset())

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names that it holds besides those of who says it; where there are none, those of the sentence before."""
        own = tuple(names(_without_speaker(self.text)))
        return own or (self.before.names if self.before else ())

    def periods_of(self, number: Number) -> frozenset[Period]:
        """Return the periods of a number of it; those of the sentence where its clause names none."""
        return number.periods or self.periods

    def words(self, number: Number | None = None, without: Collection[str] = ()) -> list[str]:
        """Return what it says in order, without numbers, dates, units and small words.

        Args:
            number: of its reading; its place is marked, and what follows its clause is left out.
            without: words, as written, that are left out.
        """
        text, placed = quantities_with_places(self.text)
        text = _without_speaker(text)
        first, last = 0, len(text)
        if number is not None:
            end = next((end for start, end, _ in placed if start == number.place), number.place)
            first = max((cut.end() for cut in _CLAUSE.finditer(text, 0, number.place)), default=0)
            last = after.start() if (after := _AFTER.search(text, end)) else len(text)
        found: list[str] = []
        place = first
        for start, end, _ in [*placed, (last, last, None)]:
            if start < place or start > last:
                continue
            found += _words(text[place:start], without)
            if number is not None and start == number.place:
                found.append(_NUMBER)
            place = _past_unit(text, end)
        if number is not None:
            found = [word for word in found if word not in _LINKING]
        return found[:MAX_WORDS]

    @cached_property
    def around(self) -> str:
        """The sentence, its title and the names that it takes over, in lower case."""
        return " ".join((self.title, self.text, *self.names)).lower()

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The words that it and its title hold."""
        return frozenset(_words(self.around))

    def holds(self, words: Sequence[str]) -> bool:
        """Tell whether it or its title has all of some words, Chinese ones side by side."""
        run = "".join(word for word in words if has_cjk(word))
        squeezed = "".join(word for word in _words(self.around) if has_cjk(word))
        return run in squeezed and self.vocabulary.issuperset(word for word in words if not has_cjk(word))


def same_subject(
    former: Subject,
    other: Subject,
    numbers: tuple[Number, Number] | None = None,
    without: Collection[str] = (),
) -> bool:
    """Tell whether two sentences may speak of one thing; those in two languages may.

    Args:
        former: a sentence.
        other: a sentence of another source.
        numbers: one of each, for which they are compared.
        without: words, as written, in which they may differ.
    """
    if has_cjk(former.text) != has_cjk(other.text):
        return True
    if _strange_names(former, other) and _strange_names(other, former):
        return False
    left = former.words(numbers[0] if numbers else None, without)
    right = other.words(numbers[1] if numbers else None, without)
    aligned = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    return not any(
        kind == "replace"
        and not other.holds(_stretch(left, start, end))
        and not former.holds(_stretch(right, first, last))
        for kind, start, end, first, last in aligned
    )


def _stretch(words: list[str], start: int, end: int) -> list[str]:
    """Return the words of a stretch; a lone Chinese character with its neighbour, as it stands in many words."""
    if end - start == 1 and has_cjk(words[start]):
        start, end = (start, end + 1) if end < len(words) and has_cjk(words[end]) else (max(0, start - 1), end)
    return [word for word in words[start:end] if word != _NUMBER]


def _strange_names(former: Subject, other: Subject) -> bool:
    """Tell whether a sentence has a name that the other, and its title, do not have."""
    return any(not other.holds(_words(name)) for name in former.names)


def _without_speaker(text: str) -> str:
    """Blank who says what a sentence says, each character for one."""
    return _SAID_BY.sub(lambda found: " " * len(found.group()), text)


def _past_unit(text: str, end: int) -> int:
    """Return the place after the unit that stands at a place, which says nothing of what is measured."""
    unit = unit_of(text, end)
    if unit is None:
        return end
    for size in range(1, _LONGEST_UNIT + 1):
        inside_word = re.match(r"[A-Za-z]{2}", text[end + size - 1 : end + size + 1])
        if not inside_word and unit_of("1" + text[end : end + size], 1) == unit:
            return end + size
    return end


def _words(text: str, without: Collection[str] = ()) -> list[str]:
    found: list[str] = []
    for word in without:
        text = text.replace(word, " ")
    for piece in pieces(text):
        if has_cjk(piece):
            found += [char for char in piece if char not in CJK_STOP]
        elif not piece[0].isdigit() and piece not in STOP_WORDS:
            found.append(stem(piece))
    return found
