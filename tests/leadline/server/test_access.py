"""Who is let in by the server: by token, or from this machine alone."""

from typing import Any

import pytest

from leadline.server.access import Refused, Rules
from leadline.server.accounts import read_accounts
from services.run.settings import Settings

TOKEN = "ada-0123456789abcdef"
OUTSIDE = "203.0.113.5"


def request(client: str = "127.0.0.1", server: str = "127.0.0.1", **headers: str) -> dict[str, Any]:
    """Return the scope of a request as the server sees it."""
    sent = {"host": "127.0.0.1:2024"} | {name.replace("_", "-"): value for name, value in headers.items()}
    return {
        "type": "http",
        "client": (client, 50_000),
        "server": (server, 2024),
        "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
    }


def guarded() -> Rules:
    return Rules(read_accounts(Settings(leadline_tokens=f"ada:{TOKEN}")))


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"])
def test_this_machine_is_served_without_tokens(address: str) -> None:
    assert Rules().caller(request(address, address)) == "local"


@pytest.mark.parametrize(
    "scope",
    [
        request(OUTSIDE, "192.0.2.1"),
        request("192.0.2.1", "192.0.2.1"),
        request("not-an-address"),
        request(x_forwarded_for=OUTSIDE),
        request(forwarded=f"for={OUTSIDE}"),
        request(via="1.1 proxy"),
        {**request(), "client": None},
    ],
)
def test_other_machines_are_told_which_setting_is_missing(scope: dict[str, Any]) -> None:
    with pytest.raises(Refused, match="LEADLINE_TOKENS=name:token") as caught:
        Rules().caller(scope)
    assert caught.value.status == 401


@pytest.mark.parametrize("host", ["localhost:2024", "127.0.0.1", "[::1]:2024", "research.localhost", "LOCALHOST"])
def test_names_of_this_machine_are_answered_to(host: str) -> None:
    assert Rules().caller(request(host=host)) == "local"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:2024", "127.0.0.1.evil.example", "", "[", "192.0.2.1"])
def test_a_name_that_was_made_to_point_here_is_not_answered_to(host: str) -> None:
    with pytest.raises(Refused, match="does not answer to the name") as caught:
        Rules().caller(request(host=host))
    assert caught.value.status == 403


@pytest.mark.parametrize("origin", ["https://smith.langchain.com", "http://localhost:3000", "http://127.0.0.1:2024"])
def test_pages_of_studio_and_of_this_machine_may_use_it(origin: str) -> None:
    assert Rules().caller(request(origin=origin)) == "local"


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "", "https://smith.langchain.com.evil.example", "http://smith.langchain.com", "http://["],
)  # fmt: skip
def test_pages_of_other_sites_may_not(origin: str) -> None:
    with pytest.raises(Refused, match="LEADLINE_ORIGINS") as caught:
        Rules().caller(request(origin=origin))
    assert caught.value.status == 403


def test_the_operator_can_add_a_site() -> None:
    rules = Rules(origins=frozenset({"https://notes.example"}))
    assert rules.caller(request(origin="https://notes.example")) == "local"


@pytest.mark.parametrize(
    "headers", [{"authorization": f"Bearer {TOKEN}"}, {"authorization": f"bearer  {TOKEN} "}, {"x_api_key": TOKEN}]
)
def test_a_token_lets_in_from_anywhere_under_its_name(headers: dict[str, str]) -> None:
    assert (
        guarded().caller(request(OUTSIDE, host="research.example", origin="https://notes.example", **headers)) == "ada"
    )


@pytest.mark.parametrize(
    "headers",
    [{}, {"authorization": TOKEN}, {"authorization": "Bearer "}, {"x_api_key": "wrong"}, {"cookie": f"token={TOKEN}"}],
)
def test_with_tokens_this_machine_needs_one_too(headers: dict[str, str]) -> None:
    with pytest.raises(Refused, match="token") as caught:
        guarded().caller(request(**headers))
    assert caught.value.status == 401
