"""Vectors of documents, and the compact tokens of paragraphs."""

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
    center_pieces,
    compact,
    embed_reading,
    join,
    load_basis,
    split_reading,
)
from tests.fakes import CACHES, NETWORKS, RANKING, TREES, HashingEmbedder, make_reading

NAMES = [Alias("Search trees", "title")]


def test_paragraphs_and_names_have_a_vector_each_and_names_are_embedded_as_queries() -> (
    None
):
    reading = make_reading("trees", [TREES, CACHES], aliases=NAMES)
    hashing = HashingEmbedder()
    names = hashing.embed_queries(["trees", "Search trees"])
    without_tokens = Mock(spec=["spec", "dim", "embed_passages", "embed_queries"])
    without_tokens.embed_passages = hashing.embed_passages
    without_tokens.embed_queries.return_value = -names
    for embedder, aliases in ((hashing, names), (without_tokens, -names)):
        vectors = embed_reading(reading, embedder)
        expected = hashing.embed_passages([TREES, CACHES])
        assert_allclose(vectors.paragraphs, expected)
        assert_allclose(vectors.aliases, aliases)
        assert (vectors.tokens is not None) == (embedder is hashing)
    without_tokens.embed_queries.assert_called_once_with(["trees", "Search trees"])


def test_vectors_of_a_document_are_those_of_its_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("quarry.embed.vectors.PART_SIZE", 2)
    texts = [TREES, CACHES, RANKING, NETWORKS, TREES]
    reading = make_reading("trees", texts, aliases=NAMES)
    parts = split_reading(reading)
    assert [len(part.paragraphs) for part in parts] == [2, 2, 1]
    model = HashingEmbedder()
    joined = join([embed_reading(part, model) for part in parts])
    whole = embed_reading(reading, model)

    np.testing.assert_equal(asdict(joined), asdict(whole))


def test_like_tokens_become_one_and_half_as_many_are_left() -> None:
    east, north, up, _ = np.eye(4, dtype=np.float32)
    states = np.array([east, north, east, north, up, up, up])
    starts = np.array([0, 4, 7])
    tokens = compact(TokenStates(states, np.arange(7), starts), None)
    assert tokens.starts.tolist() == [0, 2, 3]
    vectors = (tokens.codes.astype(int) - MIDDLE) / STEPS
    # one unit is beyond what is kept of a component, which is cut at half a unit
    assert sorted(vectors[:2].argmax(axis=1)) == [0, 1]
    assert vectors[2].argmax() == 2
    assert vectors.max() == pytest.approx((STEPS - MIDDLE) / STEPS)


def test_each_built_in_network_has_an_orthonormal_basis_and_others_have_none() -> None:
    for spec, shape in {"minilm": (384, 128), "e5": (384, 192)}.items():
        basis = load_basis(spec)
        assert basis is not None
        assert basis.shape == shape
        assert_allclose(basis.T @ basis, np.eye(shape[1]), atol=0.01)
    for spec in ("", "/somewhere/my-own-model", "../token_forms/minilm", "another"):
        assert load_basis(spec) is None


def test_pieces_of_two_editions_share_the_vector_of_the_text_with_most_blanks() -> None:
    pieces = (
        Piece("x:page", "a", 1, 1, "gluedwords here"),
        Piece("x:page", "a", 2, 2, "alone"),
        Piece("y:page:2000", "a", 1, 1, "glued words here"),
        Piece("y:page:2000", "a", 1, 1, "the rest of the page"),
    )
    reading = replace(make_reading("a", ["Over two pages."]), pieces=pieces)
    embedder = HashingEmbedder()
    parts = [embed_reading(part, embedder) for part in split_reading(reading)]
    vectors = center_pieces(join(parts))
    texts = ["glued words here", "alone", "glued words here", "the rest of the page"]
    expected = embedder.embed_passages(texts) - vectors.paragraphs
    np.testing.assert_array_equal(vectors.pieces, expected)
