"""What of a notebook's outputs is stored with it: what GitHub shows, and nothing of the machine or the moment."""

import re
from typing import Any

FRAME = "<iframe"
"""How a report's page is shown in a notebook; GitHub shows no frames, and falls back to the Markdown where no HTML is stored."""
_DURATION = re.compile(r"\b(?:\d{4}-\d\d-\d\d )?\d{1,3}:\d\d\b|\b\d{1,4}(?:\.\d)? s\b")
"""As progress shows it: minutes and seconds, or seconds; and the moment of a report, whose date is another tomorrow."""
_RUN = re.compile(r"\b\d{8}-\d{6}-[0-9a-f]{8}\b")


def clean(notebook: Any) -> None:
    """Leave in an executed notebook what is stored, in place."""
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in notebook.cells:
        cell.metadata = {}
        for output in cell.get("outputs", []):
            _clean(output)


def _clean(output: Any) -> None:
    data = output.get("data", {})
    if FRAME in data.get("text/html", ""):
        del data["text/html"]
    if "text/markdown" in data or "image/png" in data:
        data.pop("text/plain", None)
    for kind, text in data.items():
        if kind.startswith("text/"):
            data[kind] = of_any_run(text)
    if "text" in output:
        output["text"] = of_any_run(output["text"])


def of_any_run(text: str) -> str:
    """Return a text without the durations and names that differ from run to run."""
    return _RUN.sub("…", _DURATION.sub("…", text))
