"""Types of searchable files, their limits, and the result of a conversion with the passages by whose words it is searched."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from typing_extensions import TypedDict

from services.text.passages import each_passage
from services.text.tokens import tokens

MAX_BYTES = 50_000_000
MAX_CHARACTERS = 50_000_000
"""Maximum characters of a document's text; a small file can unpack to a long text."""
EMPTY = "empty"
"""One of the reasons why a file is not searched: the end of a message's key in `ui_text.toml` after `unsearched_`, and behind a colon its value."""
NO_TEXT = "no_text"
"""Reason that a file has no searchable text."""
DAMAGED = "damaged"
"""Reason that a converter can make nothing of a file."""
TOO_LARGE = f"too_large:{MAX_BYTES // 1_000_000}"
BEYOND_LIMITS = "beyond_limits"
"""Reason that a file could not be converted in the time or the memory of a file."""
CODE = frozenset(
    (
        ".bat .bib .c .cc .cfg .clj .cljs .cmake .conf .cpp .cs .css .cxx .dart .el .erl .ex .exs .f90 .fs .go .gradle .graphql .groovy .h .hh .hpp "
        ".hs .ini .java .jl .js .jsx .kt .kts .less .lisp .lua .m .mjs .mk .ml .mm .nim .pas .php .pl .pm .properties .proto .ps1 .py .pyi .r "
        ".rb .rs .sass .scala .scm .scss .sh .sol .sql .svelte .swift .tcl .tf .toml .ts .tsx .v .vb .vhd .vim .vue .yaml .yml .zig"
    ).split()
)
"""Program code, settings and records in braces, in which `#` heads nothing."""
JSON = frozenset(".json .jsonl .ndjson".split())
"""Files whose records are tables, too."""
RECORDS = JSON | frozenset(".log .xml .yaml .yml".split())
"""Files whose records programs count and compare, however few files hold them."""
DATA = CODE | RECORDS | frozenset(".ipynb .srt .vtt".split())
"""Text whose first line is no title: code, data, and what is told line by line."""
PLAIN = DATA | frozenset(
    ".adoc .asciidoc .csv .latex .ltx .markdown .md .mdx .mediawiki .org .pod .qmd .rmd .rst .rtf .tex .texi .texinfo .textile .tsv .txi .txt .wiki".split()
)
"""Text, whatever its markup; read by `convert_plain.py`."""
CONVERTED = frozenset(".docx .eml .epub .htm .html .msg .odp .ods .odt .pdf .pptx .xls .xlsx".split())
"""Files that a library reads, in `convert_office.py`."""
SUFFIXES = PLAIN | CONVERTED
TABLES = frozenset({".csv", ".tsv", ".xls", ".xlsx"})
"""Files that are tables; those inside of others are found in their text."""
OTHER_KIND = "other_kind"
"""Reason that a file of no searchable kind is not searched."""
MAX_CUT = 2_000_000
"""Characters of a text whose words are cut in the process that converts it; a longer one would take the time of its conversion."""
SHORTEST_MEANING = 12
"""Minimum characters of a sentence, or of a passage below its headings, that have a vector: "None." is near to anything that is near to its title."""
MAX_ROWS_BY_MEANING = 20
"""Passages of further rows of tables in a file, after which only words find such rows: they are mostly numbers, and very many."""


@dataclass(frozen=True, slots=True)
class FileState:
    """State of a file before it is read."""

    path: str
    """Path relative to the folder, with forward slashes."""
    size: int
    mtime: int
    """Time of the last change in nanoseconds."""


class PassageTerms(NamedTuple):
    """A passage, by its offsets, and its search terms with blanks between."""

    start: int
    end: int
    by_words: bool
    """Whether it has no meaning that is worth a vector."""
    heading: str
    """Terms of the document's title and of the headings and lines above it."""
    body: str


class Converted(TypedDict, total=False):
    """A converted file, or why it could not be converted."""

    text: str
    title: str
    card: dict[str, Any]
    """Fields of its `Card`."""
    tables: list[dict[str, Any]]
    """Fields of each `Profiled` table in it."""
    passages: list[PassageTerms]
    """Its passages with their search terms, where they were asked for and the text is not too long."""
    note: str
    """What readers of the report should know of how it was read: the end of a message's key in `ui_text.toml` after `file_`, and
    behind a colon its value; empty where there is nothing."""
    error: str


def passage_terms(title: str, text: str) -> Iterator[PassageTerms]:
    """Yield the passages of a normalised text in order."""
    rows = 0
    for span in each_passage(text):
        words = text[span.start : span.end]
        below = sum(len(line) for line in words.split("\n") if not line.startswith("#"))
        is_row = words.startswith("|")
        rows += is_row and text.endswith("|\n", 0, span.start)
        yield PassageTerms(
            span.start,
            span.end,
            below < SHORTEST_MEANING or (is_row and rows > MAX_ROWS_BY_MEANING),
            " ".join(tokens(f"{title} {span.heading} {span.enclosing}")),
            " ".join(tokens(words)),
        )
