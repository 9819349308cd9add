"""Turns a figure's SVG file into a part of an HTML page that follows the page's colours."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

from cavern.plots.colours import GRID, INK, MUTED, PAPER

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
PAGE_COLORS = {
    INK: "currentColor",
    MUTED: "var(--muted)",
    GRID: "var(--grid)",
    PAPER: "var(--card)",
}


def inline_svg(text: str, prefix: str, label: str) -> str:
    """Without namespaces (HTML knows svg), metadata and background; identifiers made unique.

    The result is well-formed XML too. `label` is what a screen reader says.
    """
    root = ElementTree.fromstring(text)
    for parent in list(root.iter()):
        for child in list(parent):
            # patch_1 is the figure's white background: the first patch matplotlib draws.
            if child.tag == f"{SVG}metadata" or child.get("id") == "patch_1":
                parent.remove(child)
    for element in root.iter():
        element.tag = element.tag.removeprefix(SVG)
        for name, value in list(element.attrib.items()):
            if name == "id":
                element.set(name, f"{prefix}-{value}")
            elif name == LINK:
                del element.attrib[name]
                # A picture of many bars comes as data:, everything else is a local name.
                local = f"#{prefix}-{value[1:]}" if value.startswith("#") else value
                element.set("href", local)
            else:
                value = re.sub(r"url\(#", f"url(#{prefix}-", value)
                for color, replacement in PAGE_COLORS.items():
                    value = value.replace(color, replacement)
                element.set(name, value)
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.set("role", "img")
    root.set("aria-label", label)
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=True)
