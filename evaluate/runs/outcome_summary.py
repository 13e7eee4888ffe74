"""What became of a game, in words."""

from __future__ import annotations

from quarry.evaluate.runs.record import GameRecord, PlayRecord, lost_at


def fate(record: GameRecord, play: PlayRecord | None) -> str:
    """One sentence: where the paragraph was found or lost, and why.

    Args:
        play: one of the record's; None where there was no referee.
    """
    truth, search = record["truth"], record["search"]
    lost = lost_at(record, play)
    if lost == "ingest" or truth is None:
        return "lost at ingest: the store holds no such paragraph"
    if lost == "book":
        book = search["book"]
        assert book is not None
        return (
            f"lost at the book: {record['book_name']!r} was taken for {book['document']} "
            f"(confidence {book['confidence']:.2f}), but the paragraph stands in {truth['document']}"
        )
    if lost == "search":
        looked_at = len(search["hits"]) if play is None else play["n_candidates"]
        nouns = "hits" if play is None else "candidates"
        return f"lost in the search: not among the {looked_at} {nouns}{_about_the_book(record)}"
    found = _found(record) if search["rank"] else f"not among the first {len(search['hits'])} hits"
    if play is None:
        return found
    if lost == "answers":
        return (
            f"lost by the answers: {found}; place {play['prior_rank']} of {play['n_candidates']} before them, "
            f"{play['guess_rank']} after"
        )
    return f"won: {found}; place {play['prior_rank']} of {play['n_candidates']} before the answers, 1 after"


def _found(record: GameRecord) -> str:
    search = record["search"]
    rank = search["rank"]
    assert rank is not None
    hit = search["hits"][rank - 1]
    slot = {"book": " in the book's slots", "global": " in the slots of the whole course"}.get(hit["slot"], "")
    return f"found at rank {rank}{slot} by {hit['strategy']}"


def _about_the_book(record: GameRecord) -> str:
    book, truth = record["search"]["book"], record["truth"]
    if book is None or book["tier"] == "none":
        return ", and no book was resolved" if record["book_name"].strip() else ", and no book was named"
    if truth is not None and book["document"] != truth["document"]:
        return f", and {book['document']} was preferred to {truth['document']}"
    return ", although the book was resolved rightly"
