"""Names and tokens: how they are read, and what is refused."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from leadline.server.accounts import read_accounts
from services.run.errors import SettingsError
from services.run.settings import Settings

LONG = "0123456789abcdef"


def given(tokens: str | None = None, file: Path | None = None) -> Settings:
    return Settings(leadline_tokens=None if tokens is None else SecretStr(tokens), leadline_tokens_file=file)


def test_without_tokens_there_are_no_accounts() -> None:
    assert not read_accounts(given())


def test_tokens_come_from_the_environment_and_from_a_file_and_a_name_may_have_several(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"# people\n\ngrace:grace-{LONG}\nada: second-{LONG}\n")
    found = read_accounts(given(f"ada:first-{LONG}, bo_b-2:bob:{LONG},", file))
    names = [found.name_of(f"{token}{LONG}") for token in ("first-", "second-", "grace-", "bob:", "other-", "")]
    assert names == ["ada", "ada", "grace", "bo_b-2", None, None]


def test_tokens_themselves_are_not_kept() -> None:
    assert LONG not in repr(read_accounts(given(f"ada:{LONG}")))
    assert LONG not in repr(given(f"ada:{LONG}"))


@pytest.mark.parametrize(
    ("tokens", "problem"),
    [
        (LONG, "write name:token"),
        (f":{LONG}", "write name:token"),
        (f"../ada:{LONG}", "write name:token"),
        (f"a.b:{LONG}", "write name:token"),
        (f"local:{LONG}", "is not 'local'"),
        ("ada:short", "shorter than 16"),
        (f"ada:{LONG},grace:{LONG}", "the same token"),
        (" , ", "names no user"),
    ],
)
def test_what_cannot_be_used_is_said_without_the_token(tokens: str, problem: str) -> None:
    with pytest.raises(SettingsError, match=problem) as caught:
        read_accounts(given(tokens))
    assert LONG not in str(caught.value)
