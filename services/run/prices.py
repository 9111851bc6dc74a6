"""Prices of model calls: from the user's price file, else from the public list of the package genai-prices."""

import asyncio
from functools import cache
from pathlib import Path

import yaml
from genai_prices import Usage, calc_price
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from services.run.errors import SettingsError, reason_of
from services.run.roles import LLAMACPP, OFFLINE, RoleModel
from services.run.settings import settings
from services.run.ui_text import told

_MILLION = 1_000_000
_SAMPLE = 1_000
"""Tokens of the sample call by which a price is looked up: few, since some models charge more for long prompts."""


class Price(BaseModel):
    """US dollars for a million tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: float
    output: float
    cached: float | None = None
    """For input that the endpoint took from its cache; by default as other input."""

    def cost(self, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> float:
        """Return the cost of a call in US dollars; cached tokens are part of the input tokens."""
        cached = self.input if self.cached is None else self.cached
        return (
            (input_tokens - cached_tokens) * self.input + cached_tokens * cached + output_tokens * self.output
        ) / _MILLION


async def price_of(model: RoleModel) -> Price | None:
    """Return the price of a model, or None if it is unknown.

    Raises:
        SettingsError: the price file cannot be used.
    """
    if model.provider in {OFFLINE, LLAMACPP}:
        return Price(input=0, output=0, cached=0)
    return await price_at(model.model, model.base_url, model.provider)


async def price_at(model: str, base_url: str | None, provider: str = "openai") -> Price | None:
    """Return the price of a model at an OpenAI-compatible endpoint, or of another provider; None if it is unknown.

    Raises:
        SettingsError: the price file cannot be used.
    """
    _load_list()
    return await asyncio.to_thread(_price, provider, model, base_url)


@cache
def _price(provider: str, model: str, base_url: str | None) -> Price | None:
    own = _own_prices(settings().leadline_prices)
    return own.get(model) or own.get(f"{provider}:{model}") or _listed(provider, model, base_url)


@cache
def _own_prices(file: Path | None) -> dict[str, Price]:
    if file is None:
        return {}
    try:
        return TypeAdapter(dict[str, Price]).validate_python(yaml.safe_load(file.read_text("utf-8")))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValidationError) as error:
        match error:
            case ValidationError():
                problem = reason_of(error.errors()[0])
            case OSError():
                problem = str(error.strerror)
            case _:
                problem = " ".join(str(error).split())
        raise SettingsError(**told("prices_invalid", file=file, reason=problem)) from None


def _listed(provider: str, model: str, base_url: str | None) -> Price | None:
    at_home = base_url or "https://api.openai.com/v1" if provider == "openai" else None
    for address in dict.fromkeys([at_home, None]):
        try:
            million = [
                float(calc_price(usage, model_ref=model, provider_api_url=address).total_price) * _MILLION / _SAMPLE
                for usage in (
                    Usage(input_tokens=_SAMPLE),
                    Usage(output_tokens=_SAMPLE),
                    Usage(input_tokens=_SAMPLE, cache_read_tokens=_SAMPLE),
                )
            ]
        except LookupError:
            continue
        return Price(input=million[0], output=million[1], cached=million[2])
    return None


@cache
def _load_list() -> None:
    """Load the public list, once. Its package imports it at the first look-up, which the event loop's thread alone may do."""
    _listed("openai", "", None)


def forget_prices() -> None:
    """Read the price file again at the next lookup."""
    _price.cache_clear()
    _own_prices.cache_clear()
