"""Key material from the operating system."""

import os


def secret_bytes(count: int) -> bytes:
    """Return `count` bytes that nobody can predict; for keys and names, not for noise.

    Examples
    --------
    >>> len(secret_bytes(16))
    16
    """
    return os.urandom(count)
