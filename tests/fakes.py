"""Stand-ins for what is slow or outside: an embedder, lecture PDFs, readings, a full disk, worker processes.

Heavy packages are imported where they are needed: worker processes import this module.
"""

import contextlib
import datetime
import functools
import io
import os
import pty
import re
import signal
import subprocess
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from configs.settings import IngestSettings
from quarry.arrays import Float32Array
from quarry.course.paragraph import (
    Alias,
    Document,
    Paragraph,
    Reading,
    RejectedParagraph,
)
from quarry.embed import Embedder, TokenStates
from quarry.embed.vectors import embed_reading, load_basis
from quarry.store import Store, StoredDocument

ROOT = Path(__file__).resolve().parents[1]

TREES = (
    "A search tree keeps its keys in order, so that every lookup walks down one path from the root to a leaf. "
    "Each comparison discards one of the two subtrees, and a tree that stays balanced answers after a few steps."
)
CACHES = (
    "A cache remembers the answers that were expensive to find, because the same question tends to come again soon. "
    "When the room runs out, the entry that nobody has asked about for the longest time is usually dropped first."
)
RANKING = (
    "Ranking functions reward a document for each rare word of the question that it contains. "
    "Common words say little about what the reader wants, and long texts are held back because they mention everything."
)
NETWORKS = (
    "Networks learn by small corrections that flow backwards from the output to the first layer. "
    "Every weight moves a little against its share of the error, and after many rounds the mistakes become rare."
)
LOCKS = (
    "Two writers that touch the same record must take turns, otherwise one of the changes disappears without a trace. "
    "A lock makes the second writer wait until the first has finished, at the price of some idle time for both."
)
HEBREW = (
    "עץ חיפוש שומר את המפתחות לפי הסדר, ולכן כל חיפוש יורד במסלול אחד מן השורש אל העלה. "
    "כל השוואה פוסלת אחד משני תתי העצים, ועץ מאוזן משיב אחרי צעדים מעטים בלבד."
)
"""Each has more words than the least of prose, and nothing that looks like a formula, caption or code."""


def read_page(path: str) -> str:
    """The text of a page of the checkout."""
    return (ROOT / path).read_text("utf-8")


def each(items: Iterable[Any], name: str) -> list[Any]:
    """The value of a key of each item, or of an attribute if the items are no mappings."""
    values = []
    for item in items:
        has_keys = isinstance(item, Mapping)
        values.append(item[name] if has_keys else getattr(item, name))
    return values


def refusal(
    error: type[Exception], act: Callable[..., object], *arguments: Any, **options: Any
) -> str:
    """The message with which a call is refused, after checking that it is one line."""
    import pytest

    with pytest.raises(error) as caught:
        act(*arguments, **options)
    (line,) = str(caught.value).split("\n")
    return line


HANG_S = 120.0
"""How long a file that hangs would take."""


class HashingEmbedder:
    """An Embedder without a model: every word votes for one of a few dimensions.

    Args:
        spec: the SPEC that it pretends to be.
        dim: length of a vector.
    """

    base = 0.0

    def __init__(
        self,
        spec: str = "minilm",
        dim: int = 8,
    ) -> None:
        self.spec = spec
        self.dim = dim

    def embed_passages(self, texts: Sequence[str]) -> Float32Array:
        vectors = np.full((len(texts), self.dim), self.base, dtype=np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"\w+", text.lower()) or [""]:
                vectors[row, zlib.crc32(word.encode()) % self.dim] += 1
        lengths: Float32Array = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
        return vectors / lengths

    def embed_queries(self, texts: Sequence[str]) -> Float32Array:
        return self.embed_passages(texts)

    def embed_with_tokens(
        self, texts: Sequence[str], *, as_queries: bool
    ) -> tuple[Float32Array, TokenStates]:
        embed = self.embed_queries if as_queries else self.embed_passages
        basis = load_basis(self.spec)
        dim = self.dim if basis is None else len(basis)
        ids: list[int] = []
        starts, states = [0], []
        for text in texts:
            for word in re.findall(r"\w+", text.lower()):
                ids.append(zlib.crc32(word.encode()) % 1_000)
                generator = np.random.default_rng(ids[-1])
                states.append(generator.standard_normal(dim, dtype=np.float32))
            starts.append(len(ids))

        return embed(texts), TokenStates(
            np.array(states, dtype=np.float32).reshape(-1, dim),
            np.array(ids, dtype=np.int64),
            np.array(starts, dtype=np.int64),
        )


class OppositeEmbedder(HashingEmbedder):
    """Every query points away from the paragraphs with its words."""

    def embed_queries(self, texts: Sequence[str]) -> Float32Array:
        return -super().embed_queries(texts)


def load_hashing_embedder(spec: str, *_: object) -> HashingEmbedder:
    """Stands in for `load_embedder`: any SPEC loads at once."""
    return HashingEmbedder(spec)


def use_hashing_embedder(monkeypatch: Any) -> None:
    """Let every store's embedder, and those of the referee, be a `HashingEmbedder`; the fixture does it for a test."""
    monkeypatch.setattr("quarry.embed.models.load_embedder", load_hashing_embedder)
    # where the real models' vectors of our hints are
    monkeypatch.delenv("QUARRY_MODELS", raising=False)


def shorten(value: object) -> str:
    """The beginning of a value, as an id of a test with long values."""
    return str(value)[:40]


def modules_with(pattern: re.Pattern[str]) -> set[str]:
    """The modules of our packages whose source a pattern is found in, as paths in the checkout."""
    modules = set()
    for package in ("configs", "ingest", "player", "evaluate", "quarry"):
        for path in (ROOT / package).rglob("*.py"):
            if pattern.search(path.read_text("utf-8")):
                modules.add(path.relative_to(ROOT).as_posix())
    return modules


def run_python(
    *arguments: str, folder: Path = ROOT, env: Mapping[str, str] = {}, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, with more in its environment and further options of `subprocess.run`."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


def start_python(
    *arguments: str,
    folder: Path = ROOT,
    interrupt: int = signal.SIGINT,
    **options: Any,
) -> Any:
    """Start Python in a folder; return the process, which a signal interrupts as usual.

    Args:
        options: of `subprocess.Popen`; without any, pipes take its output as text.
    """
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        # ignored if these tests run in the background of a shell
        preexec_fn=lambda: signal.signal(interrupt, signal.SIG_DFL),  # noqa: PLW1509
        **(options or pipes),
    )


@contextlib.contextmanager
def in_terminal(
    *arguments: str, folder: Path
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Run Python as a process that leads the process group of a terminal; yield it and the terminal's other side.

    It is killed at the end, if it has not ended.
    """
    ours, theirs = pty.openpty()
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), theirs)
    process = start_python(*arguments, folder=folder, start_new_session=True, **streams)
    os.close(theirs)
    try:
        yield process, ours
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(ours)


@functools.cache
def lecture_pdf(title: str, *paragraphs: str, lang: str = "en") -> bytes:
    """A PDF of one page or more with a heading and these paragraphs; the same bytes on every call."""
    import typst

    body = "\n\n".join(paragraphs)
    text = f'#set text(lang: "{lang}")\n= {title}\n\n{body}\n'
    compiler = typst.Compiler(text.encode(), ignore_system_fonts=True)
    timestamp = datetime.datetime(2026, 1, 15, tzinfo=datetime.UTC)
    pdf = compiler.compile(format="pdf", timestamp=timestamp)
    assert isinstance(pdf, bytes)
    return pdf


@functools.cache
def encrypted_pdf() -> bytes:
    """A PDF that opens with a password only."""
    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(lecture_pdf("Trees", TREES)))
    writer.encrypt(user_password="open sesame", algorithm="AES-256")
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


def make_reading(
    doc_id: str,
    texts: Sequence[str],
    *,
    content: str = "",
    rejected: Sequence[tuple[str, str]] = (),
    same_as: str = "",
    aliases: Sequence[Alias] = (),
) -> Reading:
    """A Reading with one paragraph a text, all on page 1.

    Args:
        doc_id: the document.
        texts: of the paragraphs kept; the first sentence ends at the first full stop.
        content: what its hash and version are made of; the texts, unless given.
        rejected: (reason, text) of each rejected paragraph.
        same_as: the document of which it is a twin.
        aliases: beside the stem.
    """
    digest = f"{zlib.crc32((content or repr(texts)).encode()):08x}"
    reasons = sorted(reason for reason, _ in rejected)
    paragraphs = []
    for ordinal, text in enumerate(texts, 1):
        paragraph_id = f"{doc_id}:1:{ordinal}"
        opening = f"{text.partition('.')[0]}."
        paragraphs.append(Paragraph(paragraph_id, doc_id, 1, "", text, opening))

    return Reading(
        document=Document(
            doc_id=doc_id,
            path=f"/lectures/{doc_id}.pdf",
            content_hash=digest,
            version=f"v-{digest}",
            aliases=(Alias(doc_id, "stem"), *aliases),
            n_pages=1,
            n_paragraphs=len(texts),
            rejected=dict(Counter(reasons)),
            same_as=same_as,
        ),
        paragraphs=tuple(paragraphs),
        rejected=tuple(
            RejectedParagraph(doc_id, 1, text, reason) for reason, text in rejected
        ),
    )


def embedded(reading: Reading, embedder: Embedder | None = None) -> StoredDocument:
    """A reading with its vectors, and those of its tokens, by a `HashingEmbedder` unless another is given."""
    return StoredDocument(
        reading, embed_reading(reading, embedder or HashingEmbedder())
    )


def file_reading(
    store: Store,
    reading: Reading,
    spec: str = "minilm",
) -> None:
    """Write a reading with the vectors of a HashingEmbedder."""
    store.change([embedded(reading, HashingEmbedder(spec))], embedder_spec=spec)


@contextlib.contextmanager
def small_disk(n_bytes: int) -> Iterator[None]:
    """No file can grow beyond a number of bytes."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


class DottedEmbedder(HashingEmbedder):
    """A `HashingEmbedder` that other processes find by its dotted path, `DOTTED`."""

    def __init__(self) -> None:
        super().__init__(DOTTED)


DOTTED = "tests.fakes.DottedEmbedder"


def faulty_reading(
    path: Path,
    doc_id: str,
    content: str,
    settings: IngestSettings,
) -> Reading:
    """Stands in for `read_pdf` in a worker process: the name of a file may mean a fault; others hold one paragraph."""
    if doc_id == "slow":
        time.sleep(HANG_S)
    if doc_id == "deadly":
        os._exit(3)
    if doc_id == "broken":
        raise IndexError("list index out\nof range")
    return make_reading(doc_id, [TREES], content=content)
