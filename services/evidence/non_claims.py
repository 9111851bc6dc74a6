"""Sentences that make no claim: labels, introductions of what follows, and words on missing evidence; what headings state."""

import re

from services.text.names import names
from services.text.numbers import missing_quantities, quantities
from services.text.tokens import tokens

SMALL_NUMBER = re.compile(r"\d|1[0-2]|[a-z]+|[一-十两]", re.IGNORECASE)
"""A number that counts what stands in the report itself: three things, 5 causes."""
MAX_INTRODUCTION = 12
"""Most terms of a sentence that only introduces what follows, by a colon or `as follows`."""

_LABELS = (
    "tl;dr|tldr|summary|in short|conclusions?|evidence|answer|short answer|key points|note|overview|background|details|"
    "要点|摘要|概要|结论|总结|证据|依据|答案|简短回答|一句话总结|说明|注|概述|背景|详情"
)
_LABEL = re.compile(
    rf"^(?:{_LABELS})(?:\s*+(?:[:：.。—-]+\s*|$)|\s++(?=(?-i:[A-Z\d]))|(?<=tl;dr)\s*+(?=[\u4e00-\u9fff]))",
    re.IGNORECASE,
)
_ONLY_LABEL = re.compile(rf"^(?:{_LABELS})\s*[:：.。]*$", re.IGNORECASE)
_THINGS = r"(?:evidence|sources?|excerpts?|documents?|material|passages?|tables?|quotes?)"
_ASKING = r"(?:what|which|how|why|when|where|whom?|whose|whether)"
_NOT_TOLD = r"(?:do|does|did)(?: not|n['’]t) (?:tell|say|show|state|give|mention|record|answer)"
_LACKS = (
    r"(?:do(?:es)? not|did not|do(?:es)?n['’]t|didn['’]t|cannot|can['’]t|says? nothing|lacks?|(?:is|are) silent|"
    r"(?:gives?|contains?|offers?|provides?|names?|mentions?|states?) no)"
)
_NOTHING_KNOWN = re.compile(
    r"^(?:(?:however|but|unfortunately|so far|at present|overall|also),?\s++)?(?:"
    rf"(?:there (?:is|was|are) )?no (?:\w+ ){{0,2}}(?:{_THINGS}|information|data|answer|figures?)\b|"
    rf"(?:none of )?(?:the|these|this|available|collected|cited|retrieved|our) (?:\w+ ){{0,2}}(?:{_THINGS}|report)"
    rf"(?: \w+){{0,4}}? {_LACKS}\b|"
    rf"(?:they|these|it|neither) {_NOT_TOLD} (?:either,? )?{_ASKING}\b|"
    rf"{_ASKING} [^;:]{{1,200}}, (?:the|these|our) (?:\w+ ){{0,2}}{_THINGS} {_NOT_TOLD}(?=\.?$)|"
    rf"[^,;:]{{1,120}} (?:is|are|was|were) not (?:given |told |named |covered |mentioned )?(?:in|among|by) (?:the|these|our) (?:\w+ )?{_THINGS}(?=\.?$)|"
    rf"[^;:]{{1,120}} assumes? [^;:]{{1,200}}, (?:which|and this|but this) (?:the|these|our) (?:\w+ )?{_THINGS} {_NOT_TOLD}(?=\.?$)|"
    r"(?:it|this|that|what|whether|how|why|when|who|where|which)\b[^,;.]{0,80}? (?:is|are|was|were|remains?|could)"
    r"(?: still)? (?:unknown|unclear|open|unanswered|"
    r"not (?:be )?(?:found|known|stated|answered|established|determined|covered|verified|told|said|given))\b)",
    re.IGNORECASE,
)
_CHINESE_THINGS = r"(?:证据|资料|来源|材料|摘录|文献|文档|报告|表格?)"
_NOTHING_KNOWN_CHINESE = re.compile(
    r"^(?:但是?|不过|然而|目前|因此|此外|另外|其中|遗憾的是)?[，,]?(?:"
    r"(?:现有|已有|上述|这些|所引|本节|本章|以上|各|可用|本次|本报告|检索到的|找到的|收集的)?的?(?:证据|资料|来源|材料|摘录|文献|文档|信息|报告|表格?)(?:中|里|都|均|并|也)*"
    r"(?:没有|未能?|不足以|无法|不能|缺乏|没)|"
    r"(?:目前|暂时)?(?:没有|未能?|尚未|暂未|暂无|缺乏|缺少|无法)(?:找到|发现|查到|检索到|获得|足够|相关|确定|确认|核实|直接|任何|明确)*"
    r"[^，。；]{0,30}(?:证据|资料|来源|信息|材料|数据|记载|文献|依据|说明|答案)|"
    rf"[^，。；：]{{0,60}}(?:哪|什么|多少|多大|多深|如何|怎样|为何|为什么|是否|何时|谁|几|原因|数据|情况|数值)[^，。；：]{{0,30}}，(?:现有|上述|这些|所引|本节)?(?:的)?{_CHINESE_THINGS}(?:中|里|都|均|并|也)*"
    r"(?:没有|未)(?:说明|说|给出|提到|提及|交代|记载|写明|涉及)(?=。?$)|"
    rf"[^，。；：]{{1,60}}不在(?:现有|上述|这些|所引|本节)?(?:的)?{_CHINESE_THINGS}之?[中内里](?=。?$)|"
    r"(?:它们?|这些|两者)(?:也|都|均)?(?:没有|未)(?:说明|说|给出|提到|提及|交代)[^，。；：]{0,20}(?:哪|什么|多少|如何|怎样|为何|为什么|是否|何时|谁|几))"
)
_ONLY_FORM = re.compile(
    r"\bin (?:a|one) single sentence\b|\bin (?:English|Chinese)\b|单独一句话|没有(?:中文|英文)", re.IGNORECASE
)
_TURN = re.compile(
    r"\b(?:but|although|though|however|yet|nevertheless|because|since|while|whereas|so|therefore|thus|hence|meaning|"
    r"which means|as|given that|even if)\b|[;:；：—–]|[,，]\s?(?:and|which|who|where|when|with|after|before|the|it|its|they|this)\b|"
    r"但|然而|不过|虽然|尽管|因为|却|因此|所以|因而|故|可见|而[^且]",
    re.IGNORECASE,
)
_ASKED = re.compile(r"[“「]([^“”「」]{1,400}+)[”」]")
"""What is not told, in quotation marks: a part of the question, whatever words it has."""
_NAMED = re.compile(r"[:：]\s?([^:：]{1,400}+)$")
"""The same behind a colon: `The sources do not tell: how many cells.`"""


def claims_nothing(words: str, *, cites: bool, evidence: str) -> bool:
    """Tell whether a sentence makes no claim and so needs no citation.

    Args:
        words: the sentence without Markdown and citations.
        cites: whether it cites anything; then only a word on missing evidence counts.
        evidence: all quotes and the question; a sentence on missing evidence may use their numbers and no others.
    """
    if says_nothing_known(words, evidence):
        return True
    if cites:
        return False
    if not (tokens(words) or quantities(words)):
        return True
    if _ONLY_LABEL.match(words):
        return True
    introduces = _INTRODUCES.search(words) is not None and len(tokens(words)) <= MAX_INTRODUCTION
    if not introduces or names(words):
        return False
    numbers = (number.text for number in quantities(words))
    return all(SMALL_NUMBER.fullmatch(number) or (_YEAR.fullmatch(number) and number in evidence) for number in numbers)


_YEAR = re.compile(r"[12]\d{3}年?")
_INTRODUCES = re.compile(
    r"(?:[:：]|\b(?:as follows|as shown below|in the (?:following table|table below))\.|(?:如下|见下表|如下表所示)。)$"
)


def says_nothing_known(words: str, evidence: str) -> bool:
    """Tell whether a sentence only says that the evidence lacks something; a clause that goes on to claim spoils it."""
    words = _ASKED.sub(lambda quoted: "“”" if quoted[1] in evidence else quoted[0], words)
    named = _NAMED.search(words)
    if named and named[1].rstrip(".。 ").lower() in evidence.lower():
        words = words[: named.start()]
    lack = _NOTHING_KNOWN.match(words) or _NOTHING_KNOWN_CHINESE.match(words)
    return lack is not None and not _TURN.search(words, lack.end()) and not missing_quantities(words, [evidence])


def lacks_only_form(words: str) -> bool:
    """Tell whether a sentence on what the sources lack means a form alone: one sentence that says all, or the reader's language."""
    return _ONLY_FORM.search(words) is not None


def without_label(words: str) -> str:
    """Take a label off the front of a sentence: `TL;DR`, `结论：`."""
    return _LABEL.sub("", words) or words
