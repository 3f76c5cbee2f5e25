"""Randomness enters through `sudare.randomness` alone."""

import ast

import pytest
from tests.repository.generators import touched
from tests.repository.tree import modules

ALLOWED = {
    # One key pair a ledger, and no noise.
    ("ledger/signing.py", "cryptography.hazmat.primitives.asymmetric.ed25519"),
    # The law that reading a promise leaves its hash as it was.
    ("testing/guarantee_laws.py", "hash()"),
}


def touched_outside() -> set[tuple[str, str]]:
    """Return file and generator wherever a module that may not draw touches one."""
    outside = ((path, tree) for path, tree in modules() if path.parts[0] != "randomness")
    return {(path.as_posix(), name) for path, tree in outside for name in touched(tree)}


def allowance(file: str, name: str) -> tuple[str, str] | None:
    """Return what allows this file to touch this generator."""
    return next((one for one in ALLOWED if file == one[0] and name.startswith(one[1])), None)


def test_no_other_module_touches_a_generator() -> None:
    assert {one for one in touched_outside() if allowance(*one) is None} == set()


def test_every_allowance_is_used() -> None:
    assert {allowance(*one) for one in touched_outside()} == ALLOWED


def test_the_only_place_that_draws_is_seen_to_draw() -> None:
    inside = {name for path, tree in modules() if path.parts[0] == "randomness" for name in touched(tree)}
    assert "os.urandom" in inside


PLANTED = [
    "import random",
    "from random import choice",
    "import secrets as quiet",
    "import uuid",
    "import os\nkey = os.urandom(16)",
    "import os as system\nkey = system.urandom(16)",
    "from os import urandom",
    "import os\nkey = getattr(os, 'urandom')(16)",
    "import os as system\nkey = getattr(system, 'urandom')(16)",
    "import numpy as np\nnoise = np.random.default_rng()",
    "import numpy\nnoise = numpy.random.normal(size=3)",
    "from numpy import random",
    "from numpy.random import default_rng",
    "import numpy.random as dice",
    "def later():\n    import random",
    "import importlib\ndice = importlib.import_module('random')",
    "dice = __import__('random')",
    "noise = open('/dev/urandom', 'rb').read(8)",
    "from cryptography.hazmat.primitives.ciphers import Cipher",
    "from cryptography.hazmat.primitives import ciphers",
    "from cryptography.hazmat.primitives.asymmetric import rsa",
    "from cryptography.hazmat.primitives.kdf.hkdf import HKDF",
    "import hashlib\nwords = hashlib.shake_128(b'seed').digest(64)",
    "from scipy.stats import norm\nnoise = norm.rvs(size=3)",
    "mixed = frame.sample(fraction=1.0)",
    "order.shuffle()",
    "row = hash(name) % 10",
    "model = Forest(random_state=0)",
    "part = split(rows, seed=7)",
]


@pytest.mark.parametrize("source", PLANTED)
def test_a_planted_generator_is_found(source: str) -> None:
    assert touched(ast.parse(source))


HARMLESS = [
    "from sudare.randomness import Fresh, secret_bytes",
    "import hashlib\nhead = hashlib.sha256(entry).hexdigest()",
    "import os\nos.fsync(file)",
    "import numpy as np\nnp.zeros(3)",
    "equal = hash(left) == hash(right)",
    "promise = guarantee.shuffled(rows=10, delta='1e-9')",
    "import random_names_of_ours",
]


@pytest.mark.parametrize("source", HARMLESS)
def test_what_draws_nothing_is_let_through(source: str) -> None:
    assert not touched(ast.parse(source))
