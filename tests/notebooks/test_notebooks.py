"""The notebooks run from top to bottom, as a reader would run them, inside the kernel's event loop and without a key.

`make notebooks` stores what they show with them, so that it can be read where nothing runs, as on GitHub.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.conftest import PROJECT
from tests.notebooks.stored_outputs import FRAME, clean

NOTEBOOKS = sorted((PROJECT / "notebooks").glob("*.ipynb"))
REMADE = os.environ.get("LEADLINE_NOTEBOOKS")
"""Folder into which notebooks are written with their outputs."""


def _read(path: Path) -> Any:
    return nbformat.reads(path.read_text("utf-8"), as_version=4)  # type: ignore[no-untyped-call]  # nbformat has no types


def _outputs(notebook: Any) -> list[Any]:
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_notebook_runs_and_shows_what_is_stored_with_it(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, example_indexes: Path
) -> None:
    (tmp_path / "home").mkdir(0o700)
    (tmp_path / "home" / "documents").symlink_to(example_indexes)
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(name, str(tmp_path / name))
    work = tmp_path / "notebooks"
    work.mkdir()
    (tmp_path / "examples").symlink_to(PROJECT / "examples")
    stored, notebook = _read(path), _read(path)
    NotebookClient(
        notebook, timeout=100, record_timing=False, coalesce_streams=True, resources={"metadata": {"path": str(work)}}
    ).execute()
    shown = _outputs(notebook)
    kinds = {kind for output in shown for kind in output.get("data", {})}
    assert SHOWN[path.stem] <= kinds
    assert not [output for output in shown if output.get("name") == "stderr"], "no warnings in front of a reader"
    for output in shown:
        assert "at 0x" not in output.get("data", {}).get("text/plain", ""), "what is shown has a plain form, too"
    clean(notebook)
    if REMADE:
        nbformat.write(notebook, Path(REMADE) / path.name)  # type: ignore[no-untyped-call]  # likewise
        return
    assert [_words(cell) for cell in notebook.cells] == [_words(cell) for cell in stored.cells], "run: make notebooks"


def _words(cell: Any) -> list[Any]:
    """Return what a cell shows, without the bytes of pictures."""
    outputs: list[Any] = cell.get("outputs", [])
    return [
        {kind: None if kind == "image/png" else text for kind, text in output.get("data", {}).items()}
        or output.get("text")
        for output in outputs
    ]


SHOWN = {
    "data": {"text/html", "text/markdown", "image/png"},
    "documents": {"text/html", "text/markdown"},
    "evaluation": {"text/html", "image/png"},
    "extending": {"text/html", "text/markdown"},
    "inside": {"text/html", "text/markdown", "image/png"},
    "quickstart": {"text/html", "text/markdown"},
}
"""Forms in which each notebook shows something."""


def test_each_notebook_has_what_it_shows_named_here() -> None:
    assert {path.stem for path in NOTEBOOKS} == SHOWN.keys()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_stored_is_whole_and_says_nothing_of_the_machine(path: Path) -> None:
    stored = _read(path)
    ran = [cell.execution_count for cell in stored.cells if cell.cell_type == "code"]
    assert ran == list(range(1, len(ran) + 1)), "run: make notebooks"
    assert not [output for output in _outputs(stored) if output.output_type == "error"]
    text = path.read_text("utf-8")
    assert FRAME not in text
    for private in ("/tmp/", "/home/", "/root/", str(PROJECT), sys.prefix):
        assert private not in text


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_where_leadline_is_not_installed_the_first_cell_says_how_to_install_it(path: Path) -> None:
    first = next(cell for cell in _read(path).cells if cell.cell_type == "code")
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", first.source], capture_output=True, text=True, check=False, timeout=60
    )
    assert "leadline" in ran.stderr
    assert '%pip install -e "..[charts,mcp,vectors]"' in ran.stderr
