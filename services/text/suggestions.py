"""Questions to ask next that the sources found can answer: about their sections, and about persons they name."""

import re
from collections.abc import Mapping, Sequence

from services.text.passages import is_heading, plain_heading, sentences, split
from services.text.questions import persons_in
from services.text.tokens import has_cjk, tokens

MOST = 3
LEAST_SECTION = 120
"""Characters of a section that has something to tell; half as many in Chinese."""
LONGEST = 60
"""Characters of a heading that reads well inside a question."""
LEAST_SENTENCE = 30
"""Characters of a sentence that is worth asking about."""
_EMPTY = re.compile(
    r"^(?:introduction|overview|summary|conclusions?|references?|contents?|notes?|see also|appendix|abstract|license|changelog|more|"
    r"references and further reading|sign up.{0,40}|subscribe.{0,40}|(?:related|recommended|popular|most read|latest) .{0,30}|share.{0,20}|comments?|"
    r"newsletters?|about the authors?|advertisement|follow us.{0,20}|相关(?:阅读|文章|链接)|分享.{0,10}|评论|limits?|引言|前言|概述|小结|总结|结语|参考文献|参考资料|目录|附录|更多)\b[\s:：]*$|^[\d\W]+$",
    re.IGNORECASE,
)
_DEEDS = "wrote|found|led|made|took|became|began|went|gave|saw|built|won|said|came|left|died|sent|held|drew|brought|thought|knew"
_DEFINED = re.compile(
    r"^(?P<article>An?) (?P<what>(?:[a-z][a-z-]{2,} ){0,2}[a-z][a-z-]{2,}) (?:is|means) (?:an?|the)\b"
)
_DEFINED_CHINESE = re.compile(
    r"^(?P<what>(?:(?![牠它他她这那其此在对之])[\u4e00-\u9fffA-Za-z]){2,12}?)(?:是指|指的是|是一种)"
)
_ASKS = re.compile(r"^(?:how|why|what|when|where|who|which)\b.*\?$|.*[？]$", re.IGNORECASE)


def recommended(
    question: str, chinese: bool, texts: Mapping[str, str], told: Sequence[str], before: Sequence[str] = ()
) -> list[str]:
    """Return two or three questions that sources answer and the report does not.

    Args:
        question: the one that was asked; what it names is not asked about again.
        chinese: the language of the answer.
        texts: of the sources that the report quotes, by title, the most telling first.
        told: what the report quotes.
        before: what was asked in this conversation; it is not offered again.
    """
    quoted, known = "\n".join(told), set(tokens(question))
    by_source = [_sections(title, text, quoted, known, chinese) for title, text in texts.items()]
    persons = [asked for text in texts.values() for asked in _persons(text, question, quoted, chinese)][:1]
    defined = [asked for text in texts.values() for asked in _definitions(text, question, quoted, chinese)][:1]
    turns = [asked for turn in range(MOST) for own in by_source for asked in own[turn : turn + 1]]
    fresh = [asked for asked in turns if asked not in before]
    named = [asked for asked in [*defined, *persons] if asked not in before]
    return list(dict.fromkeys([*fresh[: MOST - len(named)], *named]))


def _sections(title: str, text: str, quoted: str, known: set[str], chinese: bool) -> list[str]:
    """Ask about the sections of a source that the report has not quoted."""
    questions: list[str] = []
    for span in split(text):
        heading = plain_heading(span.heading)
        body = text[span.start : span.end]
        least = LEAST_SECTION / 2 if has_cjk(body) else LEAST_SECTION
        own = set(tokens(heading))
        unfit = not own or own <= known or own <= set(tokens(title)) or _EMPTY.match(heading) or len(heading) > LONGEST
        if unfit or len(body) < least or any(line in quoted for line in body.splitlines()[1:] if len(line) > 40):
            continue
        questions.append(
            heading if _ASKS.match(heading) and has_cjk(heading) == chinese else _about(title, heading, chinese)
        )
    lines = [text[span.start : span.end] for span in sentences(text)]
    unquoted = [line for line in lines if len(line) > LEAST_SENTENCE and line not in quoted and not is_heading(line)]
    if not questions and unquoted:
        questions.append(f"“{title}”还说了什么？" if chinese else f"What else does “{title}” say?")
    return list(dict.fromkeys(questions))


def _acts(name: str, text: str) -> bool:
    """Tell whether a text speaks of a name as of a person: without an article, and somewhere as one who is or does something."""
    if has_cjk(name):
        return True
    escaped = re.escape(name)
    if re.search(rf"\b(?:[Tt]he|[Aa]n?) {escaped}\b|\b{escaped} [A-Z]", text):
        return False
    return (
        re.search(
            rf"\bby {escaped}\b|{escaped}(?:, [^.,]{{1,60}},)? (?:is|was|were|had|has|[a-z]{{2,}}ed|{_DEEDS})\b", text
        )
        is not None
    )


def _definitions(text: str, question: str, quoted: str, chinese: bool) -> list[str]:
    """Ask what something is that a sentence defines which the report does not quote."""
    asked: list[str] = []
    for span in sentences(text):
        line = text[span.start : span.end]
        match = (_DEFINED_CHINESE if chinese else _DEFINED).match(line)
        if match and line not in quoted and not set(tokens(match["what"])) <= set(tokens(question)):
            asked.append(
                f"什么是{match['what']}？" if chinese else f"What is {match['article'].lower()} {match['what']}?"
            )
    return asked


def _about(title: str, heading: str, chinese: bool) -> str:
    if chinese:
        return f"“{title}”关于“{heading}”说了什么？"
    return f"What does “{title}” say about “{heading}”?"


def _persons(text: str, question: str, quoted: str, chinese: bool) -> list[str]:
    """Ask about persons whom the report names and the source tells more of."""
    words = set(re.findall(r"[\w’'-]+", text))
    names = [
        name
        for name in persons_in(quoted)
        if text.count(name) > 1
        and name not in question
        and not any(word.lower() in words for word in name.split())
        and _acts(name, text)
    ]
    return [f"{name}是谁？" if chinese else f"Who was {name}?" for name in names if has_cjk(name) == chinese]
