"""How `label` asks: on a terminal with the rule checked while one types, through a pipe line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from quarry.evaluate.games.labeller import Check

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession

ENOUGH = ":q"
"""What ends the session, beside the end of the input."""


class PipeAsker:
    """Reads one line an answer.

    Args:
        lines: where from; output: where texts and questions go.
    """

    def __init__(self, lines: TextIO, output: TextIO) -> None:
        self._lines = lines
        self._output = output

    def show(self, text: str) -> None:
        """Print a text."""
        print(text, file=self._output, flush=True)

    def ask(self, question: str, default: str, check: Check) -> str:
        """The next line, `default` for an empty one.

        Raises:
            EOFError: there is none, or it is `:q`.
        """
        self.show(_asked(question, default))
        line = self._lines.readline()
        if not line or line.strip() == ENOUGH:
            raise EOFError
        return " ".join(line.split()) or default


class TerminalAsker:
    """Asks with an editable line, beneath which stands what is wrong with it so far."""

    def __init__(self) -> None:
        from prompt_toolkit import PromptSession

        self._session: PromptSession[str] = PromptSession()

    def show(self, text: str) -> None:
        """Print a text."""
        print(text, flush=True)

    def ask(self, question: str, default: str, check: Check) -> str:
        """What was typed, `default` for an empty line.

        Raises:
            EOFError: they pressed Ctrl-D or Ctrl-C, or typed `:q`.
        """
        self.show(_asked(question, default))

        def state() -> str:
            typed = self._session.default_buffer.text
            return f"{len(typed.split())} words; {check(typed) or 'nothing wrong'}"

        try:
            line = self._session.prompt("> ", bottom_toolbar=state)
        except KeyboardInterrupt as error:
            raise EOFError from error
        if line.strip() == ENOUGH:
            raise EOFError
        return " ".join(line.split()) or default


def _asked(question: str, default: str) -> str:
    return f"{question} [{default}]:" if default else f"{question}:"
