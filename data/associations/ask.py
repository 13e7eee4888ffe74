"""Makes norms.tsv.gz: what a small language model names when it is asked for a word of a domain; see README.md.

    python data/associations/ask.py --model MODEL.gguf --domains domains.txt --games data/games/english.jsonl

Needs the packages xllamacpp and wordfreq, and takes about a second a domain on one core.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import random
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
TASK = "A secret word is chosen from a broad domain: a specific thing, act or quality that the domain brings to mind.\n"
N_EXAMPLES = 16
N_TOKENS = 300
N_KEPT = 200
LEAST = 3e-5
"""Probability of a word that is kept."""
N_COMPLETED = 12
"""Tokens that are no whole words, such as " unic", that the model is let complete."""
RARE = -5.8
"""Log probability down to which they are."""


def examples(path: Path, seed: int = 1) -> str:
    """Domains and words of training games, one of a domain, as lines of the prompt."""
    games = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    taught = [game for game in games if game.get("split") == "train" and game.get("associative_word")]
    taught = [game for game in taught if re.fullmatch("[a-z]+", game["associative_word"])]
    random.Random(seed).shuffle(taught)
    chosen: dict[str, str] = {}
    for game in taught:
        if game["association_domain"].islower():
            chosen.setdefault(game["association_domain"], game["associative_word"])
    lines = [f"domain: {domain} -> word: {word}\n" for domain, word in list(chosen.items())[:N_EXAMPLES]]
    return "".join(lines)


def load_model(path: Path) -> Any:
    """A server in this process."""
    import xllamacpp  # type: ignore[import-not-found]

    settings = xllamacpp.CommonParams()
    settings.model.path = str(path)
    settings.n_ctx, settings.n_parallel = 1024, 1
    return xllamacpp.Server(settings)


def complete(model: Any, prompt: str, n_tokens: int, n_shown: int) -> Any:
    """The likeliest continuation, and the likeliest tokens of its first place."""
    request = {"prompt": prompt, "n_predict": n_tokens, "n_probs": n_shown, "temperature": 0.0, "stop": ["\n"]}
    answer = model.handle_completions({**request, "cache_prompt": True})
    return (json.loads(answer) if isinstance(answer, str) else answer)["choices"][0]


def words_of(model: Any, prompt: str) -> dict[str, float]:
    """Words -> probability, by the first token, completed where it is no whole word."""
    from wordfreq import zipf_frequency

    shares: dict[str, float] = defaultdict(float)
    n_completed = 0
    for token in complete(model, prompt, 1, N_TOKENS)["logprobs"]["content"][0]["top_logprobs"]:
        text, chance = token["token"], token["logprob"]
        word = text.strip()
        if not text.startswith(" ") or not word:
            continue
        whole = len(word) >= 3 and word.isalpha() and zipf_frequency(word, "en") >= 3.3
        if not whole and chance >= RARE and n_completed < N_COMPLETED:
            n_completed += 1
            word = (text + complete(model, prompt + text, 4, 0)["text"]).strip()
        if re.fullmatch("[A-Za-z]{3,}", word):
            shares[word.lower()] += math.exp(chance)
    return shares


def main() -> None:
    """Ask for every domain, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--domains", type=Path, required=True, help="one a line")
    parser.add_argument("--games", type=Path, required=True, help="whose train split gives the examples")
    parser.add_argument("--out", type=Path, default=HERE / "norms.tsv.gz")
    options = parser.parse_args()
    model, shown = load_model(options.model), examples(options.games)
    lines = []
    for domain in options.domains.read_text(encoding="utf-8").splitlines():
        shares = words_of(model, f"{TASK}{shown}domain: {domain} -> word:")
        kept = sorted(shares.items(), key=lambda item: -item[1])[:N_KEPT]
        lines.append(f"{domain}\t" + " ".join(f"{word}:{share:.1g}" for word, share in kept if share >= LEAST))
    options.out.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
