import fcntl
import os
import sqlite3
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from sudare.errors import CeilingReached, InvalidParameter, LedgerDamaged, LedgerUnavailable
from sudare.guarantees import Budget
from sudare.ledger import Ledger, clock, read_file
from sudare.ledger.place import file_system, is_mount_point, is_network


def test_ceilings_are_declared_once_and_opened_again_with_or_without(path: Path) -> None:
    Ledger.open(path, ceilings={"patients": ("3", "1e-6")})
    assert Ledger.open(path).left("patients") == Budget.of("3", "1e-6")
    assert Ledger.open(path, ceilings={"patients": (3.0, 1e-6)}).left("patients") == Budget.of("3", "1e-6")
    assert len(Ledger.open(path).entries()) == 1


@pytest.mark.parametrize("other", [("4", "1e-6"), ("2", "1e-6"), ("3", 0)])
def test_a_ceiling_never_changes(path: Path, other: tuple[str, object]) -> None:
    Ledger.open(path, ceilings={"patients": ("3", "1e-6")})
    with pytest.raises(CeilingReached, match="never changes"):
        Ledger.open(path, ceilings={"patients": other})
    assert Ledger.open(path).left("patients") == Budget.of("3", "1e-6")


def test_a_ceiling_for_new_subjects_is_added(path: Path) -> None:
    Ledger.open(path, ceilings={"patients": ("3", 0)})
    Ledger.open(path, ceilings={"patients": ("3", 0), "nurses": ("1", 0)})
    assert Ledger.open(path).left("nurses") == Budget.of("1")


def test_a_ceiling_for_a_part_needs_the_split_first(path: Path) -> None:
    ledger = Ledger.open(path, ceilings={"patients": ("3", 0)})
    with pytest.raises(InvalidParameter, match="split"):
        Ledger.open(path, ceilings={"patients/east": ("1", 0)})
    ledger.split("patients", ["east", "west"])
    assert Ledger.open(path, ceilings={"patients/east": ("1", 0)}).left("patients/east") == Budget.of("1")


def test_the_files_of_a_ledger_keep_its_secrets(path: Path, ledger: Ledger) -> None:
    assert path.with_name("study.ledger.key").stat().st_mode & 0o777 == 0o600
    assert path.with_name("study.ledger.head").stat().st_mode & 0o777 == 0o600


def test_nobody_else_can_read_what_was_spent(path: Path, ledger: Ledger, charged) -> None:
    charged(ledger)
    for name in ("study.ledger", "study.ledger-wal", "study.ledger-shm"):
        assert path.with_name(name).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("nowhere", [None, 3, b"study.ledger", "\0", "x" * 300, "~no such user/study.ledger"])
def test_what_is_no_path_is_refused(nowhere: object) -> None:
    for look in (Ledger.open, read_file):
        with pytest.raises((InvalidParameter, LedgerUnavailable)) as refused:
            look(nowhere)  # type: ignore[operator]
        assert refused.value.where
        assert refused.value.remedy


@pytest.mark.parametrize("seconds", [None, "1", -1, True, float("nan"), float("inf"), 1e300])
def test_what_is_no_time_to_wait_is_refused(path: Path, seconds: object) -> None:
    with pytest.raises(InvalidParameter, match="time to wait"):
        Ledger.open(path, wait_seconds=seconds)  # type: ignore[arg-type]
    assert not path.exists()


def test_a_file_that_is_a_mount_of_its_own_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = f"1 0 8:1 / / rw - ext4 /dev/sda rw\n2 1 8:1 /kept {path} rw - ext4 /dev/sda rw"
    assert is_mount_point(path, mounts)
    assert not is_mount_point(path.parent / "other.ledger", mounts)
    monkeypatch.setattr("sudare.ledger.place.is_mount_point", lambda asked: asked == path)
    with pytest.raises(LedgerUnavailable, match="mount of its own"):
        Ledger.open(path)


def test_opening_a_second_handle_drops_no_lock_of_the_first(path: Path, ledger: Ledger, charged) -> None:
    charged(ledger)
    second, log = Ledger.open(path), path.with_name("study.ledger-wal")
    before = log.stat().st_ino
    script = "import sys; from sudare.ledger import Ledger; Ledger.open(sys.argv[1]).close()"
    subprocess.run([sys.executable, "-W", "error", "-c", script, str(path)], check=True)
    assert log.stat().st_ino == before  # else the other process took itself for the last, and put the log away
    charged(second)
    charged(ledger)


def test_every_commit_is_synchronous_and_in_a_log(ledger: Ledger) -> None:
    connection = ledger._book._store._connection  # type: ignore[attr-defined]
    assert connection.execute("PRAGMA synchronous").fetchall() == [(2,)]
    assert connection.execute("PRAGMA journal_mode").fetchall() == [("wal",)]


def test_a_folder_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LedgerUnavailable, match="no such folder"):
        Ledger.open(tmp_path / "missing" / "study.ledger")


def test_a_folder_is_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(LedgerUnavailable, match="not a file"):
        Ledger.open(tmp_path)


@pytest.mark.parametrize("content", [b"patients,epsilon\n", b"SQLite format 3\0" + bytes(84), os.urandom(9000)])
def test_another_file_is_refused_and_left_as_it_is(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises((LedgerDamaged, LedgerUnavailable)):
        Ledger.open(path)
    assert path.read_bytes() == content


def test_a_foreign_database_is_refused_and_left_as_it_is(path: Path) -> None:
    foreign = sqlite3.connect(path)
    foreign.execute("CREATE TABLE patients (name TEXT)")
    foreign.commit()
    foreign.close()
    content = path.read_bytes()
    path.with_name("study.ledger.key").write_bytes(b"")  # else the missing key would be the reason
    with pytest.raises((LedgerDamaged, LedgerUnavailable)):
        Ledger.open(path)
    assert path.read_bytes() == content


def test_a_missing_key_is_refused_with_a_remedy(path: Path, ledger: Ledger) -> None:
    path.with_name("study.ledger.key").unlink()
    with pytest.raises(LedgerUnavailable, match="signing key of the ledger is missing"):
        Ledger.open(path)
    assert not path.with_name("study.ledger.key").exists()


def test_a_foreign_key_is_refused(path: Path, ledger: Ledger, tmp_path: Path) -> None:
    Ledger.open(tmp_path / "other.ledger")
    path.with_name("study.ledger.key").write_bytes((tmp_path / "other.ledger.key").read_bytes())
    with pytest.raises(LedgerDamaged, match="another ledger"):
        Ledger.open(path)


@pytest.mark.parametrize("content", [b"", b"-----BEGIN PRIVATE KEY-----\n", b"\xff" * 100])
def test_a_damaged_key_is_refused_once_there_is_a_ledger(path: Path, ledger: Ledger, content: bytes) -> None:
    path.with_name("study.ledger.key").write_bytes(content)
    with pytest.raises(LedgerDamaged, match="cannot be read"):
        Ledger.open(path)


def test_a_half_written_key_of_a_ledger_that_never_was_is_made_anew(path: Path) -> None:
    path.with_name("study.ledger.key").write_bytes(b"-----BEGIN PRI")
    path.with_name("study.ledger.key").chmod(0o600)
    assert Ledger.open(path).verify().passed


def test_a_key_that_others_can_read_is_refused(path: Path, ledger: Ledger) -> None:
    path.with_name("study.ledger.key").chmod(0o640)
    with pytest.raises(LedgerUnavailable, match="others can read"):
        Ledger.open(path)


def test_a_lock_held_too_long_is_said_not_waited_for(path: Path, charged) -> None:
    ledger = Ledger.open(path, wait_seconds=0.05)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerUnavailable, match="another process holds the ledger"):
        charged(ledger)
    holder.execute("ROLLBACK")
    holder.close()
    charged(ledger)  # a busy ledger leaves nothing in doubt, so the handle lives on
    assert len(ledger.charges) == 1


def test_a_clock_that_has_gone_back_is_refused(ledger: Ledger, charged, monkeypatch: pytest.MonkeyPatch) -> None:
    charged(ledger)
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now - timedelta(seconds=60))
    with pytest.raises(LedgerUnavailable, match="clock") as refused:
        charged(ledger)
    assert "a new ledger under a new path" in refused.value.remedy  # where the entry was made under a clock ahead
    monkeypatch.setattr(clock, "now", lambda: now - timedelta(seconds=1))
    charged(ledger)
    assert len(ledger.charges) == 2


def test_a_second_name_for_the_file_is_refused(path: Path, ledger: Ledger, tmp_path: Path) -> None:
    os.link(path, tmp_path / "second.ledger")
    with pytest.raises(LedgerUnavailable, match="second name"):
        Ledger.open(path)


def test_a_symbolic_link_leads_to_the_one_ledger(path: Path, ledger: Ledger, charged, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "link.ledger").symlink_to(path)
    charged(Ledger.open(folder / "link.ledger"))
    assert len(ledger.charges) == 1
    assert os.listdir(folder) == ["link.ledger"]


def test_a_ledger_follows_its_path_when_the_working_folder_changes(
    tmp_path: Path, charged, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger.open("study.ledger")
    (tmp_path / "deeper").mkdir()
    monkeypatch.chdir(tmp_path / "deeper")
    ledger.close()
    charged(ledger)
    assert os.listdir(tmp_path / "deeper") == []


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "fuse.s3fs", "fuse.rclone"])
def test_a_share_of_several_machines_is_refused(path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sudare.ledger.place.file_system", lambda folder: kind)
    with pytest.raises(LedgerUnavailable, match="shared between machines"):
        Ledger.open(path)
    assert not path.exists()


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs", "zfs", "tmpfs", "overlay", "fuseblk", "fuse.gocryptfs", ""])
def test_a_disk_of_this_machine_is_taken(kind: str) -> None:
    assert not is_network(kind)


def test_the_file_system_is_that_of_the_deepest_and_latest_mount() -> None:
    mounts = "\n".join(
        [
            "1 0 8:1 / / rw shared:1 - ext4 /dev/sda rw",
            "2 1 0:9 / /data rw - nfs4 server:/data rw",
            "3 2 8:2 / /data/my\\040disk rw - xfs /dev/sdb rw",
            "4 1 8:3 / /over rw - ext4 /dev/sdc rw",
            "5 4 0:7 / /over rw - cifs //server/over rw",
        ]
    )
    assert file_system(Path("/data/study"), mounts) == "nfs4"
    assert file_system(Path("/data/my disk/study"), mounts) == "xfs"
    assert file_system(Path("/database"), mounts) == "ext4"
    assert file_system(Path("/over/x"), mounts) == "cifs"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("exists", [False, True])
def test_a_place_that_this_user_may_not_write_to_is_refused(path: Path, exists: bool) -> None:
    if exists:
        Ledger.open(path).close()
        for file in path.parent.iterdir():
            file.chmod(0o644)
    opened_up = [folder for folder in path.parents if folder.stat().st_mode & 0o055 != 0o055]
    modes = [folder.stat().st_mode for folder in opened_up]
    for folder in opened_up:
        folder.chmod(0o755)
    try:
        os.seteuid(65534)
        with pytest.raises(LedgerUnavailable, match="read-only"):
            Ledger.open(path)
    finally:
        os.seteuid(0)
        for folder, mode in zip(opened_up, modes, strict=True):
            folder.chmod(mode)


def test_the_key_of_a_new_ledger_is_made_under_a_lock(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[bytes] = []
    flock = fcntl.flock

    def locked(handle: int, how: int) -> None:
        assert how == fcntl.LOCK_EX
        found.append(os.pread(handle, 10, 0))
        flock(handle, how)

    monkeypatch.setattr("sudare.ledger.signing.fcntl.flock", locked)
    Ledger.open(path)
    assert found == [b""]


BOTH_OPEN = """
import sys
from sudare.ledger import Ledger
sys.stdin.readline()
ledger = Ledger.open(sys.argv[1], ceilings={"patients": ("3", 0)})
print(ledger.id, ledger.public_key, len(ledger.entries()))
"""


def test_processes_that_make_the_same_new_ledger_at_once_make_one(path: Path) -> None:
    def start() -> "subprocess.Popen[str]":
        command = [sys.executable, "-W", "error", "-c", BOTH_OPEN, str(path)]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    children = [start() for _ in range(4)]
    outputs = {child.communicate("go\n")[0] for child in children}
    assert [child.returncode for child in children] == [0] * 4
    assert len(outputs) == 1
