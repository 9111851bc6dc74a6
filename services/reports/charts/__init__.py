"""Charts: checked data, drawn by ECharts in the page or as SVG; models give data, never code."""
