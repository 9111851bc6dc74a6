"""Which computations the words of a question name, and in which direction."""

import re

_OPERATIONS = {
    "correlation": r"\bcorrelat\w+|相关",
    "trend": r"over time|over the (?:years|months|weeks)|\btrends?\b|(?:year|month) by (?:year|month)|趋势|逐[年月]|随时间|(?:怎么|如何|怎样)变化",
    "share": r"\bshares?\b|\bpercent\w*|\bper cent\b|\bproportions?\b|\bfractions?\b|\brates?\b|占比|比例|比率|百分比|百分之|几成|占[^，。？]{0,12}多少|率(?!先)",
    "median": r"\bmedian\b|中位数",
    "mean": r"\baverage\b|\bmean\b|\btypical(?:ly)?\b|平均|均值",
    "sum": r"\btotals?\b|\bsum\b|\baltogether\b|\bcombined\b|\bin all\b|总和|总计|合计|一共|总共|总数|总[^，。？体的是]{1,8}(?:是|有|为)?多少|加起来",
    "often": r"\b(?:most|least|more) (?:often|common\w*|frequent\w*|popular)|\b(?:mostly|mainly)\b|最常|次数最[多少]|最[多少]次|出现(?:得)?最[多少]|最频繁|最普遍",
    "growth": r"\bgrowth\b|percentage (?:increase|decrease|change)|per ?cent (?:increase|change)|\bgr[eo]w\b|\bgained?\b|增长|增幅|降幅|(?:增加|上升|下降|减少|降低)了?(?:多少|百分之几)",
    "ratio": r"\bhow many times (?!was|were|did|has|have|is|are|do)|\bratio\b|多少倍|几倍|比值",
    "difference": r"\bdifferen(?:ce|t)\b.{0,200}\b(?:between|from)\b|\bdiffer\b|\bhow (?:much|many(?: \w+)?) (?:more|less|fewer|\w{2,}(?<!ov)(?<!oth)(?<!ev)er)\b|相差|之差|差多少|差值|(?<!增)[高低多少长深大快重轻]多少(?=[米分个%百年岁天倍毫厘公吨人例元小]|$|[？?])",
    "compare": r"\bcompare[ds]?\b|\bcomparison\b|\bversus\b|\bvs\b|\b(?:more|less|fewer|(?!rath|oth)\w{3,}er)\b.{0,40}\bthan\b(?! *\d)|比较|对比|相比",
    "extreme": r"\b(?:most|least|fewest|best|worst|(?!inter|for|rest|test|guest|request|suggest|west|forest|honest|harvest|invest|latest|interest)\w{3,}est|maximum|minimum|max|min)\b|最[高低大小多少长短深浅快慢重轻贵早晚好差热冷强弱久]|便宜|哪[^，。？]{0,60}更[高低大小多少长短深浅快慢重轻贵好差热冷强弱久]|\bwhich\b(?!.{0,200}\bthan\s+\d).{0,200}\b(?:more|less|fewer|(?!over|under|after|other|number|ever|never|october|september|november|december|whether|either)\w{3,}er)\b",
    "ranking": r"\brank\w*|\btop \w+|\bsort(?:ed)?\b|\border(?:ed)? by\b|\bby (?:the )?number\b|\b(?:which|what) (?:two|three|four|five|ten|\d+) |排名|排序|排行|前[三五十\d]+名?",
    "count": r"\bhow many\b|\bnumbers? of\b|\bcount\b|\bhow often\b|\bhow many times\b|多少|几[个辆件次种条行人家所名只台场艘天位]|数量|次数|个数",
    "distinct": r"\b(?:how many|number of) (?:different|distinct|kinds? of|types? of|sorts? of)|[多少几]种|几类|多少类",
    "much": r"\bhow much\b|\bhow long\b|\bhow (?:heavy|deep|tall|high|old|far|fast|warm|wet)\b|\bwhat did\b.{0,200}\bcost\b|多[长高深远久重大]",
}  # fmt: skip

_PATTERNS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _OPERATIONS.items()}

_LOW = re.compile(r"\b(?:least|fewest|lowest|smallest|shallowest|shortest|lightest|cheapest|slowest|youngest|coldest|driest|minimum|min|worst|earliest|narrowest|nearest|weakest)\b|最[低小少短浅慢轻早差冷弱]|最便宜|更[低少小短浅慢轻差冷弱]|\b(?:less|fewer|lower|smaller|shallower|shorter|lighter|cheaper|colder|drier)\b(?! than \d)", re.IGNORECASE)  # fmt: skip

_HIGH = re.compile(r"\b(?:most|highest|largest|deepest|longest|greatest|biggest|heaviest|tallest|maximum|max|best|oldest|fastest|warmest|hottest|wettest|dearest|latest|strongest)\b|\bmost\b|最[高大多长深快重贵晚好热强久常]|最频繁", re.IGNORECASE)  # fmt: skip

_TOP = re.compile(r"\b(?:top|which|what) (two|three|four|five|ten|\d+)\b|前([三五十\d]+)", re.IGNORECASE)

_TOPS = {"two": 2, "three": 3, "four": 4, "five": 5, "ten": 10, "三": 3, "五": 5, "十": 10}


def operations(text: str) -> set[str]:
    """Return the computations that a text names."""
    return {name for name, pattern in _PATTERNS.items() if pattern.search(text)}


def direction(text: str) -> tuple[bool, bool]:
    """Tell whether a text asks for what is low, and whether for what is high."""
    return bool(_LOW.search(text)), bool(_HIGH.search(text))


def how_many(text: str) -> int:
    """Return how many of a ranking a text asks for; 0 where it does not say."""
    top = _TOP.search(text)
    if top is None:
        return 0
    digits = re.findall(r"\d+", top.group())
    return _TOPS.get(top.group(1) or top.group(2)) or int(digits[0] if digits else 0)
