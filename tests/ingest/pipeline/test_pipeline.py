"""Ingest of folders into a store: all or nothing, resumed after faults, and what the user reads of it."""

import functools
import importlib.metadata
import json
import os
import re
import shutil
from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from configs.directories import cache
from ingest.errors import BadInputError
from ingest.pipeline.plan import find_lectures
from ingest.pipeline.read_document import read_pdf
from quarry.arrays import Float32Array
from quarry.course.paragraph import Paragraph, Reading
from quarry.embed import models
from quarry.parallel import InProcess, LocalProcesses, run_all
from quarry.store import Store, open_store
from tests import fakes
from tests.evaluate.fakes import Output, run_words
from tests.fakes import (
    CACHES,
    LOCKS,
    RANKING,
    TREES,
    HashingEmbedder,
    each,
    lecture_pdf,
)

LOADER = "quarry.embed.models.load_embedder"
REAL_LOADER = models.load_embedder
POOL = "quarry.parallel.LocalProcesses"
READ = "ingest.pipeline.read.read_pdf"


class Course:
    """A folder with two lectures, and the store that they are ingested into."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = f"{folder}/store"

    @functools.cached_property
    def lectures(self) -> Path:
        (self.folder / "lectures").mkdir()
        self.pdf("lectures/trees", TREES, CACHES)
        self.pdf("lectures/ranking", RANKING)
        return self.folder / "lectures"

    def pdf(self, name: str, *paragraphs: str) -> Path:
        """Write a lecture whose title is its stem."""
        path = self.folder / f"{name}.pdf"
        path.write_bytes(lecture_pdf(path.stem.title(), *paragraphs))
        return path

    def books(
        self,
        name: str,
        *rows: tuple[str, str, str],
        **texts: str,
    ) -> Path:
        """Write a paragraphs file of rows of id, book and text, and of books with one paragraph of the same name."""
        rows += tuple((book, book, text) for book, text in texts.items())
        path = self.folder / f"{name}.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for row in rows:
                record = zip(("paragraph_id", "book_name", "text"), row, strict=True)
                print(json.dumps(dict(record)), end="\n\n", file=file)
        return path

    def run(self, *arguments: str | Path) -> Output:
        """Run `quarry ingest --store STORE ARGUMENTS...` in this process."""
        return run_words(["ingest", f"--store={self.store}", *map(str, arguments)])

    def statuses(self, *arguments: str | Path) -> dict[str, str]:
        """Run it with --json, and return the status of each document."""
        return statuses_of(self.run(*arguments, "--json"))

    @property
    def paragraphs(self) -> tuple[Paragraph, ...]:
        return open_store(self.store).paragraphs

    @property
    def texts(self) -> dict[str, list[str]]:
        """Return the kept paragraphs, by document."""
        by_document = groupby(self.paragraphs, attrgetter("doc_id"))
        return {doc_id: each(group, "text") for doc_id, group in by_document}


def statuses_of(ran: Output) -> dict[str, str]:
    return {item["document"]: item["status"] for item in ran.json["files"]}


def notes_of(ran: Output) -> list[str]:
    """Return the lines on standard error without their label, progress bars left out."""
    return re.findall("quarry ingest: (.*)", ran.err)


WHOLE = {"ranking": [RANKING], "trees": [TREES, CACHES]}
"""The texts of the two lectures."""


@pytest.fixture(autouse=True)
def _no_model_and_no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LOADER, fakes.load_hashing_embedder)
    monkeypatch.setattr(POOL, lambda _: InProcess())


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return Course(tmp_path)


# --- what may be named


def test_bad_input_is_refused_in_one_line_before_anything_is_made(
    course: Course,
) -> None:
    for name in ("notes.rtf", "good.jsonl"):
        (course.folder / name).touch()

    for arguments, message in (
        ("{0}/good.jsonl {0}/none.pdf", "{0}/none.pdf does not exist."),
        ("/dev/null", "/dev/null is not a regular file; name a PDF, "),
        ("{0}", "{0} holds no PDF files; check the path."),
        ("{0}/notes.rtf", "{0}/notes.rtf is neither .pdf nor .jsonl; save it as PDF"),
        ("", "PATH is missing; name PDF files, folders of them, or a paragraphs.jsonl"),
        ("--workers -1 x.pdf", 'Invalid value "-1" for --workers. Must be >= 0'),
        ("--list --rejected", "Mutually exclusive arguments: {{--list, --rejected}}"),
    ):
        refusal = course.run(*arguments.format(course.folder).split()).refusal
        assert message.format(course.folder) in refusal
    assert len(os.listdir(course.folder)) == 2


def test_folders_are_searched_through_and_each_visible_file_is_taken_once(
    tmp_path: Path,
) -> None:
    top = tmp_path / "course"
    deep, lectures = top / "week 2", ["week 2/c.pdf", "a.PDF", "b.pdf", "more.jsonl"]
    hidden = ["._a.pdf", "~a.pdf", ".Trashes/old.pdf", "week 2/.old/b.pdf"]
    for name in (*lectures, *hidden, "notes.rtf"):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).touch()
    (deep / "folder.pdf").mkdir()
    (top / "linked").symlink_to(tmp_path)

    paths = [deep / "c.pdf", top, deep / ".." / "b.pdf", top / "more.jsonl"]
    assert find_lectures(paths) == (
        [top / name for name in lectures],
        {
            f"{top}/linked": "is a link to a folder; name it to read it",
            f"{top}/notes.rtf": "not a type that is read",
        },
    )


def test_a_folder_that_cannot_be_read_is_not_called_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = tmp_path / "top" / "locked"
    locked.mkdir(parents=True)
    scandir = os.scandir

    def refuse(path: str) -> Any:
        if str(path) == str(locked):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    why = (
        "cannot be read: Permission denied; "
        "allow this user to use it, or name another place"
    )
    for folder in (locked, locked.parent):
        with pytest.raises(BadInputError, match=f"{locked} {why}"):
            find_lectures([folder])
    (locked.parent / "a.pdf").touch()
    _, skipped = find_lectures([locked.parent])
    assert skipped == {str(locked): why}


# --- what is brought in


def test_store_shows_what_was_kept_and_rejected(course: Course) -> None:
    path = str(course.lectures / "trees.pdf")
    ran = course.run(course.lectures, "--json")
    assert not notes_of(ran)
    assert ran.json["files"][1] == {
        "document": "trees",
        "path": path,
        "status": "added",
        "kept": 2,
        "rejected": {"word": 1},
        "detail": "",
        "original": "",
        "notes": [],
    }
    totals = {"kept": 3, "rejected": {"word": 2}, "failed": 0, "documents": 2}
    totals |= {"paragraphs": 3, "fingerprint": open_store(course.store).fingerprint}
    assert totals.items() <= ran.json.items()

    listed = course.run("--list", "--json").json
    assert listed["n_paragraphs"] == 3
    assert listed["embedder"] == "minilm"
    assert listed["documents"][1] == {
        "document": "trees",
        "path": path,
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
    assert course.run("--rejected", "--json").json[1] == {
        "document": "trees",
        "page": 1,
        "reason": "word",
        "text": "Trees",
    }
    assert course.run("--paragraphs", "--json").json[2] == {
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
    assert course.run("--list").out.splitlines()[:2] == [
        "ranking: 1 pages, 1 kept, 1 left out (word 1)",
        "    stem     ranking",
    ]


def test_a_file_that_was_moved_keeps_its_name_and_loses_the_books_deleted_from_it(
    course: Course,
) -> None:
    for folder in "abc":
        (course.folder / folder).mkdir()
    lecture = course.pdf("a/l", TREES)
    course.pdf("c/l", RANKING)
    books = course.books("a/course", Locks=LOCKS, Caches=CACHES)
    course.run(lecture, books)
    for path in (lecture, books):
        path.rename(course.folder / "b" / path.name)

    moved = [course.folder / "b" / path.name for path in (lecture, books)]
    assert set(course.statuses(*moved).values()) == {"unchanged"}
    assert course.statuses(course.folder / "c") == {"c/l": "added"}
    course.books("b/course", Locks=LOCKS)
    assert course.statuses(moved[1]) == {"Locks": "replaced", "Caches": "removed"}
    assert course.texts == {"Locks": [LOCKS], "c/l": [RANKING], "l": [TREES]}


# --- paragraphs.jsonl


def test_paragraphs_file_keeps_its_ids_and_replaces_all_that_it_brought(
    course: Course,
) -> None:
    rows = [
        ("x-9", "Search trees", f" {TREES}\n"),
        ("x-2", "Caches", CACHES),
        ("א", "Caches", LOCKS),
    ]
    added = course.statuses(course.books("course", *rows))
    assert added == {"Caches": "added", "Search trees": "added"}
    assert each(course.paragraphs, "paragraph_id") == ["x-2", "א", "x-9"]
    *_, last = course.paragraphs
    assert last.text == TREES
    assert TREES.startswith(f"{last.opening_sentence} Each")

    rows = [("x-9", "Trees", TREES), ("x-2", "Caches", LOCKS)]
    path = course.books("course", *rows)
    changed = {"Trees": "added", "Caches": "replaced", "Search trees": "removed"}
    assert course.statuses(path) == changed
    assert course.texts == {"Caches": [LOCKS], "Trees": [TREES]}
    assert set(course.statuses(path).values()) == {"unchanged"}


def test_broken_paragraphs_file_is_named_and_nothing_of_it_comes_in(
    course: Course,
) -> None:
    path = course.folder / "course.jsonl"
    first = '{"paragraph_id": "p1", "book_name": "a", "text": "b"}\n'

    for content, message in (
        (first + first[:9], " line 2: not a JSON object"),
        (
            first + first.replace('"b"', "null").replace("p1", "p2"),
            " line 2: text is None, not a string that is not empty",
        ),
        (
            first.replace('"b"', '"\\u200b"'),
            " line 1: text is '\\u200b', not a string that is not empty",
        ),
        (
            first.replace("}", ', "heading": 5}'),
            " line 1: heading is 5, not a string",
        ),
        (first + first, " line 2: paragraph_id 'p1' is there twice"),
        (
            first.replace("p1", "\\ud800"),
            " line 1: not Unicode text, since it has half a",
        ),
        ("\n", " is empty; add a line"),
        ("\udce9", " is not UTF-8"),
    ):
        path.write_text(content, encoding="utf-8", errors="surrogateescape")
        ran = course.run(path)
        (note,) = notes_of(ran)
        assert ran.code == 2
        assert note.startswith(f"{path}{message}")
    assert not Store(course.store).course.documents


def test_a_paragraphs_file_and_a_lecture_cannot_share_an_id(course: Course) -> None:
    lecture = course.pdf("trees", TREES)
    book = course.books("course", ("trees:1:1", "other", CACHES))
    for paths in ((book, lecture), (lecture, book)):
        ran = course.run(*paths)
        assert ran.code == 2
        assert "the paragraph_id 'trees:1:1' is in" in ran.err
    assert not Store(course.store).course.documents


def test_two_paragraphs_files_cannot_share_a_book_or_an_id(course: Course) -> None:
    first = course.books("1", trees=TREES)
    copy = course.books("4", trees=TREES)
    same_book = course.books("2", ("p2", "trees", CACHES))
    same_id = course.books("3", ("trees", "caches", CACHES))
    for _ in range(2):  # within one ingest, and against what is stored
        ran = course.run(first, same_book, same_id, copy)
        assert ran.code == 1
        assert notes_of(ran) == [
            f"{same_book}: the book_name 'trees' is also in {first}; rename it",
            f"{same_id}: the paragraph_id 'trees' is also in 'trees'; rename it",
        ]
        assert "same file  trees: same file as trees, counted once\n" in ran.out
        assert course.texts == {"trees": [TREES]}


# --- again


def test_running_twice_changes_and_writes_nothing_and_counts_a_copy_once(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(course.lectures / "trees.pdf", course.lectures / "week 1.pdf")
    paths = course.lectures, course.books("more", locks=LOCKS), "--json"
    first = course.run(*paths)
    assert statuses_of(first)["week 1"] == "same file"
    assert first.json["kept"] == first.json["paragraphs"] == 4
    assert course.texts == {"locks": [LOCKS], **WHOLE}
    copy = open_store(course.store).documents_by_id["week 1"]
    assert (copy.same_as, copy.n_paragraphs) == ("trees", 0)
    assert copy.aliases[0].text == "week 1"

    files = list(Path(course.store).rglob("*"))
    before = [path.stat().st_mtime_ns for path in files]
    monkeypatch.setattr(LOADER, pytest.fail)
    second = course.run(*paths)
    assert set(statuses_of(second).values()) == {"unchanged"}
    changing: dict[str, object] = {"files": [], "advice": ""}
    assert second.json | changing == first.json | changing
    assert list(Path(course.store).rglob("*")) == files
    assert [path.stat().st_mtime_ns for path in files] == before


# --- files that fail


def test_file_that_fails_is_named_while_the_others_go_through(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = course.lectures / "text.pdf"
    path.write_text(TREES)
    # as zip archives from Hebrew Windows have them
    odd = Path(os.fsdecode(os.fsencode(course.lectures) + b"/\xf9\xf1.pdf"))
    odd.write_bytes(lecture_pdf("Locks", LOCKS))
    with monkeypatch.context() as patch:
        patch.setattr(POOL, LocalProcesses)
        ran = course.run(course.lectures)

    assert ran.code == 1
    assert ran.out.count("kept 3, ") == ran.out.count(", failed 2\n") == 1
    assert f"{path}: not a PDF; convert it first" in notes_of(ran)
    assert "the file's name is not UTF-8; rename it" in ran.err
    assert course.texts == WHOLE
    # a file that failed is tried again
    odd.unlink()
    course.pdf("lectures/text", LOCKS)
    again = {"text": "added", "ranking": "unchanged", "trees": "unchanged"}
    assert course.statuses(course.lectures) == again


@pytest.mark.long
def test_file_that_hangs_or_breaks_its_reader_fails_alone(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("quick", "slow", "broken")
    paths = [course.pdf(name, TREES, name) for name in names]
    with monkeypatch.context() as patch:
        patch.setattr(POOL, LocalProcesses)
        patch.setattr(READ, fakes.faulty_reading)
        ran = course.run(*paths, "--workers=1", "--set=ingest.timeout_s=0.5")

    assert ran.code == 1
    assert ran.out.startswith("added      quick: ")
    assert sorted(notes_of(ran)) == [
        f"{paths[2]}: the file is damaged (IndexError: list index out of range); get it again",
        f"{paths[1]}: not read within 0.5 s; raise ingest.timeout_s",
    ]
    assert course.statuses(*paths)["slow"] == "added"


def test_other_editions_stay_with_their_lecture_whichever_file_is_done_first(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    orders = [1, -1]

    def in_turn(*arguments: Any, **limits: Any) -> list[Any]:
        """Return the files in their order the first time, and reversed the second time."""
        return list(run_all(*arguments, **limits))[:: orders.pop(0)]

    monkeypatch.setattr("ingest.pipeline.read.run_all", in_turn)
    course.run(course.pdf("a", TREES, CACHES), course.pdf("b", LOCKS, RANKING))
    documents = Store(course.store).documents
    assert documents.keys() == {"a", "b"}
    for doc_id, document in documents.items():
        assert {*each(document.reading.pieces, "doc_id")} == {doc_id}


# --- the embedder


def test_an_embedder_that_is_none_is_refused_before_a_page_is_read(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LOADER, REAL_LOADER)
    # not where it may be exported already
    monkeypatch.setenv("QUARRY_MODELS", str(course.folder / "models"))
    monkeypatch.setattr(importlib.metadata, "files", lambda name: None)
    monkeypatch.setattr(READ, pytest.fail)
    for spec, says in (
        ("no.Embedder", "--embedder 'no.Embedder' cannot be imported and made"),
        ("e5", "run: make multilingual"),
    ):
        assert says in course.run(course.lectures, f"--embedder={spec}").refusal


# --- the store cannot be written


def test_work_of_an_interrupted_ingest_is_not_done_again(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    is_interrupted = False

    def read(path: Path, *arguments: Any) -> Reading:
        done.append(path.name)
        return read_pdf(path, *arguments)

    class Interrupted(HashingEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> Float32Array:
            nonlocal is_interrupted
            if TREES in texts and not is_interrupted:
                is_interrupted = True
                raise KeyboardInterrupt
            done.extend(texts)
            return super().embed_passages(texts)

    monkeypatch.setattr(READ, read)
    monkeypatch.setattr(LOADER, lambda *_: Interrupted())
    staged = set((cache() / "staged").glob("*"))  # those of other tests
    assert course.run(course.lectures).code == 130
    assert {"ranking.pdf", "trees.pdf", RANKING} <= set(done)
    done.clear()
    assert notes_of(course.run(course.lectures)) == [
        "resumed: 2 files had been read before",
        "resumed: 1 paragraph had been embedded before the interruption",
    ]
    assert course.texts == WHOLE
    assert TREES in done
    assert {"ranking.pdf", "trees.pdf", RANKING}.isdisjoint(done)
    assert set((cache() / "staged").iterdir()) == staged


# What the user says, drops, or has twice


def test_dropped_document_is_gone_and_unknown_ones_are_refused(course: Course) -> None:
    assert "holds no store; " in course.run("--drop", "trees").refusal
    course.run(course.lectures)
    for arguments, says in (
        ((course.lectures, "--drop", "trees"), "leave PATH out"),
        (("--drop", "ranking", "tree"), "--drop 'tree' is no document of "),
    ):
        assert says in course.run(*arguments).refusal
    assert course.texts == WHOLE

    ran = course.run("--drop", "ranking")
    assert ran.code == 0
    assert ran.out.startswith("removed    ranking: dropped\n")
    assert list(course.texts) == ["trees"]
    assert course.statuses(course.lectures)["ranking"] == "added"


def test_near_identical_paragraphs_are_linked_and_counted_once(course: Course) -> None:
    course.run(course.books("late", z=TREES, y=CACHES))
    early = course.books("early", a=TREES.upper())
    summary = course.run(early, "--json").json

    assert (summary["paragraphs"], summary["near_identical"]) == (3, 1)
    # the first one in the store's order, not in that of coming
    assert each(course.paragraphs, "paragraph_id") == ["a", "y", "z"]
    assert each(course.paragraphs, "same_as") == ["", "", "a"]
    counted = "2 paragraphs and 1 near-identical to one of them, "
    assert counted in course.run("--list").out
    course.run("--drop", "a")
    assert each(course.paragraphs, "same_as") == ["", ""]


def test_prose_is_counted_and_listed_alone(course: Course) -> None:
    exercise = "Exercise 1. Draw a search tree of five keys and delete its root."
    course.run(course.pdf("more", TREES, exercise, CACHES))
    kinds = each(course.run("--paragraphs", "--json").json, "kind")
    prose = each(course.run("--prose", "--json").json, "kind")
    assert 0 < kinds.count("prose") < len(kinds)
    assert prose == ["prose"] * kinds.count("prose")
    assert f", {len(prose)} prose, embedder" in course.run("--list").out


def test_a_page_that_is_left_out_is_said_with_its_number(course: Course) -> None:
    path = course.pdf("gap", TREES, "#pagebreak()", "#pagebreak()", CACHES)
    assert "page without text 1" in course.run(path).out
    assert "gap p2 [page without text]" in course.run("--rejected").out
    assert course.texts == {"gap": [TREES, CACHES]}


def test_file_names_and_texts_reach_the_terminal_as_what_they_are(
    course: Course,
) -> None:
    (course.lectures / "\x1b]0;broken\x07.pdf").write_bytes(b"no PDF")
    course.pdf("lectures/\x1b[2Jevil\u202efdp", LOCKS)
    text = f"{RANKING} \x1b[31mred\x1b[0m \u2066hidden\u2069"
    more = course.books("more", marked=text)
    printed = ""
    for arguments in ((course.lectures, more), ("--list",), ("--paragraphs",)):
        ran = course.run(*arguments)
        printed += ran.out + "".join(notes_of(ran))
    assert "\\x1b[2Jevil\\u202efdp" in printed
    assert {"\x1b", "\x07", "\u202e", "\u2066"}.isdisjoint(printed)


def test_summary_in_words_names_each_file_and_what_was_skipped(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("more.jsonl", "picture.png", ".hidden"):
        (course.lectures / name).touch()
    (course.lectures / "trees.yaml").write_text("title: Search trees")
    monkeypatch.setattr("ingest.pipeline.pipeline.has_pymupdf", bool)

    *lines, _, advice = course.run(course.lectures).out.splitlines()
    assert lines == [
        "added      ranking: 1 kept, 1 left out (word 1)",
        "added      trees: 2 kept, 1 left out (word 1)",
        f"skipped    {course.lectures}/more.jsonl: read only if it is named",
        f"skipped    {course.lectures}/picture.png: not a type that is read",
        "kept 3, 2 left out (word 2), failed 0",
    ]
    assert advice.startswith("Without PyMuPDF, ")
    assert advice.endswith(": pip install pymupdf")
    assert "Without" not in course.run(course.lectures).out
    assert "Without" not in course.run(course.books("books", caches=CACHES)).out

    monkeypatch.setattr("ingest.pipeline.pipeline.has_pymupdf", lambda: True)
    assert "Without" not in course.run(course.pdf("more", LOCKS)).out


def test_of_two_ingests_at_once_the_second_begins_again_and_both_are_there(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = course.books("course", trees=TREES)
    other = course.books("other", caches=CACHES)
    codes: list[int] = []

    class Interrupting(HashingEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> Float32Array:
            if not codes:
                codes.append(-1)
                codes.append(course.run(other).code)
            return super().embed_passages(texts)

    monkeypatch.setattr(LOADER, lambda *_: Interrupting())
    assert course.statuses(path) == {"trees": "added"}
    assert codes == [-1, 0]
    assert course.texts == {"trees": [TREES], "caches": [CACHES]}
