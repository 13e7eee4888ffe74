"""What is read of WordNet's files."""

from __future__ import annotations

from pathlib import Path

import pytest

from quarry.evaluate.errors import EvaluateError
from quarry.evaluate.fit.associations import general_words
from quarry.evaluate.fit.wordnet import Entry, WordNet, read_wordnet

LICENCE = "  1 This software and database is being provided to you.\n"
NOUNS = """\
00000010 06 n 01 box 0 001 @ 00000040 n 0000 | a container
00000020 15 n 01 Paris 0 001 @i 00000040 n 0000 | the capital of France
00000030 05 n 01 mouse 0 002 @ 00000040 n 0000 ;u 00000050 n 0000 | said here as an insult
00000040 03 n 01 thing 0 000 | what there is
00000050 10 n 01 obscenity 0 000 | what is not said
"""
INDEX = """\
box n 1 1 @ 1 1 00000010
paris n 1 1 @i 1 1 00000020
mouse n 1 2 @ ;u 1 0 00000030
thing n 1 0 1 1 00000040
obscenity n 1 0 1 0 00000050
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = {"data.noun": LICENCE + NOUNS, "index.noun": LICENCE + INDEX, "noun.exc": "mice mouse\nxes x\n"}
    texts |= {f"index.{part}": LICENCE for part in ("adj", "adv")}
    texts["index.verb"] = LICENCE + "box v 1 0 1 1 00000060\n"
    texts["cntlist.rev"] = "box%1:06:00:: 1 3\nbox%2:35:00:: 1 1\n"
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_entries_say_how_much_of_a_noun_a_word_is_and_of_what_sort(folder: Path) -> None:
    read = read_wordnet(folder)
    # three tagged as a noun and one as a verb, half a count for each sense
    assert read.entries["box"] == Entry(3.5 / 5.0, 3, True, "artifact", name=False, rude=False)
    assert read.entries["paris"] == Entry(1.0, 0, True, "place", name=True, rude=False)
    assert read.entries["mouse"].rude
    assert read.entries["thing"].sort == ""


@pytest.mark.parametrize(
    ("word", "base"), [("boxes", "box"), ("mice", "mouse"), ("things", "thing"), ("glass", "glass"), ("runs", "runs")]
)
def test_plurals_lose_their_ending_where_the_singular_is_a_noun(folder: Path, word: str, base: str) -> None:
    assert read_wordnet(folder).base(word) == base


def test_a_folder_without_wordnet_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(EvaluateError, match=r"--wordnet must be a folder with WordNet 3.0 .* install Debian's package"):
        read_wordnet(tmp_path)


def test_the_vocabulary_is_of_base_forms_that_are_said_and_of_names_that_the_norms_name() -> None:
    noun = Entry(1.0, 5, True, "artifact", name=False, rude=False)
    known = WordNet({"violin": noun, "bastard": Entry(1.0, 5, True, "person", name=False, rude=True)}, {})
    made = general_words(known, {"google", "violins"})
    assert set(made.words) == {"violin", "google"}
    row = made.words.index("violin")
    assert made.traits[row][2] == 1.0
    assert made.zipf[row] == pytest.approx(4.0 + made.traits[row][0])
