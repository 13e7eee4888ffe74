"""Builds the lectures: `python data/lectures/build.py [--course english|hebrew] [--check]`.

Reads COURSE/sources/*.md, writes COURSE/*.pdf and COURSE/truth.jsonl (its fields: truth.py), the same bytes every time.
Exit code 0: built, or with --check as committed; 1: --check found differences; 2: a source is bad, nothing was written.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

if __package__ in (None, ""):  # run as a file, whose imports start at the repository's root
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from data.lectures.lecture import LectureError, SourceError
from data.lectures.source import length_errors, read_lecture
from data.lectures.truth import truth
from data.lectures.typeset import typeset

LECTURES = Path(__file__).resolve().parent
COURSES = ("english", "hebrew")
COPIES = {"06-evaluation": ("lecture6_eval_final",)}  # the same bytes under a second name, as on real course pages


class BuildError(LectureError):
    """Sources that cannot be built; `errors` holds one error each."""

    def __init__(self, errors: Sequence[SourceError]) -> None:
        super().__init__("\n".join(map(str, errors)))
        self.errors = tuple(errors)


@dataclass(frozen=True, slots=True)
class Built:
    """What a course comes to: the bytes of each file by its name, and how many blocks of each kind there are."""

    files: dict[str, bytes]
    n_playable: int
    n_other: int


def build_course(course: str, root: Path) -> Built:
    """The course's PDFs and truth, in memory; prints a line for each lecture.

    Args:
        course: The course's folder.
        root: The folder that holds it.

    Raises:
        BuildError: With all errors of all the course's sources.
    """
    files: dict[str, bytes] = {}
    lines: list[str] = []
    errors: list[SourceError] = []
    n_playable = n_other = 0
    sources = sorted((root / course / "sources").glob("*.md"))
    if not sources:
        raise LectureError(f"{root / course / 'sources'}: no source there; expected at least one .md file")
    for source in sources:
        start_s = time.perf_counter()
        try:
            lecture = read_lecture(source)
            errors += length_errors(lecture)
            result = typeset(lecture)
            if lecture.unused_footnotes:
                labels = ", ".join(f"[^{label}]" for label in lecture.unused_footnotes)
                print(f"{source.name}: note: nothing refers to {labels}, so it is not printed", file=sys.stderr)
        except SourceError as error:
            errors.append(error)
            continue
        records = truth(lecture, result.pages)
        playable = sum(bool(record["playable"]) for record in records)
        n_playable += playable
        n_other += len(records) - playable
        lines += [json.dumps(record, ensure_ascii=False) for record in records]
        for name in (source.stem, *COPIES.get(source.stem, ())):
            files[f"{name}.pdf"] = result.pdf
        kinds = Counter(str(record["kind"]) for record in records if not record["playable"])
        others = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
        size = f"{len(result.pdf) / 1024:.0f} KiB, {time.perf_counter() - start_s:.1f} s"
        print(f"{course}/{source.stem} ({lecture.layout}): {playable} playable; {others}; {size}", flush=True)
    if errors:
        raise BuildError(errors)
    files["truth.jsonl"] = "".join(f"{line}\n" for line in lines).encode()
    return Built(files, n_playable, n_other)


def write(files: dict[str, bytes], folder: Path) -> None:
    """Writes the files into the folder, which is made if it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def differences(built: Path, committed: Path) -> list[str]:
    """One line for each file that differs, is missing in `committed`, or is there without a source."""
    found = []
    names = {
        path.name for folder in (built, committed) for path in folder.glob("*") if path.suffix in (".pdf", ".jsonl")
    }
    for name in sorted(names):
        if not (committed / name).exists():
            found.append(f"{committed.name}/{name} is missing; run python data/lectures/build.py")
        elif not (built / name).exists():
            found.append(f"{committed.name}/{name} has no source; remove it")
        elif (built / name).read_bytes() != (committed / name).read_bytes():
            found.append(f"{committed.name}/{name} differs from its source; run python data/lectures/build.py")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 0, 1 for differences, 2 for bad sources."""
    parser = argparse.ArgumentParser(description="Builds the lectures' PDFs and their ground truth.")
    parser.add_argument("--course", choices=COURSES, help="build only this course")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if a committed file is not what its source gives"
    )
    options = parser.parse_args(arguments)
    courses = (options.course,) if options.course else COURSES
    try:
        built = {course: build_course(course, LECTURES) for course in courses}
    except LectureError as error:
        print(error, file=sys.stderr)
        return 2
    found: list[str] = []
    for course, result in built.items():
        if options.check:
            with tempfile.TemporaryDirectory() as folder:
                write(result.files, Path(folder))
                found += differences(Path(folder), LECTURES / course)
        else:
            write(result.files, LECTURES / course)
        counts = f"{result.n_playable} playable paragraphs, {result.n_other} other blocks"
        print(f"{course}: {len(result.files) - 1} PDFs, {counts}")
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
