"""Ideas: words of a domain with phrases that explain them. A network compares the phrases with hint and paragraph."""

import functools
import gzip
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from player.errors import SearchError
from quarry.arrays import Float32Array
from quarry.course.sentences import sentences
from quarry.languages.words import stems, words

_log = logging.getLogger(__name__)

IDEAS_FILE = Path(__file__).with_name("ideas.txt.gz")
"""File with a line "# name<TAB>Hebrew names" for each domain, and lines "word<TAB>Hebrew word<TAB>idea" of its words,
the most typical first; data/associations/README.md describes how it was made."""

RANK_OFFSET = 5.0
"""Parameter of a word's typicality, which is proportional to 1 / (RANK_OFFSET + its rank in the domain)."""
MAX_CACHED_DOMAINS = 64
"""Maximum number of domains whose vectors are cached."""

COLUMN_WEIGHTS = np.array([1.3, 5.8, 4.8, 5.0], dtype=np.float32)
"""Weights of the columns of `Ideas._columns`: a conditional logit (McFadden, 1974) fitted on our training games."""

Embed = Callable[[Sequence[str]], Float32Array]
"""A function that returns (n, dim) unit vectors of texts."""


@dataclass(frozen=True, slots=True)
class Idea:
    """A word of a domain.

    Attributes:
        phrase: the word and its explanation.
    """

    word: str
    hebrew: str
    phrase: str


@functools.cache
def load_ideas() -> tuple[dict[str, list[Idea]], dict[str, str]]:
    """Load the bundled file; return the words by domain, and the domains by the stems of their names.

    The most typical word of a domain comes first.
    """
    domains: dict[str, list[Idea]] = {}
    names: dict[str, str] = {}
    domain = ""

    with gzip.open(IDEAS_FILE, "rt", encoding="utf-8") as lines:
        for line in lines:
            first, *rest = line.rstrip("\n").split("\t")
            if first.startswith("# "):
                domain = first.removeprefix("# ")
                domains[domain] = []
                for name in (domain, *rest[0].split(",")):
                    names.setdefault(_stemmed(name), domain)
            elif len(words(first)) == 1:
                hebrew, idea = rest
                domains[domain].append(Idea(first, hebrew, f"{first}: {idea}"))
    return domains, names


def _stemmed(name: str) -> str:
    return " ".join(stems(name))


DomainWords = tuple[Sequence[Idea], Float32Array | None]
"""Words of a domain, and (n_words, dim) unit vectors of their phrases; None without a network."""


class Ideas:
    """Ranks the words of a domain; it is thread-safe.

    Args:
        embed: embeds texts as the course's network embeds queries, or raises `SearchError`; None ranks words by their
            typicality alone.
    """

    def __init__(self, embed: Embed | None = None) -> None:
        self._embed = embed
        self.find_words = functools.lru_cache(MAX_CACHED_DOMAINS)(self._find_words)

    @functools.cached_property
    def _names(self) -> Float32Array:
        """(n_domains, dim) unit vectors of the names of all domains."""
        assert self._embed is not None
        return self._embed([*load_ideas()[0]])

    def _find_words(self, domain: str) -> DomainWords:
        """Return the words of a domain. For an unknown domain, return those of the one with the most similar name.

        Without a network, an unknown domain has no words.
        """
        domains, names = load_ideas()
        name = names.get(_stemmed(domain), "")
        if not name and self._embed and words(domain):
            cosines = self._names @ self._embed([domain])[0]
            name = [*domains][int(cosines.argmax())]
        ideas = domains.get(name, [])
        if not self._embed or not ideas:
            return ideas, None
        return ideas, self._embed([idea.phrase for idea in ideas])

    def shares(
        self,
        domain: str,
        hint: str,
        text: str,
        is_allowed: Callable[[str], bool],
        *,
        in_hebrew: bool,
    ) -> dict[str, float]:
        """Return the probability that each word is the secret one; {} if the domain has no words.

        Args:
            domain: domain of the secret word.
            hint: hint about the paragraph, "" if unknown.
            text: text of the paragraph.
            is_allowed: whether a word may be guessed.
            in_hebrew: return Hebrew words.
        """
        try:
            ideas, columns = self._columns(domain, hint, text)
        except SearchError as error:  # typicality decides
            _log.debug("%s", error)
            ideas, columns = Ideas()._columns(domain, hint, text)
        scores = columns @ COLUMN_WEIGHTS
        shares = np.exp(scores - scores.max(initial=-np.inf))

        by_word: dict[str, float] = {}
        spelling: dict[str, str] = {}
        for idea, share in zip(ideas, shares.tolist(), strict=True):
            word = idea.hebrew if in_hebrew else idea.word
            if is_allowed(word):
                word = spelling.setdefault(_stemmed(word), word)
                by_word[word] = by_word.get(word, 0.0) + share
        total = sum(by_word.values())
        return {word: share / total for word, share in by_word.items()}

    def _columns(
        self, domain: str, hint: str, text: str
    ) -> tuple[Sequence[Idea], Float32Array]:
        """Return the words of a domain, and the (n_words, 4) columns by which they are ranked.

        The columns are log typicality, and the cosines of the phrase with the hint, the paragraph and its nearest
        sentence.
        """
        ideas, vectors = self.find_words(domain)
        columns = np.zeros((len(ideas), 4), dtype=np.float32)
        columns[:, 0] = -np.log1p(np.arange(len(ideas)) / RANK_OFFSET)
        if vectors is not None and self._embed:
            parts = sentences(text) or [text]
            cosines = vectors @ self._embed([hint or text, text, *parts]).T
            columns[:, 1:3] = cosines[:, :2]
            columns[:, 3] = cosines[:, 2:].max(axis=1)
        return ideas, columns
