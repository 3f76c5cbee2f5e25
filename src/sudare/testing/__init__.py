"""Public laws: put your own mechanism, promise, ledger store or release under the suite that ours must pass."""

from sudare.testing.guarantee_laws import GUARANTEE_LAWS, check_guarantee
from sudare.testing.mechanism_laws import MECHANISM_LAWS, check_mechanism

__all__ = ["GUARANTEE_LAWS", "MECHANISM_LAWS", "check_guarantee", "check_mechanism"]
