"""Versions of a local run's report."""

import asyncio
import tempfile
from pathlib import Path

from leadline.runs.execute import config_of
from leadline.runs.store import Home, RunRecord
from schemas.reporter import Report
from schemas.revision import Version
from services.reports.checking.bundle import BundleCheck, verify_bundle, write_bundle
from services.turn.versions import kept_versions, numbered_version


async def versions_of(home: Home, record: RunRecord, report: Report) -> list[Version]:
    """Return all versions, the first one first.

    Args:
        home: of the runs.
        record: of a finished run.
        report: its present one, which is the only version where nothing was ever changed.
    """
    values = (await home.graph.aget_state(config_of(record))).values
    versions = await kept_versions(home.store, record.id, values["turn"], report)
    only = len(versions) == 1
    return [versions[0].model_copy(update={"created": record.created}), *versions[1:]] if only else versions


async def version_of(home: Home, record: RunRecord, report: Report, number: int | None) -> Version:
    """Return one version, by default the latest.

    Raises:
        BadInput: there is no such version; the message says which there are.
    """
    return numbered_version(await versions_of(home, record, report), number, record.id)


async def verified(home: Home, version: Version) -> BundleCheck:
    """Check a version as `leadline verify` checks the folder of a report: it is written out, and read again.

    Raises:
        StoreError: a text of it is not in the store.
    """
    with tempfile.TemporaryDirectory(prefix="leadline-version-") as place:
        await write_bundle(version.report, Path(place), home.evidence)
        return await asyncio.to_thread(verify_bundle, Path(place))
