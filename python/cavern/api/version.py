"""The version of this package, which is that of the program."""

from __future__ import annotations

from cavern.simulator import IN_TREE, ROOT

#: The package as pip knows it. On PyPI "cavern" is the name of another project.
DISTRIBUTION = "cavern-ssd"


def package_version() -> str:
    if IN_TREE:
        return (ROOT / "VERSION").read_text(encoding="utf-8").strip()
    # Imported here: it takes a moment, which commands need not wait for.
    from importlib.metadata import version

    return version(DISTRIBUTION)
