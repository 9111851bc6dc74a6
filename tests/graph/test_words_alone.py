"""Without the extra `vectors` documents are searched by their words alone: doctor, the start of a run and its report say so."""

from pathlib import Path

import pytest

from leadline import aresearch
from leadline.setup import doctor
from schemas.events import Event
from services.embedding import models
from services.run.installation import install_command
from tests.conftest import SetEnvironment
from tests.fakes.read_folder import read_before, written

QUESTION = "Who owned the schooner Lalla Rookh?"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return read_before(
        written(tmp_path / "docs", {"A schooner": "The schooner Lalla Rookh was owned by William Thomson."})
    )


@pytest.fixture
def base_wheel(monkeypatch: pytest.MonkeyPatch, environment: SetEnvironment) -> None:
    """As after an install without extras."""
    monkeypatch.setattr(models, "_installed", lambda _: False)
    environment(LEADLINE_EMBEDDINGS_MODEL=None)


def words_alone(limits: list[str]) -> list[str]:
    return [limit for limit in limits if "by their words only" in limit]


@pytest.mark.usefixtures("base_wheel")
async def test_the_start_of_a_run_names_the_command_and_its_report_the_limit(docs: Path) -> None:
    events: list[Event] = []
    report = await aresearch(QUESTION, docs=[docs], depth="standard", on_event=events.append)
    [notice] = words_alone([event.title for event in events if event.type == "notice"])
    assert notice.endswith(f"run: {install_command('vectors')}")
    [limit] = words_alone(report.limits)
    assert "no embedding model is installed" in limit
    assert "William Thomson" in report.markdown


@pytest.mark.usefixtures("base_wheel")
def test_doctor_names_the_command() -> None:
    [check] = doctor._embeddings()
    assert (check.found, check.remedy) == ("no model is installed", install_command("vectors"))


async def test_whoever_switched_the_models_off_is_told_nothing(docs: Path, environment: SetEnvironment) -> None:
    environment(LEADLINE_EMBEDDINGS_MODEL="none")
    report = await aresearch(QUESTION, docs=[docs])
    assert words_alone(report.limits) == []
