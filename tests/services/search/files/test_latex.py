"""LaTeX is read as its readers see it: as Markdown, with its title, authors and date as its card."""

import pytest

from services.search.files.cards import text_card
from services.search.files.convert_plain import convert_plain
from tests.attacks.processor_time import processor_time

PAPER = r"""\documentclass{article}
\newcommand{\depth}{\mathbb{D}}
\title[Depth]{On the Depth of \emph{Trenches}}
\author{Ada M\"uller \and Bj\o rn \'{A}lvarez}
\date{12 May 2024}
\begin{document}
\maketitle
\section{Methods}\label{sec:m} % for the editor
"""


def read(latex: str) -> str:
    return convert_plain("paper.tex", latex.encode())["text"].strip()


def test_title_authors_and_date_are_the_card_and_the_rest_of_the_preamble_is_not_read() -> None:
    text = read(PAPER)
    card = text_card(text, "paper.tex")
    assert card.title == "On the Depth of Trenches"
    assert card.authors == ["Ada Müller", "Bjørn Álvarez"]
    assert card.published == "2024-05-12"
    assert text.endswith("\n## Methods")
    assert "mathbb" not in text


@pytest.mark.parametrize(
    ("latex", "shown"),
    [
        ("It is\nlong\n\n\\item wire\n of steel\n\\begin{verbatim}\na\n\nb\n\\end{verbatim}\nso\nit is", "It is long\n\n- wire of steel\n\n```\na\n\nb\n```\n\nso it is"),
        (r"\chapter{Sea} \subsection*{Two \textbf{winches}}", "# Sea\n\n### Two winches"),
        (r"It has 5\,\% more~depth, ``by sonar'' --- so.\footnote{Twice.}", "It has 5 % more depth, “by sonar” — so. (Twice.)"),
        ("one % a note\n  two\n\nthree% a note\n\nfour", "one two\n\nthree\n\nfour"),
        (r"See \cite[p.~3]{holm20} and \href{https://a.example/x%20y}{the log}.", "See [holm20] and [the log](https://a.example/x%20y)."),
        (r"\url{https://a.example/x%20y}", "https://a.example/x%20y"),
        (r"\unknown{the \emph{wire}}\x{} is \texttt{run\_it()} or \verb|a_b%c|", r"\unknown{the wire}\x{} is `run_it()` or `a_b%c`"),
        (r"\newcommand{\sys}{\textsc{Lead}\xspace} \def\two#1#2{#2 of #1} \sys{} is \two{rope}{iron}.", "Lead is iron of rope."),
        ("\\begin{theorem}\nIt holds.\n\\end{theorem}", "\\begin{theorem}\nIt holds.\n\\end{theorem}"),
        (r"It is \SI{5}{\kilo\metre}, \qty[per-mode=symbol]{3.2e5}{\mega\byte\per\second}, \num{12345} or \qty{2}{\l}.", "It is 5 kilometre, 3.2e5 megabyte per second, 12345 or 2 l."),
        (r"\SIrange{1}{2}{\km}, \qtylist{1;2}{\percent}, \ang{30;5}, \unit{m/s^2}, \numrange{1}{2}", "1 to 2 km, 1, 2 percent, 30°5′, m/s^2, 1 to 2"),
        (r"$v = \frac{a}{b}$ costs \$5", r"$v = \frac{a}{b}$ costs $5"),
        ("\\begin{equation}\nE = mc^2 % x\n\\end{equation}", "$$\nE = mc^2 % x\n$$"),
        ("\\begin{itemize}\n\\item\n  wire\n\\item[rope] hemp\n\\end{itemize}", "- wire\n- rope: hemp"),
        (
            "\\begin{lstlisting}[language=C]\n  int a[2] = {1}; // 5 % 3\n    b();\n\\end{lstlisting}",
            "```\nint a[2] = {1}; // 5 % 3\n  b();\n```",
        ),
        (
            "\\begin{tabular}{l|r}\n\\hline\nPlace & Depth \\\\\n\\hline\nHolm \\& Co & 10,994 \\\\[2pt]\nKermadec & \\textbf{10,047}\n\\end{tabular}",
            "| Place | Depth |\n| --- | --- |\n| Holm & Co | 10,994 |\n| Kermadec | 10,047 |",
        ),
        ("\\begin{verbatim}\n```\na\n  b\n```\n\\end{verbatim}\nso\nit is", "````\n```\na\n  b\n```\n````\n\nso it is"),
        (r"\begin{verbatim} never closed, \emph{so", r"\begin{verbatim} never closed, so"),
    ],
)  # fmt: skip
def test_markup_becomes_what_a_reader_sees(latex: str, shown: str) -> None:
    assert read(latex) == shown


@pytest.mark.parametrize(
    "piece", ["{", "}", "$", r"\verb|", r"\title{", r"\begin{tabular}", r"\footnote{\footnote{", r"\href{a}{", "\n \n"]
)
def test_hostile_markup_is_read_in_linear_time(piece: str) -> None:
    with processor_time(6):
        words = read(PAPER + piece * 20_000 + "the end")
    assert words.endswith("the end")


def test_what_is_never_closed_is_looked_for_once() -> None:
    with processor_time(6):
        read("\\begin{verbatim}" * 100_000)
