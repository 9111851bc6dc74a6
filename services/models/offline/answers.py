"""What kind of answer a question wants, and whether a sentence holds one."""

import re
from collections.abc import Sequence
from typing import Literal

from services.evidence.numbers import Quantity, quantities
from services.models.offline.language import names_in, persons_in
from services.models.offline.terms import terms

AnswerType = Literal["person", "date", "place", "number", "reason", "manner", "yes_no", "definition", "thing"]

_TYPES: tuple[tuple[AnswerType, re.Pattern[str]], ...] = (
    (
        "reason",
        re.compile(
            r"\bwhy\b|\bwhat (?:was|is|were|are) the (?:reasons?|causes?)\b|\bwhat causes?\b|为什么|为何|原因|何以",
            re.I,
        ),
    ),
    (
        "number",
        re.compile(
            r"\bhow (?:many|much|deep|tall|high|long|far|fast|old|large|big|heavy|wide|often|thick|strong|accurate)\b|"
            r"\bwhat (?:is|was|are|were|'s) (?:the |its |their )?(?:\w+ ){0,3}(?:number|percentage|share|rate|depth|height|length|width|"
            r"weight|distance|speed|population|area|cost|price|temperature|total|average|age|dose|amount|size)\b|"
            r"\bwhat (?:percentage|share|proportion|fraction)\b|"
            r"多少|几[个次种位人天岁艘座项名]|多[大高深长远久宽重快]|比例|百分之|占比|率(?:是|为|达|有)?多|几成",
            re.I,
        ),
    ),
    (
        "date",
        re.compile(
            r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|decade|century)\b|\bhow long ago\b|"
            r"何时|什么时候|什么时间|哪一?年|哪几年|几几年|几[年月]|哪天|哪个世纪|哪一天|年份",
            re.I,
        ),
    ),
    (
        "place",
        re.compile(
            r"\bwhere\b|\b(?:what|which) (?:city|country|state|place|town|county|region|island|continent|province|village|district)\b|"
            r"哪里|何处|哪儿|什么地方|哪个(?:国家|城市|省|地区|地方|县|州|岛)|哪国|位于哪",
            re.I,
        ),
    ),
    (
        "person",
        re.compile(
            r"\bwho\b|\bwhom\b|\bwhose\b|\b(?:what|which) (?:person|man|woman|actor|actress|author|director|engineer|inventor|scientist|"
            r"singer|writer|king|president)\b|谁|哪位|何人|什么人|哪个人",
            re.I,
        ),
    ),
    ("manner", re.compile(r"\bhow\b|怎么|如何|怎样", re.I)),
    (
        "yes_no",
        re.compile(
            r"^(?:and |but |so )?(?:is|are|was|were|did|does|do|can|could|has|have|had|should|will|would|may)\b|吗[？?]?$|是否|能否|"
            r"是不是|能不能|可不可以|有没有|会不会",
            re.I,
        ),
    ),
    ("definition", re.compile(r"^what (?:is|are|was|were) (?:an? |the )?[^,]{2,40}\?*$|什么是|是什么", re.I)),
)
_WHO = re.compile(
    r"^(?:[Aa]nd |[Bb]ut |[Ss]o )?[Ww]ho (?:is|was|are|were) (?:[A-Z][\w.'’-]*\s?){1,4}\??$|^[^的，,谁]{2,10}(?<![者人家员长])是(?:谁|什么人)[？?]?$"
)
"""A question for who somebody is that it names: what is wanted is said of them, not another person."""
_DATE = re.compile(
    r"\b1\d{3}\b|\b20\d\d\b|\b\d{1,2}(?:st|nd|rd|th)? (?:century|January|February|March|April|May|June|July|August|September|"
    r"October|November|December)\b|\d{1,4}年|\d{1,2}世纪|(?<!\d)\d++\s?(?:BC|AD)\b|[一二三四五六七八九十〇零]{2,4}年"
)
_BECAUSE = re.compile(
    r"\b(?:because|since|due to|owing to|as a result|therefore|thus|so that|in order to|caused? by|the reason|led to|to (?:avoid|prevent|"
    r"protect|reduce|keep)|result(?:s|ed) (?:in|from))\b|因为|由于|因此|所以|以便|为了|原因|导致|使得|从而|是因|缘于|引起",
    re.I,
)
_BY_MEANS = re.compile(
    r"\b(?:by|with|using|through|via|means of|so that|first|then)\b|通过|利用|采用|使用|借助|用|以|首先|步骤|方法", re.I
)
_PLACE = re.compile(
    r"\b(?:in|at|from|near|of|to|off|on)\s+(?:the\s+)?[A-Z]|省|市|县|区|国|州|岛|位于|地处|坐落|出生于|海|湾|镇|村|山"
)
OPENING = 40
"""Characters in which a definition names what it defines."""
_NAMES = re.compile(r"\b(?:known as|called|named)\b|称为|叫做?|简称|俗称", re.I)
_DEFINES = re.compile(r"\b(?:is|are|was|were|means|refers to|called|known as)\b|是|指|称为|即|叫做?|定义", re.I)
UNITS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        re.compile(r"how long\b.{0,200}?\b(?:take|took|taken|last|lasted|need|spend|spent)\b|多久|多长时间|持续", re.I),
        re.compile(r"(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?)\b|年|月|周|天|日|小时|分钟|秒", re.I),
    ),
    (
        re.compile(
            r"\b(?:deep(?!-)|depth|tall|high|height|far|distance|wide|width|length|thick)\b|多[高深远宽长]|深度|高度|距离|长度",
            re.I,
        ),
        re.compile(
            r"(?<!cubic )(?<!square )(?<![a-z])(?:(?:centi|milli|kilo)?met(?:re|er)s?|fathoms?|feet|foot|ft|miles?|km|inch(?:es)?|yards?|leagues?|mm|cm)\b|\d\s?m\b|米|英尺|公里|英里|里|厘米|毫米|尺",
            re.I,
        ),
    ),
    (
        re.compile(r"percent|proportion|share|\brate\b|比例|百分|率|占比|几成", re.I),
        re.compile(r"%|％|per ?cent|百分之|成", re.I),
    ),
    (
        re.compile(r"how long\b", re.I),
        re.compile(
            r"(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|met(?:re|er)s?|miles?|km|feet)\b|年|月|周|天|日|小时|分钟|秒|米|公里",
            re.I,
        ),
    ),
    (re.compile(r"how old\b|\bage\b|多大年纪|几岁|年龄", re.I), re.compile(r"years?|aged?\b|岁", re.I)),
    (
        re.compile(r"\bcost|price|\bpaid?\b|how much money|多少钱|价格|[房票售单]价|费用|金额", re.I),
        re.compile(r"[$£€¥]|dollars?|pounds?|元|美元|英镑|万|亿", re.I),
    ),
    (
        re.compile(r"heavy|weigh|有多重|多重[？?]?$|重量|几斤", re.I),
        re.compile(r"pounds?|lbs?|kg|kilo|tons?|tonnes?|grams?|公斤|千克|吨|克", re.I),
    ),
    (
        re.compile(r"fast|speed|速度|多快", re.I),
        re.compile(r"per (?:second|hour|minute)|km/h|mph|knots?|m/s|每秒|每小时|节", re.I),
    ),
)


def answer_type(question: str) -> AnswerType:
    """Return the kind of answer that a question wants."""
    question = question.strip()
    if _WHO.search(question):
        return "definition"
    for kind, pattern in _TYPES:
        if pattern.search(question):
            return kind
    return "thing"


def fit(question: str, kind: AnswerType, sentence: str) -> float:
    """Tell from 0 to 1 how well a sentence could hold an answer of a kind; what the question says itself is no answer."""
    if kind == "number":
        return _number_fit(question, sentence)
    if kind == "date":
        asked = set(_DATE.findall(question))
        return 1.0 if any(date not in asked for date in _DATE.findall(sentence)) else 0.0
    if kind == "person":
        return _person_fit(question, sentence)
    if kind == "place":
        return 1.0 if _PLACE.search(sentence) else 0.0
    if kind == "reason":
        return 1.0 if _BECAUSE.search(sentence) else 0.3
    if kind == "manner":
        return 1.0 if _BY_MEANS.search(sentence) else 0.4
    if kind == "definition":
        return _definition_fit(question, sentence)
    return 0.5


_COUNTED = re.compile(r"\bhow many ((?:(?!\b(?:did|do|does|was|were|are|is|has|have|had|can)\b)[\w-]+ ){1,3})", re.I)
"""What is counted."""
_SMALL = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|once|twice)\b|[一二两三四五六七八九十]", re.I
)


def _number_fit(question: str, sentence: str) -> float:
    asked = {one.text for one in quantities(question)}
    fresh = [one for one in quantities(sentence) if one.text not in asked]
    small = _SMALL.search(sentence)
    if not fresh and not small:
        return 0.0
    for wanted, unit in UNITS:
        if wanted.search(question):
            return 1.0 if unit.search(sentence) else 0.3
    counted = _COUNTED.search(question)
    if counted is not None:
        return _counted_fit(terms(counted.group(1)), fresh, sentence)
    only_years = fresh and all(
        one.value == int(one.value) and 1000 <= one.value <= 2100 and "," not in one.text for one in fresh
    )
    return 0.3 if only_years and not small else 0.9 if fresh else 0.6


def _counted_fit(counted: Sequence[str], fresh: Sequence[Quantity], sentence: str) -> float:
    """Tell how well a sentence counts things: whether a number stands before their name, beside other words, or nowhere."""
    if not set(counted) & set(terms(sentence)):
        return 0.4
    for one in [*(quantity.text for quantity in fresh), *_SMALL.findall(sentence)]:
        after = sentence.partition(one)[2].split()[:4]
        if counted and counted[-1] in terms(" ".join(after)):
            return 1.0
    return 0.5


def _definition_fit(question: str, sentence: str) -> float:
    topic = next(iter(terms(question)), "")
    if topic not in terms(sentence):
        return 0.2
    opens = topic in terms(sentence[:OPENING]) and _DEFINES.search(sentence)
    return 1.0 if opens or _NAMES.search(sentence) else 0.4


def _person_fit(question: str, sentence: str) -> float:
    asked = set(terms(question))
    fresh = [name for name in names_in(sentence) if (words := terms(name)) and not asked.intersection(words)]
    persons = persons_in(sentence)
    if any(name in persons for name in fresh) or any(one not in question for one in persons):
        return 1.0
    doers = [
        name
        for name in fresh
        if not re.search(rf"\b(?:[Tt]he|[Ii]n|[Aa]t|[Oo]f|[Ff]rom|[Oo]n|[Tt]o) {re.escape(name)}", sentence)
    ]
    if doers:
        return 0.8
    return 0.6 if re.search(r"[\u4e00-\u9fff]", sentence) else 0.4 if fresh else 0.0
