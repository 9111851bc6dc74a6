"""The program is one file: its modules must not take each other's names, nor anything that the sandbox lacks."""

import ast
from collections import Counter

from services.models.offline.table_program import table_program
from services.sandbox.imports import refused_imports


def test_no_module_takes_anothers_names() -> None:
    code = table_program(file="t.csv", sheet="", parts=["How many?"], concepts=[], chinese=False)
    names = Counter[str]()
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names[node.name] += 1
        elif isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
    assert [name for name, count in names.items() if count > 1] == []
    assert "services." not in code
    assert refused_imports(code, ["openpyxl"]) == ""
