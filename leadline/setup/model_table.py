"""`leadline doctor --models`: the table of roles and their models."""

from schemas.context import RunContext
from services.models import clients_open
from services.models.health_check import RoleCheck, check_models
from services.run.roles import OFFLINE


async def checked_models() -> list[RoleCheck]:
    """Check the models of a run with the environment's settings."""
    async with clients_open():
        return await check_models(RunContext())


def model_lines(checks: list[RoleCheck]) -> list[str]:
    """Return the table as aligned lines."""
    head = ("role", "model", "endpoint", "temperature", "max tokens", "$/M in, out", "JSON schema", "tools")
    rows = [head, *(_row(check) for check in checks)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    if all(check.model == OFFLINE for check in checks):
        lines.append(
            "\nNo language model is connected, so reports show the closest passages, not an answer. To connect one: leadline init"
        )
    for name, parameters in {check.model: check.left_out for check in checks if check.left_out}.items():
        lines.append(f"\n{name} rejects {', '.join(parameters)}; runs leave them out.")
    return lines


def _row(check: RoleCheck) -> tuple[str, ...]:
    price = "unknown" if check.price is None else f"{check.price.input:g}, {check.price.output:g}"
    known = {True: "yes", False: "no", None: "-"}
    temperature = "-" if check.temperature is None else f"{check.temperature:g}"
    last = ("failed", "failed") if check.problem else (known[check.json_schema], known[check.tools])
    return (check.role, check.model, check.endpoint, temperature, str(check.max_tokens), price, *last)
