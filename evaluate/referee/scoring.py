"""The private score of a guess, as docs/protocol.md defines it, with RAW_BANDS for raw text; similarity of words."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Mapping
from difflib import SequenceMatcher
from functools import lru_cache

from evaluate.games.labelled import same_sentence, same_text, token_f1, tokens
from evaluate.referee.context import QUOTE_MARKS, same_form
from evaluate.referee.passages import choose_other_embedder
from player.answer import NOT_RELEVANT, Answer, Answers, read_answer
from player.round import BANDS, OPENING_SCORE, OPENING_WEIGHT, Score
from quarry.arrays import Float32Array
from quarry.embed import Models

Similarity = Callable[[str, str], float]
"""Similarity of two words, 0..1."""

SCORE_WEIGHTS = {
    OPENING_SCORE: OPENING_WEIGHT,
    "sentence_justification_score": 0.2,
    "associative_word_score": 0.2,
    "word_justification_score": 0.1,
}
"""Weights of the parts of a score."""

LEAGUE_POINTS = ((85.0, 3), (70.0, 2), (50.0, 1))
"""Minimum private scores, and the league points for them."""

RAW_BANDS = [(least, 100.0 * band) for least, band in BANDS]
"""Minimum similarities of a raw opening sentence, and its points, by the rule of a public referee that draws pages."""

NEAR_MISS = 90.0
"""Maximum score of a wrong sentence or word."""

PART_COST = 25.0
"""Points that each missing part of a justification costs."""

UNRELATED_COSINE = {"e5": 0.85, "minilm": 0.26}
"""Mean cosine of unrelated nouns by model. For 190 pairs it is 0.856 in English and 0.836 in Hebrew with e5, and 0.262
in English with MiniLM."""

MAX_PART_CHARS = 2_000
"""Maximum number of characters of each part of a guess that are read. A justification has 50 words, and the search for
citations takes quadratic time."""

MAX_WORD_CHARS = 200
"""Maximum number of characters of a word that are embedded."""
MAX_CACHED_WORDS = 4_096
"""Maximum number of words whose vectors are cached. Embedding two words takes 20 ms, nearly all of a game's time."""


def score_guess(
    guess: object,
    *,
    opening_sentence: str,
    associative_word: str,
    answers: Answers,
    similarity: Similarity,
    is_raw: bool = False,
) -> Score:
    """Score a guess; a part that is missing, empty or not a string earns 0, and raises no error.

    Args:
        guess: payload of Q21GUESSSUBMISSION: opening_sentence, sentence_justification, associative_word and
            word_justification; the confidence is ignored.
        opening_sentence: opening sentence of the secret paragraph.
        associative_word: the secret word, or a few words.
        answers: the answers that were sent, in the order of the questions; a question without one cannot be cited.
        similarity: similarity of the guessed and the secret word, if they differ.
        is_raw: whether the opening sentence is raw text, which is compared letter by letter.
    """
    score_opening = score_raw_sentence if is_raw else score_sentence
    sentence, word = _part(guess, "opening_sentence"), _part(guess, "associative_word")
    sent_answers = dict(enumerate(map(read_answer, answers), 1))
    parts = {
        OPENING_SCORE: score_opening(sentence, opening_sentence),
        "sentence_justification_score": score_justification(
            _part(guess, "sentence_justification"),
            sent_answers,
            n_words_allowed=(30, 50),
            n_citations=3,
        ),
        "associative_word_score": score_word(word, associative_word, similarity),
        "word_justification_score": score_justification(
            _part(guess, "word_justification"),
            sent_answers,
            n_words_allowed=(20, 30),
            n_citations=2,
        ),
    }
    private_score = 0.0
    for name, part in parts.items():
        parts[name] = round(part, 2)
        private_score += SCORE_WEIGHTS[name] * parts[name]
    private_score = round(private_score, 2)
    points = (points for least, points in LEAGUE_POINTS if private_score >= least)
    feedback = {}
    for name in ("opening_sentence", "associative_word"):
        part = parts[f"{name}_score"]
        outcome = "is right" if part == 100.0 else f"earned {part:.0f} of 100"
        feedback[name] = f"The {name.replace('_', ' ')} {outcome}."

    return Score(private_score, next(points, 0), parts, feedback)


def score_sentence(guess: str, secret: str) -> float:
    """Return 100 if the sentences are equal, else 100 times their token F1, at most 90."""
    if not tokens(guess):
        return 0.0
    if same_text(guess, secret):
        return 100.0
    return min(NEAR_MISS, 100.0 * token_f1(guess, secret))


def compute_raw_ratio(guess: str, secret: str) -> float:
    """Return the similarity of two raw strings, 0..1, as a public referee computes it."""
    matcher = SequenceMatcher(None, guess.strip(), secret.strip())
    return matcher.ratio()


def score_raw_sentence(guess: str, secret: str) -> float:
    """Return the points of a public referee for a raw string; below the last band, where its model judges, return 0."""
    ratio = compute_raw_ratio(guess, secret)
    return next((points for least, points in RAW_BANDS if ratio >= least), 0.0)


def has_won(guess: str, secret: str, *, is_raw: bool) -> bool:
    """Return whether a guessed opening sentence wins the game; a raw one needs the lowest of the bands."""
    if is_raw:
        return compute_raw_ratio(guess, secret) >= RAW_BANDS[-1][0]
    return same_sentence(guess, secret)


def score_word(
    guess: str,
    secret: str,
    similarity: Similarity,
) -> float:
    """Return 100 if the words are equal after stemming, else 100 times their similarity, clipped to 0..90.

    Without one of the two words it is 0.
    """
    words, others = tokens(guess), tokens(secret)
    if not words or not others:
        return 0.0
    if len(words) == len(others) and all(map(same_form, words, others)):
        return 100.0
    points = 100.0 * similarity(guess.strip(), secret.strip())
    return min(NEAR_MISS, max(0.0, points))


def score_justification(
    text: str,
    answers: Mapping[int, Answer],
    n_words_allowed: tuple[int, int],
    n_citations: int,
) -> float:
    """Return 100 minus 25 for each missing part; 0 for an empty text.

    The right length is one part, and each required citation is one. The justification of a sentence has four parts (its
    length, three citations) and can lose 100 points; that of a word has three (its length, two citations) and can lose
    75. A citation counts if its answer is the one that was sent. A question counts once, and not at all if the text
    cites two answers to it, since one of them must be wrong.

    Args:
        text: the justification.
        answers: "A".."D" or "Not Relevant" by question number.
        n_words_allowed: minimum and maximum number of words; a word is between blanks and has a letter or digit.
        n_citations: number of different questions to cite.
    """
    n_words = len(re.findall(r"\S*[^\W_]\S*", text))
    if n_words == 0:
        return 0.0
    n_right = 0
    for number, cited_answers in citations(text).items():
        n_right += cited_answers == {answers.get(number)}
    missing = max(0, n_citations - n_right)
    least, most = n_words_allowed
    if not least <= n_words <= most:
        missing += 1
    return 100.0 - PART_COST * missing


def citations(text: str) -> dict[int, set[str]]:
    """Return the numbers of the questions that a justification cites, each with all answers that it cites.

    A citation is a question with its number and, in the same sentence and before the next number, an answer: 'question
    4 (answer B: "index")', 'Q4: B', 'question 4 was answered B', 'questions 4 (B), 7 (C) and 9 (Not Relevant)',
    'שאלה 4 (תשובה B)'. Text in quotation marks is the wording of an option; it is only read if it is an answer.
    """

    def unquoted(match: re.Match[str]) -> str:
        inside = match[0][1:-1].strip()
        answer = read_answer(inside)
        return inside if answer and same_text(inside, answer) else ""

    plain = unicodedata.normalize("NFKC", text).translate(QUOTE_MARKS)
    answers_by_question: dict[int, set[str]] = defaultdict(set)
    for match in _CITED.finditer(_QUOTATION.sub(unquoted, plain)):
        number = int(match["number"] or match["bare"])
        answers_by_question[number].add(read_answer(match["answer"]) or NOT_RELEVANT)
    return answers_by_question


def make_word_similarity(player_embedder_spec: str, models: Models) -> Similarity:
    """Return the similarity of words by the referee's own model, which is never that of the player's store.

    The model is MiniLM if the player's store uses e5, and else e5 if it is installed. Without a model, the similarity
    is the normalised Levenshtein similarity of rapidfuzz. Cosines are rescaled, so that the mean of unrelated words
    becomes 0 and equality stays 1, and clipped to 0..1: (c - 0.85) / 0.15 for e5, (c - 0.26) / 0.74 for MiniLM. With
    MiniLM, words outside Latin script are compared by their characters, since unrelated Hebrew words have cosines of
    0.2 to 0.9.

    Args:
        player_embedder_spec: SPEC of the embedder of the player's store.
        models: loads the referee's model.

    Raises:
        EmbedderError: the model is installed but cannot be read.
    """
    embedder_spec = choose_other_embedder(player_embedder_spec)
    if embedder_spec is None:
        return character_similarity
    embedder = models.embedder(embedder_spec)
    floor = UNRELATED_COSINE[embedder_spec]

    @lru_cache(maxsize=MAX_CACHED_WORDS)
    def vector(word: str) -> Float32Array:
        folded = word.casefold()[:MAX_WORD_CHARS]
        embedding: Float32Array = embedder.embed_queries([folded])[0]
        return embedding

    def similarity(one: str, other: str) -> float:
        letters = filter(str.isalpha, one + other)
        if embedder_spec == "minilm" and max(letters, default="") >= "\u0250":
            return character_similarity(one, other)
        cosine = float(vector(one) @ vector(other))
        stretched = (cosine - floor) / (1.0 - floor)
        return min(1.0, max(0.0, stretched))

    return similarity


def character_similarity(one: str, other: str) -> float:
    """Return the normalised Levenshtein similarity of two texts, 0..1, after NFKC and case folding."""
    from rapidfuzz.distance import Levenshtein

    plain = " ".join(tokens(one))
    return float(Levenshtein.normalized_similarity(plain, " ".join(tokens(other))))


def _part(guess: object, key: str) -> str:
    value = guess.get(key) if isinstance(guess, Mapping) else None
    return value[:MAX_PART_CHARS] if isinstance(value, str) else ""


_QUOTATION = re.compile(r"(?<!\w)\"[^\"]*\"|(?<!\w)'[^'\n]*?'(?!\w)")
"""A quotation."""
_CITED = re.compile(
    r"(?:(?<!\w)(?i:questions?|qs?|[ובלמהכש]{0,3}שאל(?:ה|ות))\.?\s*#?\s*(?P<number>\d{1,2})(?:[^.!?\d]*?[^\w.!?'])?"
    r"|(?<![\w.,])(?P<bare>\d{1,2})\s*[=:(]\s*)"
    r"(?P<answer>(?:[A-D]|(?:(?<=[=:(])|(?<=[=:(]\s))[a-d])(?![\w'])|(?i:not[\s_-]+relevant\b)|לא\s+רלוונטית?)"
)
"""A citation; a lower-case letter is an answer only after "=", ":" or "(", since "a" is also an article."""
