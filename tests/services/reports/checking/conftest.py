"""A report with a quote, statements and a contradiction, and its bundle."""

from pathlib import Path

import pytest

from schemas.evidence import Contradiction
from schemas.reporter import Report
from schemas.usage import Usage
from services.reports.bundle import write_bundle
from services.reports.markdown import finish_report
from services.run.evidence_store import EvidenceStore
from tests.services.reports.conftest import Make

MARKDOWN = """# How deep: 4,475 fathoms

**TL;DR** HMS Challenger sounded 4,475 fathoms near Guam in March 1875 [E1-1]. It was green [E1-1].

> On 23 March 1875 HMS Challenger sounded 4,475 fathoms [E1-1]

- Wire replaced the *hemp* line & it < rope [E2-1]
- 到2030年小学生近视率下降到38%以下[E3-1]。

| Ship | Depth |
|---|---|
| HMS Challenger | 4,475 fathoms [E1-1] |
"""


@pytest.fixture
def report(draft: Make) -> Report:
    conflict = Contradiction(topic="depth", excerpt_ids=["E1-1", "E2-1"])
    return finish_report(draft(MARKDOWN, contradictions=[conflict], follow_up_questions=["What next?"]), Usage())


@pytest.fixture
async def bundle(report: Report, evidence: EvidenceStore, tmp_path: Path) -> Path:
    folder = tmp_path / "out" / "how-deep"
    await write_bundle(report, folder, evidence)
    return folder
