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
