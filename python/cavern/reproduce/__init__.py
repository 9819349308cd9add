"""Papers' experiments, rerun: data as CSV, figures as PNG and SVG, and claims.json.

An experiment is a module (or package) with a NAME, a PAPER and three functions, listed in
command.py; see experiment.py for what they get and give. It runs on cavern/sweeps.
"""
