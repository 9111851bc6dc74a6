"""The shape of a question: comparisons, exclusions, descriptions in place of names, and its form as a statement."""

import re
from collections.abc import Sequence

from services.text.questions import names_in
from services.text.terms import terms
from services.text.tokens import has_cjk, tokens

LONGEST_COMPARISON = 300
"""Characters of a question in which a comparison is searched; the patterns try many positions for its two sides."""
_COMPARED = (
    re.compile(
        r"\b(?:compare|comparison (?:of|between)|differences? (?:in .+? )?between|contrast)\s+(?P<a>.+?)\s+(?:and|with|to|versus|vs\.?)\s+"
        r"(?P<b>.+?)(?:[?.,:;]|\s+(?:in terms of|with respect to|regarding|for|by)\s|$)",
        re.IGNORECASE,
    ),
    re.compile(
        r"^(?:which|who|what)\b[^,?]{1,80}[,:]\s*(?P<a>[^,?]{1,80}?),?\s+or\s+(?P<b>[^,?]{1,80})\?*$", re.IGNORECASE
    ),
    re.compile(r"\bhow (?:do|does|did)\s+(?P<a>.+?)\s+and\s+(?P<b>.+?)\s+(?:differ|compare)\b", re.IGNORECASE),
    re.compile(
        r"\b(?:[Ii]s|[Aa]re|[Ww]as|[Ww]ere|[Dd]oes|[Dd]o|[Dd]id)\s+(?P<a>.+?)\s+(?:(?:much|any|even) )?(?:\w{2,}er|(?:more|less) \w+)\s+than\s+(?P<b>[A-Z][^?.,;]*)"
    ),
    re.compile(
        r"(?P<a>[^，。？]{1,40}?)(?:和|与|跟)(?P<b>[^，。？]{1,40}?)(?:[，,]?\s*)(?:相比)?(?:哪|谁|孰)[^，。？]{0,8}更"
    ),
    re.compile(r"(?:比较|对比)(?P<a>[^，。？]+?)(?:和|与|跟|同)(?P<b>[^，。？的]+)"),
    re.compile(
        r"(?P<a>[^，。？]{1,40}?)(?:和|与|跟)(?P<b>[^，。？]{1,40}?)(?:的|在[^，。？]{0,20}?)?(?:有(?:什么|何|哪些))?(?:区别|差别|差异|不同|相比|异同)"
    ),
)
_DESCRIPTION = re.compile(
    r"\b(?:whose|that|which|who)\s+(?!is\b|was\b|were\b|are\b|did\b|does\b)\w+|"
    r"\b(?:the|this|that)\s+(?:[\w-]+\s){0,3}?(?:\w+(?:or|er|ist|ian)|man|woman|person|company|city|town|country|university|team|author|"
    r"father|mother|wife|husband|son|daughter)\b(?=\s+(?:of|who|that|which|whose|on|in|used|behind|from|where)\b)"
    r"|(?:发明|设计|提出|领导|主持|负责|发起|研制|制定|开展|创立|创办|编写|发表|[给把][^，。？]{1,20})[^，。？]{0,24}的(?:人|学者|机构|单位|公司|大学|国家|城市|团队|研究|专家|那|作者)"
    r"|那[个项位种]",
    re.IGNORECASE,
)
_INTERROGATIVE = re.compile(
    r"(?:^\s*|[,;]\s*|\band\s+)(?:(?:in|on|at|by|from|to|of|for|with|under|during)\s+)?(?:which|who|whose)\b",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^\s*(?:please\s+)?(?:(?:can|could) you\s+)?(?:tell me|explain|describe|give me|list)?\s*(?:(?:in|on|at|for|by|from|to|with) )?"
    r"(?:who|whom|whose|what|when|where|which|why|how)?\s*(?:much|many|long|deep|far)?\s*"
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|should|would|will)?\s+",
    re.IGNORECASE,
)
_CHINESE_WORDS = re.compile(
    r"请问|请|什么是|是什么|有哪些|是多少|多少|为什么|为何|怎么样|怎样|如何|什么时候|哪一?[年天]|何时|哪[些个位座种家所项国本里]|是谁|谁|什么|吗|呢|分别"
)
_HOW = re.compile(r"^how\s+", re.IGNORECASE)
_LISTED = re.compile("[,、]")
_LEAD_IN = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_OWNER = re.compile(r"(.{1,60}?)['’]s\s")
"""What owns the thing of which all sides are asked: `A, B and C's exile`."""
_POSSESSIVE = re.compile(r"['’]s$")
_LEADING_NAME = re.compile(r"(?:[A-Z][\w’'-]*)(?: [A-Z\d][\w’'-]*)*")
_AGREEMENT = re.compile(
    r"\b(?:sources|figures|numbers|measurements|values|reports|estimates|accounts|documents|results|studies|trials|they|these|those)\b.{0,40}?"
    r"\b(?:dis)?(?:agree\w*|differ\w*|contradict\w*|conflict\w*|vary|varies|consistent)\b|\b(?:dis)?agree\w* (?:on|about|over)\b"
    r"|(?:资料|数字|数据|测量|说法|来源|结果|研究|它们).{0,12}(?:一致|分歧|矛盾|不同|差异|出入)",
    re.IGNORECASE,
)
MOST_COMPARED = 6
"""Maximum number of compared things."""
_SET_APART = re.compile(
    r"\b(?:before|prior to|without|instead of|other than|except|besides|apart from)\s+(?:the\s+)?([^?,;]{3,60})|"
    r"([^，。？]{2,12})(?:之前|以前|出现前|发明前|以外|之外)",
    re.IGNORECASE,
)
_SETS_APART = re.compile(
    r"\b(?:before|until|prior|earlier|without|instead|except|besides|apart|gave way|replac\w+|no longer)\b|之前|以前|除|取代|代替|不再",
    re.IGNORECASE,
)
COMPUTES = re.compile(
    r"\b(?:calculate|compute|average|mean|median|total|sum|altogether|percentage|share|proportion|most|least|best|worst|fewest|\w{3,}est|how many|"
    r"number of|how much (?:more|less|\w+er))\b|平均|中位数|总[和计共数额]|合计|一共|占比|占.{0,10}(?:多少|几成)|百分比|率|最[高低多少大小长短好差]|多少|相差|计算",
    re.IGNORECASE,
)
COUNTS = re.compile(
    r"\b(?:share|percentage|proportion|how many|number of)\b|占比|比例|百分比|多少[个件次人条家名]", re.IGNORECASE
)
"""Questions that are answered by counting rows."""
AVERAGES = re.compile(r"\b(?:average|mean|median)\b|平均|中位数", re.IGNORECASE)
RANKS = re.compile(rf"{AVERAGES.pattern}|\b(?:most|least|best|worst|fewest|\w{{3,}}est|each|per)\b|最", re.IGNORECASE)
"""Questions that compare groups."""
MENTIONS_TABLE = re.compile(
    r"\b(?:table|data ?set|spreadsheet|workbook|csv|sheet)\b|表格|表[里中上内]|[^\W代发图外仪手怀钟]表(?=[，,的里中上：:])|数据[里中集表]",
    re.IGNORECASE,
)
_COMPARATIVE = re.compile(
    r"\b(high|tall|deep|long|wid|fast|heavi|old)e?r\b|更\s?([长高深宽快重远多大低少])", re.IGNORECASE
)
_QUANTITY = re.compile(r"(?:哪(?>(?:一?[个座条种家国款项])?)|谁|孰)的?+([\u4e00-\u9fff]{2,8})更")
"""The quantity that two things are compared by: `造价` in `哪座造价更高`."""
_POSITIVE = {"wid": "wide", "heavi": "heavy"}
WHOLE = 3
"""Minimum terms of a clause that is understood without its context."""


def compared_in(question: str) -> tuple[str, ...] | None:
    """Return the two or more things that a question compares, or None."""
    for pattern in _COMPARED:
        match = pattern.search(" ".join(question.split())[:LONGEST_COMPARISON])
        if match is not None:
            listed = _HOW.sub("", match["a"])
            sides = [_LEAD_IN.sub("", side.strip(" \t\n,，。?？的")) for side in [*_LISTED.split(listed), match["b"]]]
            owner = _OWNER.match(sides[-1])
            if owner and not any(map(_OWNER.match, sides[:-1])):
                sides[-1] = owner[1]
            elif not owner and sides[0][:1].isupper() and (name := _LEADING_NAME.match(sides[-1])):
                sides[-1] = name.group()
            sides = [_POSSESSIVE.sub("", side) for side in sides]
            if 1 < len(sides) <= MOST_COMPARED and all(tokens(side) for side in sides):
                return tuple(dict.fromkeys(sides))
    return None


def sides_of(question: str, compared: Sequence[str]) -> list[str]:
    """Return a question on each of the compared things alone."""
    return measures_of(question, compared) or [
        " ".join(re.sub("|".join(map(re.escape, others)), " ", question).split())
        for side in compared
        if (others := [other for other in compared if other != side])
    ]


def measures_of(question: str, compared: Sequence[str]) -> list[str]:
    """Return a question for the measure of each compared thing, if any: `How long is A?` for `Is A longer than B?`."""
    measured, quantity = _COMPARATIVE.search(question), _QUANTITY.search(question)
    if has_cjk(question):
        if quantity:
            return [f"{side}的{quantity[1]}是多少？" for side in compared]
        return [f"{side}多{measured[2]}？" for side in compared] if measured else []
    if measured is None or not (" than " in question or ("," in question and " or " in question)):
        return []
    adjective = _POSITIVE.get(measured[1].lower(), measured[1].lower())
    return [f"How {adjective} is {side}?" for side in compared]


def asks_to_compare_figures(clause: str) -> bool:
    """Tell whether a clause asks whether sources or figures agree: `how do the measurements differ?`."""
    return _AGREEMENT.search(clause) is not None


def set_apart(question: str) -> str:
    """Return the words that a question excludes, or an empty text: `echo sounding` in a question for the time before it."""
    match = _SET_APART.search(question)
    words = next(filter(None, match.groups()), "") if match else ""
    return "" if any(char.isdigit() for char in words) else words


def sets_apart(sentence: str) -> bool:
    """Tell whether a sentence itself holds an excluding word, such as before, without or instead."""
    return _SETS_APART.search(sentence) is not None


def apart_terms(question: str) -> frozenset[str]:
    """Return the terms of the excluded words and of the excluding word: they are not the subject of the question."""
    match = _SET_APART.search(question) if set_apart(question) else None
    return frozenset(terms(match.group())) if match else frozenset()


def without_apart(question: str) -> str:
    """Return a question without its excluded words, as a search query; otherwise the search would find the excluded things first."""
    return " ".join(_SET_APART.sub(" ", question).split()) if set_apart(question) else question


def opposed(question: str, sentence: str) -> bool:
    """Tell whether a sentence is about the excluded words of a question, and holds no excluding word itself."""
    apart = set(terms(set_apart(question)))
    return bool(apart) and apart <= set(terms(sentence)) and not sets_apart(sentence)


def describes(question: str) -> bool:
    """Tell whether a question describes its subject instead of naming it, so that the name has to be found first."""
    return _DESCRIPTION.search(_INTERROGATIVE.sub(" ", question)) is not None


def statement_of(question: str) -> str:
    """Turn a question into the words of a statement: drop interrogatives and auxiliaries, keep the order."""
    text = _OPENING.sub("", re.sub(r"[?？!！]+", " ", question))
    return " ".join(_CHINESE_WORDS.sub(" ", text).split()).strip(" ,，。.") or question.strip(" ?？")


def asks_for_computation(question: str) -> bool:
    """Tell whether a question asks for a computation over a table that it mentions."""
    return COMPUTES.search(question) is not None and MENTIONS_TABLE.search(question) is not None


def complete_clause(clause: str, first: str, question: str) -> str:
    """Add the names or words of its context to a clause that depends on the clause before it."""
    if clause == first or names_in(clause):
        return clause
    leans = re.search(
        r"\b(?:it|its|he|him|his|she|her|they|them|their|this|that|there|then)\b|[它他她其该此]", clause, re.I
    )
    if leans is None and len(tokens(clause)) >= WHOLE and not asks_to_compare_figures(clause):
        return clause
    subject = " ".join(names_in(question)) or statement_of(first)
    return f"{clause}（{subject}）" if has_cjk(clause) else f"{clause} ({subject})"


def title_of(text: str, longest: int = 90) -> str:
    """Return a text as the title of a step: without its final mark, cut between words."""
    line = " ".join(text.split()).strip("?？。. ")
    if len(line) > longest:
        line = (line[:longest].rsplit(" ", 1)[0] if not has_cjk(line) else line[:longest]) + "…"
    return line[:1].upper() + line[1:]
