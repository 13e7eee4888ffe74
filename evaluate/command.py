"""`python -m evaluate`: practice server, replay, comparison, tuning, calibration, export, report, and games files."""

from evaluate.commands import COMMANDS
from quarry.cli import choose_and_run


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code (0 done, 1 something is missing or wrong, 2 bad input)."""
    about = "Practise, measure and check."
    return choose_and_run(COMMANDS, arguments, "python -m evaluate", about)
