"""Settings to compare: each a combination of prompts, a model, a depth and a search."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from leadline.runs.output import slug_of
from prompts import BUILT_IN, PromptError, Prompts, load_prompts
from schemas.depth import DEPTHS
from services.run.errors import BadInput
from services.run.ui_text import told

MAX_SETTINGS = 24
"""Maximum settings: more are a mistake in the command."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A combination of prompts, model, depth and search."""

    name: str
    prompts: Prompts = BUILT_IN
    model: str | None = None
    depth: str | None = None
    search: str | None = None

    @property
    def choices(self) -> dict[str, Any]:
        """Choices of its runs."""
        models = {"models": {"default": self.model}} if self.model else {}
        rest = {"depth": self.depth, "search": self.search}
        return {**models, **{name: value for name, value in rest.items() if value}}

    @property
    def folder(self) -> str:
        """Name of the folder of its reports."""
        return slug_of(self.name)


def settings_of(
    prompts: Sequence[Path] = (),
    models: Sequence[str] = (),
    depths: Sequence[str] = (),
    searches: Sequence[str] = (),
) -> list[Setting]:
    """Return every combination of the given values; single values apply to all and are not in the names.

    Among the folders of prompts, `built-in` stands for the prompts that Leadline has, unless there is such a folder.

    Raises:
        BadInput: a folder or a depth cannot be used, or there are too many combinations.
    """
    if unknown := next((depth for depth in depths if depth not in DEPTHS), None):
        raise BadInput(**told("eval_no_depth", depth=unknown, depths=", ".join(DEPTHS)))
    try:
        loaded = [
            BUILT_IN if str(folder) == BUILT_IN.name and not folder.exists() else load_prompts(folder)
            for folder in dict.fromkeys(prompts)
        ]
    except PromptError as error:
        raise BadInput(str(error)) from None
    lists: list[list[Any]] = [
        loaded or [BUILT_IN],
        list(dict.fromkeys(models)) or [None],
        list(dict.fromkeys(depths)) or [None],
        list(dict.fromkeys(searches)) or [None],
    ]
    settings = [_setting(chosen, [len(values) > 1 for values in lists]) for chosen in product(*lists)]
    if len(settings) > MAX_SETTINGS:
        raise BadInput(**told("eval_many_settings", count=len(settings), limit=MAX_SETTINGS))
    folders = [setting.folder for setting in settings]
    if same := next((setting for setting in settings if folders.count(setting.folder) > 1), None):
        raise BadInput(**told("eval_same_folder", folder=same.folder))
    return settings


def _setting(chosen: tuple[Any, ...], varies: Sequence[bool]) -> Setting:
    prompts, model, depth, search = chosen
    parts = [prompts.name, model, depth, search]
    name = " · ".join(str(part) for part, differs in zip(parts, varies, strict=True) if differs)
    return Setting(name or str(depth or model or search or "default"), prompts, model, depth, search)
