"""The notebooks run from top to bottom, as a reader would run them."""

from pathlib import Path

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
    for name in ("langgraph.json", "examples"):
        (tmp_path / name).symlink_to(PROJECT / name)
    notebook: nbformat.NotebookNode = nbformat.reads(path.read_text("utf-8"), as_version=4)  # type: ignore[no-untyped-call]  # nbformat has no types
    assert all(not cell.get("outputs") for cell in notebook.cells), "notebooks are kept without outputs"
    NotebookClient(notebook, timeout=90, resources={"metadata": {"path": str(work)}}).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("text/markdown" in output.get("data", {}) for output in shown)
