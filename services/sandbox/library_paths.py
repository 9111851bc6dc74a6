"""Paths of a Python's libraries; also run as a program by the sandbox's Python, so it imports nothing of Leadline."""

import importlib.util
import json
import mimetypes
import os
import sys
import sysconfig
from collections.abc import Iterable
from typing import Any


def library_paths(libraries: Iterable[str]) -> dict[str, Any]:
    """Return folders of packages, other files that this Python reads, installed libraries, and matplotlib's fonts."""
    paths = sysconfig.get_paths()
    # An environment may be based on another one, as with --system-site-packages
    below = [path for path in sys.path if os.path.basename(path) in {"site-packages", "dist-packages"}]  # noqa: PTH119 - this program starts quickly
    standard = [paths["stdlib"], paths["platstdlib"], f"{sys.base_prefix}/lib", sys.executable]
    fonts = os.path.join(sys.prefix, "matplotlib")  # noqa: PTH118 - likewise
    return {
        "packages": list(dict.fromkeys([paths["purelib"], paths["platlib"], *below])),
        "readable": [*standard, *map(str, mimetypes.knownfiles)],
        "libraries": [name for name in libraries if importlib.util.find_spec(name)],
        "fonts": fonts if os.path.isdir(fonts) else "",  # noqa: PTH112 - likewise
    }


if __name__ == "__main__":
    print(json.dumps(library_paths(sys.argv[1:])))  # noqa: T201 - its answer
