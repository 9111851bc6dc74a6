"""Rates how well a sentence holds the kind of answer that a question asks for, such as a date or a person."""

import re
from collections.abc import Callable, Sequence

from services.text.measures import Measure, measures
from services.text.numbers import quantities
from services.text.questions import SURNAME, AnswerType, names_in, persons_in
from services.text.terms import content, terms
from services.text.tokens import has_cjk

STRICT: frozenset[AnswerType] = frozenset(["number", "date", "place", "person"])
"""Kinds that can be recognised in a sentence."""
TOLD_BY_FORM: frozenset[AnswerType] = STRICT | {"reason", "definition"}
"""Answer kinds that require a certain form: a sentence without it is no answer, however well it ranks."""
FITS = 0.6
"""Minimum fit of a sentence that holds the kind of answer."""
_PARTLY = 0.4
ONE_MEASURE = 0.8
"""Fit, before a deduction of a tenth, of a sentence with one measure of the asked kind: reports of measurements have several."""
SOON = 3
"""Maximum words between a number and the noun that it counts."""
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
_REASON = re.compile(
    r"\b(?:because|since|so that|so as to|in order to|therefore|thus|hence|thereby|reasons?|caus\w+|due to|owing to|thanks to|led to|to avoid|"
    r"result\w*|that is why|for fear|prevent\w*|allow\w*|enabl\w+|as a consequence)\b|, so\b|\bfor (?:want|lack) of\b"
    r"|因为|因此|所以|由于|原因|导致|从而|以便|为了|使得?|因而|于是|理由|目的|缘故",
    re.IGNORECASE,
)
_AGENT = re.compile(
    r"\bby (?:the )?(?:\w+ ){0,2}?[A-Z][\w’'-]+|(?<![\w’'-])[A-Z][\w’'-]++ (?:(?:later|first|then|also|once|soon|never|again|himself|herself) )?"
    r"(?:is|was|were|had|has|wrote|found|led|made|took|became|began|went|gave|saw|built|won|lost|said|came|left|died|sent|held|ran|drew|"
    r"brought|thought|knew|told|kept|got|[a-z]{2,}ed)\b"
)
"""A name as the subject of a verb, as persons and bodies are."""
_WRITES_MAIL = re.compile(r"\bby [\w.-]{2,40} <{1,2}[\w.+-]{1,60}@")
"""An author's name before its e-mail address, in lower case as in account names."""
_WHO_DOES = re.compile(r"谁(?:来|去|曾|首先|最早|最先|第一个)?(?P<verb>[\u4e00-\u9fff]{1,2}?)(?:[了过的着]|$|[\W_])")
_ACTS = re.compile(
    rf"[人民众者员师家王帝后公子女会局部院校府队司厂社团]$|(?:^|[\W与和]){SURNAME}[\u4e00-\u9fff]{{1,2}}$|·[\u4e00-\u9fff]{{1,6}}$"
)
"""Endings of words that stand before a verb and name its subject: a person or a body."""
_DEFINES = re.compile(
    r"\b(?:is|are|was|were|means|refers to)\b|(?<![不还就但可只也都总])是(?!否|不)|指(?!南|标|导|引|出|数)|称为|即(?!使|便)|叫",
    re.I,
)
_UNITS: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = (
    (re.compile(r"\b(?:percentage|proportion|share)\b|比例|百分|占比|率|几成", re.I), frozenset(["percent"])),
    (re.compile(r"\bhow (?:deep|tall|high|far|wide)\b|\b(?:depth|height|distance|width)\b|多[高深远宽]|[深高]度|距离", re.I), frozenset(["length"])),
    (re.compile(r"\bhow long\b.{0,80}\b(?:take|took|last|lasted|spend)\b|\bhow old\b|多久|多长时间|几岁|年龄", re.I), frozenset(["time"])),
    (re.compile(r"\bhow (?:long|fast)\b|多[长快]", re.I), frozenset(["time", "length", "speed"])),
    (re.compile(r"\bhow (?:heavy|much .{0,60}weigh)\b|\bweight\b|多重|重量", re.I), frozenset(["mass"])),
    (re.compile(r"\b(?:cost|price|how much money)\b|多少钱|价格|费用|金额", re.I), frozenset("$€£¥")),
)  # fmt: skip
"""Patterns of questions for a measure, with the kinds of measures that answer them."""


def fit(question: str, kind: AnswerType, sentence: str) -> float:
    """Return from 0 to 1 how well a sentence could hold an answer of a kind."""
    holds: dict[AnswerType, Callable[[str, str], float]] = {
        "number": _number,
        "date": _date,
        "person": _person,
        "place": _place,
        "definition": _definition,
        "reason": _reason,
    }
    return holds[kind](question, sentence) if kind in holds else 1.0


def asked_measures(question: str, sentence: str) -> list[Measure]:
    """Return the measures of a sentence of the kind that a question asks for; none if the question names no kind."""
    asked = {quantity.text for quantity in quantities(question)}
    measured = [measure for measure in measures(sentence) if measure.text not in asked]
    for pattern, kinds in _UNITS:
        if pattern.search(question):
            return [measure for measure in measured if measure.kind in kinds]
    counted = _COUNTED.search(question)
    noun = terms(counted.group(1))[-1:] if counted else ()
    return [measure for measure in measured if noun and terms(measure.kind)[:1] == noun]


def same_quantity(question: str, head: str) -> bool:
    """Tell whether a table's header names the quantity of a question in other words: `价格` for `多少钱`."""
    return any(pattern.search(question) and pattern.search(head) for pattern, _ in _UNITS)


def names_doer(question: str, sentence: str) -> bool:
    """Tell whether a sentence names the doer of the verb in a Chinese `who` question; True for other questions and languages.

    `建筑` holds the character of `谁建的`, and `建于` its verb, but neither says who built.
    """
    asked = _WHO_DOES.search(question)
    if asked is None or not has_cjk(sentence):
        return True
    verb = asked["verb"]
    form = (
        rf"{verb}(?=[了成造立起的在过一这该此，。；、]|$)(?!成?于)"
        if len(verb) == 1
        else rf"(?:{verb}|{verb[0]}(?=[办立建]))"
    )
    for clause in re.split("[，。；：、]", sentence):
        for found in re.finditer(form, clause):
            before = re.sub(
                r"(?:[便曾即所就先后]|负责|共同|主持|出资|[创兴修始捐合扩重][修建]?){1,4}$",
                "",
                clause[max(0, found.start() - 40) : found.start()],
            )
            if (
                re.search("[由被经]", before)
                or _ACTS.search(before)
                or clause[found.end() : found.end() + 1] in {"者", "人", "师", "家"}
            ):
                return True
    return False


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
    """Return 1 if a number in a sentence counts the asked things (their words follow it closely), less for another number."""
    after = (terms(" ".join(sentence.partition(number)[2].split()[:SOON])) for number in numbers)
    if any(set(wanted) & set(words) for words in after):
        return 1.0
    return _PARTLY * bool(numbers)


def _person(question: str, sentence: str) -> float:
    asked = set(terms(question))
    if any(not asked & set(terms(person)) for person in persons_in(sentence)):
        return 1.0
    if has_cjk(sentence) or _WRITES_MAIL.search(sentence):
        return FITS
    acting = " ".join(match.group() for match in _AGENT.finditer(sentence))
    return FITS + 0.1 if _fresh_names(asked, f"- {acting}") else _PARTLY * bool(_fresh_names(asked, sentence))


def _place(question: str, sentence: str) -> float:
    if not _PLACE.search(sentence):
        return 0.0
    return 1.0 if has_cjk(sentence) or _fresh_names(set(terms(question)), sentence) else _PARTLY


def _fresh_names(asked: set[str], sentence: str) -> list[str]:
    return [name for name in names_in(sentence) if not asked & set(terms(name)) and not _MONTH.fullmatch(name)]


def _reason(_question: str, sentence: str) -> float:
    return 1.0 if _REASON.search(sentence) else _PARTLY


def _definition(question: str, sentence: str) -> float:
    """Tell whether the subject of a question stands before a defining word: `a lead line is …`."""
    topic = set(content(question))
    defined = _DEFINES.search(sentence)
    if defined is None or not topic & set(terms(sentence)):
        return _PARTLY / 2
    before = set(terms(sentence[: defined.start()]))
    return 1.0 if len(topic & before) >= FITS * len(topic) else _PARTLY
