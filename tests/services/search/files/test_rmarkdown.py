"""R Markdown and Quarto, as readers of the printed book see them."""

from services.search.files.convert_plain import convert_plain

BOOK = r"""# Sounding {#sounding}

Figure \@ref(fig:drum) shows the drum; see Chapter \@ref(wire) and Table \@ref(tab:ships).\index{drum} \index{wire|see {rope}}

```{r setup, include=FALSE}
knitr::opts_chunk$set(cache = TRUE)
```

```{r drum, fig.cap='Drum of the "Blake", 1875. (ref:more)', echo=FALSE, out.width='80%'}
knitr::include_graphics("images/drum.png")
```

(ref:more) It held 8 km of wire.

```{r fit, tidy=FALSE}
lm(depth ~ hours)
```

Depth | Hours
----- | -----
2,000 | 3
3,000 | 4

Table: (\#tab:ships) Ships

```{block2, type='rmdimportant'}
Wear *gloves*.
```

```{theorem, least, name="Least wire"}
Less wire, less depth.
```

### Thanks {-}
"""
QUARTO = """```{python}
#| label: fig-drum
#| fig-cap: "A drum, by year."
#| echo: false
plot(drum)
```

```{python}
#| warning: false
haul()
```
"""


def test_a_book_in_r_markdown_is_read_with_its_captions_and_without_the_code_that_is_not_printed() -> None:
    book = convert_plain("book.Rmd", BOOK.encode())
    assert [part.strip("\n") for part in book["text"].split("\n\n") if part.strip()] == [
        "# Sounding",
        "Figure [fig:drum] shows the drum; see Chapter [wire] and Table [tab:ships].",
        '[fig:drum] Drum of the "Blake", 1875. It held 8 km of wire.',
        "```r\nlm(depth ~ hours)\n```",
        "| Depth | Hours |\n| ----- | ----- |\n| 2,000 | 3 |\n| 3,000 | 4 |",
        "Table: [tab:ships] Ships",
        "Wear *gloves*.",
        "**Theorem least: Least wire**",
        "Less wire, less depth.",
        "### Thanks",
    ]
    assert (book["title"], [table["view"]["rows"] for table in book["tables"]]) == ("Sounding", [2])


def test_options_of_quarto_stand_in_its_chunks() -> None:
    text = convert_plain("drum.qmd", QUARTO.encode())["text"]
    assert text == "[fig-drum] A drum, by year.\n\n\n```python\nhaul()\n```"


def test_a_chunk_that_nothing_closes_keeps_its_last_line() -> None:
    assert convert_plain("a.Rmd", b"```{r}\na\nb")["text"] == "```r\na\nb\n```"
