"""Which columns and values of a table the words of a question name: by name, by stem, by translation, by meaning."""

import re
from dataclasses import dataclass, field
from typing import Any

POSITIVE = re.compile(
    r"\b(?:succeed\w*|success\w*|worked|passed|fixed|done|completed?|approved?|accepted|cured|yes|true)\b|成功|修好|修复|通过|合格|达标|完成|治愈|获批",
    re.IGNORECASE,
)
NEGATIVE = re.compile(
    r"\b(?:fail\w*|unsuccess\w*|rejected|refused|lost|no|false)\b|失败|(?:没有?|未能?|不)(?:成功|修好|修复|通过|合格|达标|完成|治愈)",
    re.IGNORECASE,
)
_YES = re.compile(
    r"(?:yes|y|true|ok|success\w*|succeeded|passed?|done|fixed|completed?|won|是|有|成功|通过|合格|达标|完成|修好|已.+)",
    re.IGNORECASE,
)
_NO = re.compile(r"(?:not?\b.*|n|false|fail\w*|un\w+|rejected|lost|否|无|失败|[未没不非].+)", re.IGNORECASE)
_NEGATION = re.compile(r"^(?:not|un|non)[\s-]*|^(?:未能?|没有?|不|非)", re.IGNORECASE)
_DENIED = re.compile(
    r"(?:\b(?:could|can|was|were|did|is|are|has|have|had)?\s*not|n['’]t|\bnever|\bcannot)\s+(?:(?:be|been|get|got)\s+)?",
    re.IGNORECASE,
)
_FAMILIES = (
    "weight weigh heavy heavier heaviest light lightest mass kg gram|重 重量 体重 公斤 千克",
    "minute hour duration time long longer longest short shortest took take quick fastest|时间 时长 分钟 小时 多久 耗时 用时 最久",
    "cost price expensive cheap cheapest spend spent pay paid eur euro usd money fee|费用 价格 花费 多少钱 最贵 最便宜 单价 成本 金额 元",
    "depth deep deeper deepest shallow shallowest fathom|深 深度 水深",
    "height high tall taller tallest altitude elevation|身高 高度 海拔",
    "length long longer longest|长度",
    "age old older oldest young youngest|年龄 岁",
    "speed fast faster fastest slow slowest|速度 车速",
    "rain rainfall precipitation wet wettest dry driest|雨 降雨 降雨量 降水 降水量 雨量",
    "temperature warm warmer warmest hot hotter hottest cold colder coldest cool|温度 气温 最热 最冷",
    "population people inhabitant resident|人口",
    "area large largest|面积",
    "distance far farther farthest|距离",
    "score mark grade point|分数 成绩 得分",
    "sale sold sell revenue|销量 销售 销售额 卖得 卖出 卖了",
)
"""Words of one measure."""
_THINGS = (
    "category kind type class sort group|类别 种类 类型 类 品类 分类",
    "item thing product article object device goods|物品 东西 产品 物件 商品 品名",
    "person people who volunteer name member student pupil|人 谁 姓名 学生 志愿者",
    "place city town station location site region where|地点 城市 地区 站点 哪里 站",
    "outcome result status state|结果 状态 结局",
    "month|月 月份",
    "year|年 年份",
    "date day|日期 天 日",
    "school|学校 校",
    "method way means|方法 方式",
)
"""Words of one kind of thing that rows are told apart by."""
_OPERATIVE = frozenset(
    "number total mean average median sum share percent percentage most least high low many much count per all each every rate".split()
) | {"平均", "总数", "总计", "合计", "多少", "最高", "最低", "最多", "最少", "比例", "占比"}
"""Words that say what to compute; in a column's name they count only where nothing else does."""


def stem(word: str) -> str:
    """Take off the endings of an English word."""
    for ending, rest in (("ies", "y"), ("sses", "ss"), ("ss", "ss"), ("us", "us"), ("is", "is"), ("s", "")):
        if len(word) > 3 and word.endswith(ending):
            word = word[: len(word) - len(ending)] + rest
            break
    for ending in ("ing", "ed"):
        bare = word[: -len(ending)]
        if word.endswith(ending) and len(bare) >= 3 and re.search(r"[aeiouy]", bare):
            word = bare[:-1] if bare[-1] == bare[-2] and bare[-1] not in "lsz" else bare
            break
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def words(text: str) -> list[str]:
    """Return the words of a text: stems of English ones, Chinese ones as pairs of characters."""
    found = []
    for run in re.findall(r"[a-z]+|\d+|[\u4e00-\u9fff]+", str(text).lower()):
        if "\u4e00" <= run[0] <= "\u9fff":
            found += [run[place : place + 2] for place in range(max(1, len(run) - 1))]
        else:
            found.append(stem(run))
    return found


@dataclass
class Named:
    """A value that a question names."""

    start: int
    column: Any
    value: Any
    said: str
    denied: bool = False
    """Whether all rows but those with the value are meant."""


@dataclass
class Names:
    """What a question's words can mean in a table."""

    table: Any
    concepts: list[list[str]]
    """For words of the question what they are called in the table's language, the word itself first."""
    masked: str = ""
    """The text with what was recognised blanked out."""
    columns: set[str] = field(default_factory=set)
    """Names of the columns that words were taken for."""

    def score(self, column: Any, text: str) -> float:
        """Tell how well a column's name fits a text; from 1 on it is named."""
        asked = set(words(text))
        outside = re.sub(r"[（(].{0,80}?[)）]", " ", column.name)
        own = set(words(outside)) or set(words(column.name))
        own = own - _OPERATIVE or own
        same = len(own & asked)
        score = same / len(own) + same if same else 0.0
        score += 0.5 * bool(set(words(" ".join(re.findall(r"[（(](.{0,80}?)[)）]", column.name)))) & asked)
        for word, *others in self.concepts:
            if word.lower() in text.lower() and any(set(words(one)) & own for one in others):
                score = max(score, 1.1 + 0.1 * any(set(words(one)) == own for one in others))
        if score < 1:
            families = _FAMILIES if column.kind == "number" else _THINGS
            score = max([score, *(1.0 for one in families if _held(one, text) and _held(one, column.name))])
        return score

    def best(self, columns: list[Any], text: str) -> Any:
        """Return the column that a text names best, or None."""
        ranked = sorted(columns, key=lambda column: -self.score(column, text))
        return ranked[0] if ranked and self.score(ranked[0], text) >= 1 else None

    def values(self, text: str) -> list[Named]:
        """Return the values that a text names, in order, and blank them out; one inside a longer one does not count."""
        self.masked = _DENIED.sub(lambda found: " not ".rjust(len(found.group())), text)
        found = [*self._literal(), *self._flags(), *self._translated(), *self._outcomes()]
        return sorted(_in_one_column(found, self, text), key=lambda one: one.start)

    def _literal(self) -> list[Named]:
        found: list[Named] = []
        candidates = [
            (re.sub(r"^(?:H\.?M\.?S\.?|R\.?V\.?|USS|USNS|R/V)\s+", "", value), value, column)
            for column in self.table.of("text")
            for value in column.distinct
        ]
        for core, value, column in sorted(candidates, key=lambda one: -len(one[0])):
            for match in _pattern(core, column.name).finditer(self.masked):
                self._take(found, match, Named(match.start(), column, value, match.group()))
            found += [
                Named(one.start, column, value, one.said, one.denied)
                for one in found
                if one.column is not column and one.said.lower() == core.lower()
            ]
        return found

    def _take(self, found: list[Named], match: re.Match[str], named: Named) -> None:
        before = re.search(r"\bnot $", self.masked[: match.start()])
        named.denied = before is not None
        start = match.start() - (4 if before else 0)
        self.masked = self.masked[:start] + "\0" * (match.end() - start) + self.masked[match.end() :]
        found.append(named)

    def _translated(self) -> list[Named]:
        found: list[Named] = []
        for word, *others in sorted(self.concepts, key=lambda one: -len(one[0])):
            place = self.masked.lower().find(word.lower())
            if place < 0 or any(self.score(column, word) >= 1 for column in self.table.columns):
                continue
            hits = [
                (column, value)
                for column in self.table.of("text")
                if len(column.distinct) < self.table.size or self.table.size < 30
                for value in column.distinct
                if any(words(one) == words(value) or one == value for one in others)
            ]
            if hits:
                self.masked = self.masked[:place] + "\0" * len(word) + self.masked[place + len(word) :]
                found += [Named(place, column, value, word) for column, value in hits]
        return found

    def _flags(self) -> list[Named]:
        """Find columns that say yes or no of what their name says, and are named: `returned`, `是否退货`."""
        found: list[Named] = []
        for column in self.table.columns:
            sides = outcome(column)
            if sides is None or not all(
                re.fullmatch(r"yes|y|true|1(?:\.0)?|是|有", str(one), re.IGNORECASE) for one in sides[0]
            ):
                continue
            bare = re.sub(
                r"^(?:is|was|has|had|did)[_\s]+|^是否|^有无|^是不是|[?？]$",
                "",
                column.name.replace("_", " "),
                flags=re.IGNORECASE,
            )
            pattern = re.escape(bare) if re.search(r"[\u4e00-\u9fff]", bare) else rf"(?<!\w){re.escape(bare)}(?!\w)"
            match = re.search(pattern, self.masked, re.IGNORECASE) if bare else None
            if match and not re.search(r"[没未不]有?$", self.masked[: match.start()]):
                self._take(found, match, Named(match.start(), column, sides[0][0], match.group()))
            elif match:
                self._take(found, match, Named(match.start(), column, sides[1][0], match.group()))
        return found

    def _outcomes(self) -> list[Named]:
        found: list[Named] = []
        outcomes = [(column, sides) for column in self.table.columns if (sides := outcome(column)) is not None]
        for pattern, side in ((NEGATIVE, 1), (POSITIVE, 0)):
            for match in pattern.finditer(self.masked):
                for column, sides in outcomes[:1]:
                    found += [Named(match.start(), column, value, match.group()) for value in sides[side]]
                    self.masked = self.masked[: match.start()] + "\0" * len(match.group()) + self.masked[match.end() :]
        return found


def outcome(column: Any) -> tuple[list[Any], list[Any]] | None:
    """Return the values of a column that say yes and those that say no; None where it does not tell the two apart."""
    values = column.distinct
    if column.kind == "number":
        return ([1.0], [0.0]) if set(values) == {0.0, 1.0} else None
    if column.kind != "text" or not 2 <= len(values) <= 8:
        return None
    no = [value for value in values if _NO.fullmatch(value)]
    denied = {_NEGATION.sub("", value).lower() for value in no}
    yes = [value for value in values if value not in no and (_YES.fullmatch(value) or value.lower() in denied)]
    return (yes, no) if yes and no else None


def _held(family: str, text: str) -> bool:
    english, _, chinese = family.partition("|")
    asked = set(words(re.sub(r"[\u4e00-\u9fff]+", " ", text)))
    return bool({stem(one) for one in english.split()} & asked) or any(
        one in text if len(one) > 1 else re.search(rf"[最多哪各每按个]{one}|{one}[量数]|^{one}$", text) is not None
        for one in chinese.split()
    )


def _pattern(core: str, column: str) -> re.Pattern[str]:
    """Return how a value stands in a question: as a word, in the plural or the singular; a lone character after its column's name."""
    if not core:
        return re.compile(r"(?!)")
    if re.search(r"[\u4e00-\u9fff]", core):
        return re.compile(re.escape(core) if len(core) > 1 else rf"(?<={re.escape(column[-1:])}){re.escape(core)}")
    if len(core) == 1 or core.isdigit():
        return re.compile(rf"(?<={re.escape(column)} ){re.escape(core)}(?!\w)", re.IGNORECASE)
    bare = re.escape(core[:-1] if core.lower().endswith("s") and len(core) > 3 else core)
    ending = "s?" if core.lower().endswith("s") and len(core) > 3 else "(?:e?s)?"
    return re.compile(rf"(?<!\w){bare}{ending}(?!\w)", re.IGNORECASE)


def _in_one_column(found: list[Named], names: Names, text: str) -> list[Named]:
    """Keep of values that several columns hold that of one: the column that is named, or holds most that is named."""
    kept = []
    for one in found:
        rivals = [other for other in found if other.start == one.start]
        best = max(
            rivals,
            key=lambda other: (
                sum(each.column is other.column for each in found),
                names.score(other.column, text),
                -names.table.columns.index(other.column),
            ),
        )
        if one.column is best.column:
            kept.append(one)
    return kept
