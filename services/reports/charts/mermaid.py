"""Draws a diagram from Mermaid text, in a confined process; see `services/sandbox/workers.py`."""

import base64
import re
from typing import Any

from services.sandbox.jobs import serve

THEME = {
    "bg": "#ffffff",
    "fg": "#1b2430",
    "muted": "#55606e",
    "line": "#55606e",
    "surface": "#e4f0f4",
    "surface-alt": "#eef1f4",
    "border": "#0b5c77",
    "accent": "#0b5c77",
}
"""Colours of the light page; `page.css` maps them to the dark one."""
PALETTE = {
    "#4c78a8": "#0f6e8c", "#f58518": "#a85b00", "#54a24b": "#42793f", "#e45756": "#b5493b",
    "#72b7b2": "#2f7a74", "#eeca3b": "#7d6a10", "#b279a2": "#8b4f80", "#9d755d": "#7d5a45",
}  # fmt: skip
"""The library's colours for parts of a whole, and our replacements, on which its white text is readable."""
SCALE = 2
MAX_PIXELS = 16_000_000
_ROUND = 'style="rx:4px'
"""The library's style of rounded corners; the shown picture keeps no styles."""


def main() -> None:
    """Draw the diagrams from standard input."""
    from mermaid_render import renderer

    renderer.THEMES["leadline"] = THEME
    serve(_answer)


def _answer(job: dict[str, Any], source: bytes) -> dict[str, object]:
    from mermaid_render import renderer

    try:
        reply = renderer.render(source.decode("utf-8", "replace"), "leadline")
        drawn, kind = reply["result"], reply["graph"]["type"]
        svg = drawn["svg"].replace(_ROUND, f'rx="4" {_ROUND}')
        svg = re.sub(r'(?<=")#[0-9a-fA-F]{6}(?=")', lambda colour: PALETTE.get(colour[0].lower(), colour[0]), svg)
        png = _png(svg, drawn["width"] * drawn["height"]) if job.get("png") else b""
    except Exception as error:  # noqa: BLE001 - whatever fails in there is told, not raised
        return {"error": f"{type(error).__name__}: {error}"[:500]}
    size = {"width": drawn["width"], "height": drawn["height"]}
    return {"kind": kind, "svg": svg, **size, "png": base64.b64encode(png).decode()}


def _png(svg: str, pixels: float) -> bytes:
    import resvg_py
    from mermaid_render.fonts import ROOT

    if pixels * SCALE * SCALE > MAX_PIXELS:
        raise ValueError("it is too large for a picture")
    fonts = [str(path) for path in ROOT.glob("*.ttf")]
    drawn = resvg_py.svg_to_bytes(svg_string=svg, zoom=SCALE, font_files=fonts, font_family="Noto Sans")
    return bytes(drawn)


if __name__ == "__main__":
    main()
