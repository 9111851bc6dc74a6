"""Roles whose model is a file: what a run sees of llama.cpp, and what it writes of it."""

import asyncio
import os
import re
import signal
from pathlib import Path

import pytest

from leadline import aresearch
from leadline.setup.doctor import examine
from schemas.context import RunContext
from schemas.reflector import Reflection
from services.models import ask, attempts, clients_open
from services.models.endpoint_memory import learned
from services.models.llamacpp.serve import serving
from services.run.errors import ModelError, SettingsError
from services.run.prices import Price, price_of
from services.run.roles import role_model
from services.run.settings import settings
from tests.conftest import SetEnvironment
from tests.services.models.conftest import PROMPT


@pytest.fixture
def named(tiny: Path, monkeypatch: pytest.MonkeyPatch, environment: SetEnvironment) -> Path:
    environment(LEADLINE_MODEL=f"llamacpp:{tiny}")
    monkeypatch.setattr(attempts, "FIRST_PAUSE", 0.01)
    return tiny


async def test_a_model_file_answers_in_the_form_of_a_schema_within_its_context(named: Path) -> None:
    assert isinstance(await ask("reflector", PROMPT, Reflection), Reflection)
    assert learned(role_model("reflector", RunContext())).context_window == 16_384


async def test_a_model_file_has_the_name_of_the_file_and_costs_nothing(named: Path) -> None:
    model = role_model("planner", RunContext())
    assert (model.name, model.endpoint) == ("llamacpp:tiny model.gguf", "llama.cpp (tiny model.gguf)")
    assert str(named.parent) not in model.model_dump_json() + repr(model)
    assert await price_of(model) == Price(input=0, output=0, cached=0)


async def test_doctor_says_what_the_model_gets_of_the_machine(named: Path) -> None:
    found = {check.name: check for check in await examine()}
    assert re.search(r"0\.0 GB, a context of up to [0-9,]+ tokens, \d+ threads", found["tiny model.gguf"].found)
    await asyncio.to_thread(named.unlink)
    found = {check.name: check for check in await examine()}
    assert "is not there" in found["tiny model.gguf"].found


async def asked_while_the_process_dies(model: Path) -> Reflection:
    async with serving(model) as served:
        os.kill(served.child.pid, signal.SIGSTOP)  # so that the call waits for its answer
        call = asyncio.create_task(ask("reflector", PROMPT, Reflection))
        await asyncio.sleep(0.5)
        os.kill(served.child.pid, signal.SIGKILL)
        return await call


async def test_a_call_whose_process_dies_is_made_again_once(named: Path) -> None:
    assert isinstance(await asked_while_the_process_dies(named), Reflection)
    with pytest.raises(ModelError, match=r"llama\.cpp, which serves tiny model\.gguf, has ended unexpectedly twice"):
        await asked_while_the_process_dies(named)


def test_a_run_names_a_model_file_only_in_the_operators_words(named: Path, environment: SetEnvironment) -> None:
    environment(LEADLINE_MODEL_REPORTER="llamacpp:/models/large.gguf")
    allowed = RunContext.model_validate({"models": {"planner": {"model": "llamacpp:/models/large.gguf"}}})
    assert role_model("planner", allowed).file == Path("/models/large.gguf")
    for path in ("/models/other.gguf", "/models/../models/large.gguf", "/etc/passwd"):
        refused = RunContext.model_validate({"models": {"planner": {"model": f"llamacpp:{path}"}}})
        with pytest.raises(
            SettingsError, match="a run may name only one that the operator of Leadline has put into LEADLINE_MODEL"
        ):
            role_model("planner", refused)


def test_a_model_file_needs_a_path(environment: SetEnvironment) -> None:
    environment(LEADLINE_MODEL="llamacpp:")
    with pytest.raises(SettingsError, match=r"Write its path: llamacpp:/path/model\.gguf"):
        role_model("planner", RunContext())


def holds(folder: Path, text: str) -> list[str]:
    return [str(file) for file in folder.rglob("*") if file.is_file() and text.encode() in file.read_bytes()]


@pytest.mark.long
async def test_the_key_and_the_place_of_a_model_are_in_nothing_that_a_run_writes(
    named: Path, docs: Path, tmp_path: Path, environment: SetEnvironment
) -> None:
    environment(LEADLINE_MAX_TOKENS="100")
    async with clients_open():
        await aresearch(
            "Where was the designer of the wire sounding machine born?",
            docs=[docs],
            deep_research=False,
            out=tmp_path / "out",
        )
        async with serving(named) as served:
            key = served.key.get_secret_value()
    for folder in (settings().leadline_home, tmp_path / "out"):
        assert not await asyncio.to_thread(holds, folder, key)
        assert not await asyncio.to_thread(holds, folder, str(named))
