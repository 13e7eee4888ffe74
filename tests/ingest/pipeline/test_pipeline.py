from __future__ import annotations

import dataclasses
import importlib.metadata
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import filelock
import numpy as np
import pytest

from configs.settings import Settings
from ingest.arrays import Float32Array
from ingest.command import main
from ingest.embed import models as embedders
from ingest.executors import InProcess, LocalProcesses
from ingest.pipeline import read_document as reader
from ingest.pipeline.pipeline import ingest
from ingest.pipeline.plan import expand
from ingest.store import create_store, open_store
from tests import fakes
from tests.fakes import (
    CACHES,
    HEBREW,
    LOCKS,
    RANKING,
    TREES,
    HashingEmbedder,
    lecture_pdf,
)

LOADER = "ingest.embed.models.load_embedder"
REAL_LOADER = embedders.load_embedder
POOL = "ingest.executors.LocalProcesses"
ROOT = Path(__file__).resolve().parents[3]


@dataclasses.dataclass(frozen=True)
class Ran:
    """What a command did; `notes` are its lines on standard error, progress bars left out."""

    code: int
    out: str
    notes: list[str]

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def statuses(self) -> dict[str, str]:
        return {file["document"]: file["status"] for file in self.json["files"]}


Run = Callable[..., Ran]


@pytest.fixture(autouse=True)
def _no_model_and_no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LOADER, fakes.load_hashing_embedder)
    monkeypatch.setattr(POOL, lambda _: InProcess())


@pytest.fixture
def worker_processes(
    _no_model_and_no_processes: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files are read in processes of their own, as they are outside of tests."""
    monkeypatch.setattr(POOL, LocalProcesses)


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "store")


@pytest.fixture
def run(store: str, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `python -m ingest --store STORE ARGUMENTS...` in this process."""

    def run(*arguments: str | Path) -> Ran:
        capsys.readouterr()
        try:
            code = main(["--store", store, *map(str, arguments)])
        except SystemExit as exit_:  # argparse
            code = int(exit_.code or 0)
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return Ran(
            code,
            captured.out,
            [line for line in captured.err.splitlines() if line.startswith("ingest: ")],
        )

    return run


@pytest.fixture
def lectures(tmp_path: Path) -> Path:
    """A folder with two lectures."""
    return pdfs(tmp_path / "lectures", trees=[TREES, CACHES], ranking=[RANKING])


def pdfs(folder: Path, **lectures: Sequence[str]) -> Path:
    """The folder, with a PDF a lecture, whose title is its stem and whose paragraphs are given."""
    folder.mkdir(parents=True, exist_ok=True)
    for stem, paragraphs in lectures.items():
        (folder / f"{stem}.pdf").write_bytes(lecture_pdf(stem.title(), *paragraphs))
    return folder


def jsonl(path: Path, *records: dict[str, Any] | str) -> Path:
    lines = [
        record if isinstance(record, str) else json.dumps(record, ensure_ascii=False)
        for record in records
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def entry(paragraph_id: str, book_name: str, text: str) -> dict[str, Any]:
    return {"paragraph_id": paragraph_id, "book_name": book_name, "text": text}


def texts_of(store: str) -> dict[str, list[str]]:
    """The paragraphs in force, by document."""
    texts: dict[str, list[str]] = {}
    for paragraph in open_store(store).paragraphs:
        texts.setdefault(paragraph.doc_id, []).append(paragraph.text)
    return texts


def refused(ran: Ran) -> str:
    """The one line with which a command refused bad input."""
    assert ran.code == 2
    assert ran.out == ""
    assert len(ran.notes) == 1
    return ran.notes[0]


# --- what may be named


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (
            "none.pdf",
            "{path} does not exist.",
        ),
        (
            "notes",
            "{path} holds no PDF files; check the path.",
        ),
        (
            "notes/notes.rtf",
            "{path} is neither .pdf nor .jsonl; save it as PDF first.",
        ),
    ],
)
def test_path_that_cannot_be_read_is_refused_before_anything_is_made(
    path: str, message: str, tmp_path: Path, lectures: Path, run: Run
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "notes.rtf").write_text("plain")
    assert (
        refused(run(lectures, tmp_path / path))
        == f"ingest: {message.format(path=tmp_path / path)}"
    )
    assert sorted(child.name for child in tmp_path.iterdir()) == ["lectures", "notes"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            [],
            "PATH must name PDF files, folders of them, or a paragraphs.jsonl; name one",
        ),
        (["--workers", "0", "x.pdf"], "--workers must be at least 1, got 0"),
        (
            ["--list", "--rejected"],
            "argument --rejected: not allowed with argument --list",
        ),
        (
            ["--config", "none.yaml", "x.pdf"],
            "--config must name a YAML file, got none.yaml: no such file",
        ),
    ],
)
def test_bad_usage_is_refused_in_one_line(
    arguments: list[str], message: str, run: Run
) -> None:
    assert refused(run(*arguments)).startswith(f"ingest: {message}")


def test_folders_are_searched_through_and_each_file_is_taken_once(
    tmp_path: Path,
) -> None:
    deep = tmp_path / "course" / "week 2"
    deep.mkdir(parents=True)
    for name in ("b.pdf", "a.PDF", "notes.rtf"):
        (tmp_path / "course" / name).touch()
    (deep / "c.pdf").touch()
    (deep / "folder.pdf").mkdir()
    found, skipped = expand(
        [deep / "c.pdf", tmp_path / "course", deep / ".." / "b.pdf"]
    )

    assert skipped == {tmp_path / "course" / "notes.rtf": "not a type that is read"}
    assert found == [
        deep / "c.pdf",
        tmp_path / "course" / "a.PDF",
        tmp_path / "course" / "b.pdf",
    ]


# --- what is brought in


@pytest.mark.usefixtures("worker_processes")
def test_lectures_come_in_with_what_was_kept_and_rejected(
    lectures: Path, store: str, run: Run
) -> None:
    ran = run(lectures, "--json")

    assert (ran.code, ran.notes) == (0, [])
    assert ran.json["files"] == [
        {
            "document": stem,
            "path": str(lectures / f"{stem}.pdf"),
            "status": "added",
            "kept": kept,
            "rejected": {"word": 1},
            "detail": "",
            "notes": [],
        }
        for stem, kept in (("ranking", 1), ("trees", 2))
    ]
    totals = {
        "kept": 3,
        "rejected": {"word": 2},
        "failed": 0,
        "documents": 2,
        "paragraphs": 3,
        "embedder": "minilm",
    }
    assert totals.items() <= ran.json.items()
    opened = open_store(store)
    assert ran.json["fingerprint"] == opened.fingerprint
    assert [paragraph.paragraph_id for paragraph in opened.paragraphs] == [
        "ranking:1:1",
        "trees:1:1",
        "trees:1:2",
    ]
    assert [paragraph.text for paragraph in opened.paragraphs] == [
        RANKING,
        TREES,
        CACHES,
    ]
    np.testing.assert_allclose(
        opened.vectors,
        HashingEmbedder().embed_passages([RANKING, TREES, CACHES]),
        atol=1e-7,
    )


def test_store_shows_what_it_holds(lectures: Path, store: str, run: Run) -> None:
    run(lectures)
    listed = run("--list", "--json").json

    about = {
        "store": store,
        "embedder": "minilm",
        "n_paragraphs": 3,
        "fingerprint": open_store(store).fingerprint,
    }
    assert about.items() <= listed.items()
    assert listed["documents"][1] == {
        "document": "trees",
        "path": str(lectures / "trees.pdf"),
        "aliases": [
            {"text": "trees", "source": "stem"},
            {"text": "Trees", "source": "title"},
        ],
        "pages": 1,
        "kept": 2,
        "kinds": {"prose": 2},
        "near_identical": 0,
        "rejected": {"word": 1},
        "same_as": "",
        "authors": [],
        "date": "2026-01-15",
        "lecture_number": None,
        "reader": "pypdfium2",
    }
    assert run("--rejected", "--json").json == [
        {"document": stem, "page": 1, "reason": "word", "text": stem.title()}
        for stem in ("ranking", "trees")
    ]
    assert run("--paragraphs", "--json").json[2] == {
        "paragraph_id": "trees:1:2",
        "document": "trees",
        "page": 1,
        "heading": "Trees",
        "section": ["Trees"],
        "opening_sentence": CACHES.partition(". ")[0] + ".",
        "text": CACHES,
        "same_as": "",
        "kind": "prose",
    }
    first, second, *_ = run("--list").out.splitlines()
    assert (
        first == "ranking: 1 pages, 1 paragraph, 0 other passages, 1 left out (word 1)"
    )
    assert second == "    stem     ranking"
    assert run("--rejected").out == "ranking p1 [word] Ranking\ntrees p1 [word] Trees\n"
    assert f"trees:1:1 [Trees] {TREES}" in run("--paragraphs").out.splitlines()


def test_reader_that_stops_listening_is_no_error(
    tmp_path: Path, store: str, run: Run
) -> None:
    run(jsonl(tmp_path / "course.jsonl", entry("p1", "trees", TREES)))
    listening, speaking = os.pipe()
    os.close(listening)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "ingest", "--store", store, "--paragraphs"],
            cwd=ROOT,
            stdout=speaking,
            stderr=subprocess.PIPE,
            check=False,
            timeout=240,
        )
    finally:
        os.close(speaking)

    assert (done.returncode, done.stderr) == (0, b"")


# --- paragraphs.jsonl


def test_paragraphs_file_keeps_its_ids_and_books(
    tmp_path: Path, store: str, run: Run
) -> None:
    course = jsonl(
        tmp_path / "course.jsonl",
        entry("x-9", "Search trees", f" {TREES}\n"),
        "",
        entry("x-2", "Caches", CACHES),
        entry("א", "Caches", LOCKS),
    )
    ran = run(course, "--json")

    assert (ran.code, ran.statuses) == (0, {"Caches": "added", "Search trees": "added"})
    paragraphs = open_store(store).paragraphs
    assert [(item.paragraph_id, item.doc_id) for item in paragraphs] == [
        ("x-2", "Caches"),
        ("א", "Caches"),
        ("x-9", "Search trees"),
    ]
    assert paragraphs[2].text == TREES
    assert paragraphs[2].opening_sentence == TREES.partition(". ")[0] + "."
    assert [alias.text for alias in open_store(store).documents[0].aliases] == [
        "Caches"
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"paragraph_id": "p2"', "line 2: must be a JSON object"),
        (
            {"paragraph_id": "p2", "book_name": "trees"},
            "line 2: text must be a string that is not empty, got None",
        ),
        (
            {"paragraph_id": 2, "book_name": "a", "text": "b"},
            "line 2: paragraph_id must be a string that is not empty",
        ),
        (
            entry("p1", "caches", CACHES),
            "line 2: paragraph_id must be unique, got 'p1' again",
        ),
        (
            '{"paragraph_id": "\\ud800", "book_name": "a", "text": "b"}',
            "line 2: must be Unicode text, got half a",
        ),
    ],
)
def test_broken_line_of_a_paragraphs_file_is_named_and_nothing_of_it_comes_in(
    line: dict[str, Any] | str, message: str, tmp_path: Path, store: str, run: Run
) -> None:
    course = jsonl(tmp_path / "course.jsonl", entry("p1", "trees", TREES), line)
    ran = run(course)
    assert ran.code == 2
    assert len(ran.notes) == 1
    assert ran.notes[0].startswith(f"ingest: {course} {message}")
    assert create_store(store).course.documents == ()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\n", "must hold at least one paragraph, it is empty"),
        ("é".encode("latin-1"), "must be UTF-8"),
    ],
)
def test_paragraphs_file_without_a_paragraph_or_not_in_utf8_fails(
    content: bytes, message: str, tmp_path: Path, run: Run
) -> None:
    path = tmp_path / "course.jsonl"
    path.write_bytes(content)
    ran = run(path)
    assert ran.code == 2
    assert f"{path}: {message}" in ran.notes[0]


def test_changed_paragraphs_file_replaces_all_that_it_brought(
    tmp_path: Path, store: str, run: Run
) -> None:
    course = tmp_path / "course.jsonl"
    run(jsonl(course, entry("p1", "treees", TREES), entry("p2", "caches", CACHES)))
    ran = run(
        jsonl(course, entry("p1", "trees", TREES), entry("p2", "caches", LOCKS)),
        "--json",
    )
    assert ran.statuses == {"trees": "added", "caches": "replaced", "treees": "removed"}
    assert texts_of(store) == {"trees": [TREES], "caches": [LOCKS]}
    assert set(run(course, "--json").statuses.values()) == {"unchanged"}


def test_two_paragraphs_files_cannot_share_a_book_or_an_id(
    tmp_path: Path, store: str, run: Run
) -> None:
    first = jsonl(tmp_path / "1.jsonl", entry("p1", "trees", TREES))
    same_book = jsonl(tmp_path / "2.jsonl", entry("p2", "trees", CACHES))
    same_id = jsonl(tmp_path / "3.jsonl", entry("p1", "caches", CACHES))
    copy = jsonl(tmp_path / "4.jsonl", entry("p1", "trees", TREES))
    expected = [
        f"ingest: {same_book}: book_name must be of one file, got 'trees', which is of {first}; rename it",
        f"ingest: {same_id}: paragraph_id must be unique in the store, got 'p1', which is of 'trees'; rename it",
    ]
    for _ in range(2):  # within one ingest, and against what is stored
        ran = run(first, same_book, same_id, copy)
        assert (ran.code, ran.notes) == (1, expected)
        assert "same file  trees: same file as trees, counted once\n" in ran.out
        assert texts_of(store) == {"trees": [TREES]}


# --- again


def test_running_twice_changes_nothing(
    lectures: Path, store: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = jsonl(lectures / "more.jsonl", entry("p1", "locks", LOCKS))
    first = run(lectures, course, "--json")
    before = run("--paragraphs", "--json").out
    monkeypatch.setattr(LOADER, lambda *_: pytest.fail("the model was loaded again"))
    second = run(lectures, course, "--json")

    assert set(first.statuses.values()) == {"added"}
    assert second.statuses == dict.fromkeys(first.statuses, "unchanged")
    assert second.json | {"files": []} == first.json | {"files": []}
    assert run("--paragraphs", "--json").out == before


# --- one text under several names, several texts under one name


def test_file_under_two_names_is_counted_once(
    lectures: Path, store: str, run: Run
) -> None:
    shutil.copy(lectures / "trees.pdf", lectures / "week 1.pdf")
    first = run(lectures, "--json")

    assert first.statuses == {
        "ranking": "added",
        "trees": "added",
        "week 1": "same file",
    }
    totals = dict.fromkeys(("kept", "paragraphs", "documents"), 3)
    assert totals.items() <= first.json.items()
    assert texts_of(store) == {"ranking": [RANKING], "trees": [TREES, CACHES]}
    twin = {
        "document": "week 1",
        "same_as": "trees",
        "kept": 0,
        "pages": 1,
        "aliases": [{"text": "week 1", "source": "stem"}],
    }
    assert twin.items() <= run("--list", "--json").json["documents"][2].items()
    assert (
        "week 1: 1 pages, 0 paragraphs, 0 other passages, 0 left out, same file as trees"
        in run("--list").out
    )
    second = run(lectures, "--json")
    assert set(second.statuses.values()) == {"unchanged"}
    assert second.json["fingerprint"] == first.json["fingerprint"]


# --- files that fail


@pytest.mark.usefixtures("worker_processes")
def test_file_that_fails_is_named_while_the_others_go_through(
    lectures: Path, store: str, run: Run
) -> None:
    expected = {
        "cut": (
            lecture_pdf("Trees", TREES)[:4_000],
            "must be a whole PDF, its end is missing; get the file again",
        ),
        "locked": (fakes.encrypted_pdf(), "is encrypted; save it without a password"),
        "scan": (fakes.drawn_pdf(), "no text layer; "),
        "text": (TREES.encode(), "must be a PDF, got another format; convert it first"),
    }
    for stem, (content, _) in expected.items():
        (lectures / f"{stem}.pdf").write_bytes(content)
    ran = run(lectures, "--json")

    assert ran.code == 1
    assert ran.statuses == {
        **dict.fromkeys(expected, "failed"),
        "ranking": "added",
        "trees": "added",
    }
    assert (ran.json["failed"], ran.json["kept"], ran.json["documents"]) == (4, 3, 2)
    details = [
        file["detail"] for file in ran.json["files"] if file["status"] == "failed"
    ]
    assert ran.notes == [f"ingest: {detail}" for detail in details]
    for detail, (stem, (_, message)) in zip(details, expected.items(), strict=True):
        assert detail.startswith(f"{lectures / stem}.pdf: {message}")
    assert texts_of(store) == {"ranking": [RANKING], "trees": [TREES, CACHES]}
    for stem in expected:  # what failed is tried again, whether it was mended or not
        (lectures / f"{stem}.pdf").write_bytes(
            lecture_pdf(stem, f"{LOCKS} This one is called {stem}.")
        )
    (lectures / "text.pdf").write_text(TREES)
    mended = {
        **dict.fromkeys(expected, "added"),
        "text": "failed",
        "ranking": "unchanged",
        "trees": "unchanged",
    }
    assert run(lectures, "--json").statuses == mended


def test_file_name_that_is_not_utf8_costs_that_file_alone(
    lectures: Path, store: str, run: Run
) -> None:
    odd = (
        os.fsencode(lectures) + b"/\xf9\xf1.pdf"
    )  # as zip archives from Hebrew Windows have them
    Path(os.fsdecode(odd)).write_bytes(lecture_pdf("Locks", LOCKS))
    ran = run(lectures, "--json")
    assert (ran.code, ran.json["failed"], ran.json["kept"]) == (1, 1, 3)
    assert len(ran.notes) == 1
    assert "the file's name must be UTF-8; rename it" in ran.notes[0]


@pytest.mark.usefixtures("worker_processes")
def test_file_that_hangs_is_given_up_while_the_others_go_through(
    tmp_path: Path, store: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = pdfs(tmp_path / "course", quick=[TREES], slow=[CACHES])
    (tmp_path / "hasty.yaml").write_text("ingest: {timeout_s: 0.5}")
    with monkeypatch.context() as patch:
        patch.setattr("ingest.pipeline.read.read_pdf", fakes.hang_reading)
        ran = run(
            course, "--workers", "1", "--config", tmp_path / "hasty.yaml", "--json"
        )
    assert (ran.code, ran.statuses) == (1, {"quick": "added", "slow": "failed"})
    assert ran.notes == [
        f"ingest: {course / 'slow.pdf'}: must be readable within 0.5 s, was given up; raise ingest.timeout_s"
    ]
    again = run(course, "--json")
    assert (again.code, again.statuses["slow"]) == (0, "added")


@pytest.mark.usefixtures("worker_processes")
def test_file_that_kills_its_reader_costs_itself_alone(
    tmp_path: Path, store: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = pdfs(tmp_path / "course", deadly=[CACHES], quick=[TREES])
    monkeypatch.setattr("ingest.pipeline.read.read_pdf", fakes.die_reading)
    ran = run(course, "--workers", "1", "--json")
    assert (ran.code, ran.statuses) == (1, {"deadly": "failed", "quick": "added"})
    assert ran.notes == [
        f"ingest: {course / 'deadly.pdf'}: its reader died (exit code 3); the file is damaged, or needs more than "
        "2000 MB of memory (ingest.memory_mb)"
    ]


# --- the embedder


def test_hebrew_lectures_get_the_multilingual_model(
    tmp_path: Path, store: str, run: Run
) -> None:
    course = jsonl(tmp_path / "course.jsonl", entry("p1", "עצים", HEBREW))
    assert run(course, "--json").json["embedder"] == "e5"
    more = jsonl(tmp_path / "more.jsonl", entry("p2", "trees", TREES))
    assert (
        run(more, "--json").json["embedder"] == "e5"
    )  # the store's own, whatever the script of what is added
    assert open_store(store).embedder_spec == "e5"


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("no-such/model", "got 'no-such/model'"),
        (
            "no_such.Embedder",
            "--embedder must name something that can be imported and made, got 'no_such.Embedder'",
        ),
        ("mpnet", "run: make mpnet"),
    ],
)
def test_an_embedder_that_is_none_is_refused_before_a_page_is_read(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, spec: str, says: str
) -> None:
    monkeypatch.setattr(LOADER, REAL_LOADER)
    monkeypatch.setenv(
        "QUARRY_MODELS", str(tmp_path / "models")
    )  # not where it may be exported already
    monkeypatch.setattr(importlib.metadata, "files", lambda name: None)
    monkeypatch.setattr(
        "ingest.pipeline.read.read_pdf", lambda *_: pytest.fail("a page was read")
    )
    course = pdfs(tmp_path / "course", trees=[TREES])
    assert says in refused(run(course, "--workers", "1", "--embedder", spec))


# --- the store cannot be written


KILLED_INGEST = """
import os, signal, sys
from chromadb.api.models.Collection import Collection
from ingest.command import main
from ingest.embed import models
from tests import fakes

def main_guarded():
    moment, *arguments = sys.argv[1:]
    models.load_embedder = fakes.load_hashing_embedder
    upsert = Collection.upsert

    def upsert_or_die(self, *positional, **named):
        if moment == "before the paragraphs" or self.name.endswith("-documents"):
            os.kill(os.getpid(), signal.SIGKILL)
        upsert(self, *positional, **named)

    Collection.upsert = upsert_or_die
    main(arguments)

if __name__ == "__main__":
    main_guarded()
"""
"""An ingest that is killed while it writes."""


@pytest.mark.parametrize("moment", ["before the paragraphs", "before the records"])
def test_ingest_that_was_killed_is_finished_by_the_next(
    moment: str,
    lectures: Path,
    tmp_path: Path,
    store: str,
    settings: Settings,
    run: Run,
) -> None:
    run(lectures / "ranking.pdf")
    before = open_store(store).fingerprint
    script = tmp_path / "killed.py"
    script.write_text(KILLED_INGEST)
    arguments = [moment, str(lectures), "--store", store, "--workers", "1"]
    killed = subprocess.run(
        [sys.executable, str(script), *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )

    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert open_store(store).fingerprint == before
    finished = run(lectures, "--json")
    assert (finished.code, finished.statuses) == (
        0,
        {"ranking": "unchanged", "trees": "added"},
    )
    assert texts_of(store) == {"ranking": [RANKING], "trees": [TREES, CACHES]}
    untouched = ingest(
        [lectures], str(tmp_path / "untouched"), settings, progress=False
    )
    assert finished.json["fingerprint"] == untouched.fingerprint


# What the user says, drops, or has twice


def test_a_correction_that_is_added_later_is_taken_up(
    lectures: Path, store: str, run: Run
) -> None:
    run(lectures)
    _, wrong, _ = open_store(store).paragraphs
    correction = (
        f"{{was: {wrong.opening_sentence!r}, opening_sentence: It is printed so.}}"
    )
    (lectures / "trees.yaml").write_text(f"corrections: [{correction}]")
    run(lectures)
    again = open_store(store)
    right = next(
        item for item in again.paragraphs if item.paragraph_id == wrong.paragraph_id
    )

    assert (right.opening_sentence, right.text.startswith("It is printed so.")) == (
        "It is printed so.",
        True,
    )
    (expected,) = HashingEmbedder().embed_passages([right.text])
    np.testing.assert_allclose(
        again.vectors[again.paragraphs.index(right)], expected, atol=1e-6
    )


def test_broken_sidecar_costs_its_file_alone_and_nothing_stored(
    lectures: Path, store: str, run: Run
) -> None:
    run(lectures)
    before = open_store(store).fingerprint
    (lectures / "trees.yaml").write_text("alias: Search structures")
    ran = run(lectures, "--json")
    assert (ran.code, ran.statuses) == (1, {"ranking": "unchanged", "trees": "failed"})
    assert ran.json["fingerprint"] == before
    assert ran.notes[-1].startswith(
        f"ingest: {lectures}/trees.yaml: keys must be of title, aliases, "
    )


def test_dropped_document_is_gone_and_unknown_ones_are_refused(
    lectures: Path, store: str, run: Run
) -> None:
    assert "no store there" in refused(run("--drop", "trees"))
    run(lectures)

    assert refused(run(lectures / "trees.pdf", "--drop", "trees")).startswith(
        "ingest: PATH must be left out "
    )
    assert "got 'tree'; run: python -m ingest --store" in refused(
        run("--drop", "ranking", "tree")
    )
    assert len(texts_of(store)) == 2
    ran = run("--drop", "ranking")
    assert (ran.code, ran.out.splitlines()[0]) == (0, "removed    ranking: dropped")
    assert list(texts_of(store)) == ["trees"]
    assert run(lectures, "--json").statuses == {
        "ranking": "added",
        "trees": "unchanged",
    }


def test_near_identical_paragraphs_are_linked_and_counted_once(
    tmp_path: Path, store: str, run: Run
) -> None:
    late = jsonl(
        tmp_path / "late.jsonl",
        entry("z", "z-book", TREES),
        entry("y", "z-book", CACHES),
    )
    run(late)
    early = jsonl(tmp_path / "early.jsonl", entry("a", "a-book", TREES.upper()))
    summary = run(early, "--json").json

    assert (summary["paragraphs"], summary["near_identical"]) == (3, 1)
    same_as = {
        paragraph.paragraph_id: paragraph.same_as
        for paragraph in open_store(store).paragraphs
    }
    assert same_as == {
        "a": "",
        "z": "a",
        "y": "",
    }  # the first one in the store's order, not in that of coming
    counted = (
        f"{store}: 2 documents, 2 paragraphs and 1 near-identical to one of them, "
    )
    assert any(line.startswith(counted) for line in run("--list").out.splitlines())
    listed = run("--list", "--json").json
    assert listed["n_near_identical"] == 1
    assert [book["near_identical"] for book in listed["documents"]] == [0, 1]
    shown = run("--paragraphs", "--json").json
    assert {item["paragraph_id"]: item["same_as"] for item in shown} == same_as
    run("--drop", "a-book")
    assert [paragraph.same_as for paragraph in open_store(store).paragraphs] == ["", ""]


def test_file_names_and_texts_reach_the_terminal_as_what_they_are(
    tmp_path: Path, run: Run
) -> None:
    folder = pdfs(tmp_path / "lectures", trees=[TREES])
    (folder / "\x1b[2Jevil\u202efdp.pdf").write_bytes(lecture_pdf("Caches", CACHES))
    (folder / "\x1b]0;broken\x07.pdf").write_bytes(b"no PDF")
    records = [
        entry("m:1:1", "marked", f"{RANKING} \x1b[31mred\x1b[0m \u2066hidden\u2069")
    ]
    shown = [
        run(folder, jsonl(tmp_path / "more.jsonl", *records)),
        run("--list"),
        run("--paragraphs"),
        run("--json"),
    ]
    told = "".join(ran.out + "".join(ran.notes) for ran in shown)

    assert "\\x1b[2Jevil\\u202efdp" in told
    assert not {"\x1b", "\x07", "\u202e", "\u2066"} & set(told)


def test_whatever_a_reader_raises_is_that_files_failure(
    lectures: Path, run: Run, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = reader.read_pdf

    def damaged(path: Path, doc_id: str, content: str, settings: Any) -> Any:
        if doc_id == "trees":
            raise IndexError("list index out\nof range")
        return read(path, doc_id, content, settings)

    monkeypatch.setattr("ingest.pipeline.read.read_pdf", damaged)
    ran = run(lectures, "--json")
    assert (ran.code, ran.statuses) == (1, {"trees": "failed", "ranking": "added"})
    assert any(
        "must be a whole file, is damaged (IndexError: list index out of range)" in note
        for note in ran.notes
    )


def test_words_of_a_store_that_has_none_are_read_by_the_next_ingest(
    tmp_path: Path, store: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = jsonl(
        tmp_path / "course.jsonl",
        entry("p1", "trees", TREES),
        entry("p2", "caches", CACHES),
    )
    monkeypatch.setenv("QUARRY_ACCURACY", "plain")
    run(course)

    assert open_store(store).word_specs == ()
    before = open_store(store).fingerprint
    monkeypatch.setenv("QUARRY_ACCURACY", "fast")
    for status in ("embedded anew", "unchanged"):
        statuses = run(course, "--json").statuses
        assert statuses == dict.fromkeys(("trees", "caches"), status)
        assert open_store(store).word_specs == ("minilm",)
        assert open_store(store).fingerprint == before


def test_summary_in_words_names_each_file_and_what_was_skipped(
    lectures: Path, run: Run
) -> None:
    for name in ("more.jsonl", "picture.png", ".hidden", "trees.yaml"):
        (lectures / name).write_text("date: 2026-03-15")
    ran = run(lectures)
    assert ran.out.splitlines()[:-1] == [
        "added      ranking: 1 kept, 1 left out (word 1)",
        "added      trees: 2 kept, 1 left out (word 1)",
        f"skipped    {lectures}/more.jsonl: read only if it is named",
        f"skipped    {lectures}/picture.png: not a type that is read",
        "kept 3, 2 left out (word 2), failed 0",
    ]


def test_of_two_ingests_at_once_the_second_begins_again_and_both_are_there(
    tmp_path: Path, store: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = jsonl(tmp_path / "course.jsonl", entry("p1", "trees", TREES))
    other = jsonl(tmp_path / "other.jsonl", entry("p2", "caches", CACHES))
    inner: list[Ran] = []

    class Interrupting(HashingEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> Float32Array:
            if not inner:
                inner.append(Ran(0, "", []))
                inner.append(run(other))
            return super().embed_passages(texts)

    monkeypatch.setattr(LOADER, lambda *_: Interrupting())
    assert run(course, "--json").statuses == {"trees": "added"}
    assert inner[1].code == 0
    assert texts_of(store) == {"trees": [TREES], "caches": [CACHES]}


def test_nothing_is_locked_or_written_where_nothing_changes(
    lectures: Path, store: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(lectures)
    before = {path: path.stat().st_mtime_ns for path in Path(store).rglob("*")}
    with filelock.FileLock(Path(store).with_name(".store.lock")):
        assert set(run(lectures, "--json").statuses.values()) == {"unchanged"}
    assert {path: path.stat().st_mtime_ns for path in Path(store).rglob("*")} == before


def test_what_was_resumed_and_doubted_is_told(
    lectures: Path,
    store: str,
    run: Run,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Interrupted(HashingEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> Float32Array:
            raise KeyboardInterrupt

    (lectures / "trees.yaml").write_text(
        "corrections: [{was: A search tree keeps, opening_sentence: It is printed so.}, {was: nowhere, text: So.}]"
    )
    with monkeypatch.context() as patch:
        patch.setattr(LOADER, lambda *_: Interrupted())
        assert run(lectures).code == 130
    assert main(["--store", store, str(lectures)]) == 0
    told = capsys.readouterr()
    assert "resumed: 2 files had been read before\n" in told.err
    assert (
        "           trees: 1 correction applied, 1 fits nothing ('nowhere')\n"
        in told.out
    )
