"""The plan of an ingest: what is read, copied, dropped or refused, by names and bytes."""

from pathlib import Path

from ingest.pipeline.plan import Names, Outcome, Source, plan
from ingest.pipeline.sidecar import Sidecar
from quarry.course.paragraph import Document
from tests.fakes import each


def lecture(
    name: str,
    content: str = "",
    sidecar: str = "",
) -> Source:
    """A PDF /NAME whose bytes are `content`; its version follows from them."""
    content = content or name
    return Source(
        Path(f"/{name}"),
        content,
        f"v-{content}",
        Sidecar(digest=sidecar),
    )


def document(
    doc_id: str,
    content: str = "",
    same_as: str = "",
) -> Document:
    path = f"/{doc_id}.pdf"
    content = content or path[1:]
    version = f"v-{content}"
    return Document(doc_id, path, content, version, (), 1, 1, same_as=same_as)


def rows_of(
    *sources: Source, stored: tuple[Document, ...] = (), missing: str = ""
) -> list[Outcome]:
    names = Names({item.doc_id: item for item in stored}, {}, missing)
    return plan([(source.path, [source]) for source in sources], names)


A = document("a")
SAME = document("a", "same")
COPY = document("b", "same", same_as="a")


def test_each_document_has_the_status_that_names_and_bytes_give_it() -> None:
    """A source is written as NAME or NAME=CONTENT."""
    for sources, stored, expected in (
        ("a.pdf=other", (A,), {"a": "replaced"}),
        ("new/a.pdf=a.pdf", (A,), {"a": "same file"}),
        ("new/a.pdf=another", (A,), {"new/a": "added"}),
        ("a.pdf=new", (SAME, COPY), {"a": "replaced", "b": "removed"}),
        ("a.pdf=new b.pdf=same", (SAME, COPY), {"a": "replaced", "b": "replaced"}),
        (
            "1/x/a.pdf=1 2/x/a.pdf=2 3/x/a.pdf=333333333",
            (),
            {"a": "added", "x/a": "added", "x/a-333333": "added"},
        ),
    ):
        lectures = [lecture(*words.split("=")) for words in sources.split()]
        rows = rows_of(*lectures, stored=stored)

        assert {row.doc_id: row.status for row in rows} == expected, sources


def test_a_new_sidecar_means_reading_again_and_a_moved_file_does_not() -> None:
    (changed,) = rows_of(lecture("a.pdf", sidecar="new"), stored=(A,))
    assert changed.status == "replaced"
    (moved,) = rows_of(lecture("new/a.pdf", "a.pdf"), stored=(A,), missing="a")
    assert moved.doc_id == "a"
    assert moved.status == "unchanged"


def test_two_new_files_do_not_both_take_the_name_of_a_file_that_is_gone() -> None:
    files = lecture("1/a.pdf"), lecture("2/a.pdf")
    rows = rows_of(*files, stored=(A,), missing="a")
    assert each(rows, "doc_id") == ["a", "2/a"]
    assert each(rows, "status") == ["replaced", "added"]


def test_dropping_takes_copies_along() -> None:
    names = Names({"a": SAME, "b": COPY, "c": document("c")}, {}, ())
    rows = plan([], names, dropped=["a"])
    assert each(rows, "doc_id") == ["a", "b"]
    assert each(rows, "status") == ["removed", "removed"]
