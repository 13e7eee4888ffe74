"""Explanations in words: the step at which a game found or lost its secret, and the answers against the secret."""

from collections.abc import Iterator

from evaluate.games.labelled import LabelledGame, same_sentence
from evaluate.games.locating import begins_with
from evaluate.runs.record import (
    CandidateRecord,
    LostAt,
    ParagraphRecord,
    PlayRecord,
    ReplayRecord,
    SecretRecord,
    get_secret_id,
)
from evaluate.runs.recording import record_game
from player.game.record import Label, PlayedGame
from quarry.course.paragraph import Paragraph


def find_lost_step(record: ReplayRecord, play: PlayRecord | None) -> LostAt | None:
    """Return the step that lost the paragraph: ingest, a filter on another book, the search, the label or the answers.

    A game is lost by its label if the paragraph does not begin with the labelled opening sentence. None if not lost.

    Args:
        record: record of the game.
        play: one of its plays; None if there was no referee.
    """
    secret, search = record["truth"], record["search"]
    if secret is None:
        return "ingest"
    if play is not None and play["won"]:
        return None

    rank = search["rank"] if play is None else play["guess_rank"]
    if rank is None:
        book = search["book"]
        other_book = (
            book is not None
            and book["tier"] == "filter"
            and book["document"] != secret["document"]
        )
        return "book" if other_book else "search"
    if play is None:
        return None
    is_printed = record["in_text_layer"] and not record.get("edition")
    is_quote = begins_with(secret["text"], record["opening_sentence"])
    return "label" if is_printed and not is_quote else "answers"


def describe_fate(record: ReplayRecord, play: PlayRecord | None) -> str:
    """Write one line: the step that found or lost the paragraph, and the reason.

    Args:
        record: record of the game.
        play: one of its plays; None if there was no referee.
    """
    secret, search = record["truth"], record["search"]
    lost_step, rank, book = find_lost_step(record, play), search["rank"], search["book"]
    if secret is None:
        return "lost at ingest: the store holds no such paragraph"
    if lost_step == "book" and book is not None:
        return (
            f"lost at the book: {record['book_name']!r} was taken for {book['document']} "
            f"(confidence {book['confidence']:.2f}), but the paragraph is in {secret['document']}"
        )

    if lost_step == "search":
        n_searched = f"{len(search['hits'])} hits"
        if play is not None:
            n_searched = f"{play['n_candidates']} candidates"
        return f"lost in the search: not among the {n_searched}, {_describe_book(record, secret)}"

    outcome = f"not among the first {len(search['hits'])} hits"
    if rank:
        hit = search["hits"][rank - 1]
        slot = {
            "book": " in the book's slots",
            "global": " in the slots of the whole course",
        }.get(hit["slot"], "")
        outcome = f"found at rank {rank}{slot} by {hit['strategy']}"
    if play is None:
        return outcome
    if play["prior_rank"] is None:
        return f"won: {outcome}"

    if lost_step == "label":
        quoted = secret["opening_sentence"]
        return f"lost by its label: the paragraph begins with {quoted!r}, correct the opening sentence"
    outcome += f"; place {play['prior_rank']} of {play['n_candidates']} before"
    if lost_step == "answers":
        return f"lost by the answers: {outcome} them, {play['guess_rank']} after"
    return f"won: {outcome} the answers, 1 after"


def _describe_book(record: ReplayRecord, secret: SecretRecord) -> str:
    """Write how the book's name was resolved in a game that was lost in the search."""
    book = record["search"]["book"]
    if book is None or book["tier"] == "none":
        verb = "resolved" if record["book_name"].strip() else "named"
        return f"and no book was {verb}"
    if book["document"] != secret["document"]:
        return f"and {book['document']} was preferred to {secret['document']}"
    return "although the book was resolved rightly"


def explain(record: ReplayRecord, play: PlayRecord | None) -> Iterator[str]:
    """Yield lines that explain a game: its secret, its outcome, the probability of the secret, and answers against it.

    Args:
        record: record of the game.
        play: one of its plays; None if there was no referee.
    """
    secret = record["truth"]
    if secret is not None:
        yield f"the secret: {_quote(secret)}"
    yield describe_fate(record, play)
    if secret is None or play is None:
        return

    secret_id = get_secret_id(record)
    for item in play["candidates"]:
        if item["paragraph_id"] == secret_id:
            yield f"its probability: {_format_beliefs(item)}"
            break
    if not play["won"]:
        yield f"guessed instead: {_quote_guess(play)}"
    yield from _describe_answers(record, play)


def _describe_answers(record: ReplayRecord, play: PlayRecord) -> Iterator[str]:
    """Yield a line with the answers that do not fit the secret, and one with those that misled and their options."""
    misled, unfit = [], []
    unfit_numbers = play.get("unfit") or ()
    pairs = zip(record["questions"], play["answers"], strict=False)
    for number, (question, letter) in enumerate(pairs, 1):
        answer = f"{number} {letter}"
        if number in unfit_numbers:
            unfit.append(answer)
        if number in play["misled"]:
            misled.append(f"{answer} {question['options'].get(str(letter), '')}")
    if unfit:
        yield f"answers that do not fit the secret: {', '.join(unfit)}"
    if misled:
        yield f"answers that misled: {'; '.join(misled)}"


def reveal_label(game: LabelledGame, paragraph: Paragraph, played: PlayedGame) -> Label:
    """Build the label that the referee reveals after a game, with the explanation of the outcome.

    Args:
        game: the labelled game.
        paragraph: the secret paragraph as ingested.
        played: the played game.
    """
    record = record_game(game, paragraph, played.plan.result, [played])
    play = record["plays"][0]
    return Label(
        paragraph_id=paragraph.paragraph_id,
        opening_sentence=game.opening_sentence or paragraph.opening_sentence,
        associative_word=game.associative_word,
        won=play["won"],
        explanation=tuple(explain(record, play)),
    )


def _quote_guess(play: PlayRecord) -> str:
    """Quote the guess, with the likeliest candidate that begins with it."""
    sentence = play["guess"]["opening_sentence"]
    for item in play["candidates"]:
        if same_sentence(item["opening_sentence"], sentence):
            return f"{_quote(item)} (probability {_format_beliefs(item)})"
    return f'"{sentence}"'


def _quote(item: ParagraphRecord) -> str:
    return f'{item["document"]} p{item["page"]}: "{item["opening_sentence"]}"'


def _format_beliefs(item: CandidateRecord) -> str:
    return f"{item['prior']:.3f} before the answers, {item['belief']:.3f} after"
