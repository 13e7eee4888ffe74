from dataclasses import asdict, replace
from unittest.mock import Mock

import numpy as np
import pytest
from numpy.testing import assert_allclose

from quarry.course.paragraph import Alias
from quarry.course.piece import Piece
from quarry.embed import TokenStates
from quarry.embed.vectors import (
    MIDDLE,
    STEPS,
    TokenForm,
    centered,
    compact,
    embed_all,
    embed_reading,
    form_of,
    join,
    parts_of,
)
from tests.fakes import CACHES, NETWORKS, RANKING, TREES, HashingEmbedder, make_reading

NAMES = [Alias("Search trees", "title")]


def test_paragraphs_sentences_and_names_have_a_vector_each() -> None:
    one_sentence = TREES.split(". ")[0] + "."
    reading = make_reading("trees", [TREES, one_sentence, CACHES], aliases=NAMES)
    hashing = HashingEmbedder()
    embedder = Mock(wraps=hashing, dim=hashing.dim)
    names = hashing.embed_queries(["trees", "Search trees"])
    embedder.embed_queries.side_effect = [-names]
    vectors = embed_reading(reading, embedder)

    assert len(vectors.paragraphs) == 3
    assert len(vectors.sentences) == 2 + 1 + 2
    for row in (0, 2):
        assert_allclose(vectors.sentences[row], vectors.paragraphs[1])
    assert_allclose(vectors.aliases, -names)
    embedder.embed_queries.assert_called_once_with(["trees", "Search trees"])
    passages: list[str] = []
    for call in embedder.embed_passages.mock_calls:
        passages += call.args[0]
    # the sentence that is a paragraph, and the one that occurs twice, only once
    assert len(passages) == 3 + 2 + 2 - 1
    assert len(set(passages)) == len(passages)


def test_vectors_of_a_document_are_those_of_its_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("quarry.embed.vectors.PART", 2)
    texts = [TREES, CACHES, RANKING, NETWORKS, TREES]
    reading = make_reading("trees", texts, aliases=NAMES)
    parts = parts_of(reading)
    assert [len(part.paragraphs) for part in parts] == [2, 2, 1]
    models = [HashingEmbedder()]
    joined = join([embed_all(models, part, ["minilm"]) for part in parts])
    whole = embed_all(models, reading, ["minilm"])

    np.testing.assert_equal(asdict(joined), asdict(whole))


def test_like_tokens_become_one_and_half_as_many_are_left() -> None:
    plain = TokenForm(np.eye(4, dtype=np.float32), "plain")
    east, north, up, _ = plain.basis
    states = np.array([east, north, east, north, up, up, up])
    starts = np.array([0, 4, 7])
    tokens = compact(TokenStates(states, np.arange(7), starts), plain)
    assert tokens.starts.tolist() == [0, 2, 3]
    vectors = (tokens.codes.astype(int) - MIDDLE) / STEPS
    # one unit is beyond what is kept of a component, which is cut at half a unit
    assert sorted(vectors[:2].argmax(axis=1)) == [0, 1]
    assert vectors[2].argmax() == 2
    assert vectors.max() == pytest.approx((STEPS - MIDDLE) / STEPS)


def test_each_exported_model_has_an_orthonormal_form_and_others_have_none() -> None:
    shapes = {"minilm": (384, 128), "mpnet": (768, 192), "e5": (384, 192)}
    for spec, shape in shapes.items():
        form = form_of(spec)
        assert form is not None
        assert form.basis.shape == shape
        products = form.basis.T @ form.basis
        assert_allclose(products, np.eye(shape[1]), atol=0.01)
    for spec in ("", "/somewhere/my-own-model", "../token_forms/minilm", "another"):
        assert form_of(spec) is None


def test_pieces_of_two_editions_share_the_vector_of_the_text_with_most_blanks() -> None:
    pieces = (
        Piece("x:page", "a", 1, 1, "gluedwords here"),
        Piece("x:page", "a", 2, 2, "alone"),
        Piece("y:page:2000", "a", 1, 1, "glued words here"),
        Piece("y:page:2000", "a", 1, 1, "the rest of the page"),
    )
    reading = replace(make_reading("a", ["Over two pages."]), pieces=pieces)
    embedder = HashingEmbedder()
    parts = [embed_reading(part, embedder) for part in parts_of(reading)]
    vectors = centered(join(parts))
    texts = ["glued words here", "alone", "glued words here", "the rest of the page"]
    expected = embedder.embed_passages(texts) - vectors.paragraphs
    np.testing.assert_array_equal(vectors.pieces, expected)
