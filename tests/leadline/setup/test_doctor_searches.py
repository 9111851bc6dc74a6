"""`leadline doctor` and searches of the web: what is set up or chosen is tried with one query, and nothing else is reached."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.run.settings import forget_settings
from services.search.web import forget_web
from tests.fakes.search_services.served import served
from tests.fakes.search_services.twin import KEY, Twin
from tests.leadline.conftest import Leadline

Twins = dict[str, Twin]


@pytest.fixture
def twins(tmp_path: Path) -> Iterator[Twins]:
    with served(tmp_path, "brave", "serper", "wikipedia", "openalex", "arxiv") as serving:
        yield serving


pytestmark = pytest.mark.usefixtures("without_programs")


def searches(leadline: Leadline) -> dict[str, dict[str, str]]:
    forget_settings()
    forget_web()
    return {one["name"]: one for one in json.loads(leadline("doctor", "--json").out) if one["area"] == "search"}


def asked(twins: Twins) -> dict[str, int]:
    return {name: len(twin.asked) for name, twin in twins.items() if twin.asked}


def test_without_anything_set_up_none_is_reached_and_each_is_listed(leadline: Leadline, twins: Twins) -> None:
    found = searches(leadline)
    assert asked(twins) == {}
    assert {found[name]["remedy"] for name in ("tavily", "brave", "searxng")} == {
        "Set TAVILY_API_KEY",
        "Set BRAVE_API_KEY",
        "Set SEARXNG_URL",
    }
    assert found["openalex"]["remedy"] == "It needs no key: --search openalex"
    assert {found[name]["state"] for name in ("tavily", "brave", "openalex")} == {"note"}


def test_what_is_set_up_is_tried_and_what_auto_takes_beside_it(
    leadline: Leadline, twins: Twins, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", KEY)
    twins["arxiv"].found = b"<html>"
    found = searches(leadline)
    assert asked(twins) == {"brave": 1, "wikipedia": 1, "openalex": 1, "arxiv": 1}
    assert found["brave"]["found"].startswith("answers: 2 results in ")
    assert (found["arxiv"]["state"], found["brave"]["state"]) == ("note", "ok")
    assert "arXiv's answer is not Atom" in found["arxiv"]["found"]
    assert found["serper"]["remedy"] == "Set SERPER_API_KEY"


def test_a_wrong_key_is_broken_and_not_shown(leadline: Leadline, twins: Twins, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERPER_API_KEY", "wrong-key")
    found = searches(leadline)
    assert (found["serper"]["state"], len(twins["serper"].asked)) == ("broken", 1)
    assert "Check SERPER_API_KEY" in found["serper"]["found"]
    assert "wrong-key" not in str(found)


def test_what_is_chosen_is_tried_alone(leadline: Leadline, twins: Twins, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_SEARCH", "openalex|arxiv")
    found = searches(leadline)
    assert asked(twins) == {"openalex": 1, "arxiv": 1}
    assert found["LEADLINE_SEARCH"]["found"] == "openalex|arxiv: openalex|arxiv, documents"
    assert found["wikipedia"]["remedy"] == "It needs no key: --search wikipedia"


def test_a_token_of_the_machine_reaches_nothing(
    leadline: Leadline, twins: Twins, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", KEY)
    found = searches(leadline)
    assert asked(twins) == {}
    assert found["github-code"]["remedy"] == "Name it: --search github-code"
