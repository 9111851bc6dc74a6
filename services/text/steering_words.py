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
