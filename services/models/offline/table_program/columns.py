"""Which columns a question means beside those that it names: what rows are told apart by, rates, changes."""

import re

from services.models.offline.table_program.naming import Names, words
from services.models.offline.table_program.operations import operations
from services.models.offline.table_program.periods import Group
from services.models.offline.table_program.reading import Column, Table


def column_group(names: Names, text: str) -> Group | None:
    """Return the column by which results are wanted apart: `which ship`, `by ocean`, `四种方案`, `各学校`."""
    asked = [
        *re.findall(r"\b(?:(?:which|what|top|rank|list|sort)(?: the)?(?: (?:two|three|four|five|ten|\d+))?|each|every|per|by|(?:most|least) (?:common|frequent|popular)|(?:kinds?|types?|sorts?) of|different|distinct|(?!interest|latest)\w{3,}est)\s+((?:[\w-]+\s*){1,2})", text, re.IGNORECASE),
        *re.findall(r"(?:[各每按哪]|[两二三四五六七八九十几多](?:少)?(?=[种个所组类名家])|什么|最常见?的?)[个种所类组名家款些]?(?:不同)?的?([\u4e00-\u9fff]{1,6})", text),
        *re.findall(r"([\u4e00-\u9fff]{1,6})(?:是)?(?:哪|最常|出现)", text),
    ]  # fmt: skip
    if re.search(r"\bwho\b|谁|哪位", text, re.IGNORECASE):
        asked.append("who 谁")
    if re.search(r"\bwhere\b|哪里|哪儿", text, re.IGNORECASE):
        asked.append("where 地点")
    columns = [one for one in names.table.of("text", "year", "date") if len(one.distinct) > 1]
    if "distinct" not in operations(text):
        columns = [
            one for one in columns if one.kind != "text" or len(one.distinct) < names.table.size or not _is_number(one)
        ]
    chosen = None
    for one in asked:
        for piece in _pieces(one):
            chosen = chosen or names.best(columns, piece)
    if chosen is None and re.search(r"哪[一]?[种类]|\bwho\b|谁", text):
        kinds = [
            one for one in columns if one.kind == "text" and (len(one.distinct) < names.table.size or "谁" in text)
        ]
        chosen = kinds[0] if kinds else None
    return Group(chosen.name, list(chosen.values)) if chosen is not None else None


def _is_number(column: Column) -> bool:
    """Tell whether a column numbers the rows: `R001`."""
    return all(re.fullmatch(r"\W?[A-Za-z]{0,3}[-_]?\d+", one) for one in column.distinct)


def _pieces(noun: str) -> list[str]:
    """Return what a group may be called, the likeliest first: both words of an English noun, the shortest start of a Chinese one."""
    if re.search(r"[\u4e00-\u9fff]", noun):
        return [noun] if len(noun) < 3 else [noun[:length] for length in range(1, len(noun) + 1)]
    own = noun.split()
    return [noun, *own[:1]]


def rate_columns(table: Table, text: str, names: Names) -> tuple[Column, Column] | None:
    """Return part and whole of a rate: `近视率` is the column of 近视 by that of all who were examined."""
    wanted = re.findall(r"([\u4e00-\u9fff]{1,4})率", text)
    wanted += re.findall(
        r"(?:share|percentage|proportion|fraction|rate) of (?:the )?([\w ]{3,30})", text, re.IGNORECASE
    )
    wanted += re.findall(r"([\w]{4,20})\s+(?:rate|percentage|share)\b", text, re.IGNORECASE)
    numeric = table.of("number")
    for one in wanted:
        chinese = re.search(r"[\u4e00-\u9fff]", one) is not None
        ends = [one[-2:], one[-3:], one] if chinese else [one]
        for part in numeric:
            if not any(end in part.name if chinese else set(words(end)) & set(words(part.name)) for end in ends):
                continue
            wholes = [whole for whole in numeric if whole is not part and _holds(whole, part)]
            if wholes:
                return part, max(wholes, key=lambda whole: (_is_total(whole.name), names.score(whole, text)))
    return None


def _is_total(name: str) -> bool:
    return re.search(r"total|\ball|examined|tested|总|全|受检|检查|调查|样本", name, re.IGNORECASE) is not None


def _holds(whole: Column, part: Column) -> bool:
    pairs = [(a, b) for a, b in zip(whole.values, part.values, strict=True) if a is not None and b is not None]
    kin = whole.name[-2:] == part.name[-2:] or set(words(whole.name)) & set(words(part.name)) or _is_total(whole.name)
    return bool(kin and pairs) and all(a >= b for a, b in pairs)


def change_columns(table: Table, text: str) -> tuple[Column, Column] | None:
    """Return the two columns between which something grew: one of the start and one of the time that the question names."""
    if not re.search(r"gr[eo]w|increase|change|gain|rise|fall|drop|增长|增加|变化|上升|下降|进展", text, re.IGNORECASE):
        return None
    families: dict[str, list[Column]] = {}
    for column in table.of("number"):
        bare = re.sub(
            r"[（(].{0,80}?[)）]|\d+\s*(?:个?[年月周天]|years?|months?|weeks?|days?)?|基线|初始|最终|之?[前后]|baseline|initial|final|before|after|start|end|[\s_-]",
            "",
            column.name,
            flags=re.IGNORECASE,
        )
        families.setdefault(bare.lower(), []).append(column)
    asked = set(words(text))
    fitting = [one for name, one in families.items() if len(one) > 1 and set(words(name)) & asked]
    if not fitting:
        return None
    best = max(fitting, key=lambda one: len(set(words(one[0].name)) & asked))
    first = next(
        (one for one in best if re.search(r"基线|初始|前|baseline|initial|before|start|pre", one.name, re.IGNORECASE)),
        best[0],
    )
    later = [one for one in best if one is not first]
    digits = set(re.findall(r"\d+", text))
    return first, next((one for one in later if digits & set(re.findall(r"\d+", one.name))), later[-1])
