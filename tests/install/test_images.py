"""The images and compose files of `deploy/`: what they copy is there and let through, and what compose builds exists."""

import re
from pathlib import Path

import pytest
import yaml

from tests.conftest import PROJECT

DEPLOY = PROJECT / "deploy"
DOCKERFILES = sorted(DEPLOY.glob("*Dockerfile"))


def _let_through(dockerfile: Path) -> set[str]:
    ignored = dockerfile.with_name(f"{dockerfile.name}.dockerignore").read_text("utf-8").split()
    assert ignored[0] == "**"
    return {line[1:] for line in ignored if line.startswith("!")}


@pytest.mark.parametrize("dockerfile", DOCKERFILES, ids=lambda path: path.name)
def test_what_an_image_copies_is_there_and_not_ignored(dockerfile: Path) -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", dockerfile.read_text("utf-8"), re.MULTILINE)
    named = {name for line in copied for name in line.split() if name != "."}
    through = _let_through(dockerfile)
    assert named
    assert named <= through
    assert [name for name in through if not (PROJECT / name).exists()] == []


def test_the_image_that_builds_the_wheel_has_what_the_wheel_is_made_of() -> None:
    packages = {path.parent.name for path in PROJECT.glob("*/py.typed")}
    assert packages | {"examples", "pyproject.toml", "setup.py"} <= _let_through(DEPLOY / "serve.Dockerfile")


@pytest.mark.parametrize("compose", sorted(DEPLOY.glob("*compose.yaml")), ids=lambda path: path.name)
def test_what_compose_builds_exists_and_listens_on_this_machine_alone(compose: Path) -> None:
    services = yaml.safe_load(compose.read_text("utf-8"))["services"].values()
    built = {one["build"]["dockerfile"] for one in services if "build" in one}
    assert built
    assert all((PROJECT / name).is_file() for name in built)
    assert all(port.startswith("127.0.0.1:") for one in services for port in one.get("ports", []))
