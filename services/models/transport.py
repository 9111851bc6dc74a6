"""One call over the wire: in its turn, tried again after passing faults, and with one clear error after lasting ones."""

import asyncio
import random
import re
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from langchain_core.exceptions import ContextOverflowError
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception
from tenacity.stop import stop_base
from tenacity.wait import wait_base

from services.models.chat import comes_in_pieces
from services.models.endpoint import learned, under_way, wait_for_turn
from services.models.stall_timeout import silence_limited
from services.run.errors import ModelError
from services.run.instrumentation import note
from services.run.log import WARNING, log
from services.run.roles import RoleModel
from services.run.settings import settings
from services.text.numeric import read_number

FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds of the backoff: doubled each time, and taken at random from the upper half."""
MOST_ASKED = 120.0
"""Seconds of a Retry-After that are waited; an endpoint that asks for more has failed."""
MOST_UNREACHED = 4
"""Retries where nobody takes the connection."""
PATIENCE = 2.0
"""How many times as long as a model has been silent before it is waited for."""
_PASSING = {408, 409, 425, 429, 500, 502, 503, 504, 529}
_QUOTA = ("insufficient_quota", "billing", "exceeded your current quota")
_WRONG_KEY = re.compile(r"API_KEY_INVALID|API key not valid", re.IGNORECASE)
"""What Google says with a status of 400."""
_WRONG_MODEL = re.compile(r"Invalid model: ")
"""What Mistral says with a status of 400."""
_CLIENTS = ("openai", "langchain", "anthropic", "google", "ollama", "httpx", "json", "pydantic")
"""Packages whose errors, where they are nothing that is known here, mean an answer that cannot be read."""
_NO_STREAM = re.compile(r"\bwith stream|stream(?:ing)? (?:is|was) not (?:supported|available)", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context[_ ]?(?:length|window|size)|maximum context|max(?:imum)?[_ ]model[_ ]len|too many tokens|prompt is too long|n_ctx|"
    r"input (?:is|was) too long|exceeds? the (?:available )?context|max_seq_len",
    re.IGNORECASE,
)


LEFT_OUT = ("temperature", "max_completion_tokens", "max_tokens", "stream_options", "stream")
"""Parameters that a call can do without, where an endpoint refuses them."""
_LEFT_OUT = re.compile(rf"\b(?:{'|'.join(LEFT_OUT)})\b")


class TooLong(Exception):
    """The endpoint says that the prompt does not fit; `window` is the limit that it named, if it did."""

    def __init__(self, window: int | None) -> None:
        super().__init__("the prompt does not fit into the model's context")
        self.window = window


class Refused(Exception):
    """The endpoint takes no such request (HTTP 400 and the like); `parameter` is what it named, if it did."""

    def __init__(self, error: ModelError, parameter: str) -> None:
        super().__init__(str(error))
        self.error = error
        self.parameter = parameter


KEYS = {
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
    "google_genai": ("GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"),
    "mistralai": ("MISTRAL_API_KEY", "MISTRAL_BASE_URL"),
    "ollama": ("OLLAMA_API_KEY", "OLLAMA_HOST"),
}
"""The variables that hold the keys and addresses of providers with an integration of their own."""


async def call(
    model: RoleModel,
    chat: Runnable[LanguageModelInput, BaseMessage],
    messages: Sequence[BaseMessage],
    config: RunnableConfig,
) -> AIMessage:
    """Make one call.

    Raises:
        TooLong: the prompt does not fit into the model's context.
        Refused: the endpoint takes no request of this form.
        ModelError: the endpoint refused or failed for good; the message says what to do.
    """
    retrying = AsyncRetrying(
        stop=_Enough(),
        wait=_Backoff(),
        retry=retry_if_exception(_is_passing),
        before_sleep=_noted,
        reraise=True,
    )
    stalls = 0
    try:
        async for attempt in retrying:
            with attempt:
                began = time.monotonic()
                await wait_for_turn(model.endpoint)
                try:
                    async with under_way(model.endpoint), _in_time(model, stalls):
                        _waited(time.monotonic() - began)
                        answer = await chat.ainvoke(list(messages), config)
                except TimeoutError:
                    stalls += 1
                    raise
    except Exception as error:
        raise _explained(model, error) from error
    if not isinstance(answer, AIMessage):
        raise ModelError(
            f"The endpoint {model.endpoint} gave no message for the role {model.role}. Check what serves there."
        )
    return answer


@asynccontextmanager
async def _in_time(model: RoleModel, stalls: int) -> AsyncIterator[None]:
    """Hold a try's time: the whole of it, and how long it may be silent, twice as long after each stall.

    What a slow model needed once it is given from then on.
    """
    known = learned(model)
    least = PATIENCE * known.longest_silence
    first, between = (
        min(model.timeout, max(least, seconds) * 2**stalls)
        for seconds in (model.first_token_timeout, model.token_timeout)
    )
    async with asyncio.timeout(model.timeout):
        if not comes_in_pieces(model):
            yield
            return
        async with silence_limited(first, between) as silence:
            yield
        known.longest_silence = max(known.longest_silence, silence.longest)


class _Enough(stop_base):
    """Stops after the retries that are set, and after few where nobody takes the connection: the address may be wrong."""

    def __call__(self, retry_state: RetryCallState) -> bool:
        retries = settings().leadline_max_retries
        error = retry_state.outcome.exception() if retry_state.outcome else None
        if type(getattr(error, "__cause__", None)).__name__ == "ConnectError":
            retries = min(retries, MOST_UNREACHED)
        return retry_state.attempt_number > retries


@dataclass(slots=True)
class Patience:
    """What a call waited for."""

    waited: float = 0.0
    """Seconds: for its turn, and after passing faults."""
    faults: list[str] = field(default_factory=list)


_patience: ContextVar[Patience | None] = ContextVar("patience", default=None)


@contextmanager
def count_waiting() -> Iterator[Patience]:
    """Keep count of what the calls inside the block wait for."""
    patience = Patience()
    token = _patience.set(patience)
    try:
        yield patience
    finally:
        _patience.reset(token)


def _waited(seconds: float) -> None:
    patience = _patience.get()
    if patience is not None:
        patience.waited += seconds
        note(waited=round(patience.waited, 3) or None)


def _noted(state: RetryCallState) -> None:
    """Note a fault after which the call is made again."""
    error = state.outcome.exception() if state.outcome else None
    status = status_of(error) if error else None
    fault = f"HTTP {status}" if status else type(error).__name__
    log("model_retry", WARNING, fault=fault, attempt=state.attempt_number, wait=round(state.upcoming_sleep, 3))
    patience = _patience.get()
    if patience is not None:
        patience.faults.append(fault)
        note(retries=list(patience.faults))
        _waited(state.upcoming_sleep)


class _Backoff(wait_base):
    """What the endpoint asks for in Retry-After, else a doubling wait with jitter."""

    def __call__(self, retry_state: RetryCallState) -> float:
        asked = _retry_after(retry_state.outcome.exception() if retry_state.outcome else None)
        if asked is not None:
            return asked
        doubled: float = FIRST_WAIT * 2 ** (retry_state.attempt_number - 1)
        return min(LONGEST_WAIT, doubled) * _jitter()


def _jitter() -> float:

    return random.uniform(0.5, 1.0)  # noqa: S311 - spreads retries; nothing secret hangs on it


def _retry_after(error: BaseException | None) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    milliseconds, seconds = headers.get("retry-after-ms"), headers.get("retry-after")
    value = read_number(str(milliseconds or seconds or ""))
    if value is None or value < 0:
        return _seconds_until(str(seconds)) if seconds else None
    return value / 1000 if milliseconds else value


def _seconds_until(date: str) -> float | None:

    try:
        return max(0.0, (parsedate_to_datetime(date) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError, OverflowError):
        return None


def _is_passing(error: BaseException) -> bool:
    """Tell whether the same call may work in a moment."""
    status = status_of(error)
    text = str(error).lower()
    if status == 429 and any(word in text for word in _QUOTA):
        return False
    if (_retry_after(error) or 0) > MOST_ASKED or _TOO_LONG.search(text) or _NO_STREAM.search(text):
        return False
    if status is not None:
        return status in _PASSING
    return _is_transport(error) or type(error).__name__ in {"APIError", "StreamChunkTimeoutError"}


def status_of(error: BaseException) -> int | None:
    """Return the HTTP status that an error stands for; each provider's client keeps it in a place of its own."""
    status = getattr(error, "status_code", None) or getattr(getattr(error, "response", None), "status_code", None)
    if status is None and type(error).__module__.startswith(("google", "langchain_google")):
        status = getattr(error, "code", None) or getattr(error.__cause__, "code", None)
    if not isinstance(status, int):
        return None
    if status < 0:  # Ollama failed amid its answer
        return 500
    if status == 400 and _WRONG_KEY.search(str(error)):
        return 401
    return 404 if status == 400 and _WRONG_MODEL.search(str(error)) else status


def _is_transport(error: BaseException) -> bool:
    """Tell whether the connection failed: refused, reset, closed amid an answer, timed out."""
    names = {kind.__name__ for kind in type(error).__mro__}
    return bool(names & {"TransportError", "APIConnectionError", "TimeoutError", "ConnectionError"})


def _explained(model: RoleModel, error: Exception) -> Exception:
    """Say in one sentence what went wrong at the endpoint and what to do; anything else stays what it is."""
    status, text = status_of(error), _said(error)
    if isinstance(error, ContextOverflowError) or (status in {400, 413, 422, 500} and _TOO_LONG.search(text)):
        return TooLong(_window(text))
    where = f"(role {model.role}, model {model.name}, HTTP {status})"
    key, address = KEYS.get(model.provider, ("OPENAI_API_KEY", "OPENAI_BASE_URL"))
    advice = {
        401: f"The endpoint rejected the key. Check {key} (and that {address} is the endpoint it belongs to).",
        403: f"The endpoint forbids this. Check the rights of {key}.",
        404: f"The endpoint knows no such model or path. Check LEADLINE_MODEL and {address}.",
        429: "The endpoint refused for too many requests or a used-up quota. Wait, or check the account.",
    }
    if status in advice:
        return ModelError(f"{advice[status]} {where}")
    if status in {400, 422, 501} or (status == 500 and _NO_STREAM.search(text)):
        return Refused(
            ModelError(f"The endpoint cannot take the request: {text[:300]} {where}"), _parameter(error, text)
        )
    if status is not None:
        return ModelError(f"The model's endpoint failed. Try again later by resuming the run. {where}")
    if _is_transport(error):
        if "Timeout" in type(error).__name__:
            return ModelError(
                f"The model's endpoint did not answer in time (role {model.role}). Check {address} and the network, or "
                "give a slow model more time (LEADLINE_FIRST_TOKEN_TIMEOUT, LEADLINE_TOKEN_TIMEOUT); then resume the run."
            )
        return ModelError(
            f"The model's endpoint could not be reached ({type(error).__name__}, role {model.role}). "
            f"Check {address} and the network, then resume the run."
        )
    if type(error).__module__.startswith(_CLIENTS) or isinstance(
        error, TypeError | ValueError | KeyError | AttributeError | IndexError
    ):
        return ModelError(
            f"The endpoint answered with something that is no chat completion ({type(error).__name__}: {text[:200]}). "
            f"Check {address}{'; it usually ends in /v1' if model.provider == 'openai' else ''}. (role {model.role})"
        )
    return error


def _said(error: Exception) -> str:
    """Return the endpoint's own words."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    said = inner.get("message") if isinstance(inner, dict) else inner
    return " ".join(str(said or getattr(error, "message", None) or error).split())


def _window(text: str) -> int | None:
    """Return the number of tokens that an error names as the limit."""
    found = re.search(r"(?:length|window|limit|size|n_ctx|len)\D{0,40}?(\d[\d,]{2,11})(?![\d,])", text, re.IGNORECASE)
    return int(found.group(1).replace(",", "")) if found else None


def _parameter(error: Exception, text: str) -> str:
    """Return the parameter that a refusal names, in a field of its own or first in its words; others may be its advice."""
    body: Any = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else {}
    named = str(inner.get("param") or "") if isinstance(inner, dict) else ""
    first = _LEFT_OUT.search(text)
    return named if named in LEFT_OUT or first is None else first[0]
