"""Charts: data that is checked, then drawn by ECharts in the page or as SVG; a model never gives code."""
