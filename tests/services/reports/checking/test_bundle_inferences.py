"""A bundle with an inference: it checks offline, and whatever was changed in it is named."""

from pathlib import Path
from typing import Any

import pytest

from schemas.usage import Usage
from services.reports.bundle import verify_bundle, write_bundle
from services.reports.checking.cited_markdown import verify_markdown
from services.reports.markdown import finish_report
from services.run.evidence_store import EvidenceStore
from tests.services.reports.checking.tampering import edit, rewrite
from tests.services.reports.conftest import Make

INFERRED = """# How deep

HMS Challenger sounded 4,475 fathoms near Guam [E1-1]. The piano wire of Lucas replaced the hemp line [E2-1].
To sound 4,475 fathoms near Guam must therefore have been slow and heavy work with a hemp line [inferred: E1-1, E2-1].
"""


@pytest.fixture
async def inferring(draft: Make, evidence: EvidenceStore, tmp_path: Path) -> Path:
    """The bundle of a report with an inference."""
    report = finish_report(draft(INFERRED), Usage())
    assert [claim.status for claim in report.citations] == ["supported", "supported", "inferred"]
    await write_bundle(report, tmp_path / "inferring", evidence)
    return tmp_path / "inferring"


def test_a_bundle_with_an_inference_holds(inferring: Path) -> None:
    assert verify_bundle(inferring).problems == []
    assert verify_markdown(inferring / "report.md").problems == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("must therefore have been slow", "must therefore have cost 900 pounds, slow", "Not in what it cites: 900"),
        ("with a hemp line", "with the rope of Captain Nares", "Names that are not in what it cites"),
    ],
)
def test_an_inference_that_was_changed_is_found_even_when_everything_is_sealed_again(
    inferring: Path, old: str, new: str, problem: str
) -> None:
    def change(content: dict[str, Any]) -> None:
        content["claims"][2]["text"] = content["claims"][2]["text"].replace(old, new)

    article = inferring.parent / "article.md"
    article.write_text((inferring / "report.md").read_text("utf-8").replace(old, new), "utf-8")
    [named] = verify_markdown(article, inferring).problems
    assert "is called inferred, but" in named
    edit(inferring, change)
    rewrite(inferring, old, new)
    [found] = verify_bundle(inferring).problems
    assert "it is called inferred, but" in found
    assert problem in found


def test_a_bundle_may_call_no_more_than_a_third_of_its_claims_inferred(inferring: Path) -> None:
    def change(content: dict[str, Any]) -> None:
        content["claims"][0]["status"] = "inferred"

    edit(inferring, change, resealed=True)
    assert any("more than a third" in problem for problem in verify_bundle(inferring).problems)


def test_a_judgement_against_an_inference_is_a_problem(inferring: Path) -> None:
    def change(content: dict[str, Any]) -> None:
        content["claims"][2]["judgement"] = {"verdict": "not_told", "words": ""}

    edit(inferring, change, resealed=True)
    [problem] = verify_bundle(inferring).problems
    assert "does not follow from its premises" in problem
