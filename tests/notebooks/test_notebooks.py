"""The notebooks run from top to bottom, as a reader would run them, inside the kernel's event loop and without a key."""

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.conftest import PROJECT

NOTEBOOKS = sorted((PROJECT / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(name, str(tmp_path / name))
    work = tmp_path / "notebooks"
    work.mkdir()
    (tmp_path / "examples").symlink_to(PROJECT / "examples")
    notebook: nbformat.NotebookNode = nbformat.reads(path.read_text("utf-8"), as_version=4)  # type: ignore[no-untyped-call]  # nbformat has no types
    assert all(not cell.get("outputs") for cell in notebook.cells), "notebooks are kept without outputs"
    NotebookClient(notebook, timeout=100, resources={"metadata": {"path": str(work)}}).execute()
    shown: list[Any] = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    kinds = {kind for output in shown for kind in output.get("data", {})}
    assert SHOWN[path.stem] <= kinds
    assert not [output for output in shown if output.get("name") == "stderr"], "no warnings in front of a reader"
    for output in shown:
        assert "at 0x" not in output.get("data", {}).get("text/plain", ""), "what is shown has a plain form, too"


SHOWN = {
    "data": {"text/html", "text/markdown", "image/png"},
    "documents": {"text/html", "text/markdown"},
    "evaluation": {"text/html"},
    "extending": {"text/html", "text/markdown"},
    "inside": {"text/html", "text/markdown"},
    "quickstart": {"text/html", "text/markdown"},
}
"""Forms in which each notebook shows something."""


def test_each_notebook_has_what_it_shows_named_here() -> None:
    assert {path.stem for path in NOTEBOOKS} == SHOWN.keys()
