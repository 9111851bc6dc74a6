"""Whether a sentence holds the kind of answer that a question wants, and not only what the question says itself."""

import re
from collections.abc import Callable, Sequence

from services.text.measures import measures
from services.text.numbers import quantities
from services.text.questions import AnswerType, names_in, persons_in
from services.text.terms import terms
from services.text.tokens import has_cjk

STRICT: frozenset[AnswerType] = frozenset(["number", "date", "place", "person"])
"""Kinds that can be recognised in a sentence."""
FITS = 0.6
"""Fit from which a sentence holds the kind of answer."""
_PARTLY = 0.4
ONE_MEASURE = 0.8
"""Fit, less a tenth, of a sentence with one measure of the kind that is wanted: one that tells of a measurement has several."""
SOON = 3
"""Words after a number among which stands what it counts."""
_DATE = re.compile(
    r"(?<!\d)(?:1\d{3}|20\d\d)(?!\d)|\b\d{1,2}(?:st|nd|rd|th) century\b|\d{1,4}年|世纪|(?<!\d)\d++\s?(?:BC|AD)\b|[一二三四五六七八九〇零]{2,4}年"
)
_MONTH = re.compile(r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b|月")
_PLACE = re.compile(
    r"\b(?:in|at|from|near|of|to|off|on|into|through|between)\s+(?:the\s+)?[A-Z]|位于|地处|坐落|[省市县区国州岛海湾镇村山洲河湖]"
)
_SMALL = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|once|twice|half)\b|[一二两三四五六七八九十]",
    re.I,
)
_COUNTED = re.compile(r"\bhow many ((?:(?!\b(?:did|do|does|was|were|are|is|has|have|had|can)\b)[\w-]+ ?){1,3})", re.I)
_DEFINES = re.compile(r"\b(?:is|are|was|were|means|refers to|called|known as)\b|是|指|称为|即|叫", re.I)
_UNITS: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = (
    (re.compile(r"\b(?:percentage|proportion|share)\b|比例|百分|占比|率|几成", re.I), frozenset(["percent"])),
    (re.compile(r"\bhow (?:deep|tall|high|far|wide)\b|\b(?:depth|height|distance|width)\b|多[高深远宽]|[深高]度|距离", re.I), frozenset(["length"])),
    (re.compile(r"\bhow long\b.{0,80}\b(?:take|took|last|lasted|spend)\b|\bhow old\b|多久|多长时间|几岁|年龄", re.I), frozenset(["time"])),
    (re.compile(r"\bhow (?:long|fast)\b|多[长快]", re.I), frozenset(["time", "length", "speed"])),
    (re.compile(r"\bhow (?:heavy|much .{0,60}weigh)\b|\bweight\b|多重|重量", re.I), frozenset(["mass"])),
    (re.compile(r"\b(?:cost|price|how much money)\b|多少钱|价格|费用|金额", re.I), frozenset("$€£¥")),
)  # fmt: skip
"""Questions that want a measure, and what it measures."""


def fit(question: str, kind: AnswerType, sentence: str) -> float:
    """Tell from 0 to 1 how well a sentence could hold an answer of a kind."""
    holds: dict[AnswerType, Callable[[str, str], float]] = {
        "number": _number,
        "date": _date,
        "person": _person,
        "place": _place,
        "definition": _definition,
    }
    return holds[kind](question, sentence) if kind in holds else 1.0


def _date(question: str, sentence: str) -> float:
    asked = set(_DATE.findall(question))
    if any(date not in asked for date in _DATE.findall(sentence)):
        return 1.0
    return FITS if _MONTH.search(sentence) and not _MONTH.search(question) else 0.0


def _number(question: str, sentence: str) -> float:
    asked = {quantity.text for quantity in quantities(question)}
    fresh = [quantity for quantity in quantities(sentence) if quantity.text not in asked]
    measured = [measure for measure in measures(sentence) if measure.text not in asked]
    for pattern, kinds in _UNITS:
        if pattern.search(question):
            fitting = sum(measure.kind in kinds for measure in measured)
            return min(1.0, ONE_MEASURE + fitting / 10) if fitting else _PARTLY * bool(fresh)
    counted = _COUNTED.search(question)
    if counted is not None and not has_cjk(sentence):
        small = _SMALL.findall(sentence)
        return _counts(terms(counted.group(1))[-1:], [*(quantity.text for quantity in fresh), *small], sentence)
    if not fresh:
        return FITS if _SMALL.search(sentence) else 0.0
    return 1.0 if measured or any(quantity.kind == "percent" for quantity in fresh) else _PARTLY


def _counts(wanted: Sequence[str], numbers: Sequence[str], sentence: str) -> float:
    """Tell whether one of the numbers of a sentence counts the things that are asked for: these stand soon after it."""
    after = (terms(" ".join(sentence.partition(number)[2].split()[:SOON])) for number in numbers)
    if any(set(wanted) & set(words) for words in after):
        return 1.0
    return _PARTLY * bool(numbers)


def _person(question: str, sentence: str) -> float:
    asked = set(terms(question))
    if any(not asked & set(terms(person)) for person in persons_in(sentence)):
        return 1.0
    if has_cjk(sentence):
        return FITS
    return FITS + 0.1 if _fresh_names(asked, sentence) else 0.0


def _place(question: str, sentence: str) -> float:
    if not _PLACE.search(sentence):
        return 0.0
    return 1.0 if has_cjk(sentence) or _fresh_names(set(terms(question)), sentence) else _PARTLY


def _fresh_names(asked: set[str], sentence: str) -> list[str]:
    return [name for name in names_in(sentence) if not asked & set(terms(name)) and not _MONTH.fullmatch(name)]


def _definition(question: str, sentence: str) -> float:
    topic = next(iter(terms(question)), "")
    defined = _DEFINES.search(sentence)
    if defined is None or topic not in terms(sentence):
        return _PARTLY / 2
    return 1.0 if topic in terms(sentence[: defined.start()]) else _PARTLY
