"""The plan of an ingest: what is read, copied, dropped or refused, by names and bytes."""

from dataclasses import replace
from pathlib import Path

import pytest

from ingest.pipeline.plan import Source, plan_ingest
from ingest.pipeline.sidecar import Sidecar
from quarry.course.paragraph import Document


def lecture(name: str, content: str = "", sidecar: str = "") -> Source:
    """Return a PDF /NAME whose bytes are `content`; its version follows from them."""
    content = content or name
    return Source(Path(f"/{name}"), content, f"v-{content}", Sidecar(digest=sidecar))


def document(doc_id: str, content: str = "", same_as: str = "") -> Document:
    path = f"/{doc_id}.pdf"
    content = content or path[1:]
    version = f"v-{content}"
    return Document(doc_id, path, content, version, (), 1, 1, same_as=same_as)


def statuses(
    sources: str, stored: tuple[Document, ...], dropped: tuple[str, ...] = ()
) -> dict[str, str]:
    """Plan files written as NAME, NAME=CONTENT or NAME=CONTENT=SIDECAR; return the status of each document."""
    files = [[lecture(*words.split("="))] for words in sources.split()]
    outcomes = plan_ingest(files, {item.doc_id: item for item in stored}, {}, dropped)
    return {outcome.doc_id: outcome.status for outcome in outcomes}


A = document("a")
GONE = replace(A, path="/gone/a.pdf")
SAME = document("a", "same")
COPY = document("b", "same", same_as="a")


@pytest.mark.parametrize(
    ("sources", "stored", "expected"),
    [
        ("a.pdf=other", (A,), {"a": "replaced"}),
        # a new sidecar means reading again, a moved file does not
        ("a.pdf=a.pdf=new", (A,), {"a": "replaced"}),
        ("new/a.pdf=a.pdf", (GONE,), {"a": "unchanged"}),
        ("new/a.pdf=a.pdf", (A,), {"a": "same file"}),
        ("new/a.pdf=another", (A,), {"new/a": "added"}),
        # one file alone takes the name of a file that is gone
        ("1/a.pdf 2/a.pdf", (GONE,), {"a": "replaced", "2/a": "added"}),
        ("a.pdf=new", (SAME, COPY), {"a": "replaced", "b": "removed"}),
        ("a.pdf=new b.pdf=same", (SAME, COPY), {"a": "replaced", "b": "replaced"}),
        (
            "1/x/a.pdf=1 2/x/a.pdf=2 3/x/a.pdf=333333333",
            (),
            {"a": "added", "x/a": "added", "x/a-333333": "added"},
        ),
    ],
)
def test_each_document_has_the_status_that_names_and_bytes_give_it(
    sources: str,
    stored: tuple[Document, ...],
    expected: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Path, "exists", lambda path: path.parent.name != "gone")
    assert statuses(sources, stored) == expected


def test_dropping_takes_copies_along() -> None:
    stored = SAME, COPY, document("c")
    assert statuses("", stored, dropped=("a",)) == {"a": "removed", "b": "removed"}
