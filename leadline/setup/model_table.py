"""`leadline doctor --models`: the table of roles and their models."""

from rich.cells import cell_len, set_cell_size

from schemas.context import RunContext
from services.models import clients_open
from services.models.health_check import OnCheck, RoleCheck, check_models
from services.run.roles import OFFLINE
from services.run.ui_text import say


async def checked_models(on_progress: OnCheck = lambda _, __: None) -> list[RoleCheck]:
    """Check the models of a run with the environment's settings; `on_progress` gets each model with its slow and repeated calls."""
    async with clients_open():
        return await check_models(RunContext(), on_progress)


def model_lines(checks: list[RoleCheck]) -> list[str]:
    """Return the table as aligned lines."""
    head = tuple(say("models_head").split("|"))
    rows = [head, *(_row(check) for check in checks)]
    widths = [max(cell_len(row[column]) for row in rows) for column in range(len(head))]
    lines = [
        "  ".join(set_cell_size(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    if all(check.model == OFFLINE for check in checks):
        lines.append(f"\n{say('models_none')}")
    for name, parameters in {check.model: check.left_out for check in checks if check.left_out}.items():
        lines.append(f"\n{say('models_rejects', model=name, parameters=', '.join(parameters))}")
    for name, words in {check.model: check.misread for check in checks if check.misread}.items():
        lines.append(f"\n{say('models_misread', model=name, words=words)}")
    return lines


def _row(check: RoleCheck) -> tuple[str, ...]:
    price = say("doctor_unknown") if check.price is None else f"{check.price.input:g}, {check.price.output:g}"
    known = {True: say("models_yes"), False: say("models_no"), None: "-"}
    temperature = "-" if check.temperature is None else f"{check.temperature:g}"
    forms = (known[check.json_schema], known[check.tools])
    last = (say("models_failed"),) * 2 if check.problem else (say("models_unusable"),) * 2 if check.misread else forms
    return (check.role, check.model, check.endpoint, temperature, str(check.max_tokens), price, *last)
