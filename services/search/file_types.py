"""Types of searchable files, their limits, and the result of a conversion."""

from typing import Any

from typing_extensions import TypedDict

from services.search.passage_terms import PassageTerms

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
        ".bat .c .cc .cfg .clj .cljs .cmake .conf .cpp .cs .css .cxx .dart .el .erl .ex .exs .f90 .fs .go .gradle .graphql .groovy .h .hh .hpp "
        ".hs .ini .java .jl .js .jsx .kt .kts .less .lisp .lua .m .mjs .mk .ml .mm .nim .pas .php .pl .pm .properties .proto .ps1 .py .pyi .r "
        ".rb .rs .sass .scala .scm .scss .sh .sol .sql .svelte .swift .tcl .tf .toml .ts .tsx .v .vb .vhd .vim .vue .yaml .yml .zig"
    ).split()
)
"""Program code and settings, in which `#` heads nothing."""
DATA = CODE | frozenset(".ipynb .json .jsonl .log .ndjson .srt .vtt .xml".split())
"""Text whose first line is no title: code, data, and what is told line by line."""
PLAIN = DATA | frozenset(
    ".adoc .asciidoc .bib .csv .markdown .md .mediawiki .org .pod .rst .rtf .tex .textile .tsv .txt .wiki".split()
)
"""Text, whatever its markup; read by `convert_plain.py`."""
MARKDOWN = frozenset({".md", ".markdown"})
MEDIAWIKI = frozenset({".mediawiki", ".wiki"})
CONVERTED = frozenset(".docx .eml .epub .htm .html .msg .odp .ods .odt .pdf .pptx .xls .xlsx".split())
"""Files that a library reads, in `convert_office.py`."""
SUFFIXES = PLAIN | CONVERTED
TABLES = frozenset({".csv", ".tsv", ".xls", ".xlsx"})
"""Files that are tables; those inside of others are found in their text."""
OTHER_KIND = "other_kind"
"""Reason that a file of no searchable kind is not searched."""


class Converted(TypedDict, total=False):
    """A converted file, or why it could not be converted."""

    text: str
    title: str
    published: str | None
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
