"""Routes beside Aegra's API (`deploy/aegra.json`): our pages, and a watch over runs that Aegra 0.11 loses.

A worker that comes to itself after its lease ran out may take up its own run again; its first attempt then gives up the
second one's lease. Such a run counts as running although no worker executes it, and Aegra does not look for it
(aegra/aegra#502). It gets a lease that expires, so that Aegra finds it and gives it to a worker.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

from fastapi import FastAPI

from leadline.server.app import app
from leadline.server.auth import RULES
from services.run.errors import SettingsError

_log = logging.getLogger(__name__)


@asynccontextmanager
async def _watching(_: FastAPI) -> AsyncIterator[None]:
    check_users_are_known()
    watch = asyncio.create_task(_watch())
    try:
        yield
    finally:
        watch.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watch


def check_users_are_known() -> None:
    """Check that Aegra found the authentication rules: without them it serves all users as one.

    Raises:
        SettingsError: Aegra has no rules, although there are tokens.
    """
    from aegra_api.core.auth_middleware import get_auth_instance

    if RULES.accounts and get_auth_instance() is None:
        raise SettingsError(
            "There are LEADLINE_TOKENS, but Aegra found no rules that tell users apart. Let AEGRA_CONFIG name deploy/aegra.json, or a "
            'configuration with "auth": { "path": "leadline.contrib.aegra.auth:auth" }.'
        )


async def _watch() -> None:
    from aegra_api.settings import settings
    from sqlalchemy.exc import SQLAlchemyError

    while True:
        await asyncio.sleep(settings.worker.REAPER_INTERVAL_SECONDS)
        try:
            runs = await lease_forgotten_runs(settings.worker.LEASE_DURATION_SECONDS)
        except (SQLAlchemyError, OSError) as error:
            _log.warning("Forgotten runs cannot be looked for now (%s)", type(error).__name__)
            continue
        if runs:
            _log.warning("Runs that nobody works on are handed out again: %s", ", ".join(runs))


async def lease_forgotten_runs(seconds: float) -> list[str]:
    """Give a lease to running runs without a worker, and return their ids.

    The lease must be long enough for an active attempt to notice that it lost its own.
    """
    from aegra_api.core.database import db_manager
    from aegra_api.core.orm import Run
    from sqlalchemy import update

    held_by_nobody = (Run.status == "running", Run.claimed_by.is_(None), Run.lease_expires_at.is_(None))
    until = datetime.now(UTC) + timedelta(seconds=seconds)
    leased = update(Run).where(*held_by_nobody).values(lease_expires_at=until).returning(Run.run_id)
    async with db_manager.get_engine().begin() as connection:
        return [str(run_id) for run_id in await connection.scalars(leased)]


app.router.lifespan_context = _watching
