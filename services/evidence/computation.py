"""A code run as a source: the code, what went in and what came out, so that a number can be followed to its cell."""

import hashlib
from dataclasses import dataclass, field

from schemas.evidence import Source
from services.evidence.store import EvidenceStore, normalise_text

MAX_LINES = 8
"""Lines of output that are quoted one by one; the rest is stored with them."""


@dataclass(frozen=True, slots=True)
class Computation:
    """One successful run of a program."""

    code: str
    description: str
    output: str
    files: dict[str, bytes] = field(default_factory=dict)
    at: str = ""
    """When it ran, ISO 8601 in UTC."""
    isolated: bool = True

    @property
    def code_id(self) -> str:
        """Name of the code by its content: `code-` and ten hexadecimal digits."""
        return f"code-{hashlib.sha256(self.code.encode()).hexdigest()[:10]}"

    def text(self) -> str:
        """Return what is stored: inputs with their hashes, the code, and its output last."""
        inputs = [f"{name} sha256:{hashlib.sha256(data).hexdigest()}" for name, data in sorted(self.files.items())]
        return normalise_text(
            "\n".join(
                [
                    "# Computation",
                    self.description,
                    "",
                    "## Inputs",
                    *inputs,
                    "",
                    "## Code",
                    self.code,
                    *([] if self.isolated else ["", "It ran without isolation (LEADLINE_SANDBOX=unsafe)."]),
                    "",
                    "## Output",
                    self.output,
                ]
            )
        )

    async def store(self, evidence: EvidenceStore) -> tuple[Source, list[tuple[str, int, int]]]:
        """Store the run.

        Returns:
            The source, and the lines of output as (quote, start, end) with offsets into the stored text.
        """
        text = self.text()
        content_hash = await evidence.put_text(text)
        source = Source(
            url=f"computation:{self.code_id}",
            title=self.description or self.code_id,
            kind="computation",
            content_hash=content_hash,
            fetched_at=self.at,
        )
        lines: list[tuple[str, int, int]] = []
        place = text.rindex("## Output") + len("## Output")
        for line in text[place:].split("\n"):
            if line.strip() and len(lines) < MAX_LINES:
                lines.append((line, place, place + len(line)))
            place += len(line) + 1
        return source, lines
