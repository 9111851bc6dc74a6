"""Commands that check: reports, and this machine with its models."""

import asyncio
import json
from pathlib import Path
from typing import Annotated

import typer

from leadline.cli import EXIT_FAILED
from leadline.cli.command_list import examples
from leadline.cli.options import Version
from leadline.cli.run_summary import terminal_locale
from leadline.progress.terminal import as_typed, echo
from leadline.runs.revise import averify
from leadline.runs.run_ids import is_run_id
from leadline.setup import BROKEN
from leadline.setup.doctor import examine
from leadline.setup.doctor_summary import show, summary
from leadline.setup.model_setup import checked_models, model_lines
from schemas.clean_text import beginning
from schemas.context import RunContext
from schemas.events import CallProgress
from services.models.endpoint_memory import forget_stored
from services.models.health_check import RoleCheck
from services.reports.bundle import BundleCheck, verify_bundle
from services.reports.bundle_judge import judge_bundle
from services.reports.checking.cited_markdown import verify_markdown
from services.reports.checking.exported_page import PAGE
from services.run.errors import BadInput
from services.run.ui_text import call_state, named, say, speaking, spoken_locale

MAX_PROBLEMS = 100
"""Problems of a report that are told; a hostile folder may have any number."""
MAX_UNCHECKED = 20
"""Sentences or code blocks that are named as not checked."""
LONGEST_SENTENCE = 100
"""Characters that are shown of a sentence."""

commands = typer.Typer()


@commands.command(epilog=examples("verify"))
def verify(
    places: Annotated[
        list[Path],
        typer.Argument(metavar="DIR…", help="Report folders, Markdown files that cite a report, or run ids."),
    ],
    version: Version = None,
    bundle: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of the report that the file cites, if it is in another folder."),
    ] = None,
    judge: Annotated[
        bool, typer.Option("--judge", help="Also let the connected model (role verifier) check every sentence.")
    ] = False,
) -> None:
    """Check a report offline: every stored text, quote, statement and citation; or check any Markdown file that cites it."""
    places = [place.parent if _is_of_report(place, bundle) else place for place in places]
    if version is not None and len(places) > 1:
        raise BadInput(say("verify_one_run"))
    if judge and (version is not None or any(map(_is_run, places))):
        raise BadInput(say("verify_judge_folder"))
    failed = [place for place in places if not _holds(place, version, bundle, judge)]
    if judge:
        folders = dict.fromkeys(bundle or place.parent if place.is_file() else place for place in places)
        failed += [folder for folder in folders if not _is_judged_well(folder)]
    if failed:
        raise typer.Exit(EXIT_FAILED)


def _is_of_report(place: Path, bundle: Path | None) -> bool:
    """Tell whether an argument is a file of a report's folder itself: its evidence, or its text or page that is to be checked with that."""
    if place.name in {"report.md", PAGE} and (place.parent / "evidence.json").is_file():
        return bundle is None or bundle.resolve() == place.parent.resolve()
    return place.name == "evidence.json" and place.is_file()


def _is_run(place: Path) -> bool:
    """Tell whether an argument is not a file or folder, but has the form of a run id."""
    return not place.exists() and is_run_id(str(place))


def _is_judged_well(folder: Path) -> bool:
    """Let a model judge one report, and print the doubted sentences."""
    judgement = asyncio.run(judge_bundle(folder, RunContext()))
    locale = terminal_locale({"locale": judgement.locale})
    for number, (claim, doubt) in judgement.doubted.items():
        verdict = named("verify_verdicts", doubt.verdict, locale)
        if doubt.words:
            verdict = say("verify_doubted_words", locale, verdict=verdict, words=doubt.words)
        text = beginning(claim.text, LONGEST_SENTENCE)
        echo(say("verify_doubted", locale, number=number, text=text, verdict=verdict), err=True)
    counts = (f"{count} {named('verify_verdicts', verdict, locale)}" for verdict, count in judgement.counts.items())
    verdicts = say("searched_between", locale).join(counts) or say("verify_none_judged", locale)
    if silent := judgement.sentence_count - len(judgement.judged):
        verdicts = say("verify_silent", locale, verdicts=verdicts, count=silent)
    asked = {"model": judgement.model, "count": judgement.sentence_count, "verdicts": verdicts}
    echo(say("verify_judged", locale, folder=folder, **asked))
    return not judgement.doubted


def _holds(place: Path, number: int | None, bundle: Path | None, judge: bool) -> bool:
    """Check a version of a run's report, a folder's report, or a file and the report that it cites, and print the results."""
    if number is not None or _is_run(place):
        version, check = asyncio.run(averify(str(place), number))
        return _print_check(say("verify_version_of", check.locale, run=place, number=version.number), check)
    if not place.is_file():
        return _print_check(str(place), verify_bundle(place), judge)
    own, folder = verify_markdown(place, bundle), bundle or place.parent
    holds = _print_check(f"{folder}", verify_bundle(folder), judge)
    holds = _print_check(str(place), own, judge) and holds
    for key, texts in (("verify_uncited", own.uncited), ("verify_code", own.new_code)):
        if texts:
            echo(f"  {say('verify_not_checked', own.locale, what=say(key, own.locale, count=len(texts)))}")
            for text in texts[:MAX_UNCHECKED]:
                echo(f"    {beginning(text, LONGEST_SENTENCE)}")
            if len(texts) > MAX_UNCHECKED:
                echo(f"    {say('verify_more', own.locale, count=len(texts) - MAX_UNCHECKED)}")
    return holds


def _print_check(name: str, check: BundleCheck, judge: bool = False) -> bool:
    """Print the result of a check, and what is left to judge unless a model is asked next; True if everything holds."""
    locale = check.locale
    further = [say("verify_more", locale, count=len(check.problems) - MAX_PROBLEMS)]
    for problem in [*check.problems[:MAX_PROBLEMS], *(further if len(check.problems) > MAX_PROBLEMS else [])]:
        echo(say("verify_failed", locale, problem=problem), err=True)
    if check.problems:
        echo("\n  ".join([check.result(name), *check.remarks]), err=True)
        return False
    echo(check.result(name))
    trust = [] if judge else [check.trust]
    for remark in filter(None, [check.head, *trust, *check.remarks]):
        echo(f"  {as_typed(remark)}")
    return True


@commands.command(epilog=examples("doctor"))
def doctor(
    models: Annotated[
        bool,
        typer.Option(
            "--models", help="Show which model each role uses, and test each anew with one tiny call instead."
        ),
    ] = False,
    every: Annotated[bool, typer.Option("--all", help="Show every check.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print every check as JSON.")] = False,
) -> None:
    """Show what works on this machine and how to get what is missing."""
    if models:
        _show_models(as_json)
        return
    with speaking("en" if as_json else spoken_locale()):
        checks = asyncio.run(examine())
    if as_json:
        echo(json.dumps([check.model_dump() for check in checks], indent=2, ensure_ascii=False))
    else:
        show(checks if every else summary(checks))
    if any(check.state == BROKEN for check in checks):
        raise typer.Exit(EXIT_FAILED)


def _show_models(as_json: bool) -> None:
    """Print the model of each role, each checked anew with a call; what is found out is kept for runs."""

    async def checked() -> list[RoleCheck]:
        await forget_stored()
        return await checked_models(tell)

    def tell(model: str, progress: CallProgress) -> None:
        echo(f". {say('call_progress', task=model, state=call_state(progress, ''))}", err=True)

    echo(f". {say('models_testing')}", err=True)
    checks = asyncio.run(checked())
    if as_json:
        echo(json.dumps([check.model_dump(mode="json") for check in checks], indent=2, ensure_ascii=False))
    else:
        echo(as_typed("\n".join(model_lines(checks))))
    for problem in dict.fromkeys(check.problem for check in checks if check.problem):
        echo(f"leadline: {problem}", err=True)
    if any(check.problem for check in checks):
        raise typer.Exit(EXIT_FAILED)
