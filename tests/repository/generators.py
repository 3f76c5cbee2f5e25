"""Finds where a module touches a source of randomness, from its syntax alone."""

import ast
from collections.abc import Iterator

GENERATORS = (
    "random",
    "secrets",
    "uuid",
    "os.urandom",
    "os.getrandom",
    "ssl.RAND_bytes",
    "numpy.random",
    "scipy.stats.qmc",
    "cryptography.hazmat.primitives.ciphers",
    "cryptography.hazmat.primitives.asymmetric",
    "cryptography.hazmat.primitives.kdf",
    "cryptography.fernet",
    "hashlib.shake_128",
    "hashlib.shake_256",
)
DRAWING_METHODS = ("rvs", "sample", "shuffle")
SEEDS = ("seed", "random_state", "random_seed")
DEVICES = ("/dev/random", "/dev/urandom", "/dev/hwrng")


def touched(tree: ast.Module) -> set[str]:
    """Return the dotted names of the generators that a module imports, names or calls."""
    names = _imported(tree)
    found = set(names.values()) | set(_dotted_names(tree, names)) | set(_named_in_strings(tree, names))
    return {name for name in found if _is_generator(name)} | set(_calls(tree))


def _is_generator(name: str) -> bool:
    return name in DEVICES or any(name == one or name.startswith(f"{one}.") for one in GENERATORS)


def _imported(tree: ast.Module) -> dict[str, str]:
    """Return what each name of the module stands for."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                names[one.asname or one.name] = one.name
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for one in node.names:
                names[one.asname or one.name] = f"{node.module}.{one.name}"
    return names


def _dotted_names(tree: ast.Module, names: dict[str, str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and not any(isinstance(part, ast.Call) for part in ast.walk(node)):
            head, _, rest = ast.unparse(node).partition(".")
            yield f"{names.get(head, head)}.{rest}"


def _named_in_strings(tree: ast.Module, names: dict[str, str]) -> Iterator[str]:
    """Yield what `getattr(os, "urandom")`, `import_module("random")` and `open("/dev/urandom")` would reach."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        words = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        called = ast.unparse(node.func).rpartition(".")[2]
        if called == "getattr" and words:
            owner = ast.unparse(node.args[0])
            yield f"{names.get(owner, owner)}.{words[0]}"
        elif called in ("import_module", "__import__", "open", "Path"):
            yield from words


def _calls(tree: ast.Module) -> Iterator[str]:
    compared = {
        one for node in ast.walk(tree) if isinstance(node, ast.Compare) for one in (node.left, *node.comparators)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Attribute) and node.func.attr in DRAWING_METHODS:
            yield f".{node.func.attr}()"
        if isinstance(node.func, ast.Name) and node.func.id == "hash" and node not in compared:
            yield "hash()"
        yield from (f"{one.arg}=" for one in node.keywords if one.arg in SEEDS)
