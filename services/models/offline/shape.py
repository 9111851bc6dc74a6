"""The shape of a question: what it compares, what it describes instead of naming, and the statement that it asks about."""

import re

from services.text.questions import names_in
from services.text.tokens import has_cjk, tokens

LONGEST_COMPARISON = 300
"""Characters of a question in which a comparison is looked for: what stands on its two sides is found by trying."""
_COMPARED = (
    re.compile(
        r"\b(?:compare|comparison (?:of|between)|differences? (?:in .+? )?between|contrast)\s+(?P<a>.+?)\s+(?:and|with|to|versus|vs\.?)\s+"
        r"(?P<b>.+?)(?:[?.,;]|\s+(?:in terms of|with respect to|regarding|for|by)\s|$)",
        re.IGNORECASE,
    ),
    re.compile(r"(?:比较|对比)(?P<a>[^，。？、]+?)(?:和|与|跟|同)(?P<b>[^，。？的]+)"),
    re.compile(
        r"(?P<a>[^，。？、]{1,40}?)(?:和|与|跟)(?P<b>[^，。？]{1,40}?)(?:的|在[^，。？]{0,20}?)?(?:有(?:什么|何|哪些))?(?:区别|差别|差异|不同|相比|异同)"
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
COMPUTES = re.compile(
    r"\b(?:calculate|compute|average|mean|median|total|sum|altogether|percentage|share|proportion|most|least|fewest|\w{3,}est|how many|"
    r"number of|how much (?:more|less|\w+er))\b|平均|中位数|总[和计共数额]|合计|一共|占比|占.{0,10}(?:多少|几成)|百分比|率|最[高低多少大小长短]|多少|相差|计算",
    re.IGNORECASE,
)
AVERAGES = re.compile(r"\b(?:average|mean|median)\b|平均|中位数", re.IGNORECASE)
MENTIONS_TABLE = re.compile(
    r"\b(?:table|data ?set|spreadsheet|workbook|csv|sheet)\b|表格|表[里中上内]|[^\W代发图外仪手怀钟]表(?=[，,的里中上：:])|数据[里中集表]",
    re.IGNORECASE,
)
WHOLE = 3
"""Terms from which on a clause says by itself what is asked."""


def compared_in(question: str) -> tuple[str, str] | None:
    """Return the two things that a question compares, if it does."""
    for pattern in _COMPARED:
        match = pattern.search(" ".join(question.split())[:LONGEST_COMPARISON])
        if match is not None:
            first, second = (
                re.sub(r"^(?:the|a|an)\s+", "", match[side].strip(" ,，。?？的"), flags=re.I) for side in "ab"
            )
            if tokens(first) and tokens(second):
                return first, second
    return None


def describes(question: str) -> bool:
    """Tell whether a question describes something instead of naming it, so that its name has to be found first."""
    return _DESCRIPTION.search(_INTERROGATIVE.sub(" ", question)) is not None


def statement_of(question: str) -> str:
    """Turn a question into the words of a statement: interrogatives and auxiliaries go, the order stays."""
    text = _OPENING.sub("", re.sub(r"[?？!！]+", " ", question))
    return " ".join(_CHINESE_WORDS.sub(" ", text).split()).strip(" ,，。.") or question.strip(" ?？")


def asks_for_computation(question: str) -> bool:
    """Tell whether a question wants a computation over a table that it speaks of."""
    return COMPUTES.search(question) is not None and MENTIONS_TABLE.search(question) is not None


def complete_clause(clause: str, first: str, question: str) -> str:
    """Give a clause that leans on the one before it the names or words it leans on."""
    if clause == first or names_in(clause):
        return clause
    leans = re.search(
        r"\b(?:it|its|he|him|his|she|her|they|them|their|this|that|there|then)\b|[它他她其该此]", clause, re.I
    )
    if leans is None and len(tokens(clause)) >= WHOLE:
        return clause
    return f"{clause} {' '.join(names_in(question)) or statement_of(first)}"


def title_of(text: str, longest: int = 90) -> str:
    """Return a text as the title of a step: without its final mark, cut between words."""
    line = " ".join(text.split()).strip("?？。. ")
    if len(line) > longest:
        line = (line[:longest].rsplit(" ", 1)[0] if not has_cjk(line) else line[:longest]) + "…"
    return line[:1].upper() + line[1:]
