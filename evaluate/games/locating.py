"""Locates the paragraphs of labelled games in a store, and checks the games."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from rapidfuzz import fuzz

from evaluate.errors import GamesError
from evaluate.games.labelled import LabelledGame, same_sentence, token_f1, tokens
from player.belief.places import Places, find_places
from quarry.course.paragraph import Paragraph
from quarry.course.sentences import opening_sentence
from quarry.course.text import canonical
from quarry.store import Course

MAX_HINT_WORDS = 15
"""Maximum number of words of a hint."""
MIN_ALIKE = 80.0
"""Minimum similarity, 0..100, of an opening sentence and the beginning of its paragraph."""
NO_BEGINNING = (
    "The paragraph does not begin with its opening sentence; correct the sentence."
)
"""Fault of a label whose sentence does not begin the paragraph."""
MIN_SHARED = 0.7
"""Minimum share of a sentence's words in another one for which both are compared."""


def locate_games(
    games: Sequence[LabelledGame], paragraphs: Sequence[Paragraph]
) -> dict[str, Paragraph | None]:
    """Find the ingested paragraph of each answerable game.

    The paragraph of a game of another edition is the raw text itself. A game with a known paragraph_id is found by the
    id, and any other by its opening sentence: at the places that begin with this sentence, or else with a sentence that
    would win the game. Of several places, the one with the text most similar to the labelled text is taken; then the
    one in the document of the game, on its page; then the one with the smallest paragraph_id.

    Returns:
        Paragraphs by game_id, None if no place begins with the opening sentence. A paragraph begins at the place, which
        may be inside the ingested paragraph, and has the id of that paragraph.
    """
    by_id = {paragraph.paragraph_id: paragraph for paragraph in paragraphs}
    doc_ids = {paragraph.doc_id for paragraph in paragraphs}
    located: dict[str, Paragraph | None] = {}
    unknown = []
    for game in games:
        if not game.answerable:
            continue
        paragraph = by_id.get(game.paragraph_id)
        if game.edition:
            paragraph = make_raw_paragraph(game, game.find_document(doc_ids))
        located[game.game_id] = paragraph
        if paragraph is None and (game.opening_sentence or game.paragraph):
            unknown.append(game)

    if unknown:
        places = find_places(paragraphs)
        words = [set(tokens(start.sentence)) for start in places.starts]
        for game in unknown:
            doc_id = game.find_document(doc_ids)
            located[game.game_id] = _find_paragraph(game, doc_id, places, words)
    return located


def make_raw_paragraph(game: LabelledGame, doc_id: str) -> Paragraph:
    """Return the raw text of a game of another edition as a paragraph of a document."""
    return Paragraph(
        paragraph_id=f"{doc_id}:{game.page}:{game.edition}",
        doc_id=doc_id,
        page=game.page,
        heading="",
        text=game.paragraph,
        opening_sentence=game.opening_sentence,
    )


def _find_paragraph(
    game: LabelledGame,
    doc_id: str,
    places: Places,
    words: Sequence[AbstractSet[str]],
) -> Paragraph | None:
    """Find the paragraph that begins with the opening sentence of a game; see `locate_games`.

    Args:
        game: the game.
        doc_id: its document.
        places: places of the course.
        words: (n_places,) words of the opening sentence of each place.
    """
    sentence = game.opening_sentence or opening_sentence(game.paragraph)
    hits: list[int] = places.find(sentence).tolist()
    if not hits:
        sentence_words = set(tokens(sentence))
        for place, others in enumerate(words):
            n_shared = len(sentence_words & others)
            is_close = n_shared > MIN_SHARED * len(sentence_words)
            if is_close and same_sentence(places.starts[place].sentence, sentence):
                hits.append(place)

    def misfit(place: int) -> tuple[float, bool, bool, str, int]:
        """Return the key by which the best place is the smallest."""
        paragraph = places.as_paragraph(place)
        f1 = round(token_f1(paragraph.text, game.paragraph or game.opening_sentence), 2)
        is_elsewhere = paragraph.doc_id != doc_id
        is_off = not _is_on_page(game, paragraph)
        return -f1, is_elsewhere, is_off, paragraph.paragraph_id, place

    if not hits:
        return None
    best = min(hits, key=misfit)
    around = places.paragraphs[places.paragraph_rows[best]]
    return replace(places.as_paragraph(best), paragraph_id=around.paragraph_id)


def locate_in(
    games: Sequence[LabelledGame], course: Course, where: str = "--games"
) -> dict[str, Paragraph | None]:
    """Locate games as `locate_games` does, and check that they belong to the course.

    Args:
        games: the games.
        course: the course.
        where: the name of the games, for errors.

    Raises:
        GamesError: no answerable game has a paragraph.
    """
    located = locate_games(games, course.paragraphs)
    if located and not any(located.values()):
        raise GamesError(
            f"{where}: none of {len(located)} games is about a paragraph of {course.location}; "
            "name the games that belong to the store"
        )
    return located


def check_games(
    games: Sequence[LabelledGame], paragraphs: Sequence[Paragraph]
) -> list[tuple[str, str]]:
    """Return (game_id, error) for every error, in the order of the games.

    Args:
        games: the games.
        paragraphs: paragraphs of the store.
    """
    located = locate_games(games, paragraphs)
    wrong: list[tuple[str, str]] = []
    hints: dict[str, str] = {}
    for game in games:
        paragraph = located.get(game.game_id)
        text = ""
        if game.answerable:
            text = game.paragraph or (paragraph.text if paragraph else "")
        # a referee of another edition may open with a later sentence
        sentence = "" if game.edition or not text else game.opening_sentence
        errors = list(
            find_label_errors(text, game.hint, game.associative_word, sentence)
        )
        if game.answerable:
            errors += _find_place_errors(game, paragraph)

        first = hints.setdefault(canonical(game.hint), game.game_id)
        if first != game.game_id:
            errors.append(f"The hint is also that of {first}; write another.")
        for error in errors:
            wrong.append((game.game_id, error))
    return wrong


def _find_place_errors(
    game: LabelledGame, paragraph: Paragraph | None
) -> Iterator[str]:
    """Yield the errors of a game's paragraph_id, opening sentence and page, given the paragraph that they lead to."""
    if paragraph is None:
        if game.opening_sentence or game.paragraph:
            yield "No place in the store begins with its opening sentence; ingest its PDF, or correct the sentence."
        else:
            yield f"The store has no paragraph {game.paragraph_id}; ingest its PDF, or correct the id."
        return
    if game.paragraph and begins_with(game.paragraph, game.opening_sentence):
        sentence = _in_tokens(game.opening_sentence)
        alike = fuzz.partial_ratio(sentence, _in_tokens(paragraph.text))
        if sentence and alike < MIN_ALIKE:
            yield f"The paragraph {paragraph.paragraph_id} does not hold its opening sentence; correct one of them."
    if not _is_on_page(game, paragraph):
        yield f"Its page is {game.page}, and {paragraph.paragraph_id} is on page {paragraph.page}; correct one of them."


def _is_on_page(game: LabelledGame, paragraph: Paragraph) -> bool:
    """Return whether a paragraph is on the page of the label, or the label has no page."""
    last = paragraph.page + len(paragraph.page_breaks)
    return not game.page or paragraph.page <= game.page <= last


def begins_with(text: str, sentence: str) -> bool:
    """Return whether a text nearly begins with a sentence, compared by words; an empty sentence begins any text."""
    opening, words = _in_tokens(sentence), _in_tokens(text)
    if not opening:
        return not sentence.strip()
    return fuzz.ratio(opening, words[: len(opening)]) >= MIN_ALIKE


def _in_tokens(text: str) -> str:
    """Return the tokens of a text, joined by single spaces."""
    return " ".join(tokens(text))


def find_label_errors(
    text: str, hint: str = "", word: str = "", sentence: str = ""
) -> Iterator[str]:
    """Yield the errors of a label, or of some of its fields.

    Args:
        text: the paragraph, which must not hold a word of the hint or of the associative word.
        hint: the hint.
        word: the associative word.
        sentence: the opening sentence of the paragraph.
    """
    if (n_words := len(hint.split())) > MAX_HINT_WORDS:
        yield f"The hint has {n_words} words; at most {MAX_HINT_WORDS} are allowed."
    forbidden_words = set(tokens(text))
    for subject, value in (("hint", hint), ("associative word", word)):
        if shared := sorted(forbidden_words.intersection(tokens(value))):
            quoted = ", ".join(f'"{one}"' for one in shared)
            noun = "word" if len(shared) == 1 else "words"
            yield f"The {subject} shares the {noun} {quoted} with the paragraph."
    if not begins_with(text, sentence):
        yield NO_BEGINNING
