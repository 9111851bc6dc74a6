"""Which searches a choice names: one, several side by side, the next when one fails, and what `auto` takes for a kind of source."""

from collections.abc import Callable
from pathlib import Path

import pytest

from schemas.context import RunContext
from schemas.evidence import StepKind
from services.run.errors import BadInput, SettingsError
from services.run.settings import forget_settings
from services.search.providers import check_search, examples_stand_in, providers_for
from services.search.web import forget_web, known_names, side_by_side, web_search
from tests.fakes.search_services.served import served
from tests.fakes.search_services.twin import KEY

SetUp = Callable[..., None]


@pytest.fixture
def set_up(monkeypatch: pytest.MonkeyPatch) -> SetUp:
    """Set variables."""

    def change(**variables: str) -> None:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        forget_settings()
        forget_web()

    return change


@pytest.fixture
def built_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Know the built-in services alone; nothing is asked in such a test."""
    monkeypatch.delenv("LEADLINE_SEARCH_SERVICES")
    forget_settings()
    forget_web()


@pytest.mark.parametrize(
    ("wanted", "groups"),
    [
        ("duckduckgo", [("duckduckgo",)]),
        ("tavily+openalex", [("tavily",), ("openalex",)]),
        ("brave|duckduckgo", [("brave", "duckduckgo")]),
        ("arxiv + brave | duckduckgo", [("arxiv",), ("brave", "duckduckgo")]),
        ("brave|brave+openalex+openalex", [("brave",), ("openalex",)]),
        ("documents", []),
        ("none", []),
    ],
)
def test_names_are_asked_side_by_side_or_in_turn(wanted: str, groups: list[tuple[str, ...]]) -> None:
    assert side_by_side(wanted) == groups


@pytest.mark.parametrize(
    "wanted",
    [
        "gopher",
        "tavily+gopher",
        "brave|gopher",
        "tavily+",
        "|",
        "Tavily",
        "https://evil.example/?q=",
        "searxng=http://127.0.0.1",
    ],
)
def test_an_unknown_name_lists_the_known(wanted: str) -> None:
    with pytest.raises(BadInput, match="There is no search") as caught:
        side_by_side(wanted)
    assert all(name in str(caught.value) for name in known_names())


@pytest.mark.parametrize("word", ["auto", "documents", "none"])
def test_what_says_where_by_itself_is_not_combined(word: str) -> None:
    with pytest.raises(BadInput, match=f"'{word}' already says where to search"):
        side_by_side(f"{word}+openalex")


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("tavily", "TAVILY_API_KEY"),
        ("brave", "BRAVE_API_KEY"),
        ("exa", "EXA_API_KEY"),
        ("serper", "SERPER_API_KEY"),
        ("searxng", "SEARXNG_URL"),
        ("github-code", "GITHUB_TOKEN"),
    ],
)
def test_a_missing_key_or_address_is_named_before_anything_is_asked(name: str, setting: str) -> None:
    for combined in (name, f"openalex+{name}", f"duckduckgo|{name}"):
        with pytest.raises(BadInput, match=f"{setting} is not set"):
            check_search(RunContext(search=combined))


def test_what_the_environment_chooses_is_named_as_a_setting(set_up: SetUp) -> None:
    set_up(LEADLINE_SEARCH="openalex+gopher")
    with pytest.raises(SettingsError, match="LEADLINE_SEARCH cannot be used: There is no search 'gopher'"):
        check_search(RunContext())


@pytest.mark.usefixtures("built_in")
def test_without_a_key_or_an_address_auto_leaves_the_web_alone(set_up: SetUp) -> None:
    assert side_by_side("auto", "academic") == []
    assert examples_stand_in()
    set_up(GITHUB_TOKEN=KEY, OPENALEX_API_KEY=KEY, SEMANTIC_SCHOLAR_API_KEY=KEY, LEADLINE_CONTACT="me@lab.example")
    kinds: tuple[StepKind, ...] = ("general", "academic", "code")
    for kind in kinds:
        assert side_by_side("auto", kind) == []
    assert examples_stand_in()


CATALOGUES = ["wikipedia", "openalex", "crossref", "arxiv", "europepmc", "semanticscholar"]


@pytest.mark.usefixtures("built_in")
@pytest.mark.parametrize(
    ("kind", "beside"),
    [
        ("general", ["wikipedia"]),
        ("academic", CATALOGUES),
        ("medicine", ["wikipedia", "openalex", "europepmc", "semanticscholar"]),
        ("code", ["github"]),
        ("news", []),
        ("official", []),
    ],
)
@pytest.mark.parametrize(
    ("first", "variables"),
    [
        ("tavily", {"TAVILY_API_KEY": KEY}),
        ("brave", {"BRAVE_API_KEY": KEY}),
        ("searxng", {"SEARXNG_URL": "http://127.0.0.1:9"}),
    ],
)
def test_auto_takes_what_is_set_up_and_what_fits_the_kind_of_source(
    kind: StepKind, beside: list[str], first: str, variables: dict[str, str], set_up: SetUp
) -> None:
    set_up(**variables)
    assert side_by_side("auto", kind) == [(first, "duckduckgo"), *((name,) for name in beside)]
    assert not examples_stand_in()


@pytest.mark.usefixtures("built_in")
def test_auto_asks_all_that_has_a_key_and_what_a_token_opens(set_up: SetUp) -> None:
    set_up(TAVILY_API_KEY=KEY, EXA_API_KEY=KEY, GITHUB_TOKEN=KEY)
    assert side_by_side("auto", "news") == [("tavily", "duckduckgo"), ("exa",)]
    assert side_by_side("auto", "code") == [("tavily", "duckduckgo"), ("exa",), ("github",), ("github-code",)]


OWN = """
[{name}]
title = "Ships"
address = "https://ships.example"
key = "{key}"
key_setting = "SHIPS_KEY"
kinds = ["{kind}"]
parameters = {{ q = "{{query}}" }}
fields = {{ url = "url", title = "title" }}
"""


@pytest.mark.parametrize(
    ("key", "kind", "opens"),
    [("needed", "general", True), ("needed", "academic", False), ("optional", "general", False)],
)
def test_a_service_of_ones_own_is_known_and_opens_the_web_where_it_searches_all_of_it_with_a_key(
    key: str, kind: str, opens: bool, set_up: SetUp, tmp_path: Path
) -> None:
    file = tmp_path / "own.toml"
    file.write_text(OWN.format(name="ships", key=key, kind=kind))
    set_up(LEADLINE_SEARCH_SERVICES=str(file), SHIPS_KEY=KEY)
    assert "ships" in known_names()
    assert [provider.name for provider in web_search(RunContext(search="ships"))] == ["ships"]
    groups = side_by_side("auto", "general")
    assert (groups[:1] == [("ships", "duckduckgo")]) == opens == bool(groups)


@pytest.mark.parametrize("name", ["auto", "none", "tavily", "duckduckgo"])
def test_a_service_cannot_take_a_name_that_means_something_else(name: str, set_up: SetUp, tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(OWN.format(name=name, key="needed", kind="general"))
    set_up(LEADLINE_SEARCH_SERVICES=str(file))
    with pytest.raises((BadInput, SettingsError), match=rf"own\.toml: {name} is already taken"):
        check_search(RunContext(search="openalex"))


async def test_a_search_is_asked_with_what_the_environment_gives_it(set_up: SetUp, tmp_path: Path) -> None:
    with served(tmp_path, "brave", "openalex", "europepmc") as twins:
        set_up(BRAVE_API_KEY=KEY, OPENALEX_API_KEY=KEY, LEADLINE_CONTACT="me@lab.example")
        providers = (await providers_for(RunContext(search="brave+openalex+europepmc"))).web
        found = [await provider.search("echo sounding", 5) for provider in providers]
    assert [provider.name for provider in providers] == ["brave", "openalex", "europepmc"]
    assert all(found)
    assert twins["brave"].headers[0]["X-Subscription-Token"] == KEY
    assert (twins["openalex"].asked[0]["api_key"], twins["openalex"].asked[0]["mailto"]) == (KEY, "me@lab.example")
    assert "lab.example" not in f"{twins['europepmc'].asked}{twins['europepmc'].headers}"
