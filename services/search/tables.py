"""Tables among the user's documents, as profiles: columns with types and examples instead of raw rows."""

from dataclasses import dataclass
from pathlib import Path

from schemas.coder import TableView
from services.text.tokens import tokens

SUFFIXES = frozenset({".csv", ".tsv", ".xlsx"})
MAX_ROWS_PROFILED = 5_000
EXAMPLES = 6


@dataclass(frozen=True, slots=True)
class Table:
    """A table file (or one sheet of a workbook) below a documents folder."""

    path: Path
    view: TableView

    def describe(self) -> str:
        """Say in one line what the table holds."""
        sheet = f", sheet {self.view.sheet}" if self.view.sheet else ""
        return f"{self.view.file}{sheet}: {self.view.rows} rows; columns: {'; '.join(self.view.columns)}"

    def terms(self) -> set[str]:
        """Return the words by which a question may mean this table."""
        return set(tokens(f"{self.view.title} {' '.join(self.view.columns)} {self.path.stem.replace('-', ' ')}"))
