"""The folders of a checkout, of an installed package, and of a user who names one."""

from pathlib import Path

import pytest

from configs import directories
from configs.directories import BUNDLED, ROOT, default_journal, default_store, home


def test_in_a_checkout_all_is_in_its_data_wherever_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("QUARRY_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    assert (default_store(), home()) == (str(ROOT / "data/store"), BUNDLED)


@pytest.mark.skipif(
    "sys.platform != 'linux'", reason="other systems keep data elsewhere"
)
def test_an_installed_package_makes_everything_in_a_folder_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("QUARRY_HOME", raising=False)
    monkeypatch.setattr(directories, "IS_CHECKOUT", False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_store() == str(tmp_path / "quarry/store")
    assert default_journal() == tmp_path / "quarry/runs/games.sqlite"
