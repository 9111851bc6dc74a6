"""Reads plain steering messages in English and Chinese by their words, without a model.

Only a message that says nothing else is read as "write now" or "skip a step"; everything else goes to the planner in its own words.
"""

import re

from schemas.steering import SteeringAction

_POLITE = r"(?:(?:please|ok|okay|now|just|then)[,\s]{1,3}){0,3}"
_END = r"(?:[,\s]{1,3}(?:now|please|thanks|thank you)){0,2}[\s.!。！]{0,5}"
_WRITE = re.compile(
    rf"{_POLITE}(?:"
    r"stop(?: (?:here|there|now|researching|searching|the (?:research|search)))?"
    r"(?:(?:,| and|, and)(?: then)? (?:write|report|finish)(?: up)?(?: (?:it|the report|a report|your report))?)?"
    r"|(?:write|finish)(?: up)?(?: (?:it|the report|a report|your report))?(?: up)?(?: with what (?:you have|there is))?"
    r"|(?:that is|that's|that’s|this is|it is|it's) enough(?:(?:,| and|, and)? (?:write|report)(?: (?:it|the report))?)?"
    r"|enough(?:(?:,| and|, and)? (?:write|report)(?: (?:it|the report))?)?"
    rf"){_END}",
    re.IGNORECASE,
)
_WRITE_ZH = re.compile(
    r"(?:请|好了?|那就|现在){0,3}[，, ]{0,2}(?:"
    r"(?:够了|足够了|可以了|停(?:止|下)?(?:研究|搜索|检索|查找)?(?:吧|了)?)?[，,、 ]{0,2}(?:然后|就|并|请|现在|直接|马上|立即|开始){0,3}"
    r"(?:撰?写(?:报告|出来)?|出报告|生成报告|总结)(?:吧|了)?"
    r"|够了|足够了|停(?:止|下)(?:研究|搜索|检索|查找)?(?:吧|了)?"
    r")[\s。！!.]{0,5}"
)
_NUMBERS = (
    r"(?:no\.? ?|number |#)?(\d{1,4}(?:(?:\s?,\s?|\s?、\s?|\s?，\s?|\s?和\s?|\s?与\s?|,? and )(?:第)?\d{1,4}){0,20})"
)
_SKIP = re.compile(
    rf"{_POLITE}(?:skip|drop|leave out|omit|remove|cancel|forget)(?: the)? (?:steps? )?{_NUMBERS}{_END}", re.IGNORECASE
)
_SKIP_ZH = re.compile(
    r"(?:请)?(?:跳过|略过|去掉|删掉|删除|取消|不要|不用做|不做)(?:了)?\s?(?:第|步骤)?\s?"
    + _NUMBERS
    + r"\s?(?:个)?(?:步骤?)?(?:了|吧)?[\s。！!.]{0,5}"
)
_ADD = re.compile(
    r"(?:please )?(?:(?:add|another|one more|a further|an additional|ask)(?: (?:a|one|another|the))? (?:more |further )?question(?: too| as well)?\s?[:：,]\s?"
    r"|also (?:answer|ask|find out|tell me|say|explain)\s?[:：,]?\s?)",
    re.IGNORECASE,
)
_ADD_ZH = re.compile(
    r"(?:请|再|另外|还|并|同时){0,3}(?:(?:补充|增加|加|添加|追加)(?:一?个)?(?:问题|提问)\s?[:：，,]\s?|(?:回答|弄清|查明|说明)(?:一下)?\s?[:：，,]?\s?)"
)
_ONLY = re.compile(
    r"(?:please )?(?:only|just|focus (?:only )?on|concentrate on|narrow (?:it |this )?(?:down )?to|limit (?:it |this )?to|stick to)\s",
    re.IGNORECASE,
)
_ONLY_ZH = re.compile(
    r"(?:请)?(?:只(?:需|要|看|查|研究|关注|谈)?(?:要|看|查|研究|关注|谈)?|集中(?:在|于)|聚焦(?:于|在)?|缩小到|限于|专注于)"
)
_WITHOUT = re.compile(
    r"(?:please )?(?:leave out|drop|skip|omit|without|ignore|nothing (?:about|on)|forget(?: about)?|no more(?: about| on)?)\s",
    re.IGNORECASE,
)
_WITHOUT_ZH = re.compile(r"(?:请)?(?:不要|不用|不必|别|去掉|略过|跳过|忽略|排除)(?:再)?(?:谈|看|查|研究|管|包括)?")
_LEADING = re.compile(
    r"(?:please )?(?:(?:also|and|add|include|widen (?:it |this )?to|extend (?:it |this )?to|look (?:also )?(?:at|into|for)|cover|consider)[\s:：,]+){1,4}",
    re.IGNORECASE,
)
_LEADING_ZH = re.compile(
    r"(?:请|再|另外|还|也|并|同时){0,3}(?:要|需要)?(?:看看?|查查?|研究|加上|补充|包括|扩大到|扩展到|考虑|涵盖)?[:：，,\s]{0,2}"
)
_DIGITS = re.compile(r"\d{1,4}")


def understood(text: str) -> tuple[SteeringAction, str, list[str]]:
    """Return what a message asks for, its words, and the steps that it names.

    Args:
        text: as it was written.
    """
    words = " ".join(text.split())
    if _WRITE.fullmatch(words) or _WRITE_ZH.fullmatch(words):
        return "write", words, []
    if named := _SKIP.fullmatch(words) or _SKIP_ZH.fullmatch(words):
        return "skip", words, list(dict.fromkeys(str(int(number)) for number in _DIGITS.findall(named[1])))
    added = _ADD.match(words) or _ADD_ZH.match(words)
    question = words[added.end() :] if added else words
    if question and (added or question.endswith(("?", "？"))):
        return "ask", question, []
    return "message", words, []


def wanted(text: str) -> str:
    """Return the words of a message that say what is to be looked for, without those that say that it is."""
    for opening in (_ONLY, _ADD, _LEADING, _ONLY_ZH, _ADD_ZH, _LEADING_ZH):
        if found := opening.match(text):
            return text[found.end() :].strip() or text
    return text


def narrows(text: str) -> bool:
    """Tell whether a message wants nothing but what it names."""
    return bool(_ONLY.match(text) or _ONLY_ZH.match(text))


def leaves_out(text: str) -> str:
    """Return what a message wants left out; empty where it wants something."""
    found = _WITHOUT.match(text) or _WITHOUT_ZH.match(text)
    return text[found.end() :].strip(" .。!！") if found else ""
