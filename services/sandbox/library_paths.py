"""Where a Python has its libraries. Run as a program by the sandbox's Python, so it imports nothing of Leadline."""

import importlib.util
import json
import mimetypes
import os
import sys
import sysconfig


def package_folders() -> list[str]:
    """Return the folders to import packages from; an environment may stand on another one (--system-site-packages)."""
    paths = sysconfig.get_paths()
    below = [path for path in sys.path if os.path.basename(path) in {"site-packages", "dist-packages"}]  # noqa: PTH119 - a program that starts quickly
    return list(dict.fromkeys([paths["purelib"], paths["platlib"], *below]))


def library_files() -> list[str]:
    """Return what an interpreter reads besides packages: the standard library, itself, and the lists of file types."""
    paths = sysconfig.get_paths()
    return [
        paths["stdlib"],
        paths["platstdlib"],
        f"{sys.base_prefix}/lib",
        sys.executable,
        *map(str, mimetypes.knownfiles),
    ]


def main() -> None:
    """Print the paths as JSON, with those of the packages named on the command line that are installed."""
    fonts = os.path.join(sys.prefix, "matplotlib")  # noqa: PTH118 - likewise
    described = {
        "packages": package_folders(),
        "readable": library_files(),
        "libraries": [name for name in sys.argv[1:] if importlib.util.find_spec(name)],
        "fonts": fonts if os.path.isdir(fonts) else "",  # noqa: PTH112 - likewise
    }
    print(json.dumps(described))  # noqa: T201 - its answer


if __name__ == "__main__":
    main()
