"""`leadline doctor --models`: the table of roles and their models."""

from schemas.context import RunContext
from services.models import clients_open
from services.models.health_check import OnCheck, RoleCheck, check_models
from services.run.roles import OFFLINE


async def checked_models(on_progress: OnCheck = lambda _, __: None) -> list[RoleCheck]:
    """Check the models of a run with the environment's settings; `on_progress` gets each model with its slow and repeated calls."""
    async with clients_open():
        return await check_models(RunContext(), on_progress)


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
    for name, words in {check.model: check.misread for check in checks if check.misread}.items():
        lines.append(
            f"\n{name} answered with something else than it was asked for: “{words}”. Name a more capable model."
        )
    return lines


def _row(check: RoleCheck) -> tuple[str, ...]:
    price = "unknown" if check.price is None else f"{check.price.input:g}, {check.price.output:g}"
    known = {True: "yes", False: "no", None: "-"}
    temperature = "-" if check.temperature is None else f"{check.temperature:g}"
    forms = (known[check.json_schema], known[check.tools])
    last = ("failed",) * 2 if check.problem else ("unusable",) * 2 if check.misread else forms
    return (check.role, check.model, check.endpoint, temperature, str(check.max_tokens), price, *last)
