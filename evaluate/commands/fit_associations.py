"""`fit-associations`: makes the vocabulary of associative words, and fits what makes one likely."""

from __future__ import annotations

import argparse
import functools
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np

from quarry.configs.arguments import settings_of
from quarry.configs.places import BUNDLED, to_fit
from quarry.configs.settings import Settings, SettingsError
from quarry.evaluate.commands.command import add_command, add_games, require_writable
from quarry.evaluate.errors import GamesError
from quarry.evaluate.games.labelled import LabelledGame, load_games
from quarry.evaluate.games.splits import select_split
from quarry.ingest.embed import Models
from quarry.ingest.paragraph import Paragraph

BATCH = 256
TABLES = BUNDLED / "associations"


def add(commands: Any) -> None:
    """Name the command's arguments."""
    command = add_command(
        commands,
        "fit-associations",
        run,
        "make the player's vocabulary of associative words (minutes; needs wordfreq and WordNet)",
        "python -m evaluate fit-associations --games data/games/english.jsonl --models data/store/models",
    )
    add_games(command)
    command.add_argument("--models", type=Path, required=True, metavar="DIR", help="folder of exported models")
    command.add_argument(
        "--wordnet",
        type=Path,
        default=Path("/usr/share/wordnet"),
        metavar="DIR",
        help="WordNet 3.0 (default: Debian's)",
    )
    command.add_argument("--tables", type=Path, default=TABLES, metavar="DIR", help="norms.tsv.gz and hebrew.tsv")
    command.add_argument("--vectors", type=Path, metavar="FILE.npy", help="keep the words' vectors here, or take them")
    command.add_argument(
        "--report", type=Path, action="append", default=[], metavar="FILE", help="other games to score"
    )
    command.add_argument("--out", type=Path, metavar="FILE.npz", help="where to write (default: the player's own)")


def run(options: argparse.Namespace) -> int:
    """Fit on the train split, write, and print how it does there, on the other splits and on the games to report."""
    from quarry.evaluate.fit import associations as fitting
    from quarry.evaluate.fit.wordnet import read_wordnet
    from quarry.evaluate.referee.scoring import word_similarity
    from quarry.player.answer.associations import ASSOCIATIONS_FILE, load_associations, write_associations
    from quarry.player.answer.guess import associative_words

    out: Path = options.out or to_fit(ASSOCIATIONS_FILE)
    require_writable(out)
    require_writable(options.vectors)
    if importlib.util.find_spec("wordfreq") is None:
        raise SettingsError("fit-associations needs the package wordfreq; run: pip install -r requirements-dev.txt")
    games, *others = (_usable(path) for path in (options.games, *options.report))
    train = select_split(games, "train", 0)
    settings = settings_of(options)
    norms = fitting.read_table(options.tables / "norms.tsv.gz")
    vocabulary = fitting.general_words(read_wordnet(options.wordnet), {word for _, named in norms for word, _ in named})
    made = fitting.fit_associations(
        vocabulary,
        _vectors(vocabulary.words, options, settings),
        fitting.norms_of(norms, vocabulary.words),
        fitting.lexicon_of(fitting.read_table(options.tables / "hebrew.tsv"), vocabulary.words),
        train,
    )
    write_associations(made, out)
    made = load_associations(out)
    print(
        f"{len(made.words)} words, norms of {len(made.norms.domains)} domains, {len(made.lexicon.words)} Hebrew words; "
        f"weights {np.round(made.weights[1], 2).tolist()}"
    )

    def choose(game: LabelledGame) -> list[str]:
        paragraph = Paragraph("", "", 0, "", game.paragraph, "")
        return associative_words(paragraph, game.association_domain, game.hint, made)

    similarity = functools.cache(word_similarity("minilm", Models(options.models, settings.embed)))
    named = {game.split for game in games}
    splits = [split for split in ("train", "validation", "test") if split in named or named == {None}]
    parts = [(split, select_split(games, split, 0)) for split in splits]
    for name, part in [*parts, *zip((path.parent.name for path in options.report), others, strict=True)]:
        score = fitting.score_associations(choose, part, similarity)
        print(
            f"{name:10} {score.n_games:4} games, exact {score.exact:.3f}, among 20 {score.top20:.3f}, "
            f"score {score.score:.1f} +- {score.half_width:.1f} (the domain itself {score.domain_score:.1f})"
        )
    return 0


def _usable(path: Path) -> list[LabelledGame]:
    games = [game for game in load_games(path) if game.associative_word and game.paragraph]
    if not games:
        raise GamesError(
            f"{path}: at least one game must have associative_word and paragraph, got none; add their texts"
        )
    return games


def _vectors(words: tuple[str, ...], options: argparse.Namespace, settings: Settings) -> Any:
    """(n_words, dim) from the file if it fits, else by MiniLM."""
    if options.vectors is not None and options.vectors.is_file():
        vectors = np.load(options.vectors)
        if len(vectors) == len(words):
            return vectors
    embedder = Models(options.models, settings.embed).embedder("minilm")
    batches = [words[start : start + BATCH] for start in range(0, len(words), BATCH)]
    vectors = np.concatenate([embedder.embed_queries(batch) for batch in batches])
    if options.vectors is not None:
        np.save(options.vectors, vectors)
    return vectors
