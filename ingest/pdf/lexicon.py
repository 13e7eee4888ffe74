"""The words that Tesseract's own models hold, unpacked by the programs that come with it."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

_FOLDER = re.compile(r'"([^"]+)"')
_HEBREW_PREFIXES = "והבכלמש"
MAX_PREFIXES = 2
"""Letters of Hebrew that stand for words of their own and are written together with the next one."""


@functools.cache
def installed() -> tuple[str, frozenset[str]]:
    """The folder of Tesseract's models, "" if it is not told, and their names; none where it is not installed."""
    if shutil.which("tesseract") is None:
        return "", frozenset()
    told = subprocess.run(["tesseract", "--list-langs"], capture_output=True, text=True, check=False)
    found = _FOLDER.search(told.stdout + told.stderr)
    return found[1] if found else "", frozenset(told.stdout.split())


@functools.cache
def lexicon(language: str) -> frozenset[str]:
    """The words of a language's model in small letters; empty where they cannot be had."""
    models, _ = installed()
    if not models:
        return frozenset()
    try:
        model = Path(models) / f"{language}.traineddata"
        with tempfile.TemporaryDirectory() as folder:
            unpacked, words = f"{folder}/m.", Path(folder) / "words"
            subprocess.run(["combine_tessdata", "-u", str(model), unpacked], capture_output=True, check=True)
            names = [f"{unpacked}lstm-unicharset", f"{unpacked}lstm-word-dawg", str(words)]
            subprocess.run(["dawg2wordlist", *names], capture_output=True, check=True)
            return frozenset(words.read_text(encoding="utf-8", errors="replace").casefold().split())
    except (OSError, subprocess.CalledProcessError):
        return frozenset()


@functools.cache
def words_of(languages: tuple[str, ...]) -> frozenset[str]:
    """The words of several languages' models together."""
    return frozenset[str]().union(*map(lexicon, languages))


def is_hebrew_word(word: str, words: frozenset[str]) -> bool:
    """Whether a word is one of some, prefixes aside."""
    for n_prefixes in range(MAX_PREFIXES + 1):
        if word[n_prefixes:] in words and len(word) - n_prefixes > 1:
            return True
        if word[n_prefixes : n_prefixes + 1] not in _HEBREW_PREFIXES:
            break
    return False
