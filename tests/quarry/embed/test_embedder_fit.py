"""Calibration of an embedder on the course itself, at ingest."""

import shutil

import pytest

from configs.settings import load
from ingest.pipeline.pipeline import ingest
from player.search.build import build_orchestrator
from player.search.calibration import notice_of
from player.search.results import Query
from quarry.embed.embedder_fit import fit_embedder
from quarry.embed.networks import MINILM
from quarry.store import open_store
from tests.fakes import LOCKS, ROOT, HashingEmbedder, lecture_pdf

pytestmark = pytest.mark.long

QUESTIONS = (
    "How does a search engine rank documents that share words with the query?",
    "Why does an inverted index make queries fast?",
    "Why does stemming merge word forms?",
    "How is a ranking judged by relevance?",
    "Which measures compare two rankings of search results?",
)
NONSENSE = (
    "purple elephants dance politely on the frozen moon",
    "blorp fnord gribble snarf wibble",
    "my cat refuses to eat anything but salmon",
    "cheap flights from madrid in august",
    "asdf qwer zxcv uiop hjkl",
    "the grandmother knitted a scarf during the football match",
)


def test_few_paragraphs_and_an_embedder_that_knows_no_difference_teach_nothing() -> (
    None
):
    template = "Every paragraph number{} speaks about trees, heaps and locks"
    texts = [template.format(letter) for letter in "abcdefghijklm"]
    embedder, blind = HashingEmbedder(), HashingEmbedder(dim=1)
    vectors = embedder.embed_passages(texts)
    assert fit_embedder(texts, vectors, embedder) is not None
    assert fit_embedder(texts[:9], vectors[:9], embedder) is None
    assert fit_embedder(texts, blind.embed_passages(texts), blind) is None


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store of a lecture with a sentence-transformers folder that nobody has calibrated."""
    folder = tmp_path_factory.mktemp("own")
    model = folder / "my-model"
    shutil.copytree(MINILM.path().parent, model)
    more = folder / "more.pdf"
    more.write_bytes(lecture_pdf("Locks", LOCKS))

    path = f"{folder}/store"
    ingest(
        [ROOT / "data/lectures/english/01-search-and-ranking.pdf", more],
        path,
        load(changes=["ingest.editions=[]", "embed.threads=1"]),
        embedder_spec=str(model),
        progress=False,
        workers=1,
    )
    return path


def test_nonsense_is_told_from_questions_with_a_model_of_ones_own(store: str) -> None:
    course = open_store(store)
    assert course.embedder_fit is not None
    assert notice_of(course) == ""
    changes = (
        "search.keywords=off",
        "search.late_interaction=off",  # which embeds a bank of hints first
        "search.deadline_s=600",  # to import torch takes long
        f"embed.own={course.embedder_spec}",
    )
    searches = build_orchestrator(course, load(changes=changes))
    for hint in (*QUESTIONS, *NONSENSE):
        result = searches.search(Query(hint))
        assert result.calibrated
        assert result.relevant == (hint in QUESTIONS)


def test_without_a_model_the_calibration_stays(store: str) -> None:
    before = open_store(store)
    ingest([], store, load(), drop=["more"], progress=False)
    assert open_store(store).embedder_fit == before.embedder_fit
