"""Which model plays a role: the run's choice, the environment, the defaults; and what it costs."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from leadline.setup.model_setup import checked_models, model_lines
from schemas.context import RunContext
from services.models.chat import PARAMETER_NAMES, build
from services.run.checked_choices import checked_choices
from services.run.errors import BadInput, SettingsError
from services.run.installation import install_command
from services.run.prices import price_of
from services.run.roles import DEFAULTS, PROVIDERS, SET_UP_BY, role_model
from tests.conftest import SetEnvironment
from tests.fakes.openai_server import OpenAIServer, error
from tests.services.models.conftest import ANSWER


def chosen(**models: object) -> RunContext:
    return RunContext.model_validate({"models": models})


def _built(context: RunContext | None = None) -> Any:
    return build(role_model("planner", context or RunContext()), 100)


@pytest.mark.parametrize(
    ("role", "temperature", "most"),
    [("planner", 0.3, 800), ("researcher", 0.2, 1_000), ("reflector", 0.3, 500), ("reporter", 0.5, 2_000)],
)
def test_each_role_has_its_defaults(environment: SetEnvironment, role: str, temperature: float, most: int) -> None:
    environment(OPENAI_API_KEY="k")
    model = role_model(role, RunContext())
    assert (model.temperature, model.max_tokens, model.model) == (temperature, most, "gpt-4.1-mini")
    assert set(DEFAULTS) == {"coordinator", "planner", "researcher", "coder", "reflector", "reporter", "verifier"}


def test_the_environment_sets_a_role_before_all_roles(environment: SetEnvironment) -> None:
    environment(
        OPENAI_API_KEY="k",
        LEADLINE_MODEL="all",
        LEADLINE_MODEL_PLANNER="own",
        LEADLINE_TEMPERATURE_PLANNER="0.9",
        LEADLINE_MAX_TOKENS="333",
        LEADLINE_TIMEOUT_PLANNER="12",
        LEADLINE_EXTRA_PLANNER='{"top_p": 0.5}',
    )
    own, other = role_model("planner", RunContext()), role_model("reporter", RunContext())
    assert (own.model, own.temperature, own.max_tokens, own.timeout, own.extra) == ("own", 0.9, 333, 12, {"top_p": 0.5})
    assert (other.model, other.temperature, other.max_tokens, other.extra) == ("all", 0.5, 333, {})


def test_the_environment_never_overrides_what_a_run_chose(environment: SetEnvironment) -> None:
    environment(OPENAI_API_KEY="k", LEADLINE_MODEL_PLANNER="env", LEADLINE_TEMPERATURE_PLANNER="0.9")
    context = chosen(default="run", planner={"temperature": 0.1})
    model = role_model("planner", context)
    assert (model.model, model.temperature) == ("run", 0.1)


@pytest.mark.parametrize(
    ("provider", "variable"), [(provider, name) for provider, names in SET_UP_BY.items() for name in names]
)
def test_a_run_names_a_provider_only_if_the_operator_has_set_it_up(
    environment: SetEnvironment, provider: str, variable: str
) -> None:
    environment(OPENAI_API_KEY="k", **dict.fromkeys(SET_UP_BY[provider]))
    with pytest.raises(SettingsError, match=f"its provider is not set up here.*{variable}"):
        role_model("planner", chosen(default=f"{provider}:x"))
    environment(LEADLINE_MODEL_REPORTER=f"{provider}:own")
    assert role_model("planner", chosen(default=f"{provider}:x")).provider == provider
    environment(LEADLINE_MODEL_REPORTER="", **{variable: "k"})
    assert role_model("planner", chosen(default=f"{provider}:x")).provider == provider


async def test_what_a_run_samples_with_stands_beside_the_operators_parameters(environment: SetEnvironment) -> None:
    environment(OPENAI_API_KEY="k", LEADLINE_EXTRA='{"top_p": 0.5, "chat_template_kwargs": {"enable_thinking": false}}')
    model = role_model("planner", chosen(default={"extra": {"top_p": 0.9, "seed": 7, "temperature": 0.1}}))
    assert (model.sampling, model.temperature) == ({"top_p": 0.9, "seed": 7}, 0.1)
    assert model.extra == {"top_p": 0.5, "chat_template_kwargs": {"enable_thinking": False}}
    assert _built(chosen(default={"extra": {"top_p": 0.9}})).extra_body["top_p"] == 0.9


@pytest.mark.parametrize(
    "name", ["base_url", "api_key", "default_headers", "http_client", "callbacks", "timeout", "top_pp"]
)
def test_no_other_parameter_comes_from_a_run(name: str) -> None:
    with pytest.raises(
        BadInput,
        match=rf"models\.default\.extra cannot be used: {name}: no run .* temperature, top_p, .*LEADLINE_EXTRA",
    ):
        checked_choices({"models": {"default": {"extra": {"top_p": 0.5, name: "x"}}}})


@pytest.mark.parametrize(
    "extra",
    [
        {"temperature": 3}, {"top_p": 1.5}, {"top_p": float("nan")}, {"top_k": 10**9}, {"seed": 2**63}, {"min_p": -1},
        {"presence_penalty": 3}, {"repetition_penalty": 0}, {"stop": ["x"] * 9}, {"stop": "x" * 101},
        {"reasoning_effort": "endless"}, {"verbosity": {"url": "x"}},
    ],
)  # fmt: skip
def test_each_parameter_has_its_type_and_bounds(extra: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=rf"models\.default\.extra\.{next(iter(extra))}"):
        checked_choices({"models": {"default": {"extra": extra}}})


@pytest.mark.parametrize("provider", ["anthropic", "google_genai", "mistralai", "ollama"])
def test_each_provider_is_given_the_parameters_under_its_own_names(environment: SetEnvironment, provider: str) -> None:
    pytest.importorskip(PROVIDERS[provider][0])
    environment(**{name: "http://127.0.0.1:9" if name == "OLLAMA_HOST" else "k" for name in SET_UP_BY[provider]})
    for name, its_name in PARAMETER_NAMES[provider].items():
        value: Any = (
            "low" if name == "reasoning_effort" else name == "enable_thinking" or (["x"] if name == "stop" else 1)
        )
        built = _built(chosen(default={"model": f"{provider}:x", "extra": {name: value}}))
        fields = type(built).model_fields
        field = next(own for own, field in fields.items() if its_name in (own, field.alias))
        assert getattr(built, field) == value
    with pytest.raises(BadInput, match=f"{provider}:x does not take verbosity from a run. It takes temperature, top_p"):
        _built(chosen(default={"model": f"{provider}:x", "extra": {"verbosity": "low"}}))


@pytest.mark.parametrize(
    ("name", "provider", "model"),
    [
        ("anthropic:claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5"),
        ("llama3:8b", "openai", "llama3:8b"),
        ("openai:gpt-4o", "openai", "gpt-4o"),
        ("qwen/qwen3:free", "openai", "qwen/qwen3:free"),
        ("offline", "offline", "offline"),
    ],
)
def test_a_prefix_names_a_provider_and_any_other_colon_belongs_to_the_name(
    environment: SetEnvironment, name: str, provider: str, model: str
) -> None:
    environment(OPENAI_BASE_URL="http://127.0.0.1:9/v1", ANTHROPIC_API_KEY="k")
    settled = role_model("planner", chosen(default=name))
    assert (settled.provider, settled.model) == (provider, model)


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"LEADLINE_MODEL": "gpt-4o"}, "no endpoint is set. Set OPENAI_API_KEY"),
        ({"OPENAI_BASE_URL": "localhost:8000"}, "not an http address"),
        (
            {"OPENAI_API_KEY": "k", "LEADLINE_TEMPERATURE_PLANNER": "hot"},
            "LEADLINE_TEMPERATURE_PLANNER cannot be 'hot'",
        ),
        ({"OPENAI_API_KEY": "k", "LEADLINE_TIMEOUT": "9999"}, "LEADLINE_TIMEOUT cannot be '9999'"),
        ({"OPENAI_API_KEY": "k", "LEADLINE_EXTRA": "top_p=1"}, '{"top_p": 0.9}. Correct it'),
        ({"OPENAI_API_KEY": "k", "LEADLINE_EXTRA": '{"tool_choice": "search"}'}, "cannot name tool_choice"),
        ({"LEADLINE_MODEL": "mistralai:mistral-large"}, install_command("mistral")),
    ],
    ids=["no endpoint", "no address", "no number", "too long", "no JSON", "a tool choice", "package missing"],
)
def test_what_is_wrong_with_the_settings_is_said_exactly(
    environment: SetEnvironment, variables: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment(**variables)
    monkeypatch.setitem(sys.modules, "langchain_mistralai", None)  # also where the extra is installed
    with pytest.raises(SettingsError) as caught:
        _built()
    assert said in str(caught.value)


async def test_prices_come_from_the_users_file_then_from_the_list_and_are_unknown_else(
    environment: SetEnvironment, tmp_path: Path
) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text("mine: {input: 1, output: 2, cached: 0.5}\n")
    environment(OPENAI_API_KEY="k", LEADLINE_PRICES=str(file))
    mine = await price_of(role_model("planner", chosen(default="mine")))
    listed = await price_of(role_model("planner", chosen(default="gpt-4.1-mini")))
    assert mine is not None
    assert mine.cost(1_000_000, 1_000_000, 500_000) == pytest.approx(2.75)
    assert listed is not None
    assert (listed.input, listed.output) == pytest.approx((0.4, 1.6))
    assert await price_of(role_model("planner", chosen(default="nobody-knows-me"))) is None


@pytest.mark.parametrize("text", ["mine: {input: cheap}", "[1, 2", None], ids=["no number", "no YAML", "no file"])
async def test_a_price_file_that_cannot_be_used_is_said_to_be_one(
    environment: SetEnvironment, tmp_path: Path, text: str | None
) -> None:
    file = tmp_path / "prices.yaml"
    if text is not None:
        file.write_text(text)
    environment(OPENAI_API_KEY="k", LEADLINE_PRICES=str(file))
    with pytest.raises(SettingsError, match="LEADLINE_PRICES") as refused:
        await price_of(role_model("planner", chosen(default="mine")))
    assert str(refused.value).count(file.name) == 1


@pytest.mark.parametrize(
    ("refuses", "json_schema", "tools"),
    [
        (set[str](), True, True),
        ({"response_format"}, False, True),
        ({"tools"}, True, False),
        ({"response_format", "tools"}, False, False),
    ],
)
async def test_the_check_says_what_an_endpoint_cannot_do(
    endpoint: OpenAIServer, refuses: set[str], json_schema: bool, tools: bool
) -> None:
    endpoint.refuses = refuses
    endpoint.script["reporter"] = [ANSWER] * 5
    checks = await checked_models()
    assert refuses or len(endpoint.requests) == 1, "one call for a model, however many roles it plays"
    assert (checks[0].json_schema, checks[0].tools, checks[0].problem) == (json_schema, tools, "")
    assert "test-model" in "\n".join(model_lines(checks))


@pytest.mark.parametrize(("status", "said"), [(401, "rejected the key"), (500, "failed")])
async def test_the_check_says_exactly_what_is_wrong(
    endpoint: OpenAIServer, environment: SetEnvironment, status: int, said: str
) -> None:
    environment(LEADLINE_MAX_RETRIES="0")
    endpoint.script["reporter"] = [error(status, "no", "no") for _ in range(9)]
    endpoint.script["coordinator"] = endpoint.script["reporter"]
    assert said in (await checked_models())[0].problem


async def test_the_check_without_a_key_calls_nobody_and_says_how_to_connect_a_model() -> None:
    checks = await checked_models()
    assert not any(check.problem for check in checks)
    assert "leadline init" in "\n".join(model_lines(checks))
    assert json.dumps([check.model_dump(mode="json") for check in checks])
