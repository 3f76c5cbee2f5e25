"""Forks a study again and again and lets it come to grief: `python -m tests.faults.campaign kills --runs 1000`.

It runs apart from pytest, in a process without threads, so that a fork is a clean copy. It prints one line of JSON.
"""

import argparse
import errno
import json
import os
import random
import signal
import sys
import tempfile
import time
import traceback
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.faults import disk, power, study

from sudare.errors import LedgerError, LedgerUnavailable, SudareError

ROUNDS = 8
SECONDS_TO_KILL = 0.06


def forked(body: Any) -> tuple[list[dict[str, Any]], int]:
    """Run a body in a child; return what it announced, and how it ended."""
    child, reading = start(body)
    return finish(child, reading)


def start(body: Any) -> tuple[int, int]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            body(study.announcer(writing))
            os._exit(0)
        except BaseException:  # noqa: BLE001 - the parent is told by the exit status
            traceback.print_exc()
            os._exit(1)
    os.close(writing)
    return child, reading


def finish(child: int, reading: int) -> tuple[list[dict[str, Any]], int]:
    data = bytearray()
    while chunk := os.read(reading, 1 << 16):
        data += chunk
    os.close(reading)
    return study.read_announcements(bytes(data)), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def kills(folder: Path, runs: int, seed: int) -> dict[str, int]:
    """SIGKILL after 0 to 60 ms; the same ledger goes through ten kills, then a new one begins."""
    chance, released, path, announced = random.Random(seed), 0, folder / "0.ledger", []  # noqa: S311
    for number in range(runs):
        if number % 10 == 0:
            path, announced = folder / f"{number}.ledger", []
        child, reading = start(partial(study.run, path, rounds=10_000, name=f"run {number}"))
        time.sleep(chance.uniform(0, SECONDS_TO_KILL))
        os.kill(child, signal.SIGKILL)
        new, ended = finish(child, reading)
        assert ended == -signal.SIGKILL, "the study ended before it was killed"
        announced += new
        released += sum(fact["kind"] == "release" for fact in new)
        # Each killed run may have paid for one release that it never announced; each check pays for one.
        study.check(path, announced, at_most=2 * (number % 10) + 1)
    return {"runs": runs, "releases": released}


def operations(folder: Path) -> int:
    """Return how many operations an undisturbed study takes."""
    counted = disk.Plan()
    disk.follow(counted)
    study.run(folder / "count.ledger", lambda fact: None, ROUNDS, disk.open_ledger)
    disk.follow(disk.Plan())
    return counted.count


def boundaries(folder: Path) -> dict[str, int]:
    """SIGKILL before every write, sync, truncation, renaming and removal, and half-way through every write."""
    total = operations(folder)
    for half_way in (False, True):
        for at in range(1, total + 1):
            path = folder / f"{at}-{half_way}.ledger"
            fate = disk.Kill(at, half_way=half_way)
            announced, ended = forked(partial(doomed, path, fate))
            assert ended == -signal.SIGKILL or (half_way and at == total), f"operation {at} was never reached"
            study.check(path, announced, at_most=1)
    return {"runs": 2 * total, "operations": total}


def doomed(path: Path, fate: disk.Plan, announce: study.Announce) -> None:
    disk.follow(fate)
    study.run(path, announce, ROUNDS, disk.open_ledger)


def failures(folder: Path) -> dict[str, int]:
    """ENOSPC and EIO at every operation, once or from then on; a study opens its ledger again and goes on."""
    total, refused = operations(folder), 0
    for number in (errno.ENOSPC, errno.EIO):
        for forever in (False, True):
            for at in range(1, total + 1):
                path = folder / f"{number}-{forever}-{at}.ledger"
                fate = disk.Fail(at, number, forever=forever)
                announced, ended = forked(partial(stubborn, path, fate))
                assert ended == 0, f"operation {at}, error {number}, forever {forever}"
                refused += sum(fact["kind"] == "refused" for fact in announced)
                overcharged = sum(fact["kind"] == "refused" for fact in announced)
                study.check(path, announced, at_most=overcharged)
    return {"runs": 4 * total, "operations": total, "refusals": refused}


def stubborn(path: Path, fate: disk.Fail, announce: study.Announce) -> None:
    """Try a study three times; only errors of the family may come, and each says what to do."""
    disk.follow(fate)
    for attempt in range(3):
        try:
            study.run(path, announce, ROUNDS, disk.open_ledger, name=f"attempt {attempt}")
            break
        except SudareError as error:
            if not (isinstance(error, LedgerUnavailable) and error.where and error.remedy and fate.happened):
                raise
            announce({"kind": "refused", "what": error.what})


def power_cuts(folder: Path, seed: int, opener: study.Opener) -> dict[str, int]:
    """Cut the power after every operation: keep the least that is certain, the most that is possible, and chance."""
    record, chance = disk.Record(), random.Random(seed)  # noqa: S311
    path = folder / "study" / "study.ledger"
    path.parent.mkdir()
    disk.follow(record)
    study.run(path, lambda fact: record.log.append(("announce", fact)), ROUNDS, opener)
    disk.follow(disk.Plan())
    model, announced, runs, refused = power.Disk(), [], 0, 0
    for number, operation in enumerate(record.log):
        if operation[0] == "announce":
            announced.append(operation[1])
            continue
        model.do(operation)
        cuts = {"least": model.least(), "most": model.most(), "some": model.some(chance), "other": model.some(chance)}
        for name, found in cuts.items():
            runs += 1
            refused += after_the_cut(found, path, folder / f"{number}-{name}", announced)
    return {"runs": runs, "operations": len(record.log), "refused": refused}


def after_the_cut(found: dict[str, bytes], path: Path, folder: Path, announced: list[dict[str, Any]]) -> bool:
    """Check what is left; say whether the ledger was refused, which it may be only while it was made."""
    left = power.laid_out(found, path, folder)
    try:
        study.check(left, announced, at_most=1)
    except LedgerError:
        if announced:
            raise
        return True
    return False


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("campaign", choices=["kills", "boundaries", "failures", "power", "careless"])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", DeprecationWarning)
    # A random kill should fall into a wait for a true disk; the others choose their moment, so that memory will do.
    in_memory = options.campaign != "kills" and os.access("/dev/shm", os.W_OK)  # noqa: S108
    memory = "/dev/shm" if in_memory else None  # noqa: S108
    with tempfile.TemporaryDirectory(dir=memory) as name, pytest.MonkeyPatch.context() as patch:
        disk.watched(patch)
        folder = Path(name)
        if options.campaign == "kills":
            found = kills(folder, options.runs, options.seed)
        elif options.campaign == "power":
            found = power_cuts(folder, options.seed, disk.open_ledger)
        elif options.campaign == "careless":
            found = power_cuts(folder, options.seed, disk.open_careless_ledger)
        else:
            found = {"boundaries": boundaries, "failures": failures}[options.campaign](folder)
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
