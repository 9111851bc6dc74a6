"""Texts that describe tables are found by the names of columns and files."""

from pathlib import Path

from services.search.documents import open_documents
from services.search.providers import Providers
from services.search.table_texts import ROOM
from tests.fakes.read_folder import filled

CASTS = "ship_id,depth_fm,bottom_code\n1,200,9\n2,310,4\n3,999,9\n"
README = "# Casts\n\nAll depths were taken by day.\n\n- `depth_fm`: depth in fathoms; 999 means that no bottom was reached\n- `bottom_code`: 4 mud, 9 sand\n"


async def about(place: Path, files: dict[str, str], table: str = "casts.csv") -> dict[str, str]:
    folder = filled(place / "docs", files)
    providers = Providers(documents=[await open_documents(folder, place / "home")])
    tables = [one for one in providers.nearest_tables("", 9) if one.view.file == table]
    return {view.path: view.text for view in providers.about_tables(tables)}


async def test_a_readme_that_names_columns_is_shown_whole_and_others_are_not(tmp_path: Path) -> None:
    files = {"casts.csv": CASTS, "README.md": README, "story.md": "# Story\n\nThe ship sounded at great depth.\n"}
    described = await about(tmp_path, files)
    assert list(described) == ["docs/README.md"]
    assert "All depths were taken by day." in described["docs/README.md"]


async def test_a_table_of_variables_is_a_description_and_one_with_the_same_columns_is_not(tmp_path: Path) -> None:
    variables = "variable,meaning\nship_id,number of the ship\ndepth_fm,fathoms\nbottom_code,4 is mud\n"
    ships = "ship_id,depth_fm,bottom_code,name,built\n1,200,9,Gazelle,1859\n2,310,4,Maury,1860\n"
    described = await about(tmp_path, {"casts.csv": CASTS, "variables.csv": variables, "ships.csv": ships})
    assert list(described) == ["docs/variables.csv"]


async def test_of_a_long_text_the_passages_with_names_are_shown(tmp_path: Path) -> None:
    chapters = "".join(f"\n## Chapter {n}\n\n{'The crew slept badly that night. ' * 20}\n" for n in range(30))
    described = await about(tmp_path, {"casts.csv": CASTS, "log.md": f"{chapters}\n{README}\n{chapters}"})
    assert "999 means that no bottom was reached" in described["docs/log.md"]
    assert len(described["docs/log.md"]) <= ROOM
    assert "crew slept" not in described["docs/log.md"]


async def test_each_table_has_a_description_and_one_head_in_common_is_none(tmp_path: Path) -> None:
    folder = filled(
        tmp_path / "docs",
        {
            "casts.csv": CASTS,
            "casts.md": README,
            "pay.csv": "name,salary_usd,grade\nAnn,900,2\nTom,700,3\n",
            "pay.md": "# Pay\n\n- `salary_usd`: a month\n- `grade`: 1 is the best\n",
            "rates.md": "# Rates\n\nThe salary_usd of 1900 was low.\n",
        },
    )
    providers = Providers(documents=[await open_documents(folder, tmp_path / "home")])
    described = providers.about_tables(providers.nearest_tables("", 9))
    assert sorted(view.path for view in described) == ["docs/casts.md", "docs/pay.md"]
