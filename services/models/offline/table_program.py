"""The program that the offline coder writes over one table.

Constants come first (the file, the question, the computations it names); what follows them reads the table, finds the
rows, the groups and the column that the question means among all its values, and prints what it computed and from how
many rows.
"""


def table_program(*, file: str, sheet: str, question: str, operations: list[str], chinese: bool) -> str:
    """Return a complete program.

    Args:
        file: a table in the working folder.
        sheet: of a workbook; empty for its first.
        question: as asked; values, columns and limits are recognised in it.
        operations: names of computations, the most telling first.
        chinese: the language of what it prints.
    """
    constants = [
        f"FILE, SHEET = {file!r}, {sheet!r}",
        f"QUESTION = {question!r}",
        f"OPERATIONS = {operations!r}",
        f"CHINESE = {chinese!r}",
    ]
    return "\n".join([_IMPORTS, *constants, _READ, _ROWS, _MEASURE, _RESULT])


_IMPORTS = """import io
import re
import sys

import pandas as pd
"""

_READ = r'''

def load():
    """Read the table; numbers written with separators or per cent signs become numbers."""
    if FILE.lower().endswith(".xlsx"):
        table = pd.read_excel(FILE, sheet_name=SHEET or 0)
    else:
        data = open(FILE, "rb").read()
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("gb18030")
        table = pd.read_csv(io.StringIO(text), sep="\t" if FILE.lower().endswith(".tsv") else ",")
    table.columns = [str(name).strip() for name in table.columns]
    for name in table.columns:
        if not pd.api.types.is_numeric_dtype(table[name]):
            bare = table[name].astype(str).str.replace(",", "").str.strip().str.rstrip("%")
            numbers = pd.to_numeric(bare, errors="coerce")
            if numbers.notna().sum() >= 0.8 * table[name].notna().sum() > 0:
                table[name] = numbers
            else:
                table[name] = table[name].where(table[name].isna(), table[name].astype(str).str.strip())
    return table


def words(text):
    """Words of a text: English ones in the singular, Chinese ones as pairs of characters."""
    found = set()
    for word in re.findall(r"[a-z]+|\d+", str(text).lower().replace("_", " ")):
        word = {"deep": "depth", "deeper": "depth", "deepest": "depth", "long": "length", "longest": "length", "high": "height"}.get(word, word)
        found.add(re.sub(r"(?<=\w{3})s$", "", re.sub(r"meters?$", "metre", word)))
    for run in re.findall(r"[\u4e00-\u9fff]+", str(text)):
        found.update(run[i:i + 2] for i in range(max(1, len(run) - 1)))
    return found


def share_of_rows(table):
    """Add the columns of a share of rows: `the share of repaired items` is that of the rows in which a column says repaired."""
    asked = re.search(r"(?:share|percentage|proportion|fraction|rate) of (?:the )?(\w+)", QUESTION, re.IGNORECASE)
    for name in table.columns:
        for value in table[name].dropna().unique() if asked else ():
            if str(value).lower() == asked.group(1).lower():
                added = {str(value): (table[name] == value).astype(int), "all rows": 1}
                return table.drop(columns=name).assign(**added)
    return table


table = share_of_rows(load())
asked = words(QUESTION)
numeric = [name for name in table.columns if pd.api.types.is_numeric_dtype(table[name])]
textual = [name for name in table.columns if name not in numeric]
year = next((name for name in numeric if re.search(r"\byear\b|_year|^年份?$|年度", name, re.IGNORECASE)), None)
if not numeric:
    sys.exit("the table " + FILE + " has no column of numbers")
'''

_ROWS = r'''

def named_values():
    """Return the values of text columns that the question names; one inside a longer one that is named does not count."""
    candidates = []
    for name in textual:
        for value in table[name].dropna().unique():
            core = re.sub(r"^(?:H\.?M\.?S\.?|R\.?V\.?|USS|USNS|R/V)\s+", "", str(value))
            if len(core) > 1:
                candidates.append((core, str(value), name))
    rest, found = QUESTION, {}
    for core, value, name in sorted(candidates, key=lambda one: (-len(one[0]), QUESTION.lower().find(one[0].lower()))):
        edge = "" if re.search(r"[\u4e00-\u9fff]", core) else r"(?<!\w)"
        pattern = edge + re.escape(core) + (r"(?!\w)" if edge else "")
        same = [one for one in found.get(name, []) if one[1] == core]
        if re.search(pattern, rest, re.IGNORECASE) or same:
            found.setdefault(name, []).append((value, core))
            rest = re.sub(pattern, lambda match: "\0" * len(match.group()), rest, flags=re.IGNORECASE)
    place = {core: QUESTION.lower().find(core.lower()) for values in found.values() for _, core in values}
    return {name: [value for value, core in sorted(values, key=lambda one: place[one[1]])] for name, values in found.items()}, rest


def keep(column, test, said):
    """Keep the rows that pass a test, and note the condition."""
    global rows
    rows = rows[test(rows[column])]
    conditions.append(str(column) + " " + said)


def apply_years(text):
    """Apply what the question says of years, and return the rest of it."""
    span = re.search(r"(?:between|from|从)\s*(\d{4})\s*年?\s*(?:and|to|until|-|–|到|至)\s*(\d{4})", text, re.IGNORECASE)
    if span and "growth" not in OPERATIONS and "difference" not in OPERATIONS:
        first, last = int(span.group(1)), int(span.group(2))
        keep(year, lambda column: column.between(first, last), f"{first}–{last}")
        return text.replace(span.group(), " ")
    for sign, pattern in (
        (">", r"(?:after|later than)\s+(?:the year\s+)?(\d{4})|(\d{4})\s*年?(?:以后|之后)"),
        (">=", r"(?:since|from)\s+(\d{4})|(\d{4})\s*年?(?:以来|起)"),
        ("<", r"(?:before|earlier than|until)\s+(?:the year\s+)?(\d{4})|(\d{4})\s*年?(?:以前|之前)"),
    ):
        found = re.search(pattern, text, re.IGNORECASE)
        if found:
            value = int(found.group(1) or found.group(2))
            tests = {">": lambda column: column > value, ">=": lambda column: column >= value, "<": lambda column: column < value}
            keep(year, tests[sign], f"{sign} {value}")
            text = text.replace(found.group(), " ")
    return text


def apply_limits(text, target):
    """Apply limits on numbers, such as `deeper than 5,000`, to the column whose name stands near, else to the target."""
    number = r"(\d[\d,]*(?:\.\d+)?)"
    for sign, pattern in (
        (">=", rf"(?:at least|no less than|至少|不少于|不低于)\s*{number}|{number}\s*[\u4e00-\u9fff]{{0,2}}及?以上"),
        (">", rf"(?:\w+er|more|greater) than\s+{number}|(?:over|above|exceed\w*)\s+{number}|(?:超过|大于|高于|多于|深于)\s*{number}"),
        ("<=", rf"(?:at most|no more than|不超过|不高于|至多)\s*{number}|{number}\s*[\u4e00-\u9fff]{{0,2}}及?以下"),
        ("<", rf"(?:less|fewer|shallower|smaller|lower|shorter) than\s+{number}|(?:below|under)\s+{number}|(?:小于|低于|少于|不足|浅于)\s*{number}"),
    ):
        for found in re.finditer(pattern, text, re.IGNORECASE):
            value = float(next(group for group in found.groups() if group).replace(",", ""))
            if sign == ">" and re.match(r"less|fewer|shallower|smaller|lower|shorter", found.group(), re.IGNORECASE):
                continue
            near = words(text[max(0, found.start() - 15):found.end() + 15])
            columns = sorted(numeric, key=lambda name: (-len(words(name) & near), name != target))
            tests = {">": lambda c: c > value, ">=": lambda c: c >= value, "<": lambda c: c < value, "<=": lambda c: c <= value}
            keep(columns[0] if words(columns[0]) & near else target, tests[sign], f"{sign} {value:g}")


rows, conditions = table, []
named, rest = named_values()
compared = None
for column, values in named.items():
    if len(values) > 1 and compared is None and len(values) < table[column].nunique() + 1:
        compared = (column, values)
    else:
        rows = rows[rows[column].isin(values)]
        conditions.append(str(column) + " = " + ", ".join(values))
if compared is not None:
    rows = rows[rows[compared[0]].isin(compared[1])]
if year is not None:
    rest = apply_years(rest)
    years = [int(one) for one in re.findall(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)", rest)]
    years = [one for one in dict.fromkeys(years) if one in set(table[year])]
    if len(years) > 1 and compared is None:
        compared = (year, years)
        rows = rows[rows[year].isin(years)]
    elif len(years) == 1:
        keep(year, lambda column: column == years[0], f"= {years[0]}")
if rows.empty:
    sys.exit("no row of " + FILE + " meets the conditions: " + "; ".join(conditions))
'''

_MEASURE = r'''

def fit(name):
    """How well a column's name fits the question; years, numbers of rows and places are rarely what is computed."""
    own = words(re.sub(r"[（(].*?[)）]", "", name)) or words(name)
    score = len(own & asked) / (len(own) or 1) + len(own & asked)
    score += 0.5 * bool(words(" ".join(re.findall(r"[（(](.*?)[)）]", name))) & asked)
    return score - 1.5 * bool(name == year or re.search(r"\bid\b|编号|序号|^lat|^lon|年龄", name, re.IGNORECASE))


def rate_columns():
    """Return part and whole of a rate: `近视率` is the column of 近视 by that of all who were examined."""
    wanted = re.findall(r"([\u4e00-\u9fff]{1,4})率", QUESTION) + re.findall(r"(?:share|percentage|proportion|fraction|rate) of (?:the )?([\w ]{3,30})", QUESTION, re.IGNORECASE)
    wanted += re.findall(r"([\w]{4,20})\s+(?:rate|percentage|share)\b", QUESTION, re.IGNORECASE)
    for text in wanted:
        ends = [text[-2:], text[-3:], text] if re.search(r"[\u4e00-\u9fff]", text) else [text]
        for part in numeric:
            if not any(end in part if re.search(r"[\u4e00-\u9fff]", end) else words(end) & words(part) for end in ends):
                continue
            wholes = [
                name
                for name in numeric
                if name not in (part, year)
                and (table[name] >= table[part]).all()
                and (name[-2:] == part[-2:] or words(name) & words(part) or re.search(r"total|all|examined|tested|总|全|受检|检查|调查|样本", name, re.IGNORECASE))
            ]
            if wholes:
                return part, max(wholes, key=lambda name: (bool(re.search(r"total|all|examined|tested|总|全|受检|检查|调查", name, re.IGNORECASE)), fit(name)))
    return None


def change_columns():
    """Return the two columns between which something grew: one of the start and one of the time that the question names."""
    if not re.search(r"grow|increase|change|gain|rise|fall|drop|增长|增加|变化|上升|下降|进展", QUESTION, re.IGNORECASE):
        return None
    families = {}
    for name in numeric:
        stem = re.sub(r"[（(].*?[)）]|\d+\s*(?:个?[年月周天]|years?|months?|weeks?|days?)?|基线|初始|最终|之?[前后]|baseline|initial|final|before|after|start|end|[\s_-]", "", name, flags=re.IGNORECASE)
        families.setdefault(stem.lower(), []).append(name)
    best = max((one for one in families.values() if len(one) > 1), key=lambda one: fit(one[0]), default=None)
    if best is None or not words(best[0]) & asked:
        return None
    first = next((name for name in best if re.search(r"基线|初始|前|baseline|initial|before|start|pre", name, re.IGNORECASE)), best[0])
    later = [name for name in best if name != first]
    digits = set(re.findall(r"\d+", QUESTION))
    return first, next((name for name in later if digits & set(re.findall(r"\d+", name))), later[-1])


superlative = bool(re.search(r"\b(?:most|least|fewest|\w{3,}est)\b|最[高低大小多少长短深浅快慢]", QUESTION, re.IGNORECASE)) or "ranking" in OPERATIONS
lowest = bool(re.search(r"lowest|smallest|shallowest|shortest|least|fewest|最[低小少短浅慢]", QUESTION, re.IGNORECASE))
highest = bool(re.search(r"highest|largest|deepest|longest|\bmost\b|greatest|biggest|最[高大多长深快]", QUESTION, re.IGNORECASE)) or not lowest
target = max(numeric, key=fit)
rate, change = rate_columns(), change_columns()
if rate is not None:
    title = f"{rate[0]} / {rate[1]}" if not CHINESE else f"{rate[0]}占{rate[1]}的比例"
    target = rate[1]
elif change is not None:
    title, target = f"{change[1]} − {change[0]}", change[1]
    rows = rows.assign(**{"\0change": rows[change[1]] - rows[change[0]]})
else:
    title = target
apply_limits(rest, target)
'''

_RESULT = r'''

def value_of(part):
    """Compute the measure over some rows, and how many of them it used."""
    if rate is not None:
        used = part.dropna(subset=list(rate))
        return (used[rate[0]].sum() / used[rate[1]].sum() * 100 if used[rate[1]].sum() else float("nan")), len(used)
    values = part["\0change" if change is not None else target].dropna()
    if values.empty:
        return float("nan"), 0
    if "sum" in OPERATIONS and "mean" not in OPERATIONS:
        return values.sum(), len(values)
    if "median" in OPERATIONS:
        return values.median(), len(values)
    if superlative and compared is None and change is None and not {"mean", "sum"} & set(OPERATIONS):
        return (values.max() if highest else values.min()), len(values)
    return values.mean(), len(values)


def show(number):
    """Round for reading, and give more digits where rounding took some away."""
    number, sign = float(number), "%" if rate is not None else ""
    if number.is_integer():
        return format(int(number), ",") + sign
    shown = format(number, ",.2f" if abs(number) >= 1 else ".3f")
    exact = format(number, ".6g")
    if len(exact) <= len(shown.replace(",", "")):
        return shown + sign
    return f"{shown}{sign}（精确值 {exact}{sign}）" if CHINESE else f"{shown}{sign} (exactly {exact}{sign})"


def say(english, chinese):
    print(chinese if CHINESE else english)


def method():
    if rate is not None:
        return "", ""
    if "sum" in OPERATIONS and "mean" not in OPERATIONS:
        return "sum of ", "合计"
    if "median" in OPERATIONS:
        return "median of ", "中位数"
    if superlative and compared is None and change is None and not {"mean", "sum"} & set(OPERATIONS):
        return ("highest ", "最大值") if highest else ("lowest ", "最小值")
    return "mean of ", "平均值"


def group_column():
    """Return the column by which the question wants results apart: `which ship`, `by ocean`, `四种方案`, `各学校`."""
    asks = re.findall(r"\b(?:which|what|each|every|per|by|the (?:\w+ )?)\s*(\w+)", QUESTION, re.IGNORECASE)
    for name in [*textual, *([year] if year else [])]:
        if any(name in condition for condition in conditions) or rows[name].nunique() < 2 or rows[name].nunique() == len(table):
            continue
        bare = re.sub(r"[（(].*?[)）]", "", name)
        if re.search(r"[\u4e00-\u9fff]", bare):
            if bare in QUESTION and re.search(r"[各每哪按]|[两二三四五六七八九十几]" + r"[种个所组类名家]", QUESTION):
                return name
        elif words(bare) & words(" ".join(asks)):
            return name
    return None


where = "; ".join(conditions)
scope = FILE + ((f"（{where}）" if CHINESE else f" ({where})") if where else "")
missing = int(rows[list(rate) if rate else [target]].isna().any(axis=1).sum())
english, chinese = method()
group = compared[0] if compared is not None else group_column()
if "count" in OPERATIONS and len(OPERATIONS) == 1:
    say(f"{scope} has {len(rows)} rows.", f"{scope} 共有 {len(rows)} 行。")
elif "correlation" in OPERATIONS:
    others = sorted((name for name in numeric if name != target), key=lambda name: -fit(name))
    pairs = rows[[target, others[0]]].dropna() if others else rows.iloc[:0]
    if len(pairs) < 3:
        sys.exit("fewer than three rows have both numbers")
    result = pairs.corr().iloc[0, 1]
    say(f"The Pearson correlation of {target} and {others[0]} in {scope} is {show(result)}, over {len(pairs)} rows.",
        f"{scope} 中{target}与{others[0]}的皮尔逊相关系数为 {show(result)}，共 {len(pairs)} 行。")
elif group is not None:
    keys = compared[1] if compared is not None else list(dict.fromkeys(rows[group].dropna()))
    results = [(str(key), *value_of(rows[rows[group] == key])) for key in keys]
    results = [one for one in results if one[2]]
    if not results or (len(results) < 2 and compared is not None):
        sys.exit("the groups of " + str(group) + " hold no numbers")
    if superlative or compared is None:
        results.sort(key=lambda one: one[1], reverse=highest or not superlative)
    for key, value, count in results[:8]:
        how = (english, chinese) if count > 1 or rate is not None else ("", "值")
        say(f"In {FILE}, the {how[0]}{title} for {key} is {show(value)} ({count} {'row' if count == 1 else 'rows'}).",
            f"{FILE} 中，{key}的{title}{how[1]}为 {show(value)}（{count} 行）。")
    (a_name, a, _), (b_name, b, _) = results[0], results[1] if len(results) > 1 else results[0]
    if "difference" in OPERATIONS and len(results) > 1:
        say(f"The difference between {a_name} and {b_name} is {show(abs(a - b)).replace('%', ' percentage points')}.", f"{a_name}与{b_name}相差 {show(abs(a - b)).replace('%', '个百分点')}。")
    if "ratio" in OPERATIONS and len(results) > 1 and b:
        say(f"{a_name} is {show(a / b).replace('%', '')} times {b_name}.", f"{a_name}是{b_name}的 {show(a / b).replace('%', '')} 倍。")
    if "growth" in OPERATIONS and change is None and len(results) > 1 and a:
        say(f"From {a_name} to {b_name} the change is {show((b - a) / a * 100)} %.", f"从{a_name}到{b_name}的变化为 {show((b - a) / a * 100)}%。")
    if superlative and len(results) > 1:
        top, bottom = max(results, key=lambda one: one[1]), min(results, key=lambda one: one[1])
        say(f"The highest is {top[0]} with {show(top[1])}; the lowest is {bottom[0]} with {show(bottom[1])}.",
            f"最高的是{top[0]}，为 {show(top[1])}；最低的是{bottom[0]}，为 {show(bottom[1])}。")
else:
    value, count = value_of(rows)
    if not count:
        sys.exit("the column " + target + " holds no numbers in these rows")
    say(f"The {english}{title} in {scope} is {show(value)}, over {count} rows.", f"{scope} 中{title}{chinese}为 {show(value)}，共 {count} 行。")
    if superlative and rate is None and change is None and not {"mean", "sum"} & set(OPERATIONS):
        row = rows.loc[rows[target].idxmax() if highest else rows[target].idxmin()]
        labels = ", ".join(f"{name} {row[name]}" for name in [*textual[:2], *([year] if year else [])])
        say(f"It belongs to {labels}.", f"对应的一行是：{labels}。")
    if change is not None and "growth" in OPERATIONS:
        first = rows[change[0]].mean()
        say(f"That is {show(value / first * 100)} % of the mean of {change[0]}.", f"相当于{change[0]}均值的 {show(value / first * 100)}%。")
if missing:
    say(f"{missing} rows without a value were left out.", f"{missing} 行缺少数值，未计入。")
'''
