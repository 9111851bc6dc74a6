"""Settings: each that a person may set is in the template and in the guide, and secrets are not shown."""

import os
import re
from pathlib import Path
from typing import Literal, get_args, get_origin

import pytest

from services.run.errors import SettingsError
from services.run.settings import Settings, ToolGroup, forget_settings, secret_named, settings
from services.search.web_services.service import services
from services.tools.tool_set import GROUPS
from tests.conftest import PROJECT, SetEnvironment

OF_SERVICES = sorted(
    {name for service in services().values() for name in (service.key_setting, service.address_setting) if name}
)


@pytest.mark.parametrize("name", [*OF_SERVICES, "LEADLINE_CONTACT", "LEADLINE_SEARCH_SERVICES", "LEADLINE_SEARCH"])
def test_what_searches_need_is_in_the_template_and_in_the_guide(name: str) -> None:
    assert re.search(rf"^#{name}=", (PROJECT / ".env.example").read_text("utf-8"), re.MULTILINE)
    assert f"`{name}`" in (PROJECT / "docs/settings.md").read_text("utf-8")


def test_the_template_tells_every_value_of_a_choice() -> None:
    told = re.findall(r"((?:^# .*\n)*)^#(\w+)=(.*)", (PROJECT / ".env.example").read_text("utf-8"), re.MULTILINE)
    comments = {name: f"{comment} {value}" for comment, name, value in told}
    choices = {name.upper(): field.annotation for name, field in Settings.model_fields.items()}
    for name, choice in choices.items():
        if get_origin(choice) is Literal:
            assert set(get_args(choice)) <= set(re.findall(r"\w+", comments[name])), name


def test_a_group_of_tools_that_does_not_exist_is_refused_with_those_that_do(environment: SetEnvironment) -> None:
    assert set(GROUPS) == set(get_args(ToolGroup))
    environment(LEADLINE_TOOLS="search,foo")
    with pytest.raises(SettingsError, match=r"^LEADLINE_TOOLS cannot be used: .*'search', 'code', 'files' or 'data'"):
        settings()


def test_a_variable_that_a_record_names_is_read_from_the_environment_and_the_file_and_not_shown(
    environment: SetEnvironment,
) -> None:
    with open(".env", "w") as file:  # noqa: PTH123 - of the test's own folder
        file.write("BRAVE_API_KEY=of-the-file\nEXA_API_KEY=of-the-file\nSERPER_API_KEY=\n")
    environment(EXA_API_KEY="of-the-environment")
    keys = {name: secret_named(name) for name in ("BRAVE_API_KEY", "EXA_API_KEY", "SERPER_API_KEY")}
    assert {name: key and key.get_secret_value() for name, key in keys.items()} == {
        "BRAVE_API_KEY": "of-the-file",
        "EXA_API_KEY": "of-the-environment",
        "SERPER_API_KEY": None,
    }
    assert "of-the" not in f"{keys} {settings()!r} {Settings.model_fields}"


def test_every_path_is_absolute_whatever_folder_is_gone_to_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    work = Path.cwd()
    monkeypatch.delenv("LEADLINE_HOME")
    named = [name for name, field in Settings.model_fields.items() if "Path" in repr(field.annotation)]
    for name in set(named) - {"leadline_home"}:
        monkeypatch.setenv(name.upper(), f"one{os.pathsep}/two" if name == "leadline_docs" else "below/it")
    forget_settings()
    read = settings()
    monkeypatch.chdir("/")
    assert read.leadline_home == work / ".leadline"
    assert read.leadline_docs == [work / "one", Path("/two")]
    rest = {name: getattr(read, name) for name in named if name not in {"leadline_home", "leadline_docs"}}
    assert rest
    assert set(rest.values()) == {work / "below/it"}
