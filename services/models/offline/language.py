"""What a question is made of: terms, names, clauses, and the kind of answer it wants; English and Chinese."""

import re
from dataclasses import dataclass

from services.search.tokens import has_cjk, tokens

_NAME = re.compile(
    r"(?:HMS |H\.M\.S\. )?\b[A-Z][\w’'-]*(?:(?:\s+(?:of|the|de|von|van|der|du|la|and)){0,2}\s+[A-Z][\w’'-]*)*|《[^》]{1,40}》|[“\"「][^”\"」]{2,40}[”\"」]"
)


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_OPENERS = _listed(
    "who what when where which why how whose whom is are was were do does did can could should would will has have had in on at by "
    "for from to of the a an and or but if tell give explain describe compare list name please according between during after "
    "before since as with it its this that these those he she they his her their there here while although because"
)
GENERIC = frozenset(
    tokens(
        "year years name names person people kind type called known first second much many long often main number date time "
        "important used made work different difference compare comparison role play happen figure value reason reasons cause "
        "mean average total sum median share percent ratio table come come take took say said something anything anyone someone everything "
        "everyone thing things find found tell explain describe"
    )
) | _listed(
    "什么 多少 哪些 哪个 哪年 何时 怎么 怎样 如何 为何 是谁 分别 原因 区别 主要 关系 影响 介绍 情况 方面 以及 哪里"
)
_CLAUSE = re.compile(
    r"[?？]\s*|[;；]\s*|,\s+(?=(?:what|when|where|why|how|who)\s+(?:is|are|was|were|did|does|do|can|many|much|long|deep|far|often|old|has|have|had|wrote|made|built)\b)"
    r"|(?<!\bwhen)(?<!\bwhere)(?<!\bhow)(?<!\bwhy)(?<!\bwho)(?:,|(?<!\s))\s++and\s+(?=(?:in |at |on |by |for |from |to |with )?(?:who|what|when|where|which|why|how|whose|was|is|did|does|are|were)\b)"
    r"|，(?:并且?|以及|同时|又|且)?(?=.{0,200}?(?:什么|多少|哪|谁|何|几|怎|吗|如何))|以及(?=.{0,200}?(?:什么|多少|哪|谁|何|几|怎|如何))",
    re.IGNORECASE,
)
LONGEST_COMPARISON = 300
"""Characters of a question in which a comparison is looked for: what stands on its two sides is found by trying."""
_COMPARED = (
    re.compile(
        r"\b(?:compare|comparison (?:of|between)|differences? (?:in .+? )?between|contrast)\s+(?P<a>.+?)\s+(?:and|with|to|versus|vs\.?)\s+(?P<b>.+?)(?:[?.,;]|\s+(?:in terms of|with respect to|regarding|for|by)\s|$)",
        re.IGNORECASE,
    ),
    re.compile(r"(?P<a>[\w '’-]+?)\s+(?:versus|vs\.?|compared (?:to|with))\s+(?P<b>[\w '’-]+)", re.IGNORECASE),
    re.compile(r"(?:比较|对比)(?P<a>[^，。？、]+?)(?:和|与|跟|同)(?P<b>[^，。？的]+)"),
    re.compile(
        r"(?P<a>[^，。？、]{1,40}?)(?:和|与|跟)(?P<b>[^，。？]{1,40}?)(?:的|在[^，。？]{0,20}?)?(?:有(?:什么|何|哪些))?(?:区别|差别|差异|不同|相比|比较|异同)"
    ),
)
_KINDS = (
    ("person", re.compile(r"\b(?:who|whom|whose)\b|谁|哪位|何人", re.IGNORECASE)),
    (
        "date",
        re.compile(
            r"\b(?:when|what year|which year|in what year|in which year|what date|which century|how long ago)\b|何时|什么时候|哪一?年|几几?年|哪天|年份",
            re.IGNORECASE,
        ),
    ),
    (
        "number",
        re.compile(
            r"\b(?:how (?:many|much|deep|long|far|fast|high|large|big|heavy|old|often|tall|wide|wide|thick)|what (?:percentage|share|depth|speed|proportion|number|rate|distance|temperature|length|weight|is the (?:depth|speed|rate|number|average|mean|total)))\b|多少|几[个次种度倍米年天小]|多[大长高深远久快]|比例|百分比|度数|频率|剂量|浓度",
            re.IGNORECASE,
        ),
    ),
    (
        "place",
        re.compile(
            r"\b(?:where|which (?:country|city|town|place|ocean|sea|river|state|island|port)|what (?:country|city|town|place))\b|哪里|何处|什么地方|哪个(?:国家|城市|地区|省|地方)",
            re.IGNORECASE,
        ),
    ),
    ("reason", re.compile(r"\bwhy\b|\breasons?\b|为什么|为何|原因|机制", re.IGNORECASE)),
)
_ANSWERS = {
    "person": re.compile(
        r"\b[A-Z][a-z]+(?: [A-Z]\.?)* (?:(?:de|von|van) )?[A-Z][a-z]+|(?:教授|医生|博士|先生|团队|等人)"
    ),
    "date": re.compile(r"\b(?:1[0-9]|20)\d{2}\b|世纪|\d年|century"),
    "number": re.compile(
        r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|hundred|thousand|million)\b|[一二三四五六七八九十百千万]"
    ),
    "place": re.compile(r"\b(?:in|at|off|near|from) (?:the )?[A-Z]\w+|位于|[省市县区海洋岛]"),
    "reason": re.compile(
        r"\b(?:because|since|due to|so that|therefore|cause[ds]?|reason|owing to|result)\b|因为|由于|因此|导致|所以|机制|原因",
        re.IGNORECASE,
    ),
}


@dataclass(frozen=True, slots=True)
class Need:
    """What a question (or one clause of it) wants."""

    text: str
    terms: tuple[str, ...]
    """Search terms, each once."""
    names: tuple[str, ...]
    """Proper names and quoted titles."""
    kind: str
    """`person`, `date`, `number`, `place`, `reason`, or empty."""

    def has_answer(self, sentence: str) -> bool:
        """Tell whether a sentence holds the kind of thing that is asked for."""
        return not self.kind or _ANSWERS[self.kind].search(sentence) is not None


def need_of(text: str) -> Need:
    """Take a question or statement apart."""
    kind = next((kind for kind, pattern in _KINDS if pattern.search(text)), "")
    return Need(text, tuple(dict.fromkeys(tokens(text))), names_in(text), kind)


def names_in(text: str) -> tuple[str, ...]:
    """Return proper names and quoted titles of a text; words that merely begin a sentence are none."""
    names: list[str] = []
    for found in _NAME.finditer(text):
        name = found.group().strip('“”"「」《》')
        words = name.split()
        while words and words[0].lower() in _OPENERS:
            words = words[1:]
        alone = (
            len(words) == 1
            and (found.start() == 0 or text[max(0, found.start() - 20) : found.start()].rstrip()[-1:] in ".!?:\n")
            and found.group()[0] not in '“"「《'
        )
        if words and not (alone and words == name.split()) and len("".join(words)) > 1:
            names.append(" ".join(words))
    return tuple(dict.fromkeys(names))


def clauses_of(question: str, *, short: bool = False) -> list[str]:
    """Split a question into its clauses that ask something of their own; those of a single word only with `short`."""
    parts = [part.strip(" ,，。.?？") for part in _CLAUSE.split(question) if part and part.strip(" ,，。.?？")]
    if short:
        return parts or [question]
    return [part for part in parts if len(tokens(part)) > 1 or (has_cjk(part) and len(part) > 3)] or [question]


def compared_in(question: str) -> tuple[str, str] | None:
    """Return the two things that a question compares, if it does."""
    for pattern in _COMPARED:
        found = pattern.search(" ".join(question.split())[:LONGEST_COMPARISON])
        if found is not None:
            sides = tuple(
                re.sub(r"^(?:the|a|an)\s+", "", found.group(side).strip(" ,，。?？的"), flags=re.IGNORECASE)
                for side in "ab"
            )
            if all(tokens(side) for side in sides):
                return _with_noun(sides[0], sides[1]), sides[1]
    return None


def _with_noun(one: str, other: str) -> str:
    """Give the first of two things the noun that only the second has: `single-beam and multibeam sonar`."""
    words = other.split()
    lone = len(one.split()) == 1 and one[:1].islower() and not has_cjk(one)
    return f"{one} {words[-1]}" if lone and len(words) == 2 and words[-1].islower() else one


_LIST_BREAK = re.compile(
    r",\s*(?:and\s+|or\s+)?|(?<!\s)\s++(?:and|or|over|via|through|to|versus|vs\.?)\s+|[、，]|以及|和|与|及|到",
    re.IGNORECASE,
)
_LIST_START = re.compile(
    r"\A.*(?:\b(?:from|between|among|of|compare|like|as|including|with|are|is|was|were|do|does|did|has|have|in|on|for|about|"
    r"the methods|both)\b\s*|[:：从对]|比较|包括|例如|如|的|在|关于)",
    re.IGNORECASE,
)
_LIST_END = re.compile(
    r"(?<!\s)\s++(?:in|on|for|at|by|from|with|differ\w*|compare\w*|developed?|work\w*|affect\w*|influence\w*|was|were|is|are|did|do|does|has|have)\b.*"
    r"|(?:[的有在等各对]|分别|哪|如何|怎).*",
    re.IGNORECASE,
)
_ITEM_WORDS, _ITEM_CHARACTERS = 4, 10


def listed_in(clause: str) -> tuple[str, ...]:
    """Return the things that a clause lists, three or more of them; nothing when it lists none.

    `How did A, B and C change?` lists A, B and C; so does `the way from A over B to C`.
    """
    cuts = list(_LIST_BREAK.finditer(clause))
    pieces = [
        clause[left:right]
        for left, right in zip(
            [0, *(one.end() for one in cuts)], [*(one.start() for one in cuts), len(clause)], strict=True
        )
    ]
    best: tuple[str, ...] = ()
    run: list[str] = []
    for piece in pieces:
        begun, ended = _LIST_START.sub("", piece), _LIST_END.sub("", piece)
        if run and _is_item(ended) and ended == piece:
            run.append(ended)
            continue
        if run and _is_item(ended):
            best = max(best, (*run, ended), key=len)
        run = [begun] if _is_item(begun) else []
    best = max(best, tuple(run), key=len)
    names = [one[:1].isupper() for one in best]
    return best if len(best) >= 3 and all(names) == any(names) else ()


def _is_item(text: str) -> bool:
    known = tokens(text)
    short = len(text) <= _ITEM_CHARACTERS if has_cjk(text) else len(text.split()) <= _ITEM_WORDS
    return bool(known) and short and not any(word in _OPENERS for word in text.lower().split()[:1])


def statement_of(question: str) -> str:
    """Turn a question into the words of a statement: interrogatives and auxiliaries go, the order stays."""
    text = re.sub(r"[?？!！]+", " ", question)
    text = re.sub(
        r"^\s*(?:please\s+)?(?:(?:can|could) you\s+)?(?:tell me|explain|describe|give me|list)?\s*"
        r"(?:(?:in|on|at|for|by|from|to|with) )?(?:who|whom|whose|what|when|where|which|why|how)?\s*(?:much|many|long|deep|far)?\s*"
        r"(?:is|are|was|were|do|does|did|has|have|had|can|could|should|would|will)?\s+",
        "", text, flags=re.IGNORECASE,
    )  # fmt: skip
    text = re.sub(
        r"请问|请|什么是|是什么|有哪些|是多少|多少|为什么|为何|怎么样|怎样|如何|什么时候|哪一?[年天]|何时|哪[些个位座种家所项国本里]|是谁|谁|什么|吗|呢|分别",
        " ",
        text,
    )
    return " ".join(text.split()).strip(" ,，。.") or question.strip(" ?？")


_DESCRIPTION = re.compile(
    r"\b(?:whose|that|which|who)\s+(?!is\b|was\b|were\b|are\b|did\b|does\b)\w+|"
    r"\b(?:the|this|that)\s+(?:[\w-]+\s){0,3}?(?:man|woman|engineer|inventor|scientist|physicist|person|company|ship|vessel|author|"
    r"officer|captain|institution|university|city|town|country|instrument|machine|device|founder|designer|director|team|study|leader|"
    r"expedition|builder|creator|discoverer|publisher|owner|producer|performer|president|father|mother|wife|husband|son|daughter)\b"
    r"(?=\s+(?:of|who|that|which|whose|on|in|used|behind|from|where)\b)"
    r"|(?:发明|设计|提出|领导|主持|负责|发起|研制|制定|开展|创立|创办|编写|发表)[^，。？]{0,16}的(?:人|学者|医生|机构|单位|公司|大学|国家|城市|团队|研究|专家|那|作者)",
    re.IGNORECASE,
)


_INTERROGATIVE = re.compile(
    r"(?:^\s*|[,;]\s*|\band\s+)(?:(?:in|on|at|by|from|to|of|for|with|under|during)\s+)?(?:which|who|whose)\b",
    re.IGNORECASE,
)


def describes(question: str) -> bool:
    """Tell whether a question describes something instead of naming it, so that its name has to be found first."""
    return _DESCRIPTION.search(_INTERROGATIVE.sub(" ", question)) is not None


_SURNAME = "[王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严武戴莫孔向汤竺茅詹屠华]"
_CHINESE_PERSON = re.compile(
    rf"(?:由|主持人|作者|学者|医生|教授|院士|博士|研究者|负责人|创始人|发明[人者]|设计[师者]|工程师|科学家|船长|校长|导演)(?P<after>{_SURNAME}[\u4e00-\u9fff]{{2}}|{_SURNAME}[\u4e00-\u9fff])(?=主持|牵头|领导|负责|[，。、；（]|又|在|于|等|提|发|设|创|和|与)|"
    rf"(?P<before>{_SURNAME}[\u4e00-\u9fff]{{1,2}})(?=团队|教授|医生|院士|博士|等人|先生|女士|主持|牵头|领导|发明|提出|创立|创办|设计)"
)
_TRANSLITERATED = re.compile(r"[\u4e00-\u9fff]{1,8}·[\u4e00-\u9fff]{1,8}")
_PERSON = re.compile(
    r"(?:(?:Sir|Dr|Captain|Professor|Lord|Lieutenant|Commander)\.? )?[A-Z][a-z]+(?: [A-Z]\.?)*(?: (?:de|von|van|der))*(?: [A-Z][\w’'-]+){1,2}"
)
_NO_PERSON = re.compile(
    r"\b(?:of|the|University|Institut\w+|College|Society|Company|Sea|Ocean|Bay|Deep|Trench|River|Island|War|HMS|USS|North|South|East|West)\b"
)
_MONTHS = _listed("january february march april may june july august september october november december")


def persons_in(text: str) -> tuple[str, ...]:
    """Return what looks like names of persons: Chinese ones by surname and what stands beside it, others by their form."""
    chinese = [found.group("after") or found.group("before") for found in _CHINESE_PERSON.finditer(text)]
    other = [name for name in names_in(text) if _PERSON.fullmatch(name) and not _NO_PERSON.search(name)]
    return tuple(dict.fromkeys([*chinese, *_TRANSLITERATED.findall(text), *other]))


def is_month(name: str) -> bool:
    """Tell whether a name is only that of a month."""
    return name.lower() in _MONTHS


def means_person(question: str) -> bool:
    """Tell whether what a question describes or asks for is a person."""
    return (
        re.search(
            r"\b(?:who|whom|whose|born|die[ds]?|professor|engineer|inventor|scientist|physicist|author|officer|captain|founder|designer|"
            r"director|leader|man|woman|person|actor|actress|singer|writer|player|king|queen|president)\b|"
            r"谁|人|学者|教授|医生|院士|博士|作者|者|师|船长|导演|出生",
            question,
            re.IGNORECASE,
        )
        is not None
    )
