"""Selects sentences of a source that a report can quote as they stand: prose, list items and table rows; no headings, no code."""

import re
from dataclasses import dataclass

from services.text.passages import is_heading, sentences
from services.text.tokens import has_cjk

LEANS_BACK = re.compile(
    r"^(?:It|He|She|They|This|That|These|Those|His|Her|Their|Its|Both|The (?:former|latter)|However|But|Moreover|Therefore|Thus|So|Then|Also|[它他她其该此这]|后者|前者|两者|因此|但|所以|于是)"
)
MOST, MOST_OF_TABLE = 500, 1_500
"""Characters of what is quoted together: a sentence with the one it leans on, a list with its introduction; a row with its head."""
LONE = 60
"""Characters from which an introduction says something without the list below it."""
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_CODE = re.compile(
    r"^(?:>>>|\$ |\.{1,2}/|[#%]!|import |from \S+ import |def |class |@\w|[{\[<]|[\w.-]+/[\w./-]+ |\w+ ?= ?\S|--?\w)|[;{}]$|^(?>.*?\w\().*\) *+(?:#.*)?$"
)
_REFERENCE = re.compile(
    r"^(?:see\b|(?:the|this|another|that) (?:article|page|section|chapter|document|note)s?\b.{0,60}\b(?:describe|explain|tell|cover|say|discuss|deal)s?\b)|^(?:见|参见|详见)",
    re.IGNORECASE,
)
"""A sentence that only says where something is said."""
_IMAGE = re.compile(r"!\[[^\[\]\n]{0,200}\]\([^()\s]{0,500}(?:\s\"[^\"\n]{0,200}\")?\)")
_RST_ROLE = re.compile(r"`([^`<>\n]{1,300}) ?<[^`<>\s]{1,500}>`__?(?!\w)|`([^`\n]{1,300})`__?(?!\w)")
"""A link of reStructuredText; Markdown has no underscore behind its backticks."""
_DIRECTIVE = re.compile(r"^(?:\.\. )?(?:[\w-]{1,40}:: |_[^:\n]{1,100}: )|^:[\w-]{1,40}: \S+$")
"""A line of reStructuredText that shows a picture or says where a link leads."""
_DRAWN = re.compile(r"[\u2500-\u259f]{2}|[\u2502\u2551]")
"""Lines of boxes that are drawn with characters."""
_LINK = re.compile(r"\[([^\[\]\n]{1,300})\]\([^()\s]{1,500}(?:\s\"[^\"\n]{0,200}\")?\)")
_ADDRESS = re.compile(r"<?(?:https?://|www\.)\S{1,2000}")
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)([^*_\n]{1,300})\1")
_LONE_EMPHASIS = re.compile(r"(?<![\w*])\*\*(?!\*)|(?<!\*)\*\*(?![\w*])")
"""A mark of emphasis whose other end was not quoted; between letters it may be a power."""
_ITALIC = re.compile(r"(?<![\w*\\])\*(?![\s*])([^*\n]{1,300})(?<![\s*\\])\*(?![\w*])")
_LINE_MARKS = re.compile(r"^(?:#{1,6}|[-*+>])\s+")
_DATED = re.compile(
    r"^[*_(]*(?:(?:published|updated|last (?:updated|modified)|posted|date|author|发布日期|发布时间|发表日期|更新日期|更新时间|日期|作者)[*_]*[:：]"
    r"|(?:this (?:page|article|document) )?(?:was )?last (?:updated|modified|edited|changed) (?:on|at) ).{1,60}$",
    re.IGNORECASE,
)
"""A line of a document's head: when it was published, or by whom."""
_FURNITURE = re.compile(
    r"^[^\w©]{0,6}(?:share (?:this|on|via)\b|(?:follow|join|support) (?:us|our)\b|subscribe\b|unsubscribe\b|sign (?:up|in)\b|log in\b|click here\b|"
    r"(?:read|see) (?:more|next|also)\b[^.]{0,120}$|related(?: (?:articles?|stories|posts|links|topics)\b|:)|advertisement\b|sponsored\b|skip to\b|back to (?:top|home)\b|"
    r"(?:print|e-?mail|download) this (?:page|article|story)\b|(?:copyright|©|\(c\)) |all rights reserved\b|we use cookies\b|this (?:site|website) uses cookies\b|"
    r"accept (?:all )?cookies\b|(?:support|donate to|become a member of) [^.]{1,60}\b(?:journalism|newsletter|today|donation)\b|"
    r"(?:tags?|filed under|categories|photo|photograph|image|picture|source)[:：] ?[^.]{0,120}$|(?-i:By [A-Z][\w.’'-]+(?: [A-Z][\w.’'-]+){1,3}(?:[,|·—–-].{0,60})?$)|"
    r"分享(?:到|至|本文)|扫码|扫描二维码|点击(?:这里|此处|查看|下载)|关注(?:我们|公众号)|责任编辑|责编|编辑[:：]|来源[:：]|(?:本报|本网)?记者[:： ]?\W?[\u4e00-\u9fff]{2,4}$|"
    r"版权所有|未经.{0,20}(?:许可|授权|允许)|转载请|上一篇|下一篇|相关(?:阅读|新闻|链接|推荐|条目|文章)|返回(?:顶部|首页))",
    re.IGNORECASE,
)
"""How a line begins that belongs to a page and not to what it says."""
_NAVIGATION = re.compile(r"(?:[^\s\d·|•]{1,15} ?[·|•] ?){2,20}[^\s\d·|•]{1,15}")
"""The entries of a menu in a line."""
LONGEST_FURNITURE = 160
"""Characters of such a line."""
CSV_COMMAS = 3
"""Commas without a space, other than in numbers, from which on a line is a row of a CSV file."""
_CSV = re.compile(r"(?<!\d),(?=\S)|,(?=[^\s\d])")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\(?\w{1,2}[.)、])\s+")
_RULE = re.compile(r"[|\s:+=_*~-]+")


@dataclass(frozen=True, slots=True)
class Wording:
    """A stretch of a text that can be quoted."""

    start: int
    end: int
    own: int
    """Where its last sentence begins; before that stands what it leans on."""
    row: bool = False
    """True for a row of a table."""


def quotable(text: str) -> list[Wording]:
    """Return the stretches of a text that can be quoted, in order.

    A sentence that leans on the one before is quoted with it, an introduction that ends in a colon with the list below it, and
    a row of a table with the head of the table, where that is near.
    """
    spans = [(span.start, span.end) for span in sentences(text)]
    lines = [text[start:end] for start, end in spans]
    wordings: list[Wording] = []
    fenced, head = False, -1
    for place, (line, (start, end)) in enumerate(zip(lines, spans, strict=True)):
        if _FENCE.match(line):
            fenced = not fenced
            continue
        row = line.startswith("|") or (head >= 0 and line.count("|") > 1)
        head = (head if head >= 0 else start) if row else -1
        if fenced or _RULE.fullmatch(line) or not (row or says(line)):
            continue
        if row:
            is_head = place + 1 < len(lines) and _RULE.fullmatch(lines[place + 1]) is not None
            if start > head and not is_head:
                wordings.append(Wording(head if end - head <= MOST_OF_TABLE else start, end, start, row=True))
            continue
        first, last = start, end
        if place and LEANS_BACK.match(line) and says(lines[place - 1]) and not _ITEM.match(lines[place - 1]):
            first = spans[place - 1][0] if end - spans[place - 1][0] <= MOST else start
        if line.rstrip("*_").endswith((":", "：")):
            for (_, after), item in zip(spans[place + 1 :], lines[place + 1 :], strict=True):
                if not _ITEM.match(item) or after - first > MOST:
                    break
                last = after
            if last == end and end - start < LONE:
                continue
        wordings.append(Wording(first, last, start))
    return wordings


def says(line: str) -> bool:
    """Tell whether a line says something: it is no heading, no question, no code, no mere link, and no piece of one."""
    bare = _ITEM.sub("", without_markup(line)).strip()
    whole = _ITEM.sub("", line).strip()
    if _DRAWN.search(line) or _DIRECTIVE.match(bare) or _LINK.fullmatch(whole) or _ADDRESS.fullmatch(whole):
        return False
    if len(bare) < 8 or is_heading(line) or bare.endswith(("?", "？")) or _CODE.search(bare) or _REFERENCE.match(bare):
        return False
    if is_metadata(bare) or is_furniture(bare) or is_csv(bare) or bare.count("|") > 1:
        return False
    if bare[-1:] in '.!。！；;:：)）”"’*' or _ITEM.match(line):
        return True
    return len(bare) >= (24 if has_cjk(bare) else 60)


def without_markup(text: str) -> str:
    """Return Markdown as it reads: links as their words, no images, no marks of bold text or code."""
    text = _LINK.sub(r"\1", _IMAGE.sub("", text))
    text = _RST_ROLE.sub(lambda found: (found.group(1) or found.group(2)).rstrip(), text)
    return _EMPHASIS.sub(lambda found: found.group(2), text).replace("`", "")


def has_code(text: str) -> bool:
    """Tell whether a text has a line of code, or a box that is drawn with characters."""
    return _DRAWN.search(text) is not None or any(_CODE.search(line.strip()) for line in text.splitlines())


def is_metadata(line: str) -> bool:
    """Tell whether a line only says when its document was published, or by whom."""
    return _DATED.match(line.strip()) is not None


def is_furniture(line: str) -> bool:
    """Tell whether a line belongs to the page that a text stood on: a button, a byline, a notice of rights."""
    begins = len(line) <= LONGEST_FURNITURE and _FURNITURE.match(line) is not None
    return begins or _NAVIGATION.fullmatch(line.strip()) is not None


def is_csv(line: str) -> bool:
    """Tell whether a line is a row of a CSV file, which says nothing without its head."""
    return len(_CSV.findall(line)) >= CSV_COMMAS


def as_prose(text: str) -> str:
    """Return what is quoted as a sentence of a report: items of a list in a line, a row with the names of its columns."""
    text = without_markup(text)
    rows = [line.strip() for line in text.splitlines() if line.strip()]
    if len(rows) > 1 and all("|" in line for line in rows):
        cells = [[cell.strip() for cell in line.strip("| ").split("|")] for line in (rows[0], rows[-1])]
        headed = any(map(_RULE.fullmatch, rows[1:2])) or not any(map(str.isdigit, rows[0]))
        if headed and len(cells[0]) == len(cells[1]) > 1:
            named = [f"{name} {cell}" for name, cell in zip(cells[0][1:], cells[1][1:], strict=True) if cell]
            return f"{cells[1][0]}{'：' if has_cjk(text) else ': '}{('，' if has_cjk(text) else ', ').join(named)}"
    if "|" in text and all("|" in line for line in rows):
        return re.sub(r"(?>(?:(?<!\s)\s++)?)\|\s*+", " · ", rows[-1].strip("| \n"))
    items = [place for place, line in enumerate(rows) if _ITEM.match(line)]
    if len(items) > 1 and not _ITEM.match(rows[0]):
        before = " ".join(rows[: items[0]])
        listed = [" ".join(rows[a:b]) for a, b in zip(items, [*items[1:], len(rows)], strict=True)]
        parts = [_ITEM.sub("", item).rstrip(" ;；,，.。") for item in listed]
        return f"{before} {'；'.join(parts) if has_cjk(text) else '; '.join(parts)}"
    bare = re.sub(r"^\s*(?:[-*+>#•]+|\(?\w{1,2}[.)、])\s+", "", text)
    return " ".join(bare.split()).rstrip(" ;；,，:：")


def as_line(text: str) -> str:
    """Return a quote on one line as it reads: without marks of headings, lists and emphasis, cells of tables with dots between."""
    lines: list[str] = []
    for line in map(str.strip, text.splitlines()):
        if line.count("|") > 1:
            cells = [] if _RULE.fullmatch(line) else [cell.strip() for cell in line.strip("|").split("|")]
            lines.append(" · ".join(filter(None, cells)))
        elif not _RULE.fullmatch(line):
            lines.append(_LINE_MARKS.sub("", line))
    bare = _ITALIC.sub(r"\1", _LONE_EMPHASIS.sub("", without_markup(" ".join(filter(None, lines)))))
    return " ".join(bare.split()) or " ".join(text.split())
