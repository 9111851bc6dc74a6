"""Reads any provider's error once: its kind, the provider's own words, and what to do. The kind decides what is tried next."""

import json
import os
import re
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from langchain_core.exceptions import ContextOverflowError

from services.models.answer_watch import BrokeOff
from services.run.errors import LeadlineError, ModelError
from services.run.roles import RoleModel
from services.run.scope import current_run
from services.run.secrecy import without_secrets
from services.run.ui_text import say, told
from services.text.numerals import read_number

Kind = Literal["passing", "too_long", "refused", "lasting"]
"""`passing`: the same call may work in a moment (wait); `too_long`: the prompt does not fit into the context (fit less); `refused`: the
endpoint takes no request of this form (another form); `lasting`: no other attempt helps (stop)."""

LEFT_OUT = ("temperature", "max_completion_tokens", "max_tokens", "stream_options", "stream", "role")
"""Optional parameters that are left out after an endpoint refuses them; without `role`, a user's message holds the system's."""
LONGEST_RETRY_AFTER = 120.0
"""Maximum seconds of a Retry-After; an endpoint that asks for more has failed."""
KEYS = {
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
    "google_genai": ("GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"),
    "mistralai": ("MISTRAL_API_KEY", "MISTRAL_BASE_URL"),
    "ollama": ("OLLAMA_API_KEY", "OLLAMA_HOST"),
}
"""Environment variables of keys and addresses of providers with their own integration."""
_BY_STATUS = {400, 401, 402, 403, 404, 429, 500}
"""Statuses with advice of their own (`endpoint_400`, …); 400 and 500 stand for the others of their kind."""
MAX_WORDS = 300
"""Characters of the provider's words that a message shows."""

_PASSING = {408, 409, 425, 429}
"""Statuses below 500 after which the same request may work."""
_LASTING = {501, 505}
_QUOTA = ("insufficient_quota", "billing", "exceeded your current quota")
_CLIENTS = ("openai", "langchain", "anthropic", "google", "ollama", "httpx", "json", "pydantic")
"""Packages whose unknown errors mean an answer that cannot be read."""
_NO_STREAM = re.compile(r"\bwith stream|stream(?:ing)? (?:is|was) not (?:supported|available)", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"(?:context|input|prompt|token)s?[_ ](?:length|window|size|limit|(?:is|was) too long)|maximum context|"
    r"max(?:imum)?[_ ]model[_ ]len|too many tokens|n_ctx|exceeds? the (?:available )?context|max_seq_len",
    re.IGNORECASE,
)
_WINDOW = re.compile(r"(?:length|window|limit|size|n_ctx|len)\b[^.;]{0,40}?\b(\d[\d,]{2,11})(?![\d,])", re.IGNORECASE)
_LIMITS = ("max_completion_tokens", "max_tokens")
_NUMBER = re.compile(r"\b\d{3,7}\b")
_LEFT_OUT = re.compile(rf"\b({'|'.join(LEFT_OUT)})s?\b", re.IGNORECASE)
_PAGE_TITLE = re.compile(r"<title[^>]{0,100}>([^<]{1,200})", re.IGNORECASE)
_DEEPEST = 8
"""Depth to which an error's body is read."""


@dataclass(eq=False)
class CallFailed(Exception):
    """A model call, or one attempt at it, failed."""

    kind: Kind
    error: Exception
    """The exception to raise if no attempt can help: a `ModelError` with advice, or the original error of a program fault."""
    fault: str
    """`HTTP 429`; without a status `unreached`, `disconnected`, `silent`, `broke_off` or `failed`."""
    status: int | None = None
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
    body = _body(error)
    status, words = _status(error, body), _words(body)
    kind = _kind(error, status, words, body)
    parameter = _parameter(body, words) if kind == "refused" else ""
    return CallFailed(
        kind,
        _explained(model, error, kind, status, words),
        fault=f"{'busy' if status == 429 else 'failed'}: HTTP {status}" if status else _fault(error),
        status=status,
        retry_after=_retry_after(error),
        window=_window(words) if kind == "too_long" else None,
        parameter=parameter,
        output_limits=tuple(int(number) for number in _NUMBER.findall(words)) if parameter in _LIMITS else (),
    )


def _kind(error: Exception, status: int | None, words: str, body: Any) -> Kind:
    sent = isinstance(body, dict) and bool(body.get("error"))
    overflows = _TOO_LONG.search(words) is not None
    too_long = overflows and (status in {400, 422, 500} or (status is None and sent))
    if status == 413 or isinstance(error, ContextOverflowError) or too_long:
        return "too_long"
    if status in {400, 404, 422, 501} or (status == 500 and _NO_STREAM.search(words)):
        return "refused"
    used_up = status == 429 and (overflows or any(word in f"{words} {body}".lower() for word in _QUOTA))
    if used_up or _untrusted(error) or (_retry_after(error) or 0) > LONGEST_RETRY_AFTER:
        return "lasting"
    if status is not None:
        return "passing" if status in _PASSING or (status >= 500 and status not in _LASTING) else "lasting"
    return "passing" if sent or _is_transport(error) or type(error).__name__ == "StreamChunkTimeoutError" else "lasting"


def _status(error: BaseException, body: Any) -> int | None:
    """Return the HTTP status of an error; each provider's client stores it in another attribute, some answers only in their body."""
    status = getattr(error, "status_code", None) or getattr(getattr(error, "response", None), "status_code", None)
    if status is None and type(error).__module__.startswith(("google", "langchain_google")):
        status = getattr(error, "code", None) or getattr(error.__cause__, "code", None)
    if isinstance(status, int) and status < 0:  # Ollama failed in the middle of its answer
        return 500
    if status is None and isinstance(body, dict) and isinstance(body.get("error"), dict):
        code = str(body["error"].get("code") or "")
        status = int(code) if re.fullmatch(r"[45]\d\d", code) else None
    return status if isinstance(status, int) else None


def _is_transport(error: Exception) -> bool:
    """Tell whether the connection failed: refused, reset, closed amid an answer, timed out."""
    names = {kind.__name__ for kind in type(error).__mro__}
    return bool(names & {"TransportError", "APIConnectionError", "TimeoutError", "ConnectionError"})


def _fault(error: Exception) -> str:
    """Name the fault of an attempt that brought no status: the text `again_…` says it in words."""
    if isinstance(error, BrokeOff):
        return "broke_off"
    if any(type(cause).__name__ in {"ConnectError", "ConnectTimeout"} for cause in _causes(error)):
        return "unreached"
    if "Timeout" in type(error).__name__:
        return "silent"
    return "disconnected" if _is_transport(error) else "failed"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _untrusted(error: Exception) -> bool:
    return any(isinstance(cause, ssl.SSLCertVerificationError) for cause in _causes(error))


def _explained(model: RoleModel, error: Exception, kind: Kind, status: int | None, words: str) -> Exception:
    if isinstance(error, LeadlineError):
        return error
    own = None if model.base_url else KEYS.get(model.provider)
    key, address = own or (model.key_variable, model.address_variable)
    if status is None and _is_transport(error) and not words:
        words = str(list(_causes(error))[-1])
    of_client = status is None and (isinstance(error, BrokeOff) or _is_no_json(error))
    public = "" if of_client else without_secrets(words or str(error))[:MAX_WORDS]
    said = say("endpoint_said", words=public) if public else ""
    names = {"role": model.role, "model": model.name, "status": f"HTTP {status}" if status else type(error).__name__}
    where = say("endpoint_where", **names)
    asked = _retry_after(error) or 0
    if kind == "too_long":
        advice = told("endpoint_too_long", role=model.role, setting=model.role.upper())
    elif status is not None:
        advised = status if status in _BY_STATUS else 500 if status > 500 else 400
        advice = told(f"endpoint_{advised}", key=key, address=address)
        said = (say("endpoint_waits", seconds=round(asked)) if asked > LONGEST_RETRY_AFTER else "") + said
    elif kind == "passing" and not _is_transport(error):
        advice = told("endpoint_500", key=key, address=address)
    elif _untrusted(error) or _is_transport(error):
        advice = told(_advice_on_connection(error), address=address, **_on_connection(model, address))
    elif type(error).__module__.startswith(_CLIENTS) or isinstance(
        error, TypeError | ValueError | LookupError | AttributeError
    ):
        advice = told("endpoint_no_chat_v1" if model.provider == "openai" else "endpoint_no_chat", address=address)
    elif without_secrets(str(error)) == str(error):
        return error
    else:
        advice = told("endpoint_call_failed")
    return ModelError(**{form: f"{words}{said}{where}" if words else "" for form, words in advice.items()})


def _on_connection(model: RoleModel, address: str) -> dict[str, str]:
    """Return in words where to look after a connection failed, which is no variable that nobody set, and that a run can be continued."""
    is_set = model.base_url or os.environ.get(address)
    look = say("endpoint_look", address=address) if is_set else say("endpoint_look_network")
    return {"look": look, "then": say("endpoint_then") if current_run().node else ""}


def _advice_on_connection(error: Exception) -> str:
    """Return the key of what to do where the connection failed, or the answer that came by it."""
    if _untrusted(error):
        return "endpoint_untrusted"
    if isinstance(error, BrokeOff):
        return "endpoint_unreadable" if _is_no_json(error) else "endpoint_broke_off"
    if "Timeout" in type(error).__name__:
        return "endpoint_late"
    return "endpoint_unreached" if _fault(error) == "unreached" else "endpoint_broken"


def _is_no_json(error: Exception) -> bool:
    """Tell whether the client could not read what the endpoint sent: its words are not the endpoint's."""
    return any(isinstance(cause, json.JSONDecodeError) for cause in _causes(error))


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
    """Return what the endpoint sent as its error, as it came, or what its client made of it."""
    sent = getattr(error, "body", None) or getattr(error.__cause__, "details", None)
    if sent is None and _is_transport(error):
        return None
    return sent or getattr(error, "message", None) or str(error)


def _words(body: Any) -> str:
    texts = dict.fromkeys(" ".join(text.split()) for text in _texts(body))
    sentences = [text for text in texts if " " in text or not text.isascii()]
    return "; ".join(sentences or texts)


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield the texts of a body; what stands as JSON in a text is read too, and of a page its title."""
    if depth > _DEEPEST:
        return
    if isinstance(value, str):
        inner = _loaded(value)
        if inner is not None:
            yield from _texts(inner, depth + 1)
        elif value.lstrip().startswith("<") and (title := _PAGE_TITLE.search(value)):
            yield title[1]
        elif value.strip():
            yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item, depth + 1)


def _loaded(text: str) -> dict[str, Any] | list[Any] | None:
    try:
        loaded = json.loads(text) if text.lstrip().startswith(("{", "[")) else None
    except (ValueError, RecursionError):
        return None
    return loaded if isinstance(loaded, dict | list) else None


def _window(words: str) -> int | None:
    window = _WINDOW.search(words)
    return int(window[1].replace(",", "")) if window else None


def _parameter(body: Any, words: str) -> str:
    """Return the first parameter that a refusal names, in its own field or in its words; later ones may be advice."""
    about = body.get("error", body) if isinstance(body, dict) else None
    named = about.get("param") if isinstance(about, dict) else None
    first = _LEFT_OUT.search(f"{named or ''} {words}")
    return first[1].lower() if first else ""
