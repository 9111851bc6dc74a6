"""A fault of the check itself never ends a report: the statement is unproved, and the log says so."""

from collections.abc import Callable
from functools import wraps
from logging import ERROR
from pathlib import Path
from traceback import extract_tb
from typing import ParamSpec

from services.check.verdict import Verdict
from services.run.log import log

Arguments = ParamSpec("Arguments")


def unproved_on_fault(check: Callable[Arguments, Verdict]) -> Callable[Arguments, Verdict]:
    """Make an exception of a check the verdict `fault` and a line of the log, without text of the report."""

    @wraps(check)
    def guarded(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Verdict:
        try:
            return check(*args, **kwargs)
        except Exception as fault:  # noqa: BLE001 - whatever a check trips over, the report goes on
            *_, frame = extract_tb(fault.__traceback__)
            at = f"{Path(frame.filename).name}:{frame.lineno}"
            log("claim_check_failed", ERROR, check=check.__name__, error=type(fault).__name__, at=at)
            return Verdict("fault")

    return guarded
