"""Writes the numbers of headings, clauses and list items into a Word file, which keeps only how to count them."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from lxml import etree

WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_LEVELS = 9
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
_CHINESE = "〇一二三四五六七八九"
_MOST_CHINESE = 99
_MOST_ROMAN = 4_999
_UNNUMBERED = {"bullet", "none"}


class _Level(NamedTuple):
    number_format: str
    text: str
    start: int
    suffix: str
    """What stands between the number and the paragraph."""
    arabic: bool
    """Whether the numbers of the levels above are in digits, whatever their format."""


class _List(NamedTuple):
    counter: str
    """The name of what counts: several lists may go on with one."""
    levels: Mapping[int, _Level]
    by_style: Mapping[str, int]
    """The level of a paragraph whose style names no level."""
    restarts: frozenset[int]
    """Levels that begin anew where the list begins."""


def write_numbers(document: etree._Element, numbering: etree._Element, styles: etree._Element | None) -> None:
    """Put the number that Word shows before each paragraph that it numbers. Items with bullets stay what they are."""
    of_styles = (
        {} if styles is None else {style.get(f"{WORD}styleId", ""): style for style in styles.iter(f"{WORD}style")}
    )
    lists = dict(_lists(numbering, of_styles))
    counts: dict[str, dict[int, int]] = {}
    begun: set[str] = set()
    for paragraph in document.iter(f"{WORD}p"):
        name, place = _numbered_by(paragraph, of_styles)
        if name not in lists or paragraph.find(f"{WORD}pPr/{WORD}rPr/{WORD}del") is not None:
            continue
        own = lists[name]
        style = _value(paragraph, "pPr/pStyle")
        place = own.by_style.get(style, 0) if place is None else place
        level = own.levels.get(place)
        if level is None or level.number_format == "bullet":
            continue
        count = counts.setdefault(own.counter, {})
        if name not in begun:
            begun.add(name)
            for restarted in own.restarts:
                count.pop(restarted, None)
        count[place] = count[place] + 1 if place in count else level.start
        for deeper in range(place + 1, _LEVELS):
            count.pop(deeper, None)
        _write(paragraph, _label(own.levels, place, count), level.suffix)


def _lists(numbering: etree._Element, styles: Mapping[str, etree._Element]) -> Iterator[tuple[str, _List]]:
    abstract = {one.get(f"{WORD}abstractNumId", ""): one for one in numbering.iter(f"{WORD}abstractNum")}
    counters = {num.get(f"{WORD}numId", ""): _value(num, "abstractNumId") for num in numbering.iter(f"{WORD}num")}
    for num in numbering.iter(f"{WORD}num"):
        counter = _value(num, "abstractNumId")
        linked = _value(abstract[counter], "numStyleLink") if counter in abstract else ""
        if linked in styles:
            counter = counters.get(_value(styles[linked], "pPr/numPr/numId"), counter)
        if counter not in abstract:
            continue
        elements = {_place(element): element for element in abstract[counter].iter(f"{WORD}lvl")}
        starts: dict[int, int] = {}
        for override in num.iter(f"{WORD}lvlOverride"):
            elements |= {_place(element): element for element in override.iter(f"{WORD}lvl")}
            if start := _value(override, "startOverride"):
                starts[_place(override)] = int(start)
        levels = {place: _level(element, starts.get(place)) for place, element in elements.items()}
        by_style = {_value(element, "pStyle"): place for place, element in elements.items()}
        yield num.get(f"{WORD}numId", ""), _List(counter, levels, by_style, frozenset(starts))


def _level(element: etree._Element, start: int | None) -> _Level:
    first = int(_value(element, "start") or "1") if start is None else start
    text, suffix = _value(element, "lvlText"), _value(element, "suff") or "tab"
    arabic = element.find(f"{WORD}isLgl") is not None
    return _Level(_value(element, "numFmt") or "decimal", text, first, suffix, arabic)


def _numbered_by(paragraph: etree._Element, styles: Mapping[str, etree._Element]) -> tuple[str, int | None]:
    """Return the list of a paragraph and its level, by itself or its style or one that this is based on."""
    name, place = _value(paragraph, "pPr/numPr/numId"), _value(paragraph, "pPr/numPr/ilvl")
    style = _value(paragraph, "pPr/pStyle")
    for _ in range(_LEVELS):
        if name or style not in styles:
            break
        name, place = _value(styles[style], "pPr/numPr/numId"), place or _value(styles[style], "pPr/numPr/ilvl")
        style = _value(styles[style], "basedOn")
    return name, int(place) if place else None


def _label(levels: Mapping[int, _Level], place: int, count: Mapping[int, int]) -> str:
    own = levels[place]
    text = own.text
    for above in range(place + 1):
        level = levels.get(above, own)
        written = "decimal" if own.arabic else level.number_format
        text = text.replace(f"%{above + 1}", number_as(count.get(above, level.start), written))
    return text


def number_as(number: int, number_format: str) -> str:
    """Return a number in a format of Word's numbering; in digits where the format is a rare one."""
    if number_format in _UNNUMBERED:
        return ""
    kind = number_format.casefold()
    if "letter" in kind and number > 0:
        written = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
    elif "roman" in kind and 0 < number <= _MOST_ROMAN:
        written = ""
        for value, letters in _ROMAN:
            written += letters * (number // value)
            number %= value
    elif kind.startswith(("chinese", "taiwanese", "japanese")) and number <= _MOST_CHINESE:
        tens, ones = divmod(number, 10)
        before = _CHINESE[tens] if tens > 1 else ""
        return f"{before}十{_CHINESE[ones] if ones else ''}" if tens else _CHINESE[ones]
    else:
        return f"{number:02}" if kind == "decimalzero" else str(number)
    return written.upper() if number_format.startswith("upper") else written


def _write(paragraph: etree._Element, label: str, suffix: str) -> None:
    """Put a number before a paragraph, which is then no item of a list."""
    properties = paragraph.find(f"{WORD}pPr")
    if properties is None:
        properties = etree.Element(f"{WORD}pPr")
        paragraph.insert(0, properties)
    for former in properties.findall(f"{WORD}numPr"):
        properties.remove(former)
    own = etree.SubElement(properties, f"{WORD}numPr")
    for name in ("ilvl", "numId"):
        etree.SubElement(own, f"{WORD}{name}").set(f"{WORD}val", "0")
    run = etree.Element(f"{WORD}r")
    etree.SubElement(run, f"{WORD}t").text = label if suffix == "nothing" else f"{label} "
    if label:
        paragraph.insert(paragraph.index(properties) + 1, run)


def _place(element: etree._Element) -> int:
    return int(element.get(f"{WORD}ilvl", "0"))


def _value(element: etree._Element, path: str) -> str:
    found = element.find("/".join(f"{WORD}{part}" for part in path.split("/")))
    return "" if found is None else found.get(f"{WORD}val", "")
