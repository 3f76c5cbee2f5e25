"""The laws of a release: it comes back as it was saved, a stranger can verify it, and any changed file is named."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from sudare.errors import LawBroken, SudareError
from sudare.release import Release, verify
from sudare.texts import LANGUAGES


def check_release(release: Release) -> None:
    """Run every law on a release whose ledger is open; the first that does not hold is raised as `LawBroken`.

    The release is saved, in a temporary folder, and its files are changed one by one.

    Examples
    --------
    >>> import numpy as np
    >>> from sudare.ledger import Ledger
    >>> from sudare.mechanisms import TwoPoint
    >>> age = TwoPoint("1")
    >>> with Ledger.simulation().charge(age.guarantee, subjects="patients", purpose="an example") as receipt:
    ...     reports = age.randomize(np.zeros(100), receipt.source("age"))
    >>> check_release(Release(age.mean(reports), receipt))
    """
    with tempfile.TemporaryDirectory() as folder:
        saved = release.save(Path(folder) / "saved")
        for law in RELEASE_LAWS:
            law(release, saved)


def it_comes_back_as_it_was(release: Release, saved: Path) -> None:
    """What is loaded says the same as what was saved: value, promise, provenance, kind, mark."""
    again = Release.load(saved)
    same = again.guarantee == release.guarantee and again.kind == release.kind and again.private == release.private
    if not same or repr(again) != repr(release) or again.provenance != release.provenance:
        raise LawBroken("it comes back as it was", "the release that is loaded is another one")


def a_stranger_can_verify_it(release: Release, saved: Path) -> None:  # noqa: ARG001
    """Nothing fails, something was checked, and what cannot be checked from outside is said."""
    verification = verify(saved)
    if not verification.ok or not verification.checked:
        raise LawBroken("a stranger can verify it", f"{len(verification.failed)} checks fail on an unchanged release")
    if not verification.unchecked:
        raise LawBroken("a stranger can verify it", "it does not say what cannot be checked from outside")


def any_changed_file_is_named(release: Release, saved: Path) -> None:  # noqa: ARG001
    """One flipped bit, a missing file and an added one: the verification fails and names the file."""
    for file in sorted(saved.iterdir()):
        for change in (_flipped, Path.unlink):
            copy = saved.parent / "changed"
            shutil.copytree(saved, copy)
            change(copy / file.name)
            _expect_named(copy, file.name)
            shutil.rmtree(copy)
    copy = saved.parent / "changed"
    shutil.copytree(saved, copy)
    (copy / "added.txt").write_text("more")
    _expect_named(copy, "added.txt")
    shutil.rmtree(copy)


def it_is_never_written_over(release: Release, saved: Path) -> None:
    """Saving to a folder that is there is refused, and leaves it as it was."""
    before = {file.name: file.read_bytes() for file in saved.iterdir()}
    try:
        release.save(saved)
    except SudareError:
        if before == {file.name: file.read_bytes() for file in saved.iterdir()}:
            return
    raise LawBroken("it is never written over", "a folder was written over, or changed by a refusal")


def its_card_says_the_promise(release: Release, saved: Path) -> None:  # noqa: ARG001
    """The card holds the promise as a sentence, in each language, and needs nothing from the network."""
    for language in LANGUAGES:
        page = release.card(language).html
        if "<script" in page or "://" in page:
            raise LawBroken("its card says the promise", "the page runs a script or names an address", where=language)
        if release.guarantee.sentence(language)[:40] not in page.replace("&#x27;", "'"):
            raise LawBroken("its card says the promise", "the promise is not on the card", where=language)


RELEASE_LAWS: tuple[Callable[[Release, Path], None], ...] = (
    it_comes_back_as_it_was,
    a_stranger_can_verify_it,
    any_changed_file_is_named,
    it_is_never_written_over,
    its_card_says_the_promise,
)


def _flipped(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def _expect_named(folder: Path, name: str) -> None:
    try:
        findings = verify(folder).failed
    except SudareError as error:
        named = name in str(error)
    else:
        named = any(name in f"{finding.where} {finding.what}" for finding in findings)
    if not named:
        raise LawBroken("any changed file is named", "a change goes unseen or unnamed", where=name)
