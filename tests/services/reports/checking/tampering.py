"""Changes to the files of a bundle, with hashes that fit them."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from services.reports.bundle_files import seal

Edit = Callable[[dict[str, Any]], None]


def edit(folder: Path, change: Edit, *, resealed: bool = False) -> None:
    """Change the evidence, and make its seal anew where that is wanted."""
    file = folder / "evidence.json"
    content = json.loads(file.read_text("utf-8"))
    change(content)
    if resealed:
        content["evidence_sha256"] = seal(content)
    file.write_text(json.dumps(content, ensure_ascii=False), "utf-8")


def rewrite(folder: Path, old: str, new: str) -> None:
    """Change the report and make its hash right again."""
    file = folder / "report.md"
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    edit(folder, lambda content: content.update(report_sha256=digest), resealed=True)


def claim_again(content: dict[str, Any], place: int = 0, **change: object) -> None:
    """Change a claim, by default the first one."""
    content["claims"][place].update(change)
