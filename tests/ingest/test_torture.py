"""Ingest against the torture course: the same texts by many typesetters, each in its own habits."""

from __future__ import annotations

from collections import defaultdict

from tests.ingest.torture.measure import Result, results

IMAGES = ("scan", "scan-skewed", "scan-badly-read", "scan-he", "redistilled-unicode")
"""Files whose text layer is absent, bad or without meaning: what is read of them depends on Tesseract."""


def test_every_typesetter_is_read_as_it_prints() -> None:
    by_document: dict[str, list[Result]] = defaultdict(list)
    for result in results("dev", without=IMAGES):
        by_document[result.document].append(result)
    exact = {name: sum(result.exact for result in found) / len(found) for name, found in by_document.items()}
    assert min(exact.values()) >= 0.88, exact
    assert sum(exact.values()) / len(exact) >= 0.97
    scores = [result.f1 for found in by_document.values() for result in found]
    assert sum(scores) / len(scores) >= 0.985
