"""Failures of a model call: whether an attempt may be repeated, and what to tell the user if it may not."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from langchain_core.exceptions import ContextOverflowError

from services.run.errors import ModelError
from services.run.roles import RoleModel
from services.run.secrecy import without_secrets
from services.text.numeric import read_number

Kind = Literal["passing", "too_long", "refused", "lasting"]
"""`passing`: the same call may work in a moment; `too_long`: the prompt does not fit into the context; `refused`: the endpoint takes
no request of this form (HTTP 400 and the like); `lasting`: no other attempt helps."""

LEFT_OUT = ("temperature", "max_completion_tokens", "max_tokens", "stream_options", "stream")
"""Optional parameters that are left out after an endpoint refuses them."""
LONGEST_RETRY_AFTER = 120.0
"""Maximum seconds of a Retry-After; an endpoint that asks for more has failed."""
KEYS = {
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
    "google_genai": ("GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"),
    "mistralai": ("MISTRAL_API_KEY", "MISTRAL_BASE_URL"),
    "ollama": ("OLLAMA_API_KEY", "OLLAMA_HOST"),
}
"""Environment variables of keys and addresses of providers with their own integration."""

_PASSING = {408, 409, 425, 429, 500, 502, 503, 504, 529}
_QUOTA = ("insufficient_quota", "billing", "exceeded your current quota")
_WRONG_KEY = re.compile(r"API_KEY_INVALID|API key not valid", re.IGNORECASE)
"""Google's messages for a wrong key, sent with status 400."""
_WRONG_MODEL = re.compile(r"Invalid model: ")
"""Mistral's message for an unknown model, sent with status 400."""
_CLIENTS = ("openai", "langchain", "anthropic", "google", "ollama", "httpx", "json", "pydantic")
"""Packages whose unknown errors mean an answer that cannot be read."""
_NO_STREAM = re.compile(r"\bwith stream|stream(?:ing)? (?:is|was) not (?:supported|available)", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context[_ ]?(?:length|window|size)|maximum context|max(?:imum)?[_ ]model[_ ]len|too many tokens|prompt is too long|n_ctx|"
    r"input (?:is|was) too long|exceeds? the (?:available )?context|max_seq_len",
    re.IGNORECASE,
)
_WINDOW = re.compile(r"(?:length|window|limit|size|n_ctx|len)\D{0,40}?(\d[\d,]{2,11})(?![\d,])", re.IGNORECASE)
_LIMITS = ("max_completion_tokens", "max_tokens")
_NUMBER = re.compile(r"\b\d{3,7}\b")
_LEFT_OUT = re.compile(rf"\b(?:{'|'.join(LEFT_OUT)})\b")


@dataclass(eq=False)
class CallFailed(Exception):
    """A model call, or one attempt at it, failed."""

    kind: Kind
    error: Exception
    """The exception to raise if no attempt can help: a `ModelError` with advice, or the original error of a program fault."""
    fault: str
    """`HTTP 429`, or the type of the error."""
    status: int | None = None
    unreached: bool = False
    """Whether no server accepted the connection."""
    stalled: bool = False
    """Whether the model was silent for too long, or took too long altogether."""
    retry_after: float | None = None
    """Seconds that the endpoint asks to wait."""
    window: int | None = None
    """Tokens of the context, if the endpoint named them."""
    parameter: str = ""
    """The parameter that the endpoint named in a refusal, if it did."""
    output_limits: tuple[int, ...] = ()
    """Numbers in a refusal of the maximum output tokens; one of them is the limit."""


def failure_of(model: RoleModel, error: Exception) -> CallFailed:
    """Classify the error of an attempt."""
    status, text = _status(error), _message(error)
    kind = _kind(error, status, text)
    parameter = _parameter(error, text) if kind == "refused" else ""
    return CallFailed(
        kind,
        _explained(model, error, kind, status, text),
        fault=f"HTTP {status}" if status else type(error).__name__,
        status=status,
        unreached=type(error.__cause__).__name__ == "ConnectError",
        stalled=isinstance(error, TimeoutError),
        retry_after=_retry_after(error),
        window=_window(text) if kind == "too_long" else None,
        parameter=parameter,
        output_limits=tuple(int(number) for number in _NUMBER.findall(text)) if parameter in _LIMITS else (),
    )


def _kind(error: Exception, status: int | None, text: str) -> Kind:
    if _is_passing(error, status):
        return "passing"
    if isinstance(error, ContextOverflowError) or (status in {400, 413, 422, 500} and _TOO_LONG.search(text)):
        return "too_long"
    if status in {400, 422, 501} or (status == 500 and _NO_STREAM.search(text)):
        return "refused"
    return "lasting"


def _is_passing(error: Exception, status: int | None) -> bool:
    text = str(error).lower()
    if status == 429 and any(word in text for word in _QUOTA):
        return False
    if (_retry_after(error) or 0) > LONGEST_RETRY_AFTER or _TOO_LONG.search(text) or _NO_STREAM.search(text):
        return False
    if status is not None:
        return status in _PASSING
    return _is_transport(error) or type(error).__name__ in {"APIError", "StreamChunkTimeoutError"}


def _status(error: BaseException) -> int | None:
    """Return the HTTP status of an error; each provider's client stores it in another attribute."""
    status = getattr(error, "status_code", None) or getattr(getattr(error, "response", None), "status_code", None)
    if status is None and type(error).__module__.startswith(("google", "langchain_google")):
        status = getattr(error, "code", None) or getattr(error.__cause__, "code", None)
    if not isinstance(status, int):
        return None
    if status < 0:  # Ollama failed in the middle of its answer
        return 500
    if status == 400 and _WRONG_KEY.search(str(error)):
        return 401
    return 404 if status == 400 and _WRONG_MODEL.search(str(error)) else status


def _is_transport(error: Exception) -> bool:
    """Tell whether the connection failed: refused, reset, closed amid an answer, timed out."""
    names = {kind.__name__ for kind in type(error).__mro__}
    return bool(names & {"TransportError", "APIConnectionError", "TimeoutError", "ConnectionError"})


def _explained(model: RoleModel, error: Exception, kind: Kind, status: int | None, text: str) -> Exception:
    """Return a `ModelError` that says what went wrong at the endpoint and what to do; other errors are returned unchanged."""
    where = f"(role {model.role}, model {model.name}, HTTP {status})"
    own = None if model.base_url else KEYS.get(model.provider)
    key, address = own or (model.key_variable, model.address_variable)
    advice = {
        401: f"The endpoint rejected the key. Check {key} (and that {address} is the endpoint it belongs to).",
        403: f"The endpoint forbids this. Check the rights of {key}.",
        404: f"The endpoint knows no such model or path. Check LEADLINE_MODEL and {address}.",
        429: "The endpoint refused for too many requests or a used-up quota. Wait, or check the account.",
    }
    if kind == "too_long":
        return ModelError(
            f"The endpoint finds the prompt of the role {model.role} too long, however much is left out. "
            f"Set LEADLINE_CONTEXT_WINDOW_{model.role.upper()} to the model's context, or name a model with more."
        )
    text = without_secrets(text)
    if kind == "refused":
        return ModelError(f"The endpoint cannot take the request: {text[:300]} {where}")
    if status is not None:
        failed = "The model's endpoint failed. Try again later by resuming the run."
        return ModelError(f"{advice.get(status, failed)} {where}")
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
    public = without_secrets(str(error))
    return (
        error
        if public == str(error)
        else ModelError(f"The call of the model failed ({type(error).__name__}: {public}). {where}")
    )


def _retry_after(error: Exception) -> float | None:
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


def _body(error: Exception) -> Any:
    """Return the error object of an endpoint's answer, wherever the answer holds it."""
    body = getattr(error, "body", None)
    return body.get("error", body) if isinstance(body, dict) else None


def _message(error: Exception) -> str:
    """Return the endpoint's own error message."""
    body = _body(error)
    message = body.get("message") if isinstance(body, dict) else body
    return " ".join(str(message or getattr(error, "message", None) or error).split())


def _window(text: str) -> int | None:
    """Return the number of tokens that an error names as the limit."""
    window = _WINDOW.search(text)
    return int(window[1].replace(",", "")) if window else None


def _parameter(error: Exception, text: str) -> str:
    """Return the refused parameter: from its own field, or the first one that the message names; later ones may be advice."""
    body = _body(error)
    named = str(body.get("param") or "") if isinstance(body, dict) else ""
    first = _LEFT_OUT.search(text)
    return named if named in LEFT_OUT or first is None else first[0]
