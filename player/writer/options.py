"""Options of the commands that may call a writer."""

import logging
from dataclasses import asdict, dataclass, replace
from typing import Annotated

from cyclopts import Parameter

from configs.settings import Settings
from player.writer.writer import KEY, make_writer

_log = logging.getLogger(__name__)


@Parameter(name="*")
@dataclass(frozen=True)
class WriterOptions:
    """Options that name a writer."""

    writer: Annotated[
        str,
        Parameter(
            metavar="MODEL",
            help="Language model for associative word, justifications and re-ranking, on a server with the OpenAI "
            f"interface; its key is read from {KEY} (default: none).",
        ),
    ] = ""
    writer_url: Annotated[
        str, Parameter(help="That server (default: OpenAI's, or OPENAI_BASE_URL).")
    ] = ""
    writer_log: Annotated[
        str,
        Parameter(
            metavar="FILE",
            help="Record of prompts and replies, which are read from there again; without --writer nothing is sent, "
            "and new prompts are added without a reply.",
        ),
    ] = ""

    def override(self, settings: Settings) -> Settings:
        """Replace the writer in settings, and log which data are sent to which server.

        Raises:
            SettingsError: the writer cannot be called, or its log cannot be read.
        """
        changes = {name: value for name, value in asdict(self).items() if value}
        game = replace(settings.game, **changes)
        writer = make_writer(game)
        if writer is not None:
            _log.warning("%s", writer.notice)
        return replace(settings, game=game)
