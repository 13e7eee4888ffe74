"""Options of commands that may call a writer."""

import argparse
from dataclasses import replace

from configs.settings import Settings
from player.writer.writer import KEY, make_writer
from quarry import cli

WRITER = (
    cli.option(
        "--writer",
        "MODEL",
        "language model for associative word, justifications and re-ranking, on a server with the OpenAI interface; "
        f"its key is read from {KEY} (default: none)",
        default="",
    ),
    cli.option(
        "--writer-url",
        "URL",
        "that server (default: OpenAI's, or OPENAI_BASE_URL)",
        default="",
    ),
    cli.option(
        "--writer-log",
        "FILE",
        "record of prompts and replies, which are read from there again; without --writer nothing is sent, and new "
        "prompts are added without a reply",
        default="",
    ),
)


def writer_settings(options: argparse.Namespace, settings: Settings) -> Settings:
    """Return the settings with the writer of a command line, and print what is sent where.

    Raises:
        SettingsError: the writer cannot be called, or its log cannot be read.
    """
    game = settings.game
    game = replace(
        game,
        writer=options.writer or game.writer,
        writer_url=options.writer_url or game.writer_url,
        writer_log=options.writer_log or game.writer_log,
    )
    writer = make_writer(game)
    if writer is not None:
        cli.warn(options, writer.notice)
    return replace(settings, game=game)
