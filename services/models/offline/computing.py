"""The offline coder: recognises the computations that a question names, and writes a program that really does them."""

import re

from schemas.coder import Code
from services.models.offline.answering import parts_of
from services.models.offline.language import compared_in, names_in
from services.models.offline.meaning import concepts, in_both_languages
from services.models.offline.sections import Element, Finding, Prompt, findings_of
from services.models.offline.table_program import table_program
from services.models.offline.tables import matching_tables, mentions_table
from services.models.offline.text_program import text_program

_OPERATIONS = (
    ("correlation", r"\bcorrelat\w+|相关系数|相关性|是否相关"),
    ("median", r"\bmedian\b|中位数"),
    ("growth", r"\b(?:growth|percentage (?:increase|decrease|change)|per ?cent (?:increase|decrease|change)|grew by|(?:increased?|decreased?|fell|rose|changed?) by (?:what|how))\b|增长率|增幅|降幅|各?(?:增长|增加|上升|下降|减少|降低)了?(?:多少|百分之几)"),
    ("share", r"\b(?:share|percentage|per ?cent|proportion|fraction) of\b|\bwhat (?:share|percentage|proportion|fraction)\b|占比|占[^，。？]{0,10}(?:多少|几成|百分之)|百分比|率(?:各?[是为有])?(?:多少|最|相差)"),
    ("ratio", r"\bhow many times\b|\bratio\b|多少倍|几倍|比值"),
    ("difference", r"\b(?:difference|differ) (?:in|between)\b.{0,200}\b(?:depth|number|figure|metres|meters|years|value|rate|length|speed)|\bhow (?:much|many(?: \w+)?) (?:more|less|(?!better|ever|other|over|under|after)\w{2,}er)\b|相差|之差|差多少|差值|(?<!增)[高低多少长深大快]多少(?=[米分个%百年岁天倍毫厘公吨人例]|$|[？?])|多多少|少多少"),
    ("mean", r"\b(?:average|arithmetic mean)\b|\b(?:the |a )mean\b(?! (?:by|of saying|to))|\bmean (?:depth|length|value|number|age|speed|time|score|minutes|rate|axial)|平均"),
    ("sum", r"\b(?:total|sum|altogether|combined|in all)\b|总和|总计|合计|一共|总共|总数|总人数|加起来"),
    ("ranking", r"\b(?:rank|ranking|top \d+|which \w+ (?:\w+ )?(?:has|had|have|is|was|recorded|shows?) the \w+est)\b|排名|排序|前[三五十\d]名?|哪[个所一种][^，。？]{0,8}最[高低多少大小长短深浅]"),
    ("max", r"\b(?:deepest|maximum|highest|largest|greatest|longest|most)\b|最[高大长深多]"),
    ("min", r"\b(?:shallowest|minimum|lowest|smallest|shortest|least|fewest)\b|最[低小短浅少]"),
    ("count", r"\bhow many\b|\bnumber of\b|多少(?:条|行|所|家|次|个|名|艘)|几(?:条|行|所|家|次|个|名|艘)"),
)  # fmt: skip
_PATTERNS = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _OPERATIONS)
_ON_TABLES = frozenset({"ranking", "max", "min", "count", "mean", "median", "sum", "share", "correlation"})
"""Computations that a source usually has the result of: without a table they are looked up and not computed."""
_ORDERS = re.compile(r"\b(?:calculate|compute|work out|add up)\b|计算|算一[下算]|算出", re.IGNORECASE)
_ELLIPTIC = re.compile(r"、(?=哪)|，(?=(?:相差|比.{1,12}[高低多少]))|(?<=[多少高低])，(?=占)")
"""Between what Chinese questions ask of one thing after another."""
_ASKING = re.compile(
    r"\b(?:who|what|which|when|where|how|whose|is|are|was|were|did|does|do|compare|rank|list|show|give|tell|calculate|compute|find|count)\b|"
    r"什么|多少|哪|谁|何|几|怎|吗|如何|是否|最|平均|总|占|率|相差|趋势|比较|对比|排|计算|列|[多少高低]$",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")


def operations_of(question: str) -> list[str]:
    """Return the computations that a question names, in the order of how much they tell."""
    return [name for name, pattern in _PATTERNS if pattern.search(question)]


def computable(question: str, tables: list[str]) -> list[str]:
    """Return the tables that a question's computation can be done over; empty where it names none or means none of them."""
    operations = operations_of(question)
    if not operations:
        return []
    found = matching_tables(question, tables)
    only_loose = set(operations) <= {"max", "min", "count", "ranking", "sum", "share"}
    return found if not only_loose or mentions_table(question) else []


def computes_from_text(question: str) -> bool:
    """Tell whether a question wants arithmetic even where no table is at hand: two sides to set against each other."""
    operations = operations_of(question)
    if not operations:
        return False
    sides = compared_in(question) or ()
    if any(re.search(r"\d\s*[%％]", side) for side in sides):  # what is compared is named by numbers, as strengths are
        return False
    if _ORDERS.search(question):
        return True
    two_sides = (
        compared_in(question) is not None or len(set(_YEAR.findall(question))) > 1 or len(names_in(question)) > 1
    )
    return two_sides and not set(operations) <= _ON_TABLES


def asks_for_computation(question: str) -> bool:
    """Tell whether a question may want arithmetic; whether it does depends on the tables at hand."""
    return bool(operations_of(question)) and (computes_from_text(question) or mentions_table(question))


def write_code(prompt: Prompt) -> Code:
    """Write the program of a processing step; after a failed one, another reading of the step."""
    question = prompt.question
    operations = operations_of(question) or operations_of(prompt.one("step").body)
    tried = len(prompt.all("attempt"))
    numbers = _numbers(findings_of(prompt))
    programs = [
        (
            f"{', '.join(operations[:1] or ['rows'])} over {table['file']}",
            table_program(
                file=table["file"],
                sheet=table["sheet"],
                parts=asked_parts(question),
                concepts=concepts(question, table.body),
                chinese=prompt.chinese,
            ),
        )
        for table in _tables(question, prompt)
    ]
    if numbers and operations and not set(operations) <= {"ranking", "max", "min", "count", "median", "correlation"}:
        sides = compared_in(question) or tuple(_YEAR.findall(question)[:2]) or ()
        code = text_program(
            excerpts=numbers, question=question, sides=sides, operation=operations[0], chinese=prompt.chinese
        )
        programs.append((f"{operations[0]} over numbers in the excerpts", code))
    if tried >= len(programs):
        return _refusal(prompt.chinese)
    thought, code = programs[tried]
    return Code(thought=thought, description=_description(question, prompt.chinese), code=code)


def asked_parts(question: str) -> list[str]:
    """Return the parts of a question over a table, each with what leads it in; each is a computation of its own."""
    parts: list[str] = []
    lead = ""
    for clause in parts_of(question):
        for part in _ELLIPTIC.split(clause):
            if not _ASKING.search(part):
                lead = f"{lead}{part}, "
                continue
            parts.append(f"{lead}{part}")
            lead = ""
    if lead and parts:
        parts[-1] = f"{parts[-1]}, {lead.strip(', ')}"
    return parts or [question]


def _description(question: str, chinese: bool) -> str:
    bare = question.rstrip("?？ ")[:80]
    return f"计算：{bare}" if chinese else f"Computation: {bare}"


def _tables(question: str, prompt: Prompt) -> list[Element]:
    """Return the tables that the question means, the best first; where there is nothing else to compute with, any."""
    tables = {
        f"{table['file']} {table['title']} {table['sheet']}: columns: {'; '.join(table.body.splitlines())}": table
        for table in prompt.all("table")
    }
    numbers = _numbers(findings_of(prompt))
    asked = in_both_languages(question, " ".join(tables))
    found = matching_tables(asked, list(tables)) or matching_tables(asked, list(tables), meant=not numbers)
    return [tables[one] for one in found or ([] if numbers else tables)][:2]


def _numbers(findings: list[Finding]) -> list[tuple[str, str]]:
    """Return (excerpt id, quote) of the excerpts that hold a number."""
    return [
        (one.id, " ".join(one.quote.split()))
        for finding in findings
        for one in finding.evidence
        if re.search(r"\d", one.quote) and one.kind != "computation"
    ]


def _refusal(chinese: bool) -> Code:
    reason = "没有可以计算的表格或数字" if chinese else "there is no table and no number to compute with"
    return Code(description="nothing to compute", code=f"import sys\n\nsys.exit({reason!r})\n")
