"""The script that takes a rendered page's HTML: what a person sees, in a copy that the page does not notice."""

SNAPSHOT = """(longest, origin) => {
  if (location.origin !== origin) return null;
  const inert = document.implementation.createHTMLDocument("");
  const unseen = (element) => {
    if (document.head && document.head.contains(element)) return false;
    const style = getComputedStyle(element);
    return style.display === "none" || (style.visibility !== "visible" && !element.firstElementChild);
  };
  const copied = (node) => {
    const copy = inert.importNode(node, true);
    if (node.nodeType !== Node.ELEMENT_NODE) return copy;
    const elements = [node, ...node.querySelectorAll("*")];
    const copies = [copy, ...copy.querySelectorAll("*")];
    elements.forEach((element, place) => {
      if (unseen(element)) copies[place].setAttribute("hidden", "");
      if (element.shadowRoot) copies[place].append(...[...element.shadowRoot.childNodes].map(copied));
    });
    return copy;
  };
  return copied(document.documentElement).outerHTML.slice(0, longest);
}"""
"""Copies the page into a document that does nothing, with what style sheets hide marked as hidden, and open shadow trees inside.
It runs in a world of its own, whose functions the page cannot replace. Of another origin, as of the browser's own page about a
fault, it gives nothing."""
