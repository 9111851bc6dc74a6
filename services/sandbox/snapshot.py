"""The scripts that extract the visible text of a rendered page, and its HTML without the invisible parts.

The browser knows what is visible: computed styles, and the boxes of the laid out page. Both scripts run in an isolated
world, whose functions the page cannot replace.
"""

_SEEN = r"""
  const clear = (colour) => colour === "transparent" || /^rgba\(.*, 0\)$/.test(colour);
  const tiny = (element, style, box) => style.overflow !== "visible" && (box.width <= 1 || box.height <= 1) &&
    (element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight);
  const cutAway = (style) => /^rect\(([01]px[ ,]*){2}/.test(style.clip) ||
    /^(inset\((50|100)%|circle\(0)/.test(style.clipPath) || style.transform.startsWith("matrix(0, 0, 0, 0");
  const farOff = (box) => box.width > 0 && box.height > 0 &&
    (box.right + scrollX < -1000 || box.bottom + scrollY < -1000);
  const laidOut = (element) => {
    if (element.localName === "noscript") return false;  // it has no box, and its style does not tell
    const style = getComputedStyle(element);
    if (!style.display || style.display === "none" || style.contentVisibility === "hidden" || style.opacity < 0.01) return false;
    if (style.display === "contents") return true;
    const box = element.getBoundingClientRect();
    return !(tiny(element, style, box) || cutAway(style) || farOff(box));
  };
  const legible = (element) => {
    const style = getComputedStyle(element);
    return style.visibility === "visible" && parseFloat(style.fontSize) > 1 && parseFloat(style.textIndent) > -100 &&
      !clear(style.color) && style.color !== style.backgroundColor;
  };
"""
"""Two questions about an element: whether it has a place on the page, with all that is in it, and whether its own text can be read.
The second is asked for each element, as what is in it may have other colours and sizes."""

TEXT = f"""(around, longest) => {{{_SEEN}
  let characters = 0, text = "";
  const visit = (node) => {{
    if (node.nodeType === Node.TEXT_NODE) {{
      const piece = node.data.replace(/\\s+/g, " ").trim();
      if (!piece || (node.parentElement && !legible(node.parentElement))) return;
      characters += piece.length;
      if (text.length < longest) text += piece + "\\n";
    }} else if (node.nodeType !== Node.ELEMENT_NODE || (laidOut(node) && !(around && node.matches(around)))) {{
      if (node.shadowRoot) visit(node.shadowRoot);
      node.childNodes.forEach(visit);
    }}
  }};
  if (document.body) visit(document.body);
  return [characters, text.slice(0, longest)];
}}"""
"""Returns the length of the text outside of some elements, and its beginning, with each piece on a line."""

SNAPSHOT = f"""(longest, origin) => {{{_SEEN}
  if (location.origin !== origin) return null;
  const inert = document.implementation.createHTMLDocument("");
  const copied = (node) => {{
    const copy = inert.importNode(node, true);
    if (node.nodeType !== Node.ELEMENT_NODE) return copy;
    const elements = [node, ...node.querySelectorAll("*")];
    const copies = [copy, ...copy.querySelectorAll("*")];
    elements.forEach((element, place) => {{
      if (document.head && document.head.contains(element)) return;
      const here = copies[place];
      here.toggleAttribute("hidden", !laidOut(element));
      if (!legible(element))
        here.childNodes.forEach((child) => {{ if (child.nodeType === Node.TEXT_NODE) child.data = " "; }});
      if (element.shadowRoot) here.append(...[...element.shadowRoot.childNodes].map(copied));
    }});
    copies.forEach((here) => {{ if (here.localName === "style") here.textContent = ""; }});
    return copy;
  }};
  return copied(document.documentElement).outerHTML.slice(0, longest);
}}"""
"""Copies the page into a document that does nothing: what has no place on it is marked as hidden, text that cannot be read is left out,
and open shadow trees stand inside. Style sheets have been heeded and are empty. Of another origin, as of the browser's own page about
a fault, it gives nothing."""
