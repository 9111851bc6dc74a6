"""The libraries of the sandbox's own environment work inside, charts with Chinese included."""

import pytest

from services.sandbox.interpreter import LIBRARIES, default_python, interpreter
from services.sandbox.sandbox import Sandbox

PROGRAMS = {
    "scipy": "from scipy import stats\nprint(round(stats.linregress([0, 1, 2], [1, 3, 5]).slope, 6))",
    "statsmodels": (
        "import statsmodels.api as sm\n"
        "print(round(sm.OLS([1, 3, 5], sm.add_constant([0.0, 1, 2])).fit().params[1], 6))"
    ),
    "xlsxwriter, openpyxl": (
        "import openpyxl, xlsxwriter\nbook = xlsxwriter.Workbook('t.xlsx')\nbook.add_worksheet().write(0, 0, 2.0)\n"
        "book.close()\nprint(float(openpyxl.load_workbook('t.xlsx').active['A1'].value))"
    ),
    "plotly": "import json\nimport plotly.graph_objects as go\nprint(json.loads(go.Figure(go.Scatter(y=[2.0])).to_json())['data'][0]['y'][0])",
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
async def test_a_library_computes(name: str) -> None:
    result = await Sandbox().run(PROGRAMS[name])
    assert (result.ok, result.stdout) == (True, "2.0\n"), result.error


@pytest.mark.parametrize(
    "style",
    [
        "",
        "import seaborn as sns; sns.set_theme()",
        "plt.rcParams['font.sans-serif'] = ['SimHei']; plt.rcParams['axes.unicode_minus'] = False",
    ],
)
async def test_a_chart_shows_chinese(style: str) -> None:
    code = (
        "import warnings; warnings.simplefilter('error')  # a glyph that no font has is a warning\n"
        f"import matplotlib.pyplot as plt\n{style}\n"
        "figure, axes = plt.subplots()\naxes.plot([-1, 2]); axes.set_title('Depth 各站测深 (m)'); figure.savefig('测深.png')"
    )
    result = await Sandbox().run(code)
    assert result.ok, result.error
    assert list(result.artifacts) == ["测深.png"]
    assert result.artifacts["测深.png"].startswith(b"\x89PNG")


async def test_the_environment_holds_what_is_allowed_and_nothing_of_the_application() -> None:
    own = await interpreter(default_python())
    assert own.libraries == LIBRARIES
    result = await Sandbox().run("try: import langgraph\nexcept ImportError as error: print(error)")
    assert "No module named 'langgraph'" in result.stdout
