"""Web pages, read safely: only public addresses, within limits, as text that a person would see."""

from services.search.pages.addresses import Allowance
from services.search.pages.limits import Limits
from services.search.pages.reader import Page, PageReader, read_page

__all__ = ["Allowance", "Limits", "Page", "PageReader", "read_page"]
