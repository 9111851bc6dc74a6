"""Renders blocks of a report as HTML. All text is escaped, and the result is sanitised again."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import nh3
from markupsafe import Markup, escape

from schemas.chart import Chart
from schemas.document import (
    Block,
    Citation,
    Code,
    Display,
    Drawing,
    Formula,
    Heading,
    Inline,
    Inlines,
    Link,
    Listing,
    Mark,
    Paragraph,
    Quotation,
    Rule,
    Table,
    Text,
)
from services.reports.document import BOXES, ParsedReport, Picture, is_label, statements, struck_out, words
from services.reports.formulas import MATHML_ATTRIBUTES, MATHML_TAGS, fitting, mathml, plain_math
from services.reports.html.figure import figure, table
from services.reports.labels import Labels
from services.reports.references import Reference, is_web_link
from services.reports.statuses import SIGNS
from services.text.quotable import as_read

_STORED = re.compile(r"sources/[\w-]{1,100}\.txt")
_TAGS = {"strong": "strong", "emphasis": "em", "code": "code"}
_WHOLE = re.compile(r"(?<![\w–-])(?:\d{4}-\d\d-\d\d|\d{1,5}[–-]\d{1,5}|--?[A-Za-z][\w-]{0,20})(?![\w–-])")
"""A date, a range and a flag, which a line break would make another; a longer one has no room in a column of a table."""
_PASSED = MATHML_TAGS | set(
    "p h3 h4 h5 h6 ul ol li blockquote table colgroup col thead tbody tr th td pre code strong em s br hr a span sup mark q cite figure "
    "figcaption div".split()
)
_ATTRIBUTES = {
    **MATHML_ATTRIBUTES,
    "*": MATHML_ATTRIBUTES["*"] | {"class", "id", "title", "role", "tabindex", "aria-label", "aria-describedby"},
    "a": {"href", "target", "rel"},
    "col": {"width"},
    "ol": {"start"},
    "th": {"scope"},
    "span": {"data-ref"},
}
MAX_QUOTE = 600
PRINTED = 36
"""Room of a formula on a printed page as a multiple of its font's size."""


def _formula(latex: str) -> Markup:
    """Return a formula with the size at which it fits a printed page, or with the line of text that is printed where it fits at none."""
    drawn, size = mathml(latex, display=True), fitting(latex, PRINTED)
    if size:
        return Markup('<div class="formula fit-{}" tabindex="0">{}</div>').format(size, drawn)
    return Markup('<div class="formula in-text" title="{}" tabindex="0">{}</div>').format(plain_math(latex), drawn)


def sanitised(html: Markup) -> Markup:
    """Return HTML with the report's own elements only: no scripts, styles, frames, forms or images; links to http(s) only."""
    clean = nh3.clean(html, tags=_PASSED, attributes=_ATTRIBUTES, url_schemes={"http", "https"}, link_rel=None)
    return Markup(clean)  # noqa: S704 - that is what the sanitiser is for


def safe_link(link: str) -> str:
    """Return a link that may stand in a page: to the web, or to a stored text beside it; empty for any other."""
    return link if is_web_link(link) or _STORED.fullmatch(link) else ""


@dataclass(slots=True)
class Blocks:
    """Renders the blocks of one report; counts its citations and charts."""

    report: ParsedReport
    labels: Labels
    with_echarts: bool
    charts: list[Chart] = field(default_factory=list)
    """Charts so far, in order; their ids are `chart-<place>`."""
    _drawn: list[Markup] = field(default_factory=list)
    """Charts and diagrams that wait for the sanitiser to pass, which would remove them."""
    _tips: int = 0

    def html(self, blocks: Iterable[Block]) -> Markup:
        """Render blocks."""
        clean = sanitised(Markup("\n").join(map(self._block, blocks)))
        for place, drawn in enumerate(self._drawn):
            clean = clean.replace(_placeholder(place), drawn)
        self._drawn.clear()
        return clean

    def programs(self, blocks: Iterable[Block]) -> Markup:
        """Render blocks with collapsed programs."""
        folded = Markup("<details><summary>{}</summary>{}</details>")
        shown = ((block, self.html([block])) for block in blocks)
        return Markup("\n").join(
            folded.format(self.labels.program, html) if isinstance(block, Code) else html for block, html in shown
        )

    def inline(self, content: Inlines, *, cited: bool = True) -> Markup:
        """Render a line alone, in a table of contents without citations."""
        return sanitised(self.line([inline for inline in content if cited or not isinstance(inline, Citation)]))

    def line(self, content: Sequence[Inline]) -> Markup:
        """Render inlines; a marked statement is underlined, and its sign leads to the reason."""
        return Markup("").join(
            self._marked(self._run(inlines), mark) if mark else self._run(inlines)
            for inlines, mark in statements(tuple(content))
        )

    def _run(self, content: Sequence[Inline]) -> Markup:
        parts: list[Markup] = []
        for place, inline in enumerate(content):
            follows = content[place + 1] if place + 1 < len(content) else None
            if isinstance(inline, Text) and isinstance(follows, Citation):
                inline = Text(inline.text.rstrip(" "), inline.styles)  # noqa: PLW2901 - a mark stands close to its word
            parts.append(self._inline(inline))
        return Markup("").join(parts)

    def _inline(self, inline: Inline) -> Markup:
        match inline:
            case Text(text=text, styles=styles):
                shown = unbroken(text) if "code" in styles else Markup("").join(map(_shown, struck_out(text)))
                for style in ("code", "emphasis", "strong"):
                    if style in styles:
                        shown = Markup("<{0}>{1}</{0}>").format(Markup(_TAGS[style]), shown)  # noqa: S704 - inline of three
                return shown
            case Formula(latex=latex, display=display):
                return mathml(latex, display=display)
            case Citation():
                return self._citation(inline)
            case Link(text=text, link=link):
                return self._anchor(link, Markup("{}").format(text))
        return Markup("<br>")  # a hard break; `line` renders marks with their statements

    def _marked(self, statement: Markup, mark: Mark) -> Markup:
        self._tips += 1
        limits = self.report.section("limits")
        return Markup(
            '{said}<span class="cite why">&#8288;'
            '<a href="#{limits}" class="mark {status}" aria-label="{word}" aria-describedby="{tip}">{sign}</a>'
            '<span class="tip" role="tooltip" id="{tip}"><span class="state {status}">{word}</span> {reason}</span></span>'
        ).format(
            said=Markup('<span class="said {}">{}</span>').format(mark.status, statement) if statement else "",
            limits=limits.anchor if limits else "",
            status=mark.status,
            word=self.labels.words[mark.status],
            tip=f"tip-{self._tips}",
            sign=SIGNS[mark.status],
            reason=mark.reason or self.labels.meanings[mark.status],
        )

    def _anchor(self, link: str, shown: Markup, **attributes: str) -> Markup:
        target = safe_link(link)
        more = Markup("").join(Markup(' {}="{}"').format(name, value) for name, value in attributes.items())
        if not target:
            return Markup("<span{}>{}</span>").format(more, shown)
        if target.startswith("sources/"):
            return Markup('<a href="{}"{}>{}</a>').format(target, more, shown)
        return Markup('<a href="{}" target="_blank" rel="noopener noreferrer"{}>{}</a>').format(target, more, shown)

    def _citation(self, citation: Citation) -> Markup:
        """Render a citation's number with its sentence's status and the verbatim quote on hover or focus."""
        self._tips += 1
        tip = f"tip-{self._tips}"
        reference = next((each for each in self.report.references if each.number == citation.number), None)
        if reference is None:
            return Markup("<sup>[{}]</sup>").format(citation.number)
        quotes = [_short(as_read(quote.text)) for quote in reference.quotes if quote.id in citation.excerpts]
        state = Markup('<span class="state {}">{}</span> ').format(citation.status, self.labels.words[citation.status])
        return Markup(
            '<span class="cite" data-ref="{0}">&#8288;<a href="#ref-{0}" class="mark" aria-describedby="{1}">[{0}]</a>'
            '<span class="tip" role="tooltip" id="{1}">{2}{3}{4}</span></span>'
        ).format(
            citation.number,
            tip,
            state if citation.status else "",
            Markup("").join(map(Markup("<q>{}</q>").format, quotes)),
            self._source_line(reference),
        )

    def _source_line(self, reference: Reference) -> Markup:
        title = Markup("{}").format(reference.title)
        who = Markup("").join(Markup(" · {}").format(part) for part in reference.who)
        if reference.on_the_web:
            label = f"{reference.title}: {self.labels.opens_new}"
            return Markup("<cite>{} ↗{}</cite>").format(
                self._anchor(reference.link, title, **{"aria-label": label, "class": "out"}), who
            )
        return Markup("<cite>{}{}</cite>").format(title, who)

    def _block(self, block: Block) -> Markup:
        match block:
            case Paragraph(content=content):
                name = Markup(' class="label"') if is_label(content) else ""
                return Markup("<p{}>{}</p>").format(name, self.line(content))
            case Heading(level=level, content=content):
                return Markup("<h{0}>{1}</h{0}>").format(min(6, level), self.line(content))
            case Listing():
                return self._list(block)
            case Quotation(blocks=blocks):
                return Markup("<blockquote>{}</blockquote>").format(Markup("\n").join(map(self._block, blocks)))
            case Table(header=header, rows=rows):
                cells = [[*map(self.line, row)] for row in (header, *rows)]
                texts = [[*map(words, row)] for row in (header, *rows)]
                return table(cells[0], cells[1:], block.aligned, texts)
            case Code(text=text) if picture := self.report.picture(block):
                return self._later(self._diagram(picture, text))
            case Code(text=text) if block.is_diagram:
                return Markup(
                    '<figure class="diagram"><figcaption>{}</figcaption><pre tabindex="0"><code>{}</code></pre></figure>'
                ).format(self.labels.diagram, text)
            case Code(text=text):
                return Markup('<pre tabindex="0"><code>{}</code></pre>').format(text)
            case Display(latex=latex):
                return _formula(latex)
            case Drawing(chart=chart, citations=citations):
                self.charts.append(chart)
                cited, place = sanitised(self.line(citations)), len(self.charts) - 1
                return self._later(figure(chart, place, self.labels, cited, with_echarts=self.with_echarts))
            case Rule():
                return Markup("<hr>")

    def _later(self, drawn: Markup) -> Markup:
        """Keep a drawing for the time after the sanitiser, and return what stands for it until then."""
        self._drawn.append(drawn)
        return Markup(_placeholder(len(self._drawn) - 1))  # noqa: S704 - of our own making

    def _diagram(self, picture: Picture, text: str) -> Markup:
        return Markup(
            '<figure class="diagram"><div class="scroll" tabindex="0" role="img" aria-label="{}">{}</div>'
            '<details><summary>{}</summary><pre tabindex="0"><code>{}</code></pre></details></figure>'
        ).format(picture.label, Markup(picture.svg), self.labels.diagram, text)  # noqa: S704 - a cleaned drawing

    def _list(self, block: Listing) -> Markup:
        items = Markup("\n").join(
            Markup("<li{}>{}</li>").format(_task(item), self._item(item, block)) for item in block.items
        )
        if not block.ordered:
            return Markup("<ul>{}</ul>").format(items)
        start = Markup(' start="{}"').format(block.start) if block.start != 1 else ""
        return Markup("<ol{}>{}</ol>").format(start, items)

    def _item(self, item: Sequence[Block], block: Listing) -> Markup:
        if block.tight and len(item) == 1 and isinstance(item[0], Paragraph):
            return self.line(item[0].content)
        return Markup("\n").join(map(self._block, item))


def _task(item: Sequence[Block]) -> Markup:
    """Return the class of an item that is a task, whose box stands in the place of a bullet."""
    first = item[0] if item else None
    boxed = isinstance(first, Paragraph) and words(first.content)[:1] in BOXES.values()
    return Markup(' class="task"') if boxed else Markup("")


def _placeholder(place: int) -> str:
    return f'<div id="drawn-{place}"></div>'


def _short(quote: str) -> str:
    return quote if len(quote) <= MAX_QUOTE else f"{quote[: MAX_QUOTE - 1]}…"


def unbroken(text: str) -> Markup:
    """Escape a text; dates, ranges and options in it are not broken."""
    return Markup(_WHOLE.sub(r'<span class="whole">\g<0></span>', str(escape(text))))  # noqa: S704 - escaped


def _shown(part: tuple[str, bool]) -> Markup:
    text, is_struck = part
    return Markup("<s>{}</s>").format(unbroken(text)) if is_struck else unbroken(text)
