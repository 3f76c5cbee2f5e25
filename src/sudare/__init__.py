"""Sudare: you see out, nobody sees in. A privacy workbench."""

__version__ = "0.1.0"
