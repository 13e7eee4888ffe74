"""The benchmarks run in processes that are started for them."""

import pickle

from tools.benchmarks.__main__ import BENCHMARKS


def test_a_process_that_does_not_import_main_can_read_each_benchmark() -> None:
    for name, benchmark in BENCHMARKS.items():
        assert b"__main__" not in pickle.dumps(benchmark), name
