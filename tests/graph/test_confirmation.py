"""Figures that independent sources share are named as confirmed: in the reporter's prompt, the references and the bundle."""

import json
import re
from pathlib import Path

import pytest

from leadline import aresearch
from services.reports.bundle import verify_bundle
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.quoting import quoting
from tests.fakes.read_folder import read_before, written

TEXTS = {
    "The survey": "The Vell lighthouse is 48 metres tall.",
    "The guide": "Built in 1871, the Vell lighthouse stands 48 metres tall.",
    "The diary": "The keeper of the Vell lighthouse baked rye bread.",
}


@pytest.fixture
def lighthouses(tmp_path: Path) -> Path:
    return read_before(written(tmp_path / "lighthouses", TEXTS))


async def test_a_figure_of_two_sources_is_confirmed_wherever_it_is_shown(
    endpoint: OpenAIServer, lighthouses: Path, tmp_path: Path
) -> None:
    report = await aresearch("How tall is the Vell lighthouse?", docs=[lighthouses], out=tmp_path / "out")
    titles = {source.content_hash: source.title for source in report.sources}
    ids = {titles[one.content_hash]: one.id for one in report.excerpts}
    confirmed = {titles[one.content_hash]: one.confirmed_by for one in report.excerpts}
    assert confirmed == {"The survey": [ids["The guide"]], "The guide": [ids["The survey"]], "The diary": []}
    system, *_, human = endpoint.requests[-1]["messages"]
    assert f'confirmed_by="{ids["The guide"]}"' in human["content"]
    assert "`confirmed_by` names excerpts of other, independent sources" in system["content"]
    numbers = {source.title: source.number for source in report.sources}
    assert f"figures also in [{numbers['The guide']}]" in report.markdown.split("## References")[1]
    bundle = json.loads((Path(report.folder or "") / "evidence.json").read_text("utf-8"))
    told = {one["id"]: one.get("confirmed_by") for one in bundle["excerpts"]}
    assert (told[ids["The survey"]], told[ids["The diary"]]) == ([ids["The guide"]], None)
    assert verify_bundle(Path(report.folder or "")).problems == []


async def test_what_confirms_a_figure_is_named_only_where_it_is_shown(
    endpoint: OpenAIServer, lighthouses: Path
) -> None:
    steps = [{"id": key, "title": key, "description": "d", "queries": [f"Vell lighthouse {key}"]} for key in ("1", "2")]
    triage = {"intent": "in_scope", "complexity": "complex", "locale": "en-US", "question": ""}
    endpoint.script["coordinator"] = [json.dumps(triage)]
    endpoint.script["planner"] = [json.dumps({"title": "Vell", "steps": steps})]
    endpoint.script["researcher"] = [quoting(*TEXTS.values())] * 2
    endpoint.script["reflector"] = [json.dumps({"has_enough_context": True})]
    report = await aresearch("How tall is the Vell lighthouse, and who says so?", docs=[lighthouses])
    [prompt] = endpoint.asked("reporter")
    shown = set(re.findall(r'<excerpt id="([^"]+)"', prompt))
    named = {key for keys in re.findall(r'confirmed_by="([^"]+)"', prompt) for key in keys.split()}
    assert named
    assert named <= shown
    assert {
        key for one in report.excerpts for key in one.confirmed_by
    } - shown  # the same figure was quoted by both steps
