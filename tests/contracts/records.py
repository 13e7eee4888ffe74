"""Records of games for tests."""

from typing import Any, cast

from evaluate.runs.record import HitRecord, PlayRecord, ReplayRecord


def game_record(**changes: Any) -> ReplayRecord:
    """Return the record of a game about alpha:1:2, found at rank 2 in the book's slots; it or its search is changed."""
    hits: list[HitRecord] = []
    for rank, paragraph_id in enumerate(("alpha:1:1", "alpha:1:2"), 1):
        hits.append(
            {
                "paragraph_id": paragraph_id,
                "document": "alpha",
                "page": 1,
                "opening_sentence": f"Sentence of {paragraph_id}.",
                "slot": "book",
                "strategy": "dense",
                "rank": rank,
                "score": 0.9,
                "relevance": 0.9,
                "why": f"rank {rank} by dense",
            }
        )
    record: ReplayRecord = {
        "game_id": "g1",
        "book_name": "the alpha",
        "hint": "what climbs",
        "association_domain": "botany",
        "associative_word": "garden",
        "opening_sentence": "",
        "in_text_layer": True,
        "answerable": True,
        "truth": {
            "paragraph_id": "alpha:1:2",
            "document": "alpha",
            "page": 1,
            "opening_sentence": "Sentence of alpha:1:2.",
            "text": "Sentence of alpha:1:2. And another.",
        },
        "search": {
            "hits": hits,
            "book": {"document": "alpha", "confidence": 0.95, "tier": "filter"},
            "answered_by": "filter",
            "relevant": True,
            "failures": [],
            "embed_ms": 1.0,
            "search_ms": 2.0,
            "rank": 2,
        },
        "questions": [],
        "questions_ms": None,
        "decide_ms": None,
        "plays": [],
    }

    for key, value in changes.items():
        part: Any = record["search"] if key in record["search"] else record
        assert key in part
        part[key] = value
    return record


def play_record(**changes: Any) -> PlayRecord:
    """Return a play in which the paragraph came from place 7 of 50 to the first; changed."""
    record: PlayRecord = {
        "repeat": 0,
        "n_candidates": 50,
        "answers": ["A", None],
        "misled": [],
        "unfit": [],
        "candidates": [],
        "bits": [5.0, 0.1],
        "guess": {
            "opening_sentence": "Sentence of alpha:1:2.",
            "sentence_justification": "because",
            "associative_word": "ivy",
            "word_justification": "because",
            "confidence": 0.9,
        },
        "guess_rank": 1,
        "prior_rank": 7,
        "won": True,
        "sentence_exact": True,
        "word_exact": False,
        "word_top20": False,
        "win_ideal": 0.9,
        "private_score": 80.0,
        "league_points": 2,
        "breakdown": {},
    }

    assert changes.keys() <= record.keys()
    return cast(PlayRecord, {**record, **changes})
