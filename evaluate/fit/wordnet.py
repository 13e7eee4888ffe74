"""What WordNet's files say of a word: its base form, how much of a noun it is, and what sort of thing."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from quarry.evaluate.errors import EvaluateError

FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
SORTS = {
    "act": (4, 10, 11),
    "nature": (5, 8, 13, 17, 19, 20, 27),
    "artifact": (6,),
    "person": (18,),
    "place": (15,),
}
"""Lexicographer files of nouns whose things can be pictured."""
RUDE = ("obscenity", "ethnic_slur", "disparagement", "vulgarism", "dirty_word")
"""Usages of words that are not said."""
PLURALS = (
    ("ies", "y"),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("s", ""),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A word of WordNet.

    Attributes:
        noun: share of its tagged occurrences that are nouns, 0..1.
        tagged: how often it was tagged as a noun.
        is_noun: whether it is one at all.
        sort: of its first sense as a noun, a key of `SORTS`, "" for others.
        name: whether that sense is an instance, such as a city.
        rude: whether that sense is one that is not said.
    """

    noun: float
    tagged: int
    is_noun: bool
    sort: str
    name: bool
    rude: bool


@dataclass(frozen=True, slots=True)
class WordNet:
    """Entries by word, and irregular plurals."""

    entries: Mapping[str, Entry]
    irregular: Mapping[str, str]

    def base(self, word: str) -> str:
        """The singular of a word, where WordNet has it as a noun, else the word."""
        if word in self.irregular:
            return self.irregular[word]
        for ending, instead in PLURALS:
            singular = word[: -len(ending)] + instead
            if word.endswith(ending) and not word.endswith("ss") and len(singular) > 1:
                entry = self.entries.get(singular)
                if entry is not None and entry.is_noun:
                    return singular
        return word


def read_wordnet(folder: Path) -> WordNet:
    """WordNet 3.0 in its own format, as Debian's package wordnet-base installs it.

    Raises:
        EvaluateError: a file is missing.

    Reference:
        Fellbaum (ed.), WordNet: An Electronic Lexical Database, 1998.
    """
    try:
        return _read(folder)
    except OSError as error:
        raise EvaluateError(
            f"--wordnet must be a folder with WordNet 3.0 (data.noun, index.noun, ...), got {folder}: "
            f"{error.strerror}; install Debian's package wordnet-base"
        ) from error


def _read(folder: Path) -> WordNet:
    senses: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for part, name in FILES.items():
        for line in _lines(folder / f"index.{name}"):
            fields = line.split()
            senses[fields[0]][part] = fields[6 + int(fields[3]) :]
    rude = {(";u", sense) for word in RUDE for sense in senses[word].get("n", ())}
    nouns: dict[str, tuple[int, bool, bool]] = {}
    for line in _lines(folder / "data.noun"):
        fields = line.split(" | ")[0].split()
        nouns[fields[0]] = int(fields[1]), "@i" in fields, not rude.isdisjoint(itertools.pairwise(fields))
    tagged: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(FILES, 0))
    for line in _lines(folder / "cntlist.rev"):
        sense, _, count = line.split()
        word, _, key = sense.partition("%")
        tagged[word]["nvara"[int(key[0]) - 1]] += int(count)
    sort_of = {number: sort for sort, numbers in SORTS.items() for number in numbers}
    entries = {}
    for word, parts in senses.items():
        weights = {part: tagged[word][part] + 0.5 * len(parts.get(part, ())) for part in FILES}
        number, is_name, is_rude = nouns[parts["n"][0]] if "n" in parts else (0, False, False)
        noun = weights["n"] / max(sum(weights.values()), 0.5)
        entries[word] = Entry(noun, tagged[word]["n"], "n" in parts, sort_of.get(number, ""), is_name, is_rude)
    irregular = {}
    for line in _lines(folder / "noun.exc"):
        plural, singular = line.split()[:2]
        if singular in entries and plural not in irregular:
            irregular[plural] = singular
    return WordNet(entries, irregular)


def _lines(path: Path) -> list[str]:
    """The lines but for the licence at the top."""
    return [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("  ")]
