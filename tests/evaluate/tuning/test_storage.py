"""What is shown of a storage."""

from __future__ import annotations

import pytest

from evaluate.tuning.storage import without_password


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:s3cret@host/db",
        "postgresql://me:s3@cret@host/db",
        "postgresql:///db?host=h&user=me&password=s3cret",
    ],
)
def test_no_part_of_a_password_is_shown(url: str) -> None:
    shown = without_password(url)
    assert "cret" not in shown
    assert "db" in shown
