"""Makes hebrew.tsv: Hebrew words and the English ones that they may mean; see README.md.

    PYTHONPATH=. python data/associations/translate.py --annotations DIR --hebrew he.npz --english en.npz

DIR is the folder annotations of the package. The two .npz files hold `words`, frequent base forms of each language, and
`vectors` of them by multilingual-e5-small.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from wordfreq import zipf_frequency

from quarry.ingest.arrays import AnyFloatArray, Float32Array
from quarry.player.answer.associations import load_associations
from quarry.player.words import is_stop_word

HERE = Path(__file__).resolve().parent
N_MEANINGS = 4
LEAST_SHARE, LEAST_FIRST = 0.15, 0.3
"""Of a meaning by the annotations, and of the first one, for the word to be kept."""
LEAST_ZIPF = 2.0
LEAST_NEARNESS = 0.35
"""Of two words that are each other's nearest, where the annotations lack the Hebrew one."""
N_HUB = 10
"""Nearest words over which a word's nearness to everything is taken."""

Lexicon = dict[str, list[tuple[str, float]]]


class Nearness:
    """How near Hebrew and English words are by their vectors, what a language has in common taken off."""

    def __init__(self, hebrew: Mapping[str, Any], english: Mapping[str, Any]) -> None:
        self.hebrew: list[str] = hebrew["words"].tolist()
        self.english: list[str] = english["words"].tolist()
        self.cosines = _centred(hebrew["vectors"]) @ _centred(english["vectors"]).T
        self._rows = {word: row for row, word in enumerate(self.hebrew)}
        self._columns = {word: column for column, word in enumerate(self.english)}

    def factor(self, hebrew: str, english: str) -> float:
        """By which a pair of the annotations is preferred; 1 where a word has no vector."""
        if hebrew not in self._rows or english not in self._columns:
            return 1.0
        return float(np.exp(5.0 * self.cosines[self._rows[hebrew], self._columns[english]]))

    def mutual(self) -> Lexicon:
        """Pairs that are each other's nearest.

        Reference:
            Conneau et al., Word Translation without Parallel Data, 2018 (cross-domain similarity local scaling).
        """
        of_rows = np.sort(self.cosines, axis=1)[:, -N_HUB:].mean(axis=1)
        of_columns = np.sort(self.cosines, axis=0)[-N_HUB:].mean(axis=0)
        scaled = 2.0 * self.cosines - of_rows[:, None] - of_columns
        nearest = scaled.argmax(axis=0)
        found: Lexicon = {}
        for row, word in enumerate(self.hebrew):
            best = np.argsort(-scaled[row])[:N_MEANINGS]
            if nearest[best[0]] == row and scaled[row, best[0]] >= LEAST_NEARNESS:
                shares = np.exp((scaled[row, best] - scaled[row, best[0]]) / 0.05)
                shares /= shares.sum()
                pairs = zip(best, shares, strict=True)
                found[word] = [(self.english[column], float(share)) for column, share in pairs if share >= 0.1]
        return found


def by_annotations(folder: Path, nearness: Nearness) -> Lexicon:
    """Meanings by the emoji whose names or keywords both words are (cosine), more so where both are its name."""
    hebrew, english = (
        json.loads((folder / language / "annotations.json").read_text(encoding="utf-8"))["annotations"]["annotations"]
        for language in ("he", "en")
    )
    together: dict[str, Counter[str]] = defaultdict(Counter)
    names: dict[str, Counter[str]] = defaultdict(Counter)
    n_hebrew, n_english = Counter[str](), Counter[str]()
    known = set(load_associations().words)
    for emoji in hebrew.keys() & english.keys():
        own = {word for word in _all(hebrew[emoji]) if re.fullmatch("[א-ת]{2,}", word) and not is_stop_word(word)}
        other = {_singular(word.lower(), known) for word in _all(english[emoji])} & known
        n_hebrew.update(own)
        n_english.update(other)
        for word in own:
            together[word].update(other)
        (one, *_), (two, *_) = hebrew[emoji].get("tts", [""]), english[emoji].get("tts", [""])
        two = _singular(two.lower(), known)
        if one in own and two in other:
            names[one][two] += 1
    found: Lexicon = {}
    for word, counts in together.items():
        if zipf_frequency(word, "he") < LEAST_ZIPF:
            continue
        scores = {
            meaning: (count / (n_hebrew[word] * n_english[meaning]) ** 0.5 + names[word][meaning])
            * nearness.factor(word, meaning)
            for meaning, count in counts.items()
        }
        best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:N_MEANINGS]
        total = sum(score for _, score in best)
        kept = [(meaning, score / total) for meaning, score in best if score >= LEAST_SHARE * total]
        if kept and kept[0][1] >= LEAST_FIRST:
            found[word] = kept
    return found


def _singular(word: str, known: Container[str]) -> str:
    forms = (
        word,
        *(word[: -len(end)] + new for end, new in (("ies", "y"), ("es", ""), ("s", "")) if word.endswith(end)),
    )
    return next((form for form in forms if form in known), word)


def _all(annotation: Mapping[str, list[str]]) -> list[str]:
    return annotation["default"] + annotation.get("tts", [])


def _centred(vectors: AnyFloatArray) -> Float32Array:
    centred = vectors.astype(np.float32) - vectors.mean(axis=0, dtype=np.float32)
    return np.asarray(centred / np.linalg.norm(centred, axis=1, keepdims=True), dtype=np.float32)


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--annotations", type=Path, required=True, help="folder with he/ and en/ annotations.json")
    parser.add_argument("--hebrew", type=Path, required=True)
    parser.add_argument("--english", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=HERE / "hebrew.tsv")
    options = parser.parse_args()
    nearness = Nearness(np.load(options.hebrew), np.load(options.english))
    found = {**nearness.mutual(), **by_annotations(options.annotations, nearness)}
    lines = [f"{word}\t" + " ".join(f"{other}:{share:.2f}" for other, share in found[word]) for word in sorted(found)]
    options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
