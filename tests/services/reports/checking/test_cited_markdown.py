"""Any Markdown that cites a bundle can be checked, and the bundle has the form that is documented."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from schemas.card import Card
from schemas.evidence import Artifact, Claim, Contradiction
from schemas.planner import Plan
from schemas.publication import Publication
from schemas.reflector import Reflection
from schemas.usage import Usage
from services.reports.bundle import verify_bundle
from services.reports.checking.cited_markdown import verify_markdown
from services.reports.parser import parse_report
from services.run.errors import BundleError
from tests.conftest import PROJECT
from tests.services.reports.checking.tampering import edit
from tests.services.reports.full import bundle_of, chinese, english


@pytest.fixture(params=["en", "zh"])
async def bundle(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    report = english() if request.param == "en" else chinese()
    for named in report.contradictions:
        named.differs = ""  # code sees nothing in depths of different years
    return await bundle_of(report, tmp_path / str(request.param))


@pytest.fixture
async def cited_bundle(tmp_path: Path) -> Path:
    """Return the bundle of the English report."""
    return await bundle_of(english(), tmp_path / "bundle")


SCHEMA = json.loads((PROJECT / "docs" / "evidence.schema.json").read_text("utf-8"))


def test_the_documented_schema_has_our_models() -> None:
    models: list[type[BaseModel]] = [Artifact, Card, Claim, Contradiction, Plan, Publication, Reflection, Usage]
    defined = models_json_schema([(model, "serialization") for model in models])[1]["$defs"]
    assert {name: SCHEMA["$defs"].get(name) for name in defined} == defined


async def test_a_written_bundle_has_the_documented_form(bundle: Path) -> None:
    own = {name: {**form, "additionalProperties": False} for name, form in SCHEMA["$defs"].items() if "Bundled" in name}
    closed = {**SCHEMA, "$defs": SCHEMA["$defs"] | own}
    written = json.loads((bundle / "evidence.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(closed).validate(written)
    assert set(written) == set(SCHEMA["properties"])
    assert not verify_bundle(bundle).problems


async def test_a_report_holds_as_markdown_that_cites_its_bundle(bundle: Path) -> None:
    check = verify_markdown(bundle / "report.md")
    assert check.problems == []
    assert check.checked["citations"] >= 10
    assert check.checked["quotes"] == 1


CITED = f"[[1]]({parse_report(english()).references[0].link})"
"""A citation of the survey of 2010."""


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f"A survey gave 10,995 metres in 2010 {CITED}.", "not supported by what it cites: Not in what it cites: 10,995"),
        (f"A multibeam survey gave 10,954 to 10,994 metres in 2010 {CITED}.", "lets it be computed: 10,954"),
        (f"The Ozymandias gave 10,954 to 10,994 metres in 2010 {CITED}.", "be computed: 10,954. Names that are not in what it cites"),
        (f"> A survey gave 10,994 metres. {CITED}", "is not verbatim"),
        ("A survey gave 10,994 metres in 2010 [[77]](https://example.org/).", "resolves to no source"),
        ("A multibeam survey gave 10,994 metres in 2010 [[1]](https://example.org/elsewhere).", "not to its source"),
        (f"| Year | Depth |\n|---|---|\n| 2010 | 10,995 {CITED} |", "Not in what it cites: 10,995"),
    ],
)  # fmt: skip
def test_what_does_not_hold_is_named(cited_bundle: Path, tmp_path: Path, text: str, problem: str) -> None:
    article = tmp_path / "article.md"
    article.write_text(f"# An article\n\nA multibeam survey gave 10,994 metres in 2010 {CITED}.\n\n{text}\n")
    problems = verify_markdown(article, cited_bundle).problems
    assert len(problems) == 1
    assert problem in problems[0]


def test_a_sentence_may_follow_a_single_quote_of_the_many_of_its_source(cited_bundle: Path) -> None:
    def add_notes(content: dict[str, Any]) -> None:
        own = next(excerpt for excerpt in content["excerpts"] if excerpt["source_id"] == "S1")
        notes = [f"Note {letter} tells of another voyage and of its crew." for letter in "abcdefghijkl"]
        content["excerpts"] += [own | {"id": f"E1-{place}", "quote": note} for place, note in enumerate(notes, 20)]

    edit(cited_bundle, add_notes)
    article = cited_bundle / "article.md"
    article.write_text(f"# An article\n\nModern equipment brought along for the survey arrived at 10,994 {CITED}.\n")
    assert verify_markdown(article).problems == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("A multibeam survey gave 10,994 metres in 2010 [[1]].", "was not checked: [[1]] is not a link"),
        ("> A multibeam survey gave 10,994 metres [[4]].", "was not checked: [[4]] is not a link"),
        ("| Year | Depth |\n|---|---|\n| 2010 | 10,995 [[1]] |", "was not checked: [[1]] is not a link"),
        ("A multibeam survey gave 10,994 metres in 2010 [1].", "nothing of it was checked"),
        ("A multibeam survey gave 10,994 metres in 2010 (Stewart, 2012).[^1]\n\n[^1]: A survey.", "nothing of it was checked"),
    ],
)  # fmt: skip
def test_what_could_not_be_checked_does_not_hold(cited_bundle: Path, text: str, problem: str) -> None:
    article = cited_bundle / "article.md"
    article.write_text(f"# An article\n\n{text}\n")
    [found] = verify_markdown(article).problems
    assert problem in found
    assert "[[1]](address)" in found


def test_a_file_without_a_bundle_says_what_to_name(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A")
    with pytest.raises(BundleError, match="--bundle DIR"):
        verify_markdown(tmp_path / "a.md")
