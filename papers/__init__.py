"""Papers' experiments, rerun on the public names of `cavern`: data as CSV, figures as PNG and SVG,
and claims.json.

An experiment is a package with a NAME, a PAPER and three functions, listed in command.py; see
experiment.py for what they get and give.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TRACES = ROOT / "traces"
