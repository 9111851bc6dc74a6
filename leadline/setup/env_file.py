"""The `.env` file of `leadline init`: providers, tests of the settings, and a file that only its owner can read."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from dotenv import set_key

from leadline.setup.model_setup import LLAMA_CPP, LM_STUDIO, OLLAMA, VLLM, checked_models
from leadline.setup.search_setup import search_problems, set_up_by
from services.models.endpoint import forget_endpoints
from services.run.dotenv_file import FILE, decoded, dotenv
from services.run.errors import SettingsError
from services.run.roles import LLAMACPP, SET_UP_BY
from services.run.settings import forget_settings
from services.run.ui_text import MESSAGES, say, told


class Provider(NamedTuple):
    """Who runs a model: a known OpenAI-compatible endpoint, or a provider with its own package."""

    title: str = ""
    """Its name, or the key of the message that says it; empty for a server on this machine."""
    endpoint: str = ""
    """Address; empty if the client knows it, or if it depends on the machine."""
    needs_key: bool = False
    server: str = ""
    """Name of the server on this machine, in `PORTS`."""
    integration: str = ""
    """Prefix of its models' names, where it has its own package."""

    def words(self) -> str:
        """Return what it is called where people choose it."""
        if self.server:
            return say("init_on_this_machine", title=self.server)
        return say(self.title) if self.title in MESSAGES else self.title

    @property
    def key_variable(self) -> str:
        """Environment variable of its key."""
        return SET_UP_BY[self.integration][0] if self.integration else "OPENAI_API_KEY"


PROVIDERS: dict[str, Provider] = {
    "openai": Provider("OpenAI", needs_key=True),
    "anthropic": Provider("Anthropic", needs_key=True, integration="anthropic"),
    "google": Provider("Google Gemini", needs_key=True, integration="google_genai"),
    "mistral": Provider("Mistral", needs_key=True, integration="mistralai"),
    "deepseek": Provider("DeepSeek", "https://api.deepseek.com/v1", True),
    "qwen": Provider("Qwen (DashScope)", "https://dashscope.aliyuncs.com/compatible-mode/v1", True),
    "openrouter": Provider("OpenRouter", "https://openrouter.ai/api/v1", True),
    "ollama": Provider(server=OLLAMA),
    "lmstudio": Provider(server=LM_STUDIO),
    "llamacpp": Provider(server=LLAMA_CPP),
    "vllm": Provider(server=VLLM),
    "file": Provider("init_provider_file", integration=LLAMACPP),
    "other": Provider("init_provider_other"),
    "none": Provider("init_provider_none"),
}


async def problems_of(values: Mapping[str, str]) -> list[str]:
    """Return the problems of settings, one sentence each.

    Each model gets a small call, as in `leadline doctor --models`, and each search that they set up a query.
    """
    with _environment(values):
        problems = [model.problem for model in await checked_models() if model.problem]
        problems += await search_problems(set_up_by(values.keys()))
    return list(dict.fromkeys(problems))


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    forget_settings()
    forget_endpoints()
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        forget_settings()
        forget_endpoints()


def written_before() -> dict[str, str]:
    """Return the settings in the file.

    Raises:
        SettingsError: the file cannot be read.
    """
    try:
        return dotenv(FILE, interpolate=False)
    except OSError as error:
        raise SettingsError(**told("env_file_unread", file=FILE.absolute(), error=error)) from None


def write(values: Mapping[str, str]) -> None:
    """Write settings into the file and keep its other lines; only its owner can read it from the start.

    Raises:
        SettingsError: the file cannot be written.
    """
    try:
        if FILE.exists():
            FILE.chmod(0o600)
        _, encoding = decoded(FILE)
        for name, value in values.items():
            set_key(FILE, name, value, quote_mode="auto", encoding=encoding, follow_symlinks=True)
        FILE.chmod(0o600)
    except UnicodeEncodeError:
        raise SettingsError(**told("env_file_encoding", file=FILE.absolute(), encoding=encoding)) from None
    except OSError as error:
        raise SettingsError(**told("env_file_unwritable", file=FILE.absolute(), reason=error.strerror)) from None
