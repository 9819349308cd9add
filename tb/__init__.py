"""Soak tests, proofs and mutation; run by `python -m tb.NAME` from the project's folder."""

from __future__ import annotations

import sys
from pathlib import Path

# They use the package of the tree, which need not be installed.
sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))
