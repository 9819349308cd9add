"""What all pages share: the templates, the style sheet, the script."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup

TEMPLATES = Path(__file__).with_name("templates")


@cache
def page_environment() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["unbroken"] = unbroken
    return made


def unbroken(text: str) -> str:
    """No line ends between a number and its unit."""
    return re.sub(r"(?<=\d) (?=(?:%|[nµm]?s|[kMG]i?B|[mµ]?J)(?:[^\w]|$))", "\u00a0", text)


def style_sheet() -> Markup:
    return Markup((TEMPLATES / "report.css").read_text(encoding="utf-8"))


def script() -> Markup:
    """What tables, commands and marks do: written here rather than taken from npm, which set-up
    would need for these alone. A page reads without it."""
    return Markup((TEMPLATES / "page.js").read_text(encoding="utf-8"))
