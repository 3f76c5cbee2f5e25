"""Public laws: put your own mechanism, promise, ledger store or release under the suite that ours must pass.

Examples
--------
>>> from sudare.testing import GUARANTEE_LAWS, MECHANISM_LAWS, RELEASE_LAWS, STORE_LAWS
>>> [len(laws) > 3 for laws in (GUARANTEE_LAWS, MECHANISM_LAWS, RELEASE_LAWS, STORE_LAWS)]
[True, True, True, True]
>>> MECHANISM_LAWS[0].__name__
'the_table_is_complete'
"""

from sudare.testing.guarantee_laws import GUARANTEE_LAWS, check_guarantee
from sudare.testing.mechanism_laws import MECHANISM_LAWS, check_mechanism
from sudare.testing.release_laws import RELEASE_LAWS, check_release
from sudare.testing.store_laws import STORE_LAWS, check_ledger_store

__all__ = [
    "GUARANTEE_LAWS",
    "MECHANISM_LAWS",
    "RELEASE_LAWS",
    "STORE_LAWS",
    "check_guarantee",
    "check_ledger_store",
    "check_mechanism",
    "check_release",
]
