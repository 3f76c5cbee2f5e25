"""A value, its receipt and where it came from, as a folder that a stranger can verify.

::

    release.json      which files there are, from which place in which ledger; signed by the ledger's key
    value.json        the value; arrays are in value.npz, a table in value.parquet
    receipt.json      who was promised what, signed by the same key
    chain.json        the fingerprints of all entries of the ledger, and the entries about this receipt
    mechanisms.json   what was drawn, and the proof of ε of each mechanism
    provenance.json   versions, the declared schema, parameters
    card.html         all of it for people, on one page; card.json holds the same facts
"""

from sudare.release.findings import Finding, Verification
from sudare.release.release import Release
from sudare.release.verification import verify

__all__ = ["Finding", "Release", "Verification", "verify"]
