"""Selects the tables that a question is computed from."""

import re
from collections.abc import Sequence

from services.embedding.translation_similarity import in_both_languages
from services.models.offline.question_shape import AVERAGES, COMPUTES, COUNTS, MENTIONS_TABLE, RANKS
from services.text.tokens import has_cjk, tokens

CLOSE = 0.7
"""Minimum share of the best table's score for another table to be selected as well."""
INSIDE = 0.8
"""Factor on the score of a table inside a document; a file of its own is meant for computing. Set by judgement."""
_INSIDE = re.compile(r"-table-\d{1,3}\.csv\b")
_WHICH = ("哪", "哪个", "哪一个", "各", "各个", "每", "每个")
_COMMON = frozenset([*tokens("data example table number type text name year different"), "数据", "示例", "例数"])


def tables_to_compute(question: str, tables: Sequence[str], *, any_table: bool = False) -> list[str]:
    """Return the descriptions of the tables that a question computes over, best first; none if it computes nothing.

    A table is meant when a column of numbers is named, and the question speaks of a table, of the file's title, of what is most
    or on average by a column of text, or of an average and of values; or when rows are to be counted, and a column of text and a value are named.

    Args:
        question: as asked.
        tables: descriptions, `file: n rows; columns: name: type, examples; …` in one or several lines.
        any_table: whether the question is known to be about a table; then any column, value or title suffices.
    """
    if not any_table and not COMPUTES.search(question):
        return []
    scored = {table: _score(question, table, any_table) for table in tables if table.strip()}
    best = max(scored.values(), default=0.0)
    meant = [table for table, score in scored.items() if score > 0 and score >= CLOSE * best]
    return sorted(meant, key=lambda table: -scored[table])


def _score(question: str, table: str, any_table: bool) -> float:
    wanted = set(tokens(in_both_languages(question, table))) - _COMMON
    parts = re.split(r"; (?=[^;]*?: (?:number|text), )|\n|(?<=columns: )", table)
    own = set(tokens(re.sub(r"[-_]", " ", parts[0].rsplit(".", 1)[0])))
    title = own & wanted
    titled = 2 * len(title) >= len(own) and (len(title) > 1 or title == own != set())
    numbers, texts = ([part for part in parts if f": {kind}," in part] for kind in ("number", "text"))
    values = [value for part in parts if "e.g. " in part for value in part.partition("e.g. ")[2].split(" | ")]
    named = sum(_names(value.strip(), question) for value in values)
    measured = len(wanted & _terms_of_names(numbers))
    grouped = len(wanted & _terms_of_names(texts)) + any(_asks_for(part.partition(":")[0], question) for part in texts)
    ranked = grouped and RANKS.search(question)
    speaks = MENTIONS_TABLE.search(question) or titled or ranked or (named and AVERAGES.search(question))
    if not any_table and not (measured and speaks) and not (named and grouped and COUNTS.search(question)):
        return 0.0
    score = measured + len(title) + named + 0.5 * grouped
    return INSIDE * score if _INSIDE.search(parts[0]) else score


def _terms_of_names(columns: Sequence[str]) -> set[str]:
    """Return the terms of column names, from descriptions such as `wet_days: number, 1 to 9`."""
    names = (re.split(r": (?:number|text),", column)[0].rsplit("columns: ", 1)[-1] for column in columns)
    return set(tokens(" ".join(names).replace("_", " ")))


def _asks_for(column: str, question: str) -> bool:
    """Tell whether a question asks `which` for a column whose name is a single Chinese character: `哪个镇`."""
    return len(column) == 1 and has_cjk(column) and any(f"{which}{column}" in question for which in _WHICH)


def _names(value: str, question: str) -> bool:
    """Tell whether a question names a value by its last word, without titles and first names."""
    words = tokens(value)
    if has_cjk(value):
        return len(value) > 1 and value in question
    return bool(words) and len(words[-1]) > 2 and set(words[-1:]) <= set(tokens(question))
