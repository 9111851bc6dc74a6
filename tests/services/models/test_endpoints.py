"""An endpoint for each role: where its requests go and with which key, by the environment or by a run's choice of a name."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from leadline import aresearch
from leadline.setup.model_setup import checked_models
from schemas.context import RunContext
from services.models import close_clients
from services.models.endpoint import forget_endpoints
from services.run.errors import BadInput, SettingsError
from services.run.roles import RoleModel, role_model
from tests.conftest import SetEnvironment
from tests.fakes.openai_server import OpenAIServer, openai_server
from tests.services.models.test_roles import chosen

QUESTION = "Where was the designer of the wire sounding machine born?"


@pytest.fixture
def own() -> Iterator[OpenAIServer]:
    """Serve a second model, with a key of its own; each server answers 401 to any other key."""
    with openai_server() as server:
        server.key = "key-of-the-second"
        yield server


def names(model: RoleModel) -> tuple[str, str | None, str]:
    return model.model, model.base_url, model.api_key.get_secret_value() if model.api_key else ""


async def test_each_role_reaches_its_endpoint_with_its_key_only(
    endpoint: OpenAIServer, own: OpenAIServer, environment: SetEnvironment, docs: Path
) -> None:
    environment(
        LEADLINE_BASE_URL_REPORTER=own.base_url, OPENAI_API_KEY_REPORTER=own.key, LEADLINE_MODEL_REPORTER="writer"
    )
    report = await aresearch(QUESTION, docs=[docs])
    assert "Belfast" in report.markdown
    assert set(own.roles) == {"reporter"}
    assert {request["model"] for request in own.requests} == {"writer"}
    assert {"planner", "researcher"} <= set(endpoint.roles)
    assert "reporter" not in endpoint.roles


async def test_the_general_key_goes_to_no_other_address(
    endpoint: OpenAIServer, own: OpenAIServer, environment: SetEnvironment
) -> None:
    environment(LEADLINE_BASE_URL_PLANNER=own.base_url)
    own.key = "none"
    await checked_models()
    assert len(own.requests) == 1, "a request with the general key was refused"
    assert names(role_model("planner", RunContext()))[1:] == (own.base_url, "")


def test_a_role_takes_its_own_key_to_the_general_address_and_its_own_address_without_any(
    environment: SetEnvironment,
) -> None:
    environment(LEADLINE_BASE_URL_PLANNER="http://b.example/v1", LEADLINE_MODEL_PLANNER="m")
    assert role_model("planner", RunContext()).provider == "openai"
    assert role_model("reporter", RunContext()).provider == "offline"
    environment(OPENAI_BASE_URL="http://a.example/v1", OPENAI_API_KEY="general", OPENAI_API_KEY_CODER="of-the-coder")
    assert names(role_model("coder", RunContext()))[1:] == ("http://a.example/v1", "of-the-coder")
    assert names(role_model("planner", RunContext()))[1:] == ("http://b.example/v1", "")


def test_a_runs_endpoint_comes_before_the_roles_and_has_a_model_of_its_own(environment: SetEnvironment) -> None:
    environment(
        OPENAI_BASE_URL="http://a.example/v1",
        LEADLINE_MODEL="general",
        LEADLINE_BASE_URL_PLANNER="http://b.example/v1",
        LEADLINE_MODEL_PLANNER="planning",
        LEADLINE_BASE_URL_LAB="http://c.example/v1",
        LEADLINE_MODEL_LAB="of-the-lab",
    )
    lab, general = {"endpoint": "Lab"}, {"endpoint": "default"}
    assert names(role_model("planner", RunContext())) == ("planning", "http://b.example/v1", "")
    assert names(role_model("planner", chosen(default=lab))) == ("of-the-lab", "http://c.example/v1", "")
    assert names(role_model("planner", chosen(default="m", planner=lab)))[0] == "of-the-lab"
    assert names(role_model("planner", chosen(planner={**lab, "model": "m"})))[0] == "m"
    assert names(role_model("planner", chosen(default=lab, planner="m")))[:2] == ("m", "http://c.example/v1")
    assert names(role_model("planner", chosen(default=general)))[:2] == ("general", "http://a.example/v1")


async def test_an_unknown_endpoint_is_answered_with_those_that_there_are(
    endpoint: OpenAIServer, environment: SetEnvironment, docs: Path
) -> None:
    environment(LEADLINE_BASE_URL_LAB="http://c.example/v1", OPENAI_API_KEY_LAB="secret-of-the-lab")
    with pytest.raises(BadInput, match=r"no endpoint 'home'\. There are: default, lab\. The operator") as refused:
        await aresearch(QUESTION, docs=[docs], models={"planner": {"endpoint": "home"}})
    assert "secret" not in str(refused.value)
    assert endpoint.requests == []


@pytest.mark.parametrize("name", ["http://evil.example/v1", "", "a b", "x" * 41])
def test_no_address_is_a_name_of_an_endpoint(name: str) -> None:
    with pytest.raises(ValueError, match=r"models\.planner\.endpoint"):
        chosen(planner={"endpoint": name})


def test_a_model_of_another_provider_has_no_other_endpoint(environment: SetEnvironment) -> None:
    environment(
        ANTHROPIC_API_KEY="k",
        LEADLINE_BASE_URL_PLANNER="http://b.example/v1",
        LEADLINE_MODEL="anthropic:claude-sonnet-4-5",
    )
    with pytest.raises(
        SettingsError, match=r"LEADLINE_BASE_URL_PLANNER is .* Name a model .* in LEADLINE_MODEL_PLANNER"
    ):
        role_model("planner", RunContext())
    with pytest.raises(BadInput, match="the endpoint planner were named for the role coder"):
        role_model("coder", chosen(coder={"model": "anthropic:claude-sonnet-4-5", "endpoint": "planner"}))
    assert role_model("planner", chosen(default="anthropic:claude-sonnet-4-5")).base_url is None


async def test_a_refused_key_is_named_by_the_variables_of_its_endpoint(
    endpoint: OpenAIServer, own: OpenAIServer, environment: SetEnvironment
) -> None:
    environment(LEADLINE_BASE_URL_REPORTER=own.base_url, OPENAI_API_KEY_REPORTER="wrong", LEADLINE_MODEL_REPORTER="w")
    problem = next(check.problem for check in await checked_models() if check.role == "reporter")
    assert "Check OPENAI_API_KEY_REPORTER (and that LEADLINE_BASE_URL_REPORTER is the endpoint" in problem
    assert "wrong" not in problem


def test_a_key_is_in_no_dump_and_no_text(environment: SetEnvironment) -> None:
    environment(OPENAI_BASE_URL="http://me:word@a.example/v1", OPENAI_API_KEY="very-secret")
    model = role_model("planner", RunContext())
    for text in (repr(model), str(model), model.model_dump_json(), str(model.model_dump())):
        assert "very-secret" not in text
        assert "api_key" not in text
    assert model.endpoint == "http://a.example/v1"


@pytest.fixture(autouse=True)
async def forgotten() -> None:
    """Forget what was learned of other servers."""
    forget_endpoints()
    await close_clients()
