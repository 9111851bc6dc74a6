"""Finished runs with their reports."""

from leadline.runs.store import Home, RunRecord
from schemas.reporter import Report
from services.run.errors import BadInput


async def finished_report(home: Home, run_id: str | None) -> tuple[RunRecord, Report]:
    """Return a finished run and its report.

    Raises:
        BadInput: the run does not exist, is not finished, or has no report.
    """
    record = await home.record(run_id, finished=True)
    report: Report | None = (await home.values(record)).get("report")
    if record.status != "done":
        raise BadInput(f"Run {record.id} is not finished. Continue with: leadline resume {record.id}")
    if report is None:
        raise BadInput(f"Run {record.id} was answered without research, so it has no report.")
    return record, report.model_copy(update={"run_id": record.id})
