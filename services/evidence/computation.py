"""A code run as a source: the code, what went in and what came out, so that a number can be followed to its cell."""

import hashlib
from dataclasses import dataclass, field

from schemas.evidence import Passage, Source
from services.evidence.store import EvidenceStore, normalise_text

_OUTPUT = "## Output"


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
                    _OUTPUT,
                    self.output,
                ]
            )
        )

    async def store(self, evidence: EvidenceStore) -> tuple[Source, Passage]:
        """Store the run.

        Returns:
            The source, and its output as a passage of the stored text.
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
        start = min(len(text), text.rindex(_OUTPUT) + len(_OUTPUT) + 1)
        return source, Passage(
            id="P1", content_hash=content_hash, title=source.title, start=start, end=len(text), text=text[start:]
        )
