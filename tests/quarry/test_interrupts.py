"""Signals that end a command: what it has found is printed, its children end, and it exits with the signal's code."""

import signal

import pytest

from tests.fakes import start_python

pytestmark = pytest.mark.long

STUCK = """import multiprocessing, sys, time
from quarry import interrupts

def sleep(_=None):
    time.sleep(600)

def main():
    interrupts.on_interrupt_print("command: interrupted")
    child = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(600,))
    child.start()
    with interrupts.printing_at_end(lambda: print("[1, 2]")):
        try:
            print("ready", file=sys.stderr, flush=True)
            time.sleep(600)
        finally:
            time.sleep(600)  # such as threads that are waited for

sys.modules["command"] = sys.modules["__main__"]
if __name__ == "__main__":
    sys.exit(interrupts.run_quietly("command"))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("n_signals", [1, 2])
def test_what_was_found_is_printed_once_whatever_ends_a_stuck_command(
    number: signal.Signals, n_signals: int
) -> None:
    with start_python("-c", STUCK, interrupt=number) as process:
        assert process.stderr.readline() == "ready\n"
        for _ in range(n_signals):
            process.send_signal(number)
        # its child has both streams, so that they end with the child
        out, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number

    assert (out, err) == ("[1, 2]\n", "command: interrupted\n")


PRINTING = """import os, signal, sys
from quarry import interrupts

def main():
    interrupts.on_interrupt_print("command: interrupted")
    with interrupts.deferring():
        for line in ("first", "second"):
            print(line, file=sys.stderr)
            if line == "first":
                os.kill(os.getpid(), signal.SIGINT)
    print("more", file=sys.stderr)

sys.modules["command"] = sys.modules["__main__"]
sys.exit(interrupts.run_quietly("command"))
"""


def test_a_result_is_printed_whole_before_the_line_of_an_interrupt() -> None:
    with start_python("-c", PRINTING) as process:
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130

    assert (out, err) == ("", "first\nsecond\ncommand: interrupted\n")
