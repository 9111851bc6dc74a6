"""The command: `leadline` or `python -m leadline`."""

import gc

from leadline.cli.app import main as command


def main() -> None:
    """Run the command line."""
    gc.freeze()  # what the imports made stays until the end: no collection need look through it
    command()


if __name__ == "__main__":
    main()
