"""The offline coder: returns a program that answers the question from a table."""

from schemas.coder import Code, CoderPrompt, TableView
from services.embedding.translation_similarity import translations
from services.models.offline.table_program import table_program
from services.models.offline.tables import tables_to_compute
from services.run.ui_text import is_chinese
from services.text.questions import clauses_of

MAX_TABLES = 2
"""Maximum tables to try in turn."""
LONGEST_DESCRIPTION = 80


def write_code(prompt: CoderPrompt) -> Code:
    """Write the program of a processing step; after a failed attempt, for the next table that the question may mean."""
    question = " ".join(prompt.question.split())
    chinese = is_chinese(prompt.locale)
    described = {_description(table): table for table in prompt.tables}
    meant = (
        tables_to_compute(question, list(described))
        or tables_to_compute(question, list(described), any_table=True)
        or list(described)
    )
    attempt = len(prompt.attempts)
    if attempt >= min(MAX_TABLES, len(meant)):
        reason = "没有可以计算的表格" if chinese else "there is no table to compute with"
        return Code(description="nothing to compute", code=f"import sys\n\nsys.exit({reason!r})\n")
    table = described[meant[attempt]]
    bare = question.rstrip("?？ ")[:LONGEST_DESCRIPTION]
    code = table_program(
        file=table.file,
        sheet=table.sheet,
        clauses=clauses_of(question, short=True),
        translations=translations(question, "\n".join(table.columns)),
        chinese=chinese,
    )
    return Code(
        thought=f"over {table.file}",
        description=f"对 {table.file} 的计算：{bare}" if chinese else f"Computation over {table.file}: {bare}",
        code=code,
    )


def _description(table: TableView) -> str:
    return f"{table.file} {table.title} {table.sheet}: columns: {'; '.join(table.columns)}"
