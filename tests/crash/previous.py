"""A run half done as the previous version leaves it: made once a release, and gone on with by the tests of the next one.

    python -m tests.crash.previous

writes `tests/crash/previous/`: the databases of a run over a folder of documents that was killed while the reflector's call was
under way, when plan, searches and steps were done. Nothing in them names this machine: all its paths are relative.
"""

import gzip
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.fakes.openai_server import openai_server

QUESTION = "Who designed the wire sounding machine, and why was tallow pressed into the lead?"
FIXTURE = Path(__file__).parent / "previous"
DATABASES = ("checkpoints.sqlite", "store.sqlite")
DONE = ["coordinator", "planner", "researcher", "researcher"]
"""Calls that were answered before the run was killed."""
PAPERS = {
    "machine.md": "# The wire sounding machine\n\nThe wire sounding machine was designed by William Thomson in 1872.\n",
    "tallow.md": "# Arming the lead\n\nTallow was pressed into the hollow of the lead so that a sample of the bottom stuck to it.\n",
}


def lay_out_papers(folder: Path) -> None:
    folder.mkdir()
    for name, text in PAPERS.items():
        (folder / name).write_text(text, "utf-8")


def unpack(home: Path) -> None:
    """Put the run's databases into a home."""
    home.mkdir()
    for name in DATABASES:
        (home / name).write_bytes(gzip.decompress((FIXTURE / f"{name}.gz").read_bytes()))


def _environment(base_url: str, key: str) -> dict[str, str]:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "LEADLINE_", "TAVILY_"))
    }
    return {
        **kept,
        "LEADLINE_HOME": "home",
        "LEADLINE_EMBEDDINGS_MODEL": "none",
        "LEADLINE_MODEL": "test-model",
        "OPENAI_API_KEY": key,
        "OPENAI_BASE_URL": base_url,
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }


def main() -> None:
    """Begin the run, kill it, and keep its databases."""
    with tempfile.TemporaryDirectory() as place, openai_server() as server:
        folder = Path(place)
        lay_out_papers(folder / "papers")
        command = [sys.executable, "-m", "leadline", "research", QUESTION, "--docs", "papers", "--out", "out"]
        child = subprocess.Popen(command, cwd=folder, env=_environment(server.base_url, server.key))

        def kill(number: int) -> None:
            if server.roles[number - 1] == "reflector":
                child.send_signal(signal.SIGKILL)
                child.wait(30)

        server.on_request = kill
        child.wait(120)
        assert server.roles[:-1] == DONE
        FIXTURE.mkdir(exist_ok=True)
        for name in DATABASES:
            with sqlite3.connect(folder / "home" / name) as db:
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                db.execute("VACUUM")
            db.close()
            packed = gzip.compress((folder / "home" / name).read_bytes(), mtime=0)
            (FIXTURE / f"{name}.gz").write_bytes(packed)


if __name__ == "__main__":
    main()
