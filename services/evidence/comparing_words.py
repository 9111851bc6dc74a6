"""Words with which a text bounds its numbers, or tells differences, sums, means and what each of several has."""

import re

from services.text.polarity import direction

BEYOND = 1.5
"""How many times more a quote may give where the claim says `more than`."""
MORE = re.compile(
    r"(?:more than|over|above|exceed(?:s|ed|ing)?|crossed|passed|topped|at least|a little over|just over|upwards of|(?:超过|逾|多于|至少|不止|越过|突破|跨过)[^，。；、\d]{0,8})(?: an?)?\s?[$€£¥]?$",
    re.IGNORECASE,
)
LESS = re.compile(
    r"(?:less than|fewer than|under|below|at most|almost|nearly|just under|close to|short of|(?:不足|不到|不及|近|将近|少于)[^，。；、\d]{0,8})(?: an?)?\s?[$€£¥]?$",
    re.IGNORECASE,
)
OR_MORE = re.compile(r"[^，。；、\d\s]{0,4}以上|(?: \w{1,15})? or more\b")
MORE_AFTER = re.compile(r"[多余强]|以上|or more")
_DIFFERENCE = re.compile(
    r"\b(?:points?|more|less|fewer|lower|higher|short\w*|long\w*|old\w*|young\w*|later|earlier|rise|rose|risen|fell|fall\w*|increas\w*|"
    r"decreas\w*|drop\w*|declin\w*|gr[eo]w\w*|gap|lead|ahead|behind|difference|differ\w*|majority|margin|heavier|lighter|faster|slower|cheaper|dearer|deeper|"
    r"shallower|thicker|thinner|wider|narrower|larger|bigger|smaller|closer|farther|apart|additional|extra|added|lack\w*|missing|shortfall|deficit|saved?|saving|warmer|colder|hotter|cooler|than|after|before|gained?|lost|up|down|remain\w*|rest|other|not|no longer|never|years?|between (?:the|these|both|them))\b|"
    r"缺|短缺|省[下了去出]|节[省约]|便宜|昂?贵|没|差|外|剩|其余|其他|多|少|高|低|晚|早|增|减|降|升|提|涨|跌|余|不|年|未|领先|落后|[厚薄宽窄深浅长短快慢轻重远近大小]",
    re.IGNORECASE,
)
ADDS = re.compile(
    r"\b(?:total\w*|altogether|together|combined|across|add(?:s|ed|ing)?|(?:staff|team|workforce|fleet|crew|group) of|in aggregate|in all|sum|both|overall|bring\w*|will have)\b|增加?[到至]|将[有达]|共|合计|总|一共|两者",
    re.IGNORECASE,
)
MEAN = re.compile(r"\b(?:average|mean)\b|平均", re.IGNORECASE)
EACH = re.compile(
    r"\b(?:average|mean|per|each|every|apiece|a piece|daily|weekly|monthly|times an?)\b|平均|每|人均|均|各",
    re.IGNORECASE,
)


def differs_in(text: str) -> bool:
    """Tell whether a text speaks of a difference or a change."""
    return _DIFFERENCE.search(text) is not None or direction(text) != 0
