"""The program that the offline coder writes over numbers that stand in excerpts, each with the excerpt's id."""


def text_program(
    *, excerpts: list[tuple[str, str]], question: str, sides: tuple[str, ...], operation: str, chinese: bool
) -> str:
    """Return a complete program.

    Args:
        excerpts: (id, quote) of those with a number in them.
        question: as asked.
        sides: the two things that it compares, if it does.
        operation: the computation that it names.
        chinese: the language of what it prints.
    """
    quotes = "".join(f"    ({excerpt_id!r}, {quote!r}),\n" for excerpt_id, quote in excerpts)
    constants = [
        f"EXCERPTS = [\n{quotes}]",
        f"QUESTION = {question!r}",
        f"SIDES = {sides!r}",
        f"OPERATION = {operation!r}",
        f"CHINESE = {chinese!r}",
    ]
    return "\n".join(["import re", "import sys", "", *constants, _BODY])


_BODY = r"""
NUMBER = re.compile(r"(?<![\w.-])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)\s*(%|[A-Za-z]{1,10}|[\u4e00-\u9fff]{1,2})?")


def words(text):
    found = {word.rstrip("s") for word in re.findall(r"[a-z]{2,}|\d+", text.lower())}
    for run in re.findall(r"[\u4e00-\u9fff]+", text):
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
    for sentence in re.split(r"(?<=[.!?])\s+|[。！？；]", quote):
        for value, unit in measures(sentence):
            entries.append((excerpt, sentence, value, unit))
units = {}
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
    print(f"{show(high)} {unit} 是 {show(low)} {unit} 的 {show(high / low)} 倍（{first[0]}、{second[0]}）。" if CHINESE else f"{show(high)} {unit} is {show(high / low)} times {show(low)} {unit} (from {first[0]} and {second[0]}).")
elif OPERATION == "growth":
    print(f"从 {show(a)} {unit} 到 {show(b)} {unit}，变化 {show((b - a) / a * 100)}%（{first[0]}、{second[0]}）。" if CHINESE else f"From {show(a)} {unit} to {show(b)} {unit} the change is {show((b - a) / a * 100)} % (from {first[0]} and {second[0]}).")
elif OPERATION == "mean":
    print(f"{show(a)} 与 {show(b)} {unit} 的平均值为 {show((a + b) / 2)} {unit}（{first[0]}、{second[0]}）。" if CHINESE else f"The mean of {show(a)} and {show(b)} {unit} is {show((a + b) / 2)} {unit} (from {first[0]} and {second[0]}).")
elif OPERATION == "sum":
    print(f"{show(a)} 与 {show(b)} {unit} 合计 {show(a + b)} {unit}（{first[0]}、{second[0]}）。" if CHINESE else f"The sum of {show(a)} and {show(b)} {unit} is {show(a + b)} {unit} (from {first[0]} and {second[0]}).")
else:
    print(f"{show(a)} {unit} 与 {show(b)} {unit} 相差 {show(abs(a - b))} {unit}（{first[0]}、{second[0]}）。" if CHINESE else f"{show(a)} {unit} and {show(b)} {unit} differ by {show(abs(a - b))} {unit} (from {first[0]} and {second[0]}).")
"""
