"""The version, in the one place from which package, ledger and releases read it."""

__version__ = "0.1.0"
