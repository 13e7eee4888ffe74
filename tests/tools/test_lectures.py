"""The committed PDFs and truth are what the sources give, and bad sources are named."""

from pathlib import Path

import pypdfium2
import pytest

from tools import lectures

SAMPLE = """\
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

# Contents

<!-- toc -->

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


def build(text: str, folder: Path) -> bytes:
    """Return the PDF of one source."""
    (folder / "sources").mkdir()
    (folder / "sources" / "09-sample.md").write_text(text, encoding="utf-8")
    return lectures.build_course(folder)["09-sample.pdf"]


def test_text_that_looks_like_markup_is_printed_as_it_is(tmp_path: Path) -> None:
    text = r"\#let x = \$5 @ref \<label> // no comment \\ ~ \_ = 1."
    source = SAMPLE.replace("# Contents", text)
    page, *_ = pypdfium2.PdfDocument(build(source, tmp_path))
    printed = page.get_textpage().get_text_range()
    assert r"#let x = $5 @ref <label> // no comment \ ~ _ = 1." in printed


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("layout: notes", "layout: poster", "file not found"),
        ("title: ", "title: [", "line 2"),
        (
            "| Name | Count |",
            "No table.\n\n| Name |",
            "line 30: `Table:` is not directly",
        ),
        ("[^1]: The", "[^2]: The", "line 18: footnote .* has no text"),
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
    named = rf"^09-sample\.md: [\s\S]*{message}"
    with pytest.raises(lectures.LectureSourceError, match=named):
        build(SAMPLE.replace(old, new, 1), tmp_path)
    assert lectures.main([str(tmp_path)]) == 2
    assert "09-sample.md" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["sources"]


def test_the_committed_files_are_reproduced_byte_for_byte() -> None:
    for course in ("english", "hebrew"):
        folder = lectures.LECTURES / course
        files = lectures.build_course(folder)
        assert {path.name for path in folder.iterdir() if path.is_file()} == set(
            files
        ), course
        for name, content in files.items():
            assert (folder / name).read_bytes() == content, name
            assert len(content) < 750_000, course
