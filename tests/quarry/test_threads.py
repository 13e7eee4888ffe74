"""Calls in threads that do not keep the process alive."""

import threading
import time

from quarry.threads import start_in_thread


def test_a_thread_is_used_again_and_keeps_no_process_alive() -> None:
    threads: set[threading.Thread] = set()
    is_used_again = False
    while not is_used_again:  # else the timeout of the test ends it
        thread = start_in_thread(threading.current_thread).result(60.0)
        is_used_again = thread in threads
        threads.add(thread)
        time.sleep(0.01)
    assert all(thread.daemon for thread in threads)
