"""Lecture sources are read as written, bad ones named, and the committed PDFs and truth are what the sources give."""

import json
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from tests.fakes import each
from tools import lectures

FRONT = """\
---
title: "A Sample: Reader's Digest"
authors: ["Ada Example", "Ben Sample"]
course: "Finding and Deciding"
lecture: 9
date: "4 March 2025"
lang: en
layout: notes
running_head: "Samples"
---
"""

LONG = " ".join(f"word{number}" for number in range(60)) + "."

SAMPLE = (
    FRONT
    + f"""
# Contents

<!-- toc -->

# Abstract

{LONG}

# First "Section"

Dr. Example's rule, e.g. for $n >= 10$, is *short*.[^1] It isn't -- as `a = "b"` shows -- long...

## Below

$$ sum_(i=1)^n x_i $$

```python
print("hello")
```

Table: Two **bold** rows.

| Name | Count |
|---|---:|
| one | 1 |
| two |  |

```figure
kind: bar
labels: ["a", "b"]
values: [1, 2.5]
caption: "Two bars."
```

- first item
- second item
  - inner item

<!-- pagebreak -->

3. third
4. fourth

> **Definition.** A quote.

# References

1. A. Author. A Title. 1999.

[^1]: The rule's *source* is unknown.
"""
)


def built(text: str, folder: Path) -> tuple[bytes, list[dict[str, Any]]]:
    """Return the PDF and the truth of one source."""
    (folder / "sources").mkdir(exist_ok=True)
    (folder / "sources" / "09-sample.md").write_text(text, encoding="utf-8")
    files = lectures.build_course(folder)
    truth = files["truth.jsonl"].splitlines()
    return files["09-sample.pdf"], list(map(json.loads, truth))


def printed(pdf: bytes | Path) -> list[str]:
    document = pypdfium2.PdfDocument(pdf)
    return [page.get_textpage().get_text_range() for page in document]


def test_truth_tells_kind_text_heading_and_page_of_each_block(tmp_path: Path) -> None:
    _, records = built(SAMPLE, tmp_path)

    assert each(records, "ordinal") == list(range(1, len(records) + 1))
    kinds = """heading heading abstract heading short_paragraph heading formula code caption
        table_cell table_cell table_cell table_cell table_cell figure_label figure_label caption
        list_item list_item list_item list_item list_item quote heading reference footnote"""
    assert each(records, "kind") == kinds.split()
    assert [record["text"] for record in records if record["playable"]] == [LONG]
    texts = {record["text"]: record for record in records}
    assert {
        'Dr. Example’s rule, e.g. for n ≥ 10, is short. It isn’t – as a = "b" shows – long…',
        "Table 1: Two bold rows.",
        "Figure 1: Two bars.",
        "The rule’s source is unknown.",
    } <= texts.keys()
    assert texts["Definition. A quote."]["section_path"] == ["First “Section”", "Below"]
    assert texts["third"]["page"] == texts["inner item"]["page"] + 1


@pytest.mark.parametrize(
    ("text", "opening"),
    [
        (
            "Tools, e.g. Typst, i.e. this, work. Yes.",
            "Tools, e.g. Typst, i.e. this, work.",
        ),
        (
            "G. Salton met C. J. van Rijsbergen. They",
            "G. Salton met C. J. van Rijsbergen.",
        ),
        ('"Why?" asked the student. Nobody knew.', "“Why?” asked the student."),
        ("The call `a.b. C` is one. Yes.", "The call a.b. C is one."),
        ("A mark.[^1] Two.\n\n[^1]: Note.", "A mark."),
        ("No end at all", "No end at all"),
    ],
)
def test_an_opening_sentence_ends_where_a_reader_ends_it(
    text: str, opening: str, tmp_path: Path
) -> None:
    _, records = built(f"{FRONT}\n{text}\n", tmp_path)
    assert records[0]["opening_sentence"] == opening


def test_text_that_looks_like_markup_is_printed_as_it_is(tmp_path: Path) -> None:
    text = r"\#let x = \$5 @ref \<label> // no comment \\ ~ \_ = 1."
    pdf, _ = built(f"{FRONT}{text}\n", tmp_path)
    assert r"#let x = $5 @ref <label> // no comment \ ~ _ = 1." in printed(pdf)[0]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("layout: notes", "layout: poster", "file not found"),
        ("title: ", "title: [", "line 2"),
        (
            "| Name | Count |",
            "No table.\n\n| Name |",
            "line 34: `Table:` is not directly",
        ),
        ("[^1]: The", "[^2]: The", "line 22: footnote .* has no text"),
        ("<!-- toc -->", "<!-- index -->", "line 14: html_block is not part"),
        ("$$ sum_(i=1)^n x_i $$", "$$ nonsense $$", "unknown variable: nonsense"),
    ],
)
def test_a_bad_source_is_named_and_nothing_written(
    old: str,
    new: str,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert old in SAMPLE
    with pytest.raises(
        lectures.LectureSourceError, match=rf"^09-sample\.md: [\s\S]*{message}"
    ):
        built(SAMPLE.replace(old, new, 1), tmp_path)
    assert lectures.main([str(tmp_path)]) == 2
    assert "09-sample.md" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["sources"]


@pytest.mark.parametrize("course", ["english", "hebrew"])
def test_the_committed_files_are_reproduced_byte_for_byte(course: str) -> None:
    folder = lectures.LECTURES / course
    files = lectures.build_course(folder)
    assert {path.name for path in folder.iterdir() if path.is_file()} == set(files)
    for name, content in files.items():
        assert (folder / name).read_bytes() == content, name
        assert len(content) < 750_000
