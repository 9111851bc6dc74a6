"""Makes the Word document: Pandoc turns the report's tree into it, as a process that reads and reaches nothing else."""

import io
import json
import subprocess
import zipfile
from datetime import date
from importlib.machinery import PathFinder
from pathlib import Path

from services.reports.document import ParsedReport
from services.reports.word.tree import Tree
from services.run.errors import NotInstalled, SettingsError
from services.run.installation import install_command

PROGRAMS = ("pandoc", "pandoc.exe")
"""Names of the program in its package."""
SECONDS = 60
"""Maximum time of Pandoc."""
MEMORY = "1g"
"""Maximum memory of Pandoc."""
REFERENCE = Path(__file__).with_name("reference.docx")
"""Document with the styles, the header with the title, and the footer with page numbers."""


def render_docx(report: ParsedReport) -> bytes:
    """Render a report as a Word document. Blocking.

    Raises:
        NotInstalled: the package `pypandoc-binary` is missing.
        SettingsError: Pandoc failed.
    """
    command = [
        str(_pandoc()), "--from=json", "--to=docx", "--sandbox", "--output=-", f"--reference-doc={REFERENCE}",
        "+RTS", f"-M{MEMORY}", "-RTS",
    ]  # fmt: skip
    tree = json.dumps(Tree(report).document()).encode()
    try:
        made = subprocess.run(command, input=tree, capture_output=True, timeout=SECONDS, env={}, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        reason = error.stderr.decode("utf-8", "replace") if isinstance(error, subprocess.CalledProcessError) else error
        raise SettingsError(f"Pandoc did not make the Word document ({reason}). Choose another format.") from error
    return _with_properties(made.stdout, report.created or date.today().isoformat())


def _with_properties(document: bytes, created: str) -> bytes:
    """Set author and date, as Pandoc would print them below the title, and has no clock in its sandbox."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(document)) as made, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as parts:
        for part in made.infolist():
            data = made.read(part)
            if part.filename == "docProps/core.xml":
                data = data.replace(b"1970-01-01T", f"{created}T".encode())
                data = data.replace(b"<dc:creator></dc:creator>", b"<dc:creator>Leadline</dc:creator>")
            parts.writestr(part, data)
    return written.getvalue()


def _pandoc() -> Path:
    """Return the program in the package, which is not imported: it would look for other Pandocs."""
    package = PathFinder.find_spec("pypandoc")
    folders = package.submodule_search_locations if package else None
    programs = [Path(folder, "files", name) for folder in folders or [] for name in PROGRAMS]
    found = next(filter(Path.is_file, programs), None)
    if found is None:
        raise NotInstalled("The format docx needs the package pypandoc-binary.", install_command("formats"))
    return found
