"""A folder appears whole or not at all, and is read without trust."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from sudare.errors import FolderExists, ReleaseDamaged, ReleaseError
from sudare.release import folder


def test_all_files_appear_at_once_and_nothing_is_left_beside(tmp_path: Path) -> None:
    folder.write_whole(tmp_path / "out", {"value.json": b"{}", "card.html": b"x"})
    assert sorted(os.listdir(tmp_path / "out")) == ["card.html", "value.json"]
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.parametrize("there", ["folder", "full folder", "file", "dangling link"])
def test_nothing_is_ever_written_over(tmp_path: Path, there: str) -> None:
    target = tmp_path / "out"
    if "folder" in there:
        target.mkdir()
    if there == "full folder":
        (target / "precious").write_text("x")
    if there == "file":
        target.write_text("x")
    if there == "dangling link":
        target.symlink_to(tmp_path / "nowhere")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(FolderExists):
        folder.write_whole(target, {"value.json": b"{}"})
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("appears", ["file", "full folder"])
def test_what_appears_while_writing_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, appears: str
) -> None:
    target, lexists, asked = tmp_path / "out", os.path.lexists, []

    def late(path: Any) -> bool:
        there = lexists(path)
        asked.append(path)
        if len(asked) == 2:  # after the last look, before the rename
            (target if appears == "file" else target / "precious").parent.mkdir(exist_ok=True)
            (target if appears == "file" else target / "precious").write_text("x")
        return there

    monkeypatch.setattr(os.path, "lexists", late)
    with pytest.raises(FolderExists):
        folder.write_whole(target, {"value.json": b"{}"})
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] in (["out"], ["precious"])


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="cannot be made here"):
        folder.write_whole(tmp_path / "missing" / "out", {"value.json": b"{}"})


def test_a_disk_that_is_full_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ReleaseError, match="No space left"):
        folder.write_whole(tmp_path / "out", {"value.json": b"{}"})
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["../x.json", "/etc/passwd", "a/b.json", ".hidden", "A.json", "x", "", "é.json"])
def test_a_name_that_is_a_path_is_never_opened(tmp_path: Path, name: str) -> None:
    with pytest.raises(ReleaseDamaged, match="no name"):
        folder.read_file(tmp_path, name)


def test_links_pipes_folders_and_devices_are_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("x")
    (tmp_path / "link.json").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "folder.json").mkdir()
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "null.json").symlink_to("/dev/zero")
    for name in ("link.json", "folder.json", "pipe.json", "null.json", "missing.json"):
        with pytest.raises(ReleaseDamaged) as refused:
            folder.read_file(tmp_path, name)
        assert refused.value.where == name


def test_a_file_larger_than_allowed_is_refused_unread(tmp_path: Path) -> None:
    with (tmp_path / "value.json").open("wb") as file:
        file.truncate(folder.LARGEST_JSON_BYTES + 1)
    with pytest.raises(ReleaseDamaged, match="larger"):
        folder.read_file(tmp_path, "value.json")


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"3", b'{"a": NaN}', b'{"a": Infinity}', b'{"a": 1, "a": 2}', b'{"a": "\xff"}', b"[" * 100_000,
     b'{"a":' * 100_000, b'{"a": ' + b"9" * 100_000 + b"}", "{}".encode("utf-16")],
    ids=lambda content: repr(content[:12]),
)  # fmt: skip
def test_json_that_no_release_would_hold_is_refused(content: bytes) -> None:
    with pytest.raises(ReleaseDamaged) as refused:
        folder.read_json(content, "card.json")
    assert refused.value.where == "card.json"


def test_facts_come_back_and_give_the_same_bytes_again() -> None:
    facts = {"z": [1, 0.1, "日本", None], "a": {"b": True}}
    content = folder.json_bytes(facts)
    assert folder.read_json(content, "x.json") == facts
    assert folder.json_bytes(json.loads(content)) == content
