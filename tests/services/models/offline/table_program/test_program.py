"""The program is one file that runs alone in the sandbox."""

from services.models.offline.table_program import table_program
from services.sandbox.imports import refused_imports


def test_the_program_needs_nothing_that_the_sandbox_lacks() -> None:
    code = table_program(file="t.csv", sheet="", clauses=["How many?"], translations=[], chinese=False)
    assert "services." not in code
    assert refused_imports(code, ["pandas"]) == ""
