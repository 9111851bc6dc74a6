"""A run that the previous version began and did not finish is gone on with by this one."""

from pathlib import Path

import pytest

from tests.crash.previous import DONE, lay_out_papers, unpack
from tests.fakes.openai_server import OpenAIServer
from tests.leadline.conftest import Leadline, leadline

__all__ = ["leadline"]


def test_a_run_of_the_previous_version_is_gone_on_with_and_asks_nothing_twice(
    endpoint: OpenAIServer, leadline: Leadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEADLINE_HOME", "home")
    monkeypatch.setenv("LEADLINE_MODEL", "test-model")
    unpack(Path("home"))
    lay_out_papers(Path("papers"))
    listed = leadline("runs")
    assert "interrupted  Who designed the wire sounding machine" in listed.out
    resumed = leadline("resume")
    assert resumed.code == 0, resumed.err
    assert "William Thomson" in resumed.out
    assert "Tallow was pressed" in resumed.out
    assert not set(endpoint.roles) & set(DONE)
    [folder] = Path("out").iterdir()
    assert leadline("verify", folder).code == 0
