"""A run keeps the full paths of its folders: it can be used from every working folder."""

from pathlib import Path

import pytest

from leadline import aresume, research
from leadline.runs.store import RunRecord, open_home
from schemas.context import RunContext
from schemas.profile import Profile
from services.run.settings import settings
from tests.leadline.conftest import Leadline, document

QUESTION = "How high is the Kessan dam?"
DAM = "# Kessan dam\n\nThe Kessan dam is 61 metres high."


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """Return another folder than the working folder, with documents of the same folder's name."""
    folder = tmp_path / "elsewhere"
    (folder / "papers").mkdir(parents=True)
    (folder / "papers" / "dam.md").write_text("# Shopping\n\nMilk.\n")
    return folder


def test_a_run_is_watched_followed_and_exported_elsewhere(
    elsewhere: Path, leadline: Leadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    document("dam.md", DAM)
    made = leadline("research", QUESTION, "--docs", "papers", "--quick", code=0)
    assert "out/how-high-is-the-kessan-dam" in made.err
    assert str(Path.cwd()) not in made.err
    [folder] = Path("out").absolute().iterdir()
    monkeypatch.chdir(elsewhere)
    assert "Nothing new" in leadline("watch", "--once", code=0).out
    assert leadline("runs", "export", "--format", "html", code=0).out.strip() == str(folder / "report.html")
    assert "61 metres" in leadline("follow", "How many metres high is the Kessan dam?", code=0).out
    assert [path.name for path in elsewhere.iterdir() if path.name != "papers"] == ["out"]


def test_the_folders_of_a_profile_are_kept_in_full(
    elsewhere: Path, leadline: Leadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    document("dam.md", DAM)
    research(QUESTION, profile=Profile(name="dams", documents=["papers"]), depth="quick")
    monkeypatch.chdir(elsewhere)
    assert "Nothing new" in leadline("watch", "--once", code=0).out


@pytest.fixture
def begun() -> Path:
    """Return the full path of a report's folder that a run has begun to write."""
    folder = Path("out/dam").absolute()
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize("out", [None, "out"])
async def test_a_run_of_an_earlier_version_goes_on_with_its_relative_folders(begun: Path, out: str | None) -> None:
    document("dam.md", DAM)
    context = RunContext(documents=["papers"], depth="quick")
    record = RunRecord(id="earlier", question=QUESTION, out="out", folder="out/dam", context=context)
    async with open_home(settings().leadline_home) as home:
        await home.save(record)
    report = await aresume("earlier", out=out)
    assert "61 metres" in report.markdown
    assert (report.folder, report.files) == (str(begun), ["report.md"])


def test_a_report_in_the_searched_folder_is_no_document(leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(document("dam.md", DAM))
    leadline("research", QUESTION, "--docs", ".", "--quick", code=0)
    [folder] = Path("out").iterdir()
    again = leadline("research", QUESTION, "--docs", ".", "--quick", code=0).out
    assert f"- {folder} was not searched: it is the folder of an earlier report." in again
    assert "dam.md" in again
    assert "evidence.json" not in again.partition("## References")[2].partition("Sources read")[0]
    assert "61 metres" in leadline("research", QUESTION, "--docs", folder, "--quick", "--out", "other", code=0).out
