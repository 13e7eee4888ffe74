from __future__ import annotations

from pathlib import Path

import pytest

from ingest.paragraph import Alias, Document, Paragraph, Reading
from ingest.pipeline.plan import Names, Row, Source, plan
from ingest.pipeline.sidecar import Sidecar


def source(
    name: str, content: str = "", sidecar: Sidecar | None = None
) -> tuple[Path, Source]:
    """A PDF /NAME whose bytes are `content`; its version follows from them."""
    path = Path(f"/{name}")
    content = content or name
    return path, Source(path, content, f"v-{content}", sidecar or Sidecar())


def books(name: str, *books: str) -> tuple[Path, Source]:
    """A paragraphs file with one paragraph a book."""
    path = Path(f"/{name}")
    readings = tuple(
        Reading(
            document(book, path=str(path)),
            (Paragraph(f"p-{book}", book, 1, "", "A text.", "A text."),),
            (),
        )
        for book in books
    )
    return path, Source(path, name, f"v-{name}", Sidecar(), readings)


def document(
    doc_id: str, content: str = "", path: str = "", same_as: str = ""
) -> Document:
    content = content or f"{doc_id}.pdf"
    return Document(
        doc_id,
        path or f"/{doc_id}.pdf",
        content,
        f"v-{content}",
        (Alias(doc_id, "stem"),),
        1,
        1,
        same_as=same_as,
    )


def stored_names(*documents: Document, missing: tuple[str, ...] = ()) -> Names:
    return Names({item.doc_id: item for item in documents}, {}, missing)


def told(rows: list[Row]) -> list[tuple[str, str]]:
    return [(row.doc_id, row.action) for row in rows]


def test_new_file_is_read_and_one_that_is_held_is_kept() -> None:
    rows = plan([source("a.pdf"), source("b.pdf")], stored_names(document("a")))
    assert told(rows) == [("a", "keep"), ("b", "read")]


@pytest.mark.parametrize(
    "changed",
    [source("a.pdf", "other bytes"), source("a.pdf", sidecar=Sidecar(digest="new"))],
)
def test_file_that_has_changed_or_whose_sidecar_has_is_read_again(
    changed: tuple[Path, Source],
) -> None:
    assert told(plan([changed], stored_names(document("a")))) == [("a", "read")]


def test_second_file_of_the_same_bytes_is_a_copy_of_the_first() -> None:
    first, second = plan([source("a.pdf", "same"), source("b.pdf", "same")], Names({}))
    assert (first.action, second.action, second.detail) == ("read", "copy", "a")


def test_moved_file_keeps_its_name_and_a_copy_of_a_held_one_is_counted_once() -> None:
    moved = source("new/a.pdf", "a.pdf")
    assert told(plan([moved], stored_names(document("a"), missing=("a",)))) == [
        ("a", "keep")
    ]
    assert told(plan([moved], stored_names(document("a")))) == [("a", "same file")]


def test_other_file_of_the_same_stem_has_its_folder_before_it() -> None:
    assert told(
        plan([source("new/a.pdf", "another")], stored_names(document("a")))
    ) == [("new/a", "read")]


def test_copy_of_a_file_that_changes_is_read_if_it_is_named_and_goes_otherwise() -> (
    None
):
    stored = stored_names(document("a", "same"), document("b", "same", same_as="a"))
    assert told(plan([source("a.pdf", "new")], stored)) == [
        ("a", "read"),
        ("b", "drop"),
    ]
    assert told(plan([source("a.pdf", "new"), source("b.pdf", "same")], stored)) == [
        ("a", "read"),
        ("b", "read"),
    ]


def test_books_are_taken_and_their_ids_must_be_their_own() -> None:
    assert told(plan([books("one.jsonl", "x", "y")], Names({}))) == [
        ("x", "read"),
        ("y", "read"),
    ]
    owned = Names({"z": document("z")}, {"p-x": "z"}, ())
    (row,) = plan([books("one.jsonl", "x")], owned)
    assert row.action == "fail"
    assert "paragraph_id must be unique in the store" in row.detail


def test_dropping_takes_copies_along() -> None:
    stored = stored_names(
        document("a", "same"),
        document("b", "same", same_as="a"),
        document("c"),
        missing=("b", "c"),
    )
    assert told(plan([], stored, ["a"])) == [("a", "drop"), ("b", "drop")]


def test_third_file_of_a_stem_and_a_folder_has_a_name_of_its_own() -> None:
    rows = plan(
        [
            source("1/x/a.pdf", "1"),
            source("2/x/a.pdf", "2"),
            source("3/x/a.pdf", "333333333"),
        ],
        Names({}),
    )
    assert [row.doc_id for row in rows] == ["a", "x/a", "x/a-333333"]
