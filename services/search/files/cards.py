"""Reads the card of a text: the fields of its header, of its front matter, or of the properties of its file, and its first heading.

Fields are told by their shape and by the usual names of metadata (Dublin Core, schema.org, e-mail). All takes linear time.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from textwrap import dedent
from typing import Any

import yaml

from schemas.card import LONGEST_TITLE, Card
from services.text.dates import iso_date
from services.text.numbers import quantities, quantities_with_places
from services.text.page_numbers import is_page_heading
from services.text.quotable import without_markup

HEAD = 8_000
"""Characters at the beginning of a text that are read."""
LONGEST_LINE = 1_000
"""Characters of a line or a field that are read."""
MAX_FIELDS = 60
MAX_VALUES = 40
"""Of a list in front matter."""
BEFORE_FIELDS = 3
"""Maximum lines before the header: a title, and the lines above and below it."""
HEADING_LINES = 40
"""Lines in which the heading is looked for."""
LONGEST_DATE = 40
"""Characters of a field that is a date and nothing else."""

Field = tuple[str, str]
"""A name and its value, as written."""

FRONT_MATTER = re.compile(
    r"(?:---[ \t]*\n(?P<yaml>(?>(?:(?!(?:---|\.\.\.)[ \t]*\n)[^\n]*\n)*))(?:---|\.\.\.)"
    r"|\+\+\+[ \t]*\n(?P<toml>(?>(?:(?!\+\+\+[ \t]*\n)[^\n]*\n)*))\+\+\+)[ \t]*(?:\n|$)"
)
"""Between lines of `---` YAML, between lines of `+++` TOML."""
_FIELD = re.compile(
    r"(?:[-*+] )?(?:\*\*|__|:)?([^\W\d_][^\n:：*|]{0,39}?)(?:\*\*|__)?(?:[:：](?:\*\*|__)?(?=[ \t]|$)|：(?:\*\*|__)?)(.*)"
)
"""`Key: value`, `:Key: value`, `**Key:** value`, `键：值`."""
_QUOTED = re.compile(r"^([\"'])(.*)\1$")
_HEADING = re.compile(r"#{1,6}\s++(\S.*)")
_LEVEL = re.compile(r"(?m)^(#{1,6})\s++\S")
_BOLD_LINE = re.compile(r"\*\*([^\s*][^*\n]{0,199})\*\*[ \t]*+(?:\n|\Z)")
_FENCE = re.compile(r"(?ms)^(`{3,}+|~{3,}+).*?(?:^\1|\Z)")
_ADORNMENT = re.compile(r"([=\-~^\"'`*+#.:_<>])\1{2,}")
"""A line above or below a heading."""

_TITLE = re.compile(r"title|headline|subject|标题|题名|题目")
_AUTHORS = re.compile(r"(?:authors?|author\(s\)|creators?|by|written by|作者|著者|撰稿人?)(?: names?)?")
_STATUS = re.compile(r"(?:creative work |content )?status|(?:文件)?状态")
_VERSION = re.compile(r"(?:(.{1,30}) )?(?:version|revision)|版本号?")
_DATES = (
    re.compile(r"publi|issue|releas|^date$|^citation date$|发布|发表|出版|刊发|^日期$"),
    re.compile(r"creat|dated|written|创建|撰写|成文"),
    re.compile(r"updat|modif|revis|chang|更新|修订|修改"),
)
"""Fields with the date of the source itself, the best first."""
_DATE = re.compile(r"date|year|time|日期|时间|年")
_ADDRESS = re.compile(r"path|slug|permalink|url|alias(?:es)?")
_NAMED_DATE = re.compile(r"(?<!\d)(\d{4})[-_./](\d\d)[-_./](\d\d)(?!\d)")
"""A date in the name of a file or in an address: `2012-12-28`, `2012/12/28`."""
_CAPITALS = re.compile(r"[A-Z][A-Z0-9-]{1,11}")
_NUMBER = re.compile(r"\d[\d.-]{0,15}[A-Za-z]?")
_NUMBERED = re.compile(r"(.{2,30}?) (?:number|no\.?|nr\.?)|([\u4e00-\u9fff]{0,4}?)(?:文号|编号)", re.IGNORECASE)
_NAMED_TITLE = re.compile(r"([A-Z]{2,10} \d[\d.-]{0,10})(?::| ?[–—-]) ")
_IDENTIFIER = re.compile(r"([A-Z]{1,10}[ -]?(\d{1,8}))(?=$|:| ?[–—-] )")
_SERIAL = re.compile(r"(?!(?:19|20)\d\d\D)(\d{3,6})[-_. ](?=\D)")
"""The number of a file in a series; two digits are more often a chapter's, four that may be a year are not told apart."""
LONGEST_NAME = 40

_FENCED = re.compile(r"\s{0,9}(```|~~~)\n((?:(?!\1).*\n){1,60}?)\1\n")
_LINK = re.compile(r"<[^<>]{0,300}>`?_{0,2}")
_HANDLE = re.compile(r"(?:(?<![ \t])[ \t]++)?\(@[\w.-]{1,60}\)")
_INITIALS = re.compile(r"(?:[^\W\d_]\.[ -]?){1,5}")
"""Of given names, behind the family name: `Krasic, C.`."""
_EMAIL = re.compile(r"[^\s()]{1,100}(?:@| at )[\w.-]{1,100}[ \t]*\(([^()]{1,100})\)")
"""`ann@example.org (Ann Sounder)`."""
_SEPARATORS = re.compile(r"[;；]"), re.compile(r"[,，、&\n]|(?<=\s)and(?=\s)")
_ACCOUNT = re.compile(r"[a-z0-9_.-]+")
"""One word without a capital: an account or a program, such as `root`, and no person's name."""
_NO_TITLE = re.compile(r"untitled\b.*|无标题.*|microsoft \w{1,20} - .*|(?:document|文档) ?\d*", re.IGNORECASE)
_FILE_NAME = re.compile(r"[^\s/]{1,200}\.[a-z]{2,5}\d?", re.IGNORECASE)
"""What programs call a file that nobody has named."""


def today() -> date:
    """Return the last day that is not in the future anywhere on Earth."""
    return (datetime.now(UTC) + timedelta(hours=14)).date()


def past_date(text: str | None) -> str:
    """Return a date in ISO form; empty for a text that is no date, and for a future date."""
    iso = iso_date(text) or ""
    return iso if iso <= today().isoformat()[: len(iso)] else ""


def named_date(name: str) -> str:
    """Return the date in the name of a file or in an address, in ISO form; empty if there is none."""
    return next(filter(None, (past_date("-".join(match.groups())) for match in _NAMED_DATE.finditer(name))), "")


def text_card(text: str, file: str = "") -> Card:
    """Return the card of a text, by its front matter or the fields at its beginning, and its first heading.

    If other headings of its level follow (near the beginning, or anywhere below the first level), the first may be generic (`# Summary`): a text that begins with a bold line has that as title, of
    another the file's name becomes the card's name; below the
    first level it is a section's and no title. The card's name is also a field
    that the file is named after, `eip: 1559` in `eip-1559.md`, an identifier whose number the file's name has, `SE-0306` as a field,
    `MSC2313: …` as the title or `F109` as the file's name, and the number that a file's name begins with: `0012` in `0012-use-postgres.md`.
    """
    head = text[:HEAD]
    front = FRONT_MATTER.match(head)
    fields = _front_matter(front) if front else []
    body = head[front.end() :] if front else head
    plain = _FENCE.sub("", body)
    fields, title = [*fields, *header_fields(body)], heading_of(plain)
    card = card_of(fields)
    levels = _levels(body)
    if levels and levels[0] != "#":
        levels = _levels(text)
    shared = not card.title and levels.count(min(levels[:1], default="")) > 1 and f"\n{title}\n==" not in f"\n{plain}"
    bold = None if card.title else _BOLD_LINE.match(plain.lstrip())
    if bold and _levels(text).count(levels[0] if levels else "") != 1:
        title, shared = bold[1], False
    named = (_file_named_by(field, file) for field in fields)
    identified = (_identified(text, file) for text in [card.title, title, *(value for _, value in fields), file])
    if shared and levels[0] != "#":
        title, shared = "", False  # that of a section; what is named by its file alone has it as title
    numbered = _SERIAL.match(_NAMED_DATE.sub("", file)) if card.title or title else None
    name = next(filter(None, [*named, *identified]), file if shared else numbered[1] if numbered else "")
    return card.filled(Card(title=without_markup(title), name=name))


def _levels(text: str) -> list[str]:
    """Return the marks of the headings of a text, outside of code."""
    return [match[1] for match in _LEVEL.finditer(_FENCE.sub("", text))]


def _identified(text: str, file: str) -> str:
    """Return the identifier that a text begins with, or is, if the file's name has its number outside of a date; else an empty text."""
    match = _IDENTIFIER.match(text)
    numbers = {number.lstrip("0") for number in re.findall(r"\d+", _NAMED_DATE.sub("", file))}
    return match[1] if match and match[2].lstrip("0") in numbers else ""


def _file_named_by(field: Field, file: str) -> str:
    """Return the name of a document whose file is named by a field, as people write it: `EIP-1559`; empty if it is not."""
    label, value = field
    plain_file, of_field = (re.sub(r"[\W_]+0*", "", text).casefold() for text in (file, f"{label}-{value}"))
    number = value.strip().isdecimal() and plain_file == of_field
    return f"{label.upper()}{'' if file[len(label) :][:1].isdigit() else '-'}{value.strip()}" if number else ""


def front_matter_listed(text: str) -> str:
    """Return a text whose front matter is a list of its fields, as rulers around it would make a heading of its last line."""
    front = FRONT_MATTER.match(text)
    if front is None:
        return text
    return re.sub(r"(?m)^(?=[^\s#-])", "- ", front["yaml"] or front["toml"] or "") + "\n" + text[front.end() :]


def card_of(fields: Iterable[Field]) -> Card:
    """Build a card from fields. Of two fields of one kind the first counts; authors may come from several."""
    title, name, status, version, numbered, address, signed = "", "", "", "", "", "", ""
    authors: list[str] = []
    dates: dict[str, str] = {}
    read = [(label.strip(), value.strip()) for label, value in islice(fields, MAX_FIELDS) if value.strip()]
    all_capitals = all(label.isupper() for label, _ in read)
    for label, value in read:
        key = plain(label)
        if _TITLE.fullmatch(key):
            title = title or ("" if _NO_TITLE.fullmatch(value) else value)
        elif _AUTHORS.fullmatch(key):
            people, beside = _without_date(value)
            authors += _people(people)
            signed = signed or beside
        elif _STATUS.fullmatch(key):
            status = status or value
        elif (match := _VERSION.fullmatch(key)) and len(value) <= LONGEST_NAME:
            of = label[: len(match[1])].replace("_", " ") if match[1] else ""
            version = version or f"{of} {value}".strip()
        elif _ADDRESS.fullmatch(key):
            address = address or named_date(value)
        elif day := _date_in(key, value):
            dates.setdefault(label, day)
        elif _CAPITALS.fullmatch(label) and _NUMBER.fullmatch(value) and len(read) > 1 and not all_capitals:
            name = name or f"{label} {value}"
        elif (match := _NUMBERED.fullmatch(key)) and len(value) <= LONGEST_NAME and re.search(r"\d", value):
            of = label[: len(match[1] or match[2] or "")]
            numbered = numbered or (value if re.search(r"[^\W\d_]", value) else f"{of} {value}".strip())
    name = name or numbered or (match[1] if (match := _NAMED_TITLE.match(title)) else "")
    ranked = (day for rank in _DATES for label, day in dates.items() if rank.search(plain(label)))
    published = next(ranked, signed or address)
    return Card(
        title=title, name=name, authors=authors, published=published, status=status, version=version, dates=dates
    )


def header_fields(text: str) -> list[Field]:
    """Return the fields in the first lines of a text: before everything else, in a plain block of code too, or right below its title.

    They stand without blank lines, or each in a paragraph of its own, as in office files.
    """
    fields: list[Field] = []
    before = gaps = 0
    fenced = _FENCED.match(text[:HEAD])
    for line in _lines(dedent(fenced[2]) if fenced else text):
        if not line.strip():
            gaps += bool(fields)
            if gaps < len(fields):
                break
        elif fields and line[0] in " \t":
            label, value = fields[-1]
            between = ", " if value.endswith(">") else " "  # an address ends a name
            fields[-1] = (label, f"{value}{between}{line.strip()}"[:LONGEST_LINE])
        elif match := _FIELD.match(line):
            fields.append((match[1].rstrip(), _QUOTED.sub(r"\2", match[2].strip())))
        elif fields or before == BEFORE_FIELDS or len(line) > LONGEST_TITLE or line.startswith("```"):
            break
        else:
            before += 1
    return [(key, without_markup(value)) for key, value in fields]


def heading_of(text: str) -> str:
    """Return the first heading of a text in Markdown or reStructuredText; empty if none is in its first lines."""
    above = ""
    for line in islice(_lines(text), HEADING_LINES):
        if (match := _HEADING.match(line)) and not is_page_heading(line):
            return match[1].strip().strip("#").strip()
        longest = LONGEST_LINE if line[:1] == "=" else 2 * len(line)  # Markdown takes any number of `=`
        if _ADORNMENT.fullmatch(line) and 0 < len(above) <= longest and not _ADORNMENT.fullmatch(above):
            return above
        above = line.strip() if line.strip() and (not above or _ADORNMENT.fullmatch(above)) else ""
    return ""


def _lines(text: str) -> Iterator[str]:
    return (line[:LONGEST_LINE].rstrip() for line in text[:HEAD].split("\n"))


def _front_matter(match: re.Match[str]) -> list[Field]:
    """Return the top fields of YAML or TOML; lines that are neither are read as fields, too."""
    toml, plain = match["toml"], yaml.BaseLoader
    block = match["yaml"] or toml or ""
    try:
        read = tomllib.loads(block) if toml else yaml.load(block, plain)  # noqa: S506 - makes texts, lists, mappings
    except (yaml.YAMLError, tomllib.TOMLDecodeError, RecursionError):
        read = None
    if not isinstance(read, dict):
        return [field for line in block.split("\n") for field in header_fields(line)]
    return [(str(key), value) for key, content in read.items() if (value := "; ".join(_texts(content)))]


def _texts(content: Any) -> list[str]:
    """Return the texts of a value: itself, of a list each, of a mapping its name."""
    if isinstance(content, list):
        return [text for element in content[:MAX_VALUES] if not isinstance(element, list) for text in _texts(element)]
    if isinstance(content, dict):
        content = content.get("name")
    if isinstance(content, date):
        content = content.isoformat()
    return [" ".join(content.split())] if isinstance(content, str) and content.strip() else []


def plain(label: str) -> str:
    """Return the name of a field as plain words: `datePublished`, `article:published_time`, `citation_date`."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[-_ ]+", " ", label.rpartition(":")[2].removeprefix("citation_"))
    return re.sub(r"^(?:dc|dcterms|prism)\.", "", words.casefold()).strip()


def _date_in(key: str, value: str) -> str:
    """Return the date that is the whole value of a field; empty if it is something else."""
    value = _LINK.sub("", value).strip("`'\" \t")
    if len(value) > LONGEST_DATE or sum(quantity.kind == "date" for quantity in quantities(value)) > 1:
        return ""
    day = past_date(value)
    return day if "-" in day or _DATE.search(key) or any(rank.search(key) for rank in _DATES) else ""


def _without_date(value: str) -> tuple[str, str]:
    """Cut the date off the end of a line of authors (`Ann Sounder, June 2022`), and return both; without one the second is empty."""
    text, placed = quantities_with_places(value[:LONGEST_LINE])
    start, end, last = placed[-1] if placed else (0, 0, None)
    day = past_date(text[start:end]) if last and last.kind == "date" and end == len(text.rstrip()) else ""
    return (text[:start], day) if day else (value, "")


def _people(value: str) -> list[str]:
    value = _HANDLE.sub("", _EMAIL.sub(r"\1", value[:LONGEST_LINE]))
    value = _LINK.sub("", value)
    parts = next((parts for separator in _SEPARATORS if len(parts := separator.split(value)) > 1), [value])
    for place in reversed(range(1, len(parts))):
        if _INITIALS.fullmatch(parts[place].strip()):
            parts[place - 1 : place + 1] = [f"{parts[place].strip()} {parts[place - 1].strip()}"]
    return [name for part in parts if _is_name(name := part.strip().strip("`_*\"'\\ "))]


def _is_name(text: str) -> bool:
    letters = any(map(str.isalpha, text))
    return letters and "@" not in text and "://" not in text and not _ACCOUNT.fullmatch(text)


def properties_card(properties: Sequence[Field]) -> Card:
    """Return the card of the properties that a program wrote into a file; it has no number, and dates are no fields of the text."""
    card = card_of(
        (key, value)
        for key, value in properties
        if not (_TITLE.fullmatch(plain(key)) and _FILE_NAME.fullmatch(value.strip()))
    )
    return card.model_copy(update={"name": "", "dates": {}})
