"""Profile files: what they say holds, and what they cannot say is refused with its key."""

import asyncio
from pathlib import Path

import pytest

from leadline import aresearch
from leadline.runs.actions import aruns
from leadline.runs.arguments import load_profile
from schemas.context import RunContext
from schemas.profile import Profile
from services.run.errors import BadInput
from tests.conftest import EXAMPLES
from tests.leadline.conftest import Leadline

WHOLE = """\
name: Lights
locale: en-GB
documents: [papers]
scope:
  core:
    - topic: Lighthouses
      keywords: [lighthouse, lamp]
tone: plain
search:
  provider: documents
  include_domains: [example.org]
  exclude_domains: [ads.example.org]
  time_range: year
  max_results: 5
  max_searches: 9
  max_pages: 3
models:
  default: small
  reporter: {temperature: 0.1, max_tokens: 900}
formats: [html, pdf]
style: data
length: brief
words: 200
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "papers").mkdir()
    written = tmp_path / "lights.profile.yaml"
    written.write_text(WHOLE)
    return written


def test_what_it_says_holds_for_a_run_that_does_not_choose_otherwise(file: Path) -> None:
    context = RunContext(profile=load_profile(file), max_results=7)
    assert context.documents == [str(file.parent / "papers")]
    assert (context.locale, context.search, context.time_range) == ("en-GB", "documents", "year")
    assert (context.include_domains, context.exclude_domains) == (["example.org"], ["ads.example.org"])
    assert (context.max_results, context.max_searches, context.max_pages) == (7, 9, 3)
    assert (context.output_formats, context.output_style, context.length) == (["md", "html", "pdf"], "data", "brief")
    assert (context.words, context.models["default"].model, context.models["reporter"].max_tokens) == (
        200,
        "small",
        900,
    )


def test_what_an_option_says_wins_even_if_it_is_the_default(leadline: Leadline, file: Path) -> None:
    options = ["--length", "standard", "--format", "md", "--locale", "auto"]
    file.write_text(WHOLE.replace("default: small", "default: offline"))
    (file.parent / "papers" / "lamps.md").write_text("The lamp of the lighthouse burns oil.\n")
    for arguments in (options, []):
        leadline("research", "What does the lamp burn?", "--profile", file, *arguments, code=0)
    context, other = [record.context for record in reversed(asyncio.run(aruns()))]
    assert (context.length, context.output_formats, context.locale) == ("standard", ["md"], "auto")
    assert (other.length, other.output_formats, other.locale) == ("brief", ["md", "html", "pdf"], "en-GB")
    assert (context.words, context.documents) == (other.words, other.documents) == (200, [str(file.parent / "papers")])


@pytest.mark.parametrize(
    ("line", "instead", "said"),
    [
        ("tone: plain", "tune: plain", "tune: there is no such key"),
        (
            "  max_results: 5",
            "  max_result: 5",
            "search.max_result: there is no such key",
        ),
        ("      keywords: [lighthouse, lamp]", "      words: [x]", "scope.core.0.words: there is no such key"),
        ("  max_results: 5", "  max_results: many", "search.max_results cannot be 'many'"),
        ("formats: [html, pdf]", "formats: [html, doc]", "formats.1 cannot be 'doc'"),
        ("locale: en-GB", "locale: klingon", "locale cannot be 'klingon'"),
        ("name: Lights", "# no name", "name: it is missing"),
        ("documents: [papers]", "documents: [sheets]", "documents.0: there is no folder"),
        ("tone: plain", "tone: [plain", "is not valid YAML"),
        ("  default: small", "  reviewer: small", "models.reviewer"),
    ],
)
def test_what_it_cannot_say_is_refused_with_its_key(file: Path, line: str, instead: str, said: str) -> None:
    file.write_text(WHOLE.replace(line, instead))
    with pytest.raises(BadInput) as refused:
        load_profile(file)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_missing_file_or_one_that_is_no_mapping_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        load_profile(tmp_path / "none.yaml")
    (tmp_path / "list.yaml").write_text("- a\n- b\n")
    with pytest.raises(BadInput, match="the whole file"):
        load_profile(tmp_path / "list.yaml")


async def test_python_takes_a_file_and_edge_answers_carry_the_topics_note() -> None:
    report = await aresearch("How to fix a toaster?", profile=EXAMPLES / "repair-cafe.profile.yaml")
    assert "not how it is done" in report.markdown
    refused = await aresearch("Where can I buy a kettle at a discount?", profile=EXAMPLES / "repair-cafe.profile.yaml")
    assert (refused.direct, refused.markdown) == (
        True,
        "This assistant knows about repairs only, not about what to buy.",
    )


@pytest.mark.parametrize("name", ["myopia", "repair-cafe"])
def test_the_examples_are_whole_profiles(name: str) -> None:
    profile = load_profile(EXAMPLES / f"{name}.profile.yaml")
    assert all(Path(folder).is_dir() for folder in profile.documents)
    assert profile.scope.core
    assert profile.scope.edge
    assert profile.scope.outside
    assert profile.replies.out_of_scope
    assert profile.tone
    assert profile.safety_note
    assert profile.search.provider
    assert profile.formats
    assert isinstance(Profile.model_validate(profile.model_dump()), Profile)


def test_it_says_which_kinds_of_sources_are_preferred_and_left_out(tmp_path: Path) -> None:
    file = tmp_path / "kinds.yaml"
    file.write_text("name: Kinds\nsearch:\n  prefer_kinds: [official]\n  exclude_kinds: [forum, personal]\n")
    context = RunContext(profile=load_profile(file), exclude_kinds=["forum"])
    assert (context.prefer_kinds, context.exclude_kinds) == (["official"], ["forum"])
