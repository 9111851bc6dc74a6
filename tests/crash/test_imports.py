"""Modules are imported in one thread alone, the event loop's.

Where another thread imports, too, this one may take hold of half a module: OpenAI's client looks whether `httpx` is loaded, as
the checkpoints' serializer does with NumPy, and fails if it is, but not yet whole.
"""

import os
from pathlib import Path

from tests.crash.killing import Crashing
from tests.crash.whole import Whole

NOTED = """
import runpy, sys, threading
runpy.run_path({guard!r})

class Noted:
    def find_spec(self, name, path, target=None):
        where = "here" if threading.current_thread() is threading.main_thread() else "elsewhere"
        with open({log!r}, "a") as log:
            log.write(f"{{where}} {{name}}\\n")

sys.meta_path.insert(0, Noted())
"""
"""Notes in which thread each module is looked for."""


def test_modules_are_imported_in_one_thread(run: Crashing, whole: Whole, tmp_path: Path) -> None:
    log = tmp_path / "log"
    guard, project = map(Path, os.environ["PYTHONPATH"].split(os.pathsep))
    (tmp_path / "sitecustomize.py").write_text(NOTED.format(guard=str(guard / "sitecustomize.py"), log=str(log)))
    run.environment = {"PYTHONPATH": os.pathsep.join(map(str, [tmp_path, project]))}
    run.formats = "md,html,slides,pptx,docx"
    assert run.finish() == whole.printed
    looked_for = [line.split() for line in log.read_text().splitlines()]
    assert {"httpx", "mcp", "numpy", "genai_prices", "pptx"} <= {name for where, name in looked_for if where == "here"}
    elsewhere = [name for where, name in looked_for if where == "elsewhere"]
    assert [name for name in elsewhere if not name.startswith("encodings.")] == []
