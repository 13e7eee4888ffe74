"""Map the packages of the checkout to folders of one installed package, `quarry`."""

from setuptools import find_packages, setup

FOLDERS = ("configs", "ingest", "player", "evaluate")
DATA = ("data/lectures", "data/games")

setup(
    packages=[
        "quarry",
        *(f"quarry.{folder}" for folder in FOLDERS),
        *(f"quarry.{folder}.{package}" for folder in FOLDERS for package in find_packages(folder)),
        *(f"quarry.{folder.replace('/', '.')}" for folder in DATA),
    ],
    package_dir={f"quarry.{folder.replace('/', '.')}": folder for folder in FOLDERS + DATA},
)
