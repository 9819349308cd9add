"""Matplotlib, loaded in less time than it takes by itself."""

from __future__ import annotations

import gc
import sys
from importlib import import_module


def load_matplotlib() -> None:
    """For commands that draw: without the documentation that it writes of each of its setters, and
    without a search for garbage where there is none. Each takes a tenth of a report's time."""
    if "matplotlib.figure" in sys.modules:
        return
    import matplotlib.artist as artist

    documents, collects = artist.kwdoc, gc.isenabled()
    artist.kwdoc = lambda artist: ""
    gc.disable()
    try:
        import_module("matplotlib.figure")
    finally:
        artist.kwdoc = documents
        gc.freeze()
        if collects:
            gc.enable()
