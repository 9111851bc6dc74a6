"""The offline coder: recognises common computations and writes a program that really does them.

The programs detect filters (such as a ship's or a school's name in the question) when they run, over the whole table.
"""

import re

from schemas.coder import Code
from services.models.offline.language import compared_in
from services.models.offline.sections import Element, Finding, Prompt, findings_of
from services.search.tokens import tokens

_OPERATIONS = (
    ("correlation", r"\bcorrelat\w+|相关系数|相关性"),
    ("median", r"\bmedian\b|中位数"),
    ("mean", r"\b(?:average|arithmetic mean)\b|\b(?:the |a )mean\b(?! (?:by|of saying|to))|\bmean (?:depth|length|value|number|age|speed|time|score|minutes|rate|axial)|平均"),
    ("growth", r"\b(?:growth|percentage (?:increase|decrease|change)|per ?cent (?:increase|decrease|change)|grew by|increased by what)\b|增长率|增幅|增长了多少|下降了多少|降幅"),
    ("share", r"\b(?:share|percentage|per ?cent|proportion|fraction) of\b|\bwhat (?:share|percentage|proportion|fraction)\b|占比|占[^，。？]{0,10}(?:多少|几成|百分之)|百分比|近视率|患病率|检出率"),
    ("ratio", r"\bhow many times\b|\bratio\b|多少倍|几倍|比值"),
    ("difference", r"\b(?:difference|differ) (?:in|between)\b.*\b(?:depth|number|figure|metres|meters|years|value|rate|length|speed)|\bhow (?:much|many \w+) (?:more|less|fewer|deeper|longer|shorter|higher|lower|faster|older|larger|greater)\b|相差|差多少|差值|高多少|低多少|多多少|少多少|长多少|深多少"),
    ("sum", r"\b(?:total|sum|altogether|combined|in all)\b|总和|总计|合计|一共|总共|总数|总人数|加起来"),
    ("count", r"\bhow many (?:rows|entries|records|soundings in the table|ships in the table|schools)|多少(?:条|行|所|家)"),
    ("ranking", r"\b(?:rank|ranking|top \d+|which \w+ (?:has|had|have|recorded) the (?:highest|largest|deepest|lowest|most|longest|greatest|smallest|shallowest))\b|排名|排序|前[三五十\d]|哪[个所一][^，。？]{0,8}最[高低多少大小长短深浅]"),
    ("max", r"\b(?:deepest|maximum|highest|largest|greatest|longest) (?:\w+ ){0,4}(?:in|of|from) the (?:\w+ ){0,4}(?:table|data|csv|spreadsheet|workbook)|表[^，。？]{0,12}最[高大长深]"),
    ("min", r"\b(?:shallowest|minimum|lowest|smallest|shortest) (?:\w+ ){0,4}(?:in|of|from) the (?:\w+ ){0,4}(?:table|data|csv|spreadsheet|workbook)|表[^，。？]{0,12}最[低小短浅]"),
)  # fmt: skip
_TABLE_WORDS = re.compile(r"\b(?:table|dataset|data set|spreadsheet|workbook|csv|data)\b|表格?|数据", re.IGNORECASE)


def asks_for_computation(question: str) -> bool:
    """Tell whether a question wants arithmetic over numbers."""
    return operation_of(question) != ""


def operation_of(question: str) -> str:
    """Return the computation that a question names, or nothing."""
    return next((name for name, pattern in _OPERATIONS if re.search(pattern, question, re.IGNORECASE)), "")


def matching_tables(question: str, tables: list[str]) -> list[str]:
    """Return the described tables that share words with the question."""
    wanted = set(tokens(question))
    least = 1 if _TABLE_WORDS.search(question) else 2
    return [table for table in tables if len(wanted & set(tokens(table.replace("-", " ")))) >= least]


def write_code(prompt: Prompt) -> Code:
    """Write the program of a processing step; after a failed one, another reading of the step."""
    question = prompt.question
    operation = operation_of(question) or "sum"
    tables = prompt.all("table")
    tried = len(prompt.all("attempt"))
    findings = findings_of(prompt)
    ways = [("table", table) for table in _best_tables(question, tables)] if tables else []
    numbers = _numbers(findings)
    over_text = (
        [("text", None)]
        if numbers and (operation in {"difference", "ratio", "growth", "sum", "mean"} or not tables)
        else []
    )
    wants_table = _TABLE_WORDS.search(question) is not None or operation in {
        "mean",
        "median",
        "ranking",
        "correlation",
        "count",
        "max",
        "min",
        "share",
    }
    order = [*ways, *over_text] if wants_table else [*over_text, *ways]
    if not order:
        return _refusal(prompt.chinese)
    kind, table = order[min(tried, len(order) - 1)]
    if kind == "table" and isinstance(table, Element):
        return Code(
            thought=f"{operation} over {table['file']}",
            description=f"{operation}: {question[:80]}",
            code=_TABLE_PROGRAM.format(
                file=table["file"], sheet=table["sheet"], question=question, operation=operation, chinese=prompt.chinese
            ),
        )
    return Code(
        thought=f"{operation} over numbers in the excerpts",
        description=f"{operation}: {question[:80]}",
        code=_TEXT_PROGRAM.format(
            numbers=_numbers_literal(numbers),
            question=question,
            sides=compared_in(question) or (),
            operation=operation,
            chinese=prompt.chinese,
        ),
    )


def _best_tables(question: str, tables: list[Element]) -> list[Element]:
    wanted = set(tokens(question))
    return sorted(
        tables,
        key=lambda table: (
            -len(wanted & set(tokens(f"{table['title']} {table['file'].replace('-', ' ')} {table.body}")))
        ),
    )


def _numbers(findings: list[Finding]) -> list[tuple[str, str]]:
    """Return (excerpt id, quote) of the excerpts that hold a number."""
    return [
        (one.id, " ".join(one.quote.split()))
        for finding in findings
        for one in finding.evidence
        if re.search(r"\d", one.quote)
    ]


def _numbers_literal(numbers: list[tuple[str, str]]) -> str:
    return "[\n" + "".join(f"    ({excerpt_id!r}, {quote!r}),\n" for excerpt_id, quote in numbers) + "]"


def _refusal(chinese: bool) -> Code:
    reason = "没有可以计算的表格或数字" if chinese else "there is no table and no number to compute with"
    return Code(description="nothing to compute", code=f"import sys\nsys.exit({reason!r})")


_TABLE_PROGRAM = """\
import re
import sys

import pandas as pd

FILE, SHEET = {file!r}, {sheet!r}
QUESTION = {question!r}
OPERATION = {operation!r}
CHINESE = {chinese!r}

if FILE.endswith(".xlsx"):
    table = pd.read_excel(FILE, sheet_name=SHEET or 0)
else:
    data = open(FILE, "rb").read()
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            text = data.decode(encoding)
            break
        except UnicodeDecodeError:
            continue
    import io
    table = pd.read_csv(io.StringIO(text), sep="\\t" if FILE.endswith(".tsv") else ",")
table.columns = [str(name).strip() for name in table.columns]


def words(text):
    found = set()
    for word in re.findall(r"[a-z]+|\\d+", str(text).lower().replace("_", " ")):
        found.add(re.sub(r"(?:es|s)$", "", word) if len(word) > 3 else word)
    for run in re.findall(r"[\\u4e00-\\u9fff]+", str(text)):
        found.update(run[i:i + 2] for i in range(max(1, len(run) - 1)))
    return found


asked = words(QUESTION)
for name in table.columns:
    if table[name].dtype == object or str(table[name].dtype).startswith("str"):
        cleaned = pd.to_numeric(table[name].astype(str).str.replace(",", "").str.strip().str.rstrip("%"), errors="coerce")
        if cleaned.notna().sum() >= 0.8 * table[name].notna().sum() and cleaned.notna().any():
            table[name] = cleaned
numeric = [name for name in table.columns if pd.api.types.is_numeric_dtype(table[name])]
textual = [name for name in table.columns if name not in numeric]
if not numeric:
    sys.exit("the table " + FILE + " has no column of numbers")

# Filters: values of text columns that the question names.
rows = table
filters = []
for name in textual:
    named = []
    for value in table[name].dropna().astype(str).str.strip().unique():
        core = re.sub(r"^(?:H\\.?M\\.?S\\.?|R\\.?V\\.?|USS|USNS)\\s+", "", value)
        if len(core) >= 2 and core.lower() in QUESTION.lower():
            named.append(value)
    named = [one for one in named if not any(one != other and one in other for other in named)]
    if named:
        filters.append((name, named))
groups = None
for name, named in filters:
    if len(named) > 1 and OPERATION in ("difference", "ratio", "growth") and groups is None:
        groups = (name, named)
    else:
        rows = rows[rows[name].astype(str).str.strip().isin(named)]
year = next((name for name in numeric if re.search(r"year|年份?$", name, re.IGNORECASE) and not re.search(r"年级", name)), None)
if year is not None:
    for pattern, test in (
        (r"(?:after|since|from)\\s+(\\d{{4}})|(\\d{{4}})\\s*年?(?:以后|之后)", lambda column, value: column > value),
        (r"(?:before|until)\\s+(\\d{{4}})|(\\d{{4}})\\s*年?(?:以前|之前)", lambda column, value: column < value),
    ):
        found = re.search(pattern, QUESTION, re.IGNORECASE)
        if found:
            value = int(found.group(1) or found.group(2))
            rows = rows[test(rows[year], value)]
            filters.append((year, [found.group()]))
if rows.empty:
    sys.exit("no row of " + FILE + " fits the question")


def fit(name):
    own = words(name)
    score = len(own & asked) / (len(own) or 1) + len(own & asked)
    if re.search(r"\\byear\\b|^年份?$|\\bid\\b|编号|序号|lat|lon", name, re.IGNORECASE):
        score -= 1.5
    return score


ranked = sorted(numeric, key=lambda name: -fit(name))
target = ranked[0]
values = rows[target].dropna()
if values.empty:
    sys.exit("the column " + target + " holds no numbers")


def show(number):
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    return format(number, ",") if isinstance(number, int) else format(round(float(number), 2), ",.2f").rstrip("0").rstrip(".")


where = "; ".join(str(name) + " = " + ", ".join(map(str, named)) for name, named in filters if groups is None or name != groups[0])
if CHINESE:
    scope = FILE + ("（" + where + "）" if where else "")
else:
    scope = FILE + (" (" + where + ")" if where else "")
count = len(values)


def say(english, chinese):
    print(chinese if CHINESE else english)


def label_of(index):
    columns = [name for name in textual if name not in [one for one, _ in filters]][:2] or textual[:2]
    return " ".join(str(rows.loc[index, name]) for name in columns)


if groups is not None:
    name, named = groups
    parts = [(one, rows[rows[name].astype(str).str.strip() == one][target].dropna()) for one in named[:2]]
    a, b = (part.mean() if len(part) > 1 else float(part.iloc[0]) for _, part in parts)
    for one, part in parts:
        say(f"The {{'mean of ' if len(part) > 1 else ''}}{{target}} for {{one}} in {{FILE}} is {{show(part.mean())}} ({{len(part)}} rows).",
            f"{{FILE}} 中 {{one}} 的{{target}}{{'平均' if len(part) > 1 else ''}}为 {{show(part.mean())}}（{{len(part)}} 行）。")
    if OPERATION == "ratio":
        say(f"The ratio of {{parts[0][0]}} to {{parts[1][0]}} is {{show(a / b)}}.", f"{{parts[0][0]}}与{{parts[1][0]}}之比为 {{show(a / b)}}。")
    elif OPERATION == "growth":
        say(f"The change from {{parts[0][0]}} to {{parts[1][0]}} is {{show((b - a) / a * 100)}} %.", f"从{{parts[0][0]}}到{{parts[1][0]}}的变化为 {{show((b - a) / a * 100)}}%。")
    else:
        say(f"The difference is {{show(abs(a - b))}}.", f"相差 {{show(abs(a - b))}}。")
elif OPERATION == "mean":
    say(f"The mean of {{target}} in {{scope}} is {{show(values.mean())}}, over {{count}} rows.", f"{{scope}} 中{{target}}的平均值为 {{show(values.mean())}}，共 {{count}} 行。")
elif OPERATION == "median":
    say(f"The median of {{target}} in {{scope}} is {{show(values.median())}}, over {{count}} rows.", f"{{scope}} 中{{target}}的中位数为 {{show(values.median())}}，共 {{count}} 行。")
elif OPERATION == "correlation" and len(ranked) > 1:
    pair = rows[ranked[:2]].dropna()
    value = pair[ranked[0]].corr(pair[ranked[1]])
    say(f"The correlation of {{ranked[0]}} and {{ranked[1]}} in {{scope}} is {{value:.3f}}, over {{len(pair)}} rows.", f"{{scope}} 中{{ranked[0]}}与{{ranked[1]}}的相关系数为 {{value:.3f}}，共 {{len(pair)}} 行。")
elif OPERATION == "share" and len(ranked) > 1 and re.search(r"率|占比|比例|rate|share|percent|proportion", QUESTION, re.IGNORECASE):
    pairs = [(one, other) for one in numeric for other in numeric if one != other]
    part, whole = max(pairs, key=lambda pair: (fit(pair[0]) + fit(pair[1]), rows[pair[1]].sum()))
    if rows[part].sum() > rows[whole].sum():
        part, whole = whole, part
    if filters and target == part == whole:
        sys.exit("the question names no two columns")
    share = rows[part].sum() / rows[whole].sum() * 100
    say(f"{{part}} is {{show(rows[part].sum())}} of {{show(rows[whole].sum())}} {{whole}} in {{scope}}, which is {{share:.2f}} %, over {{len(rows)}} rows.",
        f"{{scope}} 中{{part}}合计 {{show(rows[part].sum())}}，{{whole}}合计 {{show(rows[whole].sum())}}，占 {{share:.2f}}%，共 {{len(rows)}} 行。")
elif OPERATION in ("ranking", "max", "min"):
    lowest = OPERATION == "min" or re.search(r"lowest|smallest|shallowest|fewest|最[低少小短浅]", QUESTION, re.IGNORECASE)
    ordered = values.sort_values(ascending=bool(lowest)).head(5)
    for place, (index, value) in enumerate(ordered.items(), 1):
        say(f"{{place}}. {{label_of(index)}}: {{target}} {{show(value)}} ({{scope}}).", f"第{{place}}名：{{label_of(index)}}，{{target}} {{show(value)}}（{{scope}}）。")
elif OPERATION == "count":
    say(f"{{scope}} has {{len(rows)}} rows that fit.", f"{{scope}} 中符合条件的有 {{len(rows)}} 行。")
elif OPERATION in ("difference", "growth", "ratio") and len(ranked) > 1 and fit(ranked[1]) > 0:
    a, b = rows[ranked[0]].sum(), rows[ranked[1]].sum()
    say(f"{{ranked[0]}} is {{show(a)}} and {{ranked[1]}} is {{show(b)}} in {{scope}}; the difference is {{show(abs(a - b))}} and the ratio {{show(a / b)}}.",
        f"{{scope}} 中{{ranked[0]}}为 {{show(a)}}，{{ranked[1]}}为 {{show(b)}}，相差 {{show(abs(a - b))}}，比值 {{show(a / b)}}。")
elif OPERATION == "difference":
    say(f"{{target}} in {{scope}} ranges from {{show(values.min())}} to {{show(values.max())}}; the difference is {{show(values.max() - values.min())}}, over {{count}} rows.",
        f"{{scope}} 中{{target}}最小为 {{show(values.min())}}，最大为 {{show(values.max())}}，相差 {{show(values.max() - values.min())}}，共 {{count}} 行。")
else:
    say(f"The sum of {{target}} in {{scope}} is {{show(values.sum())}}, over {{count}} rows.", f"{{scope}} 中{{target}}的合计为 {{show(values.sum())}}，共 {{count}} 行。")
"""

_TEXT_PROGRAM = """\
import re
import sys

# Numbers come from these excerpts, by id.
EXCERPTS = {numbers}
QUESTION = {question!r}
SIDES = {sides!r}
OPERATION = {operation!r}
CHINESE = {chinese!r}
NUMBER = re.compile(r"(?<![\\w.-])(\\d{{1,3}}(?:,\\d{{3}})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?)\\s*(%|[A-Za-z]{{1,10}}|[\\u4e00-\\u9fff]{{1,2}})?")


def words(text):
    found = {{word.rstrip("s") for word in re.findall(r"[a-z]{{2,}}|\\d+", text.lower())}}
    for run in re.findall(r"[\\u4e00-\\u9fff]+", text):
        found.update(run[i:i + 2] for i in range(len(run) - 1))
    return found


def measures(text):
    found = []
    for match in NUMBER.finditer(text):
        value, unit = float(match.group(1).replace(",", "")), (match.group(2) or "").lower()
        if 1400 <= value <= 2100 and value == int(value) and not unit.startswith(("m", "f", "米", "英", "人", "例", "%")):
            continue
        if unit not in ("in", "and", "to", "of", "the", "at", "on", "by", "for", "was", "is", "th", "st", "nd", "年", "月", "日"):
            found.append((value, unit))
    return found


asked = words(QUESTION)
entries = []
for excerpt, quote in EXCERPTS:
    for sentence in re.split(r"(?<=[.!?])\\s+|[。！？；]", quote):
        for value, unit in measures(sentence):
            entries.append((excerpt, sentence, value, unit))
units = {{}}
for _, sentence, _, unit in entries:
    if unit:
        units[unit] = units.get(unit, 0) + len(words(sentence) & asked) + 3 * (unit.rstrip("s") in asked)
if not units:
    sys.exit("the excerpts hold no measured numbers")
unit = max(sorted(units), key=lambda one: units[one])
same = [entry for entry in entries if entry[3] == unit]


def best(side):
    return max(same, key=lambda entry: (len(words(entry[1]) & words(side)) * 3 + len(words(entry[1]) & asked), -len(entry[1])))


if SIDES:
    first, second = best(SIDES[0]), best(SIDES[1])
else:
    ordered = sorted(same, key=lambda entry: -len(words(entry[1]) & asked))
    first = ordered[0] if ordered else None
    second = next((entry for entry in ordered if first and entry[2] != first[2]), None)
if first is None or second is None or (first[2] == second[2] and first[0] == second[0]):
    sys.exit("the excerpts hold no two numbers of one unit to compute with")


def show(number):
    return format(int(number), ",") if float(number).is_integer() else format(round(number, 2), ",.2f").rstrip("0").rstrip(".")


a, b = first[2], second[2]
if OPERATION == "ratio":
    high, low = max(a, b), min(a, b)
    print(f"{{show(high)}} {{unit}} 是 {{show(low)}} {{unit}} 的 {{show(high / low)}} 倍（{{first[0]}}、{{second[0]}}）。" if CHINESE else f"{{show(high)}} {{unit}} is {{show(high / low)}} times {{show(low)}} {{unit}} (from {{first[0]}} and {{second[0]}}).")
elif OPERATION == "growth":
    print(f"从 {{show(a)}} {{unit}} 到 {{show(b)}} {{unit}}，变化 {{show((b - a) / a * 100)}}%（{{first[0]}}、{{second[0]}}）。" if CHINESE else f"From {{show(a)}} {{unit}} to {{show(b)}} {{unit}} the change is {{show((b - a) / a * 100)}} % (from {{first[0]}} and {{second[0]}}).")
elif OPERATION == "mean":
    print(f"{{show(a)}} 与 {{show(b)}} {{unit}} 的平均值为 {{show((a + b) / 2)}} {{unit}}（{{first[0]}}、{{second[0]}}）。" if CHINESE else f"The mean of {{show(a)}} and {{show(b)}} {{unit}} is {{show((a + b) / 2)}} {{unit}} (from {{first[0]}} and {{second[0]}}).")
elif OPERATION == "sum":
    print(f"{{show(a)}} 与 {{show(b)}} {{unit}} 合计 {{show(a + b)}} {{unit}}（{{first[0]}}、{{second[0]}}）。" if CHINESE else f"The sum of {{show(a)}} and {{show(b)}} {{unit}} is {{show(a + b)}} {{unit}} (from {{first[0]}} and {{second[0]}}).")
else:
    print(f"{{show(a)}} {{unit}} 与 {{show(b)}} {{unit}} 相差 {{show(abs(a - b))}} {{unit}}（{{first[0]}}、{{second[0]}}）。" if CHINESE else f"{{show(a)}} {{unit}} and {{show(b)}} {{unit}} differ by {{show(abs(a - b))}} {{unit}} (from {{first[0]}} and {{second[0]}}).")
"""
