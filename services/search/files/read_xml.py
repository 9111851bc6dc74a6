"""Reads XML: the paragraphs of a document whose text has elements in it, such as DocBook or an RFC; other XML is data, and stays as it is."""

from collections.abc import Iterator

from lxml import etree


def paragraphs(data: bytes) -> str:
    """Return the paragraphs of a document, a blank line between; empty where no element has both text and elements, as in data, and of what is no XML."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, recover=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return ""
    if root is None or not any(len(element) and _text(element) for element in root.iter(etree.Element)):
        return ""
    return "\n\n".join(filter(None, (" ".join(part.split()) for part in _paragraphs(root))))


def _text(element: etree._Element) -> str:
    """Return the text between an element's children."""
    return f"{element.text or ''}{''.join(child.tail or '' for child in element)}".strip()


def _paragraphs(element: etree._Element) -> Iterator[str]:
    """Yield an element's text with the elements in it that hold none themselves; those that do are paragraphs of their own."""
    written = element.text or ""
    beside = _text(element)
    for child in element:
        if beside and not len(child):
            written += f"{child.text or ''}{child.tail or ''}"
        else:
            yield written
            yield from _paragraphs(child)
            written = child.tail or ""
    yield written
