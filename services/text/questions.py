"""What a question is made of, in English and Chinese: names, clauses, and the kind of answer that it wants; and which texts may answer it."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Literal

from services.text.tokens import STOP_WORDS, has_cjk, tokens

EVERYTHING = "*"
"""The query for what is in the user's documents, whatever they are about: the beginning of each."""
_NAME = re.compile(
    r"\b[A-Z][\w’'-]*(?:(?:\s+(?:of|the|de|von|van|der|du|la|and)){0,2}\s+[A-Z][\w’'-]*)*"
    r"|《[^》]{1,40}》|[“\"「][^”\"」。！？，；]{2,40}[”\"」]"
)
_OPENERS = STOP_WORDS | frozenset("describe compare explain according while although because since".split())
_ASKING = r"what|when|where|why|how|who|which|whose"
_CLAUSE = re.compile(
    rf"[?？]\s*|[;；]\s*|,\s+(?=(?:{_ASKING})\s)"
    rf"|(?<!\bwhen)(?<!\bwhere)(?<!\bhow)(?<!\bwhy)(?<!\bwho)(?:,|(?<!\s))\s++and\s+(?=(?:in |at |on |by |for |from |to )?(?:{_ASKING})\s)"
    r"|，(?:并且?|以及|同时|又|且)?(?=.{0,200}?(?:什么|多少|哪|谁|何|几|怎|吗|如何))|以及(?=.{0,200}?(?:什么|多少|哪|谁|何|几|怎))",
    re.IGNORECASE,
)
_TOPIC = re.compile(
    rf"(?:in|on|at|for|of|with|within|under|during|among|across|about|regarding|given|considering|according to|as for)\s(?!.*?\b(?:{_ASKING})\b)",
    re.IGNORECASE,
)
"""Begins what only says what an English question is about: `In robotics, what …`."""
_CHINESE_QUESTION = re.compile(r"什么|多少|哪|谁|何|几|怎|吗|如何|是否|呢|多[大高长深远久宽重快]")
_REASON = re.compile(
    r"\bwhy\b|\bwhat (?:was|is|were|are) the (?:reason|cause)s?\b|为什么|为何|原因|何以", re.IGNORECASE
)
_FIGURE = re.compile(
    r"\bhow (?:many|much|deep|tall|high|long|far|fast|old|large|big|heavy|wide|often|thick)\b|\bwhat (?:percentage|share|proportion)\b|"
    r"\bwhat (?:is|was|are|were) (?:the |its |their )?(?:\w+ ){0,3}(?:number|percentage|share|rate|depth|height|length|width|weight|"
    r"distance|speed|population|area|cost|price|temperature|total|average|age|amount|size)\b|"
    r"多少|几[个次种位人天岁座项名]|多[大高长深远久宽重快]|比例|百分之|占比|几成|"
    r"\bwhen\b|\b(?:what|which) (?:\w+ )?(?:year|date|day|month|decade|century)\b|何时|什么时[候间]|哪一?[年天]|哪几年|几[年月]|哪个世纪|年份",
    re.IGNORECASE,
)
"""Asks for a number or a date."""
_OTHER = re.compile(
    r"\bwhere\b|\b(?:what|which) (?:city|country|state|place|town|county|region|island|continent|province|village|district)\b|"
    r"哪里|何处|哪儿|什么地方|哪座?个?(?:国家|城市|省|地区|地方|县|州|岛)|哪国|"
    r"\bwh(?:o|om|ose)\b|\b(?:what|which) (?:person|man|woman)\b|谁|哪位|何人|什么人|哪个人|\bhow\b|怎么|如何|怎样|"
    r"^(?:is|are|was|were|did|does|do|can|could|has|have|had|should|will|would)\b|吗[？?]?$|是否|能否|有没有",
    re.IGNORECASE,
)
"""Asks for a place, a person, a manner, or for yes or no."""
_WHO_IS = re.compile(
    r"^[Ww]ho (?:is|was|are|were) (?:[A-Z][\w.'’-]*\s?){1,4}\??$|^[^的，,谁]{2,10}(?<![者人家员长])是谁[？?]?$"
)
"""A question for who somebody is: what is wanted is said of them, not another person."""

SURNAME = "[王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严武戴莫孔向汤]"
"""Pattern of the commonest Chinese family names."""


@cache
def _chinese_person() -> re.Pattern[str]:
    return re.compile(
        rf"(?:由|人|者|医生|教授|院士|博士|师|校长|导演)(?P<after>{SURNAME}[\u4e00-\u9fff]{{1,2}})(?=主持|牵头|领导|负责|发|设|创|提|[，。、；（]|在|于|等|和|与)|"
        rf"(?P<before>{SURNAME}[\u4e00-\u9fff]{{1,2}})(?=团队|教授|医生|院士|博士|等人|先生|女士|主持|牵头|领导|发明|提出|创立|设计)|"
        r"(?P<foreign>[\u4e00-\u9fff]{1,8}·[\u4e00-\u9fff]{1,8})"
    )


_FORM_OF_ADDRESS = re.compile(r"^(?:(?:Sir|Dame|Lord|Lady|Dr|Prof|Professor|Mr|Mrs|Ms|Miss)\.? )+(?=\w)")
_PERSON = re.compile(r"(?:[A-Z][a-z]+\.? )?[A-Z][a-z]+(?: [A-Z]\.?)*(?: (?:de|von|van|der))*(?: [A-Z][\w’'-]+){1,2}")
_NO_PERSON = re.compile(
    r"\b(?:of|the|University|Institut\w+|College|Society|Company|Sea|Ocean|Bay|Trench|River|Island|War|North|South|East|West|New)\b"
)


def names_in(text: str) -> tuple[str, ...]:
    """Return proper names and quoted titles of a text; words that merely begin a sentence do not count."""
    names: list[str] = []
    for match in _NAME.finditer(text):
        name = match.group().strip('“”"「」《》')
        words = name.split()
        while words and words[0].lower() in _OPENERS:
            words = words[1:]
        begins = match.start() == 0 or text[max(0, match.start() - 20) : match.start()].rstrip()[-1:] in ".!?:\n"
        lone = begins and len(words) == 1 and words == name.split() and match.group() == name
        if words and not lone and len("".join(words)) > 1:
            names.append(" ".join(words))
    return tuple(dict.fromkeys(names))


def persons_in(text: str) -> tuple[str, ...]:
    """Return what looks like names of persons: Chinese by surname and the word beside it, others by their form."""
    chinese = [match.group(match.lastgroup or 0) for match in _chinese_person().finditer(text)]
    other = [name for name in names_in(text) if _PERSON.fullmatch(name) and not _NO_PERSON.search(name)]
    return tuple(dict.fromkeys([*chinese, *other]))


def without_form_of_address(name: str) -> str:
    """Return a name without `Sir`, `Dr.` and the like before it; one that is nothing else stays."""
    return _FORM_OF_ADDRESS.sub("", name)


def clauses_of(question: str) -> list[str]:
    """Split a question into its clauses that ask something of their own.

    A clause that only says what the question is about is joined to the one after it.
    """
    parts = [part.strip(" ,，。.?？") for part in _CLAUSE.split(question) if part and part.strip(" ,，。.?？")]
    chinese = has_cjk(question)
    comma = "，" if chinese else ", "
    joined: list[str] = []
    lead = ""
    for part in parts:
        lead = f"{lead}{comma}{part}" if lead else part
        if _CHINESE_QUESTION.search(part) if chinese else not _TOPIC.match(part):
            joined.append(lead)
            lead = ""
    if lead:
        joined = [*joined[:-1], f"{joined[-1]}{comma}{lead}"] if joined else [lead]
    return joined or [question]


def answer_type(question: str) -> Literal["topic", "figure", "other"]:
    """Return the kind of answer that a question wants: what is said of its topic, a number or a date, or anything else."""
    question = question.strip()
    if _WHO_IS.search(question):
        return "topic"
    if not _REASON.search(question) and _FIGURE.search(question):
        return "figure"
    return "other" if _REASON.search(question) or _OTHER.search(question) else "topic"


def is_question(text: str) -> bool:
    """Tell whether a sentence asks, or the words of a link do: it answers nothing."""
    words = text.rpartition("](")[0] if text.rstrip().endswith(")") and "](" in text else text
    return words.rstrip(" \n|*_`'\"”’」』)）]").endswith(("?", "？"))


def headline(question: str) -> str:
    """Return a question as a heading: with a capital where it begins with a common word; a name such as `zstd` keeps its own."""
    first = question.partition(" ")[0]
    return question[:1].upper() + question[1:] if first in _OPENERS or first in _ASKING.split("|") else question


NEAR = 0.4
"""Share of the best text's score that another must reach to be shown."""
HELD, HELD_CHINESE = 0.6, 0.4
"""Share of a clause's terms, by how rare they are, that a text must hold to be shown; many Chinese pairs are no words."""


def near_best(scores: Sequence[float]) -> list[int]:
    """Return the places of the scores near the best one, best first."""
    min_score = NEAR * max(scores, default=0.0)
    places = (place for place, score in enumerate(scores) if score > 0 and score >= min_score)
    return sorted(places, key=lambda place: (-scores[place], place))


def answering_places(
    question: str, held: Sequence[Sequence[str]], titles: Sequence[set[str]], min_texts: int = 0
) -> set[int]:
    """Return the texts that hold most of a clause of the question, its rare terms counting most, and so may answer it.

    A clause of one term (`What is a fathom?`) is answered where that is the topic, not wherever it occurs.

    Args:
        question: in any language.
        held: terms of each text.
        titles: terms of the title of each text's source.
        min_texts: how many texts there are taken to be at least: among a few, a term that none of them holds would count most.
    """
    passages = [set(own) for own in held]
    wanted = {clause: terms for clause in clauses_of(question) if (terms := set(tokens(clause)))}
    counts = Counter(term for own in passages for term in own)
    count = max(len(passages), min_texts)
    weight = {term: math.log(1 + count / (counts[term] + 0.5)) for terms in wanted.values() for term in terms}
    answering = set()
    for clause, terms in wanted.items():
        topical = len(terms) == 1 and answer_type(clause) == "topic"
        whole = sum(weight[term] for term in terms)
        min_share = HELD_CHINESE if has_cjk(clause) else HELD
        for place, own in enumerate(passages):
            known = titles[place] if topical else own | titles[place]
            if sum(weight[term] for term in terms & known) >= min_share * whole:
                answering.add(place)
    return answering
