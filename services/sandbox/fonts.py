"""Prepares matplotlib for the sandbox: writes its list of fonts once, and lets charts show Chinese.

Run at set-up by the sandbox's own Python: `python fonts.py FOLDER`; programs then get FOLDER as MPLCONFIGDIR.
"""

import os
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "pylopdf_fonts_zh_cn"
FONT = "NotoSansSC-Regular.otf"
STANDS_FOR = (
    # seaborn's first choice; its styles drop the fallback of the settings below
    "Arial",
    # fonts that programs use for Chinese
    "SimHei", "SimSun", "Microsoft YaHei", "PingFang SC", "Heiti SC", "STHeiti", "Hiragino Sans GB", "Arial Unicode MS",
    "WenQuanYi Zen Hei", "WenQuanYi Micro Hei", "Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC",
)  # fmt: skip
"""Names that the Chinese font gets if no font of that name is installed."""
SETTINGS = "font.family: sans-serif, Noto Sans SC\n"
"""Glyphs missing in one family are taken from the next."""


def prepare(folder: Path) -> None:
    """Write matplotlib's list of fonts into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "matplotlibrc").write_text(SETTINGS)
    for old in folder.glob("fontlist-*.json"):
        old.unlink()
    os.environ["MPLCONFIGDIR"] = str(folder)

    from matplotlib import font_manager

    package = find_spec(PACKAGE)
    if package is not None and package.origin is not None:
        fonts = font_manager.fontManager
        known = {font.name for font in fonts.ttflist}
        fonts.addfont(Path(package.origin).with_name(FONT))
        chinese = fonts.ttflist[-1]
        fonts.ttflist.extend(replace(chinese, name=name) for name in STANDS_FOR if name not in known | {chinese.name})
        for written in folder.glob("fontlist-*.json"):
            font_manager.json_dump(fonts, written)


if __name__ == "__main__":
    prepare(Path(sys.argv[1]).resolve())
