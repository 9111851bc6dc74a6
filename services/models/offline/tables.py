"""Tables as prompts describe them, and whether a question means one."""

import re
from collections.abc import Sequence

from services.search.tokens import has_cjk, tokens

_MENTIONS = re.compile(
    r"\b(?:table|data ?set|spreadsheet|workbook|csv|sheet)\b|表格|表[里中上内]|[^\W代发图外仪手怀钟]表(?=[，,的里中上：:])|数据[里中集表]|按.{1,8}(?:表|数据)",
    re.IGNORECASE,
)
_COMMON = frozenset(
    [*tokens("data example table number type text historic name year different"), "数据", "示例", "例数"]
)
NEARLY = 0.7
"""Share of the best table's score that another must reach to be meant as well."""


def mentions_table(question: str) -> bool:
    """Tell whether a question speaks of a table or of data in so many words."""
    return _MENTIONS.search(question) is not None


def matching_tables(question: str, tables: Sequence[str], *, meant: bool = False) -> list[str]:
    """Return the described tables that a question can be computed from, the best first.

    A table matches when one of its columns of numbers is named, or a quantity of its name is, and either the question
    speaks of a table, or of the file's title, or names values of a column of text. Where some table is meant, any column, value
    or the title is enough.

    Args:
        question: as asked.
        tables: descriptions, `file: n rows; columns: name: type, examples; …` in one or several lines.
        meant: whether it is known that the question means some table, as in a run that works on tables.
    """
    meant = meant or mentions_table(question)
    scored = [(_share(question, table, meant), -place, table) for place, table in enumerate(tables) if table.strip()]
    ranked = sorted(scored, key=lambda one: one[:2], reverse=True)
    return [table for score, _, table in ranked if score > 0 and score >= NEARLY * ranked[0][0]]


def _share(question: str, table: str, meant: bool) -> float:
    wanted = set(tokens(question)) - _COMMON
    parts = re.split(r"; (?=[^;]*?: (?:number|text), )|\n|(?<=columns: )", table)
    title = set(tokens(parts[0].rsplit(".", 1)[0].replace("-", " ").replace("_", " "))) - _COMMON
    numeric = {term for part in parts if ": number," in part for term in _name_terms(part)} - _COMMON
    textual = {term for part in parts if ": text," in part for term in _name_terms(part)} - _COMMON
    values = [value for part in parts if "e.g. " in part for value in part.partition("e.g. ")[2].split(" | ")]
    named = sum(_names(value.strip(), question) for value in values)
    measured = len(wanted & numeric)
    titled = len(wanted & title)
    if not meant and not (measured and (titled >= 2 or named)):
        return 0.0
    return measured + titled + named + 0.5 * len(wanted & textual)


def _name_terms(column: str) -> list[str]:
    name = re.split(r": (?:number|text),", column)[0].rsplit("columns: ", 1)[-1]
    name = name.replace("_", " ")
    return [
        *tokens(name),
        *(["depth"] if "deep" in name.lower() else []),
        *(["deep", "deeper", "deepest"] if "depth" in name.lower() else []),
    ]


def _names(value: str, question: str) -> bool:
    if len(value) < 2:
        return False
    if has_cjk(value):
        return value in question
    core = re.sub(r"^(?:H\.?M\.?S\.?|R\.?V\.?|USS)\s+", "", value)
    return re.search(rf"(?<!\w){re.escape(core)}(?!\w)", question, re.IGNORECASE) is not None
