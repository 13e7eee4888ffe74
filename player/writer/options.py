"""Options of commands that may call a writer."""

from __future__ import annotations

import argparse
from dataclasses import replace

from configs.settings import Settings
from ingest.console import arguments as cli
from player.writer.writer import KEY, make_writer

_OPTIONS = (
    (
        "--writer",
        "MODEL",
        "language model for associative word, justifications and re-ranking, on a server with the OpenAI interface; "
        f"its key is read from {KEY} (default: none)",
    ),
    ("--writer-url", "URL", "that server (default: OpenAI's, or OPENAI_BASE_URL)"),
    (
        "--writer-log",
        "FILE",
        "record of prompts and replies, which are read from there again; without --writer nothing is sent, and new "
        "prompts are added without a reply",
    ),
)
WRITER = tuple(cli.option(*each, default="") for each in _OPTIONS)


def writer_settings(options: argparse.Namespace, settings: Settings) -> Settings:
    """Return the settings with the writer of a command line, and print what is sent where.

    Raises:
        SettingsError: the writer cannot be called, or its log cannot be read.
    """
    names = ("writer", "writer_url", "writer_log")
    given = {name: value for name in names if (value := getattr(options, name))}
    settings = replace(settings, game=replace(settings.game, **given))
    writer = make_writer(settings.game)
    if writer is not None:
        cli.warn(options, writer.notice)
    return settings
