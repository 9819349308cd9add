"""Reads TOML and JSON that others wrote. What comes out keeps the limits of limits.py; all else is
an InputError at its line."""
