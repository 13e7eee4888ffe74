"""Lecture sources are read as written, bad ones named, and the committed PDFs and truth are what the sources give."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from data.lectures import build
from data.lectures.lecture import (
    MAX_PLAYABLE_WORDS,
    MIN_PLAYABLE_WORDS,
    Code,
    Contents,
    Figure,
    Formula,
    Heading,
    ItemList,
    Lecture,
    PageBreak,
    Paragraph,
    Quote,
    SourceError,
    Span,
    Table,
    plain,
)
from data.lectures.opening import opening_sentence
from data.lectures.source import length_errors, read_lecture
from data.lectures.truth import truth
from data.lectures.typeset import typeset

FRONT = """\
---
title: "A Sample: Reader's Digest"
authors: ["Ada Example", "Ben Sample"]
course: "Finding and Deciding"
lecture: 9
date: 2025-03-04
lang: en
layout: notes
running_head: "Samples"
---
"""

LONG = " ".join(f"word{number}" for number in range(60)) + "."

SAMPLE = (
    FRONT
    + f"""
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

<!-- references -->

1. A. Author. A Title. 1999.

[^1]: The rule's *source* is unknown.
"""
)


def lecture_of(text: str, folder: Path) -> Lecture:
    path = folder / "09-sample.md"
    path.write_text(text, encoding="utf-8")
    return read_lecture(path)


def spans_of(text: str, folder: Path) -> tuple[Span, ...]:
    block = lecture_of(f"{FRONT}\n{text}\n", folder).blocks[0]
    assert isinstance(block, Paragraph)
    return block.spans


def course_with(text: str, folder: Path) -> Path:
    """A folder of lectures whose English course has this one source."""
    sources = folder / "english" / "sources"
    sources.mkdir(parents=True)
    (sources / "09-sample.md").write_text(text, encoding="utf-8")
    return folder


def letters(text: str) -> str:
    """Letters and digits alone: what hyphenation, styles of maths and quotes leave unchanged."""
    return "".join(character for character in unicodedata.normalize("NFKC", text) if character.isalnum()).lower()


class TestReading:
    def test_every_construct_becomes_its_block_in_order(self, tmp_path: Path) -> None:
        kinds = [type(block) for block in lecture_of(SAMPLE, tmp_path).blocks]
        assert kinds == [
            *(Heading, Contents, Heading, Paragraph, Heading, Paragraph, Heading, Formula, Code, Table, Figure),
            *(ItemList, PageBreak, ItemList, Quote, Heading, ItemList),
        ]

    def test_front_matter_is_kept_with_typographic_quotes(self, tmp_path: Path) -> None:
        lecture = lecture_of(SAMPLE, tmp_path)
        assert (lecture.name, lecture.title, lecture.number) == ("09-sample", "A Sample: Reader’s Digest", 9)
        assert lecture.authors == ("Ada Example", "Ben Sample")

    def test_paragraphs_read_as_printed_without_footnote_marks(self, tmp_path: Path) -> None:
        paragraph = lecture_of(SAMPLE, tmp_path).blocks[5]
        assert isinstance(paragraph, Paragraph)
        expected = 'Dr. Example’s rule, e.g. for n ≥ 10, is short. It isn’t – as a = "b" shows – long…'
        assert plain(paragraph.spans) == expected
        assert Span("text", "short", emphasis=True) in paragraph.spans
        assert Span("footnote", "0") in paragraph.spans

    def test_only_the_paragraph_under_abstract_is_one(self, tmp_path: Path) -> None:
        blocks = lecture_of(SAMPLE, tmp_path).blocks
        assert [block.abstract for block in blocks if isinstance(block, Paragraph)] == [True, False]

    def test_captions_are_numbered_by_kind(self, tmp_path: Path) -> None:
        blocks = lecture_of(SAMPLE, tmp_path).blocks
        captions = [plain(block.caption) for block in blocks if isinstance(block, (Table, Figure))]
        assert captions == ["Table 1: Two bold rows.", "Figure 1: Two bars."]

    def test_tables_keep_empty_cells_and_alignment(self, tmp_path: Path) -> None:
        table = lecture_of(SAMPLE, tmp_path).blocks[9]
        assert isinstance(table, Table)
        assert [[plain(cell) for cell in row] for row in table.rows] == [["Name", "Count"], ["one", "1"], ["two", ""]]
        assert table.alignments == ("start", "right")

    def test_lists_keep_their_start_and_inner_lists(self, tmp_path: Path) -> None:
        bulleted, numbered, references = (
            block for block in lecture_of(SAMPLE, tmp_path).blocks if isinstance(block, ItemList)
        )
        inner = bulleted.items[1].blocks[0]
        assert isinstance(inner, ItemList)
        assert plain(inner.items[0].spans) == "inner item"
        assert (numbered.ordered, numbered.start) == (True, 3)
        assert references.references

    def test_contents_and_references_get_a_heading_where_the_source_has_none(self, tmp_path: Path) -> None:
        headings = [block for block in lecture_of(SAMPLE, tmp_path).blocks if isinstance(block, Heading)]
        texts = [(plain(heading.spans), heading.numbered) for heading in headings]
        assert texts == [
            *(("Contents", False), ("Abstract", False), ("First “Section”", True), ("Below", True)),
            ("References", False),
        ]

    def test_hebrew_keeps_straight_quotes(self, tmp_path: Path) -> None:
        text = FRONT.replace("lang: en", "lang: he") + '\nצה"ל אמר "שלום".\n'
        block = lecture_of(text, tmp_path).blocks[0]
        assert isinstance(block, Paragraph)
        assert plain(block.spans) == 'צה"ל אמר "שלום".'

    def test_a_footnote_without_a_mark_is_named_and_left_out(self, tmp_path: Path) -> None:
        lecture = lecture_of(SAMPLE + "[^spare]: Left over.\n", tmp_path)
        assert lecture.unused_footnotes == ("spare",)
        assert [plain(spans) for spans in lecture.footnotes] == ["The rule’s source is unknown."]


class TestOpeningSentence:
    @pytest.mark.parametrize(
        ("text", "opening"),
        [
            ("One ends here. Two follows.", "One ends here."),
            ("Some tools, e.g. Typst, i.e. this one, work. Yes.", "Some tools, e.g. Typst, i.e. this one, work."),
            ("As Fig. 2 and Dr. Example show, it holds. Yes.", "As Fig. 2 and Dr. Example show, it holds."),
            ("G. Salton met C. J. van Rijsbergen. They spoke.", "G. Salton met C. J. van Rijsbergen."),
            ("People v. Collins was a trial. Yes.", "People v. Collins was a trial."),
            ("A level of 0.05 is common. Yes.", "A level of 0.05 is common."),
            ('"Why?" asked the student. Nobody knew.', "“Why?” asked the student."),
            ('"Why are they unkind?" Let us see.', "“Why are they unkind?”"),
            ("It ends (as said.) Then more.", "It ends (as said.)"),
            ("Really? Yes! No.", "Really?"),
            ("See the docs. `idf` is a number. Yes.", "See the docs."),
            ("The call `a.b. C` is one. Yes.", "The call a.b. C is one."),
            ("A mark.[^1] Two.\n\n[^1]: Note.", "A mark."),
            ("Plan B. Then C.<!-- s --> Then D. End.", "Plan B. Then C."),
            ("No end at all", "No end at all"),
        ],
    )
    def test_ends_where_a_reader_ends_it(self, text: str, opening: str, tmp_path: Path) -> None:
        assert opening_sentence(spans_of(text, tmp_path)) == opening

    def test_hebrew_has_no_capitals_to_wait_for(self) -> None:
        assert opening_sentence((Span("text", "א. כהן כתב תוכנית. היא עבדה."),)) == "א. כהן כתב תוכנית."


class TestTruth:
    def test_tells_kind_heading_and_playability_of_each_block(self, tmp_path: Path) -> None:
        lecture = lecture_of(SAMPLE, tmp_path)
        records = truth(lecture, typeset(lecture).pages)
        assert [record["ordinal"] for record in records] == list(range(1, len(records) + 1))
        assert [record["kind"] for record in records] == [
            *("heading", "heading", "abstract", "heading", "short_paragraph", "heading", "formula", "code", "caption"),
            *("table_cell",) * 5,
            *("figure_label", "figure_label", "caption", "list_item", "list_item", "list_item", "list_item"),
            *("list_item", "quote", "heading", "reference", "footnote"),
        ]
        assert [record["text"] for record in records if record["playable"]] == [LONG]
        quote = next(record for record in records if record["kind"] == "quote")
        assert quote["heading"] == "Below"
        assert quote["section_path"] == ("First “Section”", "Below")

    def test_pages_follow_a_page_break(self, tmp_path: Path) -> None:
        lecture = lecture_of(SAMPLE, tmp_path)
        records = truth(lecture, typeset(lecture).pages)
        pages = {str(record["text"]): int(str(record["page"])) for record in records}
        assert pages["third"] == pages["inner item"] + 1

    def test_a_paragraph_that_runs_over_the_page_has_two_pages(self, tmp_path: Path) -> None:
        lecture = lecture_of(FRONT + f"\nShort line.\n\n{LONG} {LONG}\n" * 8, tmp_path)
        records = truth(lecture, typeset(lecture).pages)
        places = [(record["page"], record["page_end"]) for record in records]
        assert list(dict.fromkeys(places)) == [(1, 1), (1, 2), (2, 2)]


class TestTypesetting:
    def test_gives_the_same_bytes_every_time(self, tmp_path: Path) -> None:
        lecture = lecture_of(SAMPLE, tmp_path)
        assert typeset(lecture).pdf == typeset(lecture).pdf

    @pytest.mark.parametrize("layout", ["paper", "slides", "notes", "book"])
    @pytest.mark.parametrize("lang", ["en", "he"])
    def test_every_layout_sets_every_construct(self, layout: str, lang: str, tmp_path: Path) -> None:
        text = SAMPLE.replace("layout: notes", f"layout: {layout}").replace("lang: en", f"lang: {lang}")
        result = typeset(lecture_of(text, tmp_path))
        printed = "".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(result.pdf))
        for words in ("third", "fourth", "one", "Definition", "hello", "unknown"):
            assert words in printed

    def test_text_that_looks_like_markup_is_printed_as_it_is(self, tmp_path: Path) -> None:
        result = typeset(lecture_of(FRONT + r"\#let x = \$5 @ref \<label> // no comment \\ ~ \_ = 1." + "\n", tmp_path))
        printed = pypdfium2.PdfDocument(result.pdf)[0].get_textpage().get_text_range()
        assert r"#let x = $5 @ref <label> // no comment \ ~ _ = 1." in printed

    def test_a_slide_too_long_for_a_page_goes_on_under_the_same_title(self, tmp_path: Path) -> None:
        text = FRONT.replace("layout: notes", "layout: slides") + "\n## Long Slide\n" + f"\n{LONG}\n" * 6
        pages = pypdfium2.PdfDocument(typeset(lecture_of(text, tmp_path)).pdf)
        titles = [page.get_textpage().get_text_range().split("\r\n")[0] for page in pages]
        assert len(titles) > 2
        assert set(titles[1:]) == {"Long Slide"}

    def test_pdf_title_of_the_front_matter_overrides_the_title(self, tmp_path: Path) -> None:
        text = SAMPLE.replace("lang: en", 'lang: en\npdf_title: "Untitled 1"')
        metadata = pypdfium2.PdfDocument(typeset(lecture_of(text, tmp_path)).pdf).get_metadata_dict()
        assert metadata["Title"] == "Untitled 1"


class TestBadSources:
    @pytest.mark.parametrize(
        ("old", "new", "line", "message"),
        [
            ("layout: notes", "layout: poster", 8, "layout must be one of paper, slides, notes, book, got 'poster'"),
            ("lang: en", "lang: fr", 7, "lang must be one of en, he, got 'fr'"),
            ("lecture: 9\n", "", 1, "the front matter lacks `lecture`; add it"),
            ("lecture: 9", "lecture: nine", 5, "lecture must be a number, got 'nine'"),
            ("lang: en", "lang: en\ncolour: red", 8, "unknown front matter key `colour`"),
            ("title: ", "title: [", 3, "the front matter is no YAML"),
            ("---\ntitle", "title", 1, "the file must begin with front matter"),
            ("| Name | Count |", "No table.\n\n| Name | Count |", 30, "`Table:` must stand directly above a table"),
            ("kind: bar", "kind: pie", 37, "the figure's kind must be one of bar, line, boxes, got 'pie'"),
            ("values: [1, 2.5]", "values: [1]", 37, "a figure needs a value for each label"),
            ("[^1]: The", "[^2]: The", 20, "footnote '[^1] It ' has no text; add it at the end"),
            ("<!-- toc -->", "<!-- index -->", 12, "unknown comment <!-- index -->"),
            ("<!-- toc -->", "<b>bold</b> text", 12, "html_inline is not part of the format"),
            ("1. A. Author", "A. Author", 55, "after <!-- references --> a numbered list must come"),
        ],
    )
    def test_name_file_line_and_what_is_wrong(
        self, old: str, new: str, line: int, message: str, tmp_path: Path
    ) -> None:
        assert SAMPLE.count(old) >= 1
        with pytest.raises(SourceError, match=re.escape(f"09-sample.md:{line}: {message}")) as caught:
            lecture_of(SAMPLE.replace(old, new, 1), tmp_path)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize(
        ("n_words", "lang", "bad"),
        [
            (39, "en", False),
            (40, "en", True),
            (49, "en", True),
            (50, "en", False),
            (140, "en", False),
            (141, "en", True),
            (44, "he", True),
            (45, "he", False),
        ],
    )
    def test_paragraph_lengths_are_clearly_short_or_playable(
        self, n_words: int, lang: str, bad: bool, tmp_path: Path
    ) -> None:
        text = FRONT.replace("lang: en", f"lang: {lang}") + "\n" + "word " * n_words + "\n"
        errors = [str(error) for error in length_errors(lecture_of(text, tmp_path))]
        assert len(errors) == bad
        assert all(error.startswith("09-sample.md:12: a paragraph must have") for error in errors)

    def test_a_formula_typst_rejects_is_named_by_its_source_line(self, tmp_path: Path) -> None:
        with pytest.raises(SourceError, match=r"^09-sample\.md:14: Typst: unknown variable: nonsense"):
            typeset(lecture_of(FRONT + "\nText.\n\n$$ nonsense $$\n", tmp_path))

    def test_all_errors_of_a_course_are_printed_and_nothing_written(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        root = course_with(FRONT + "\n" + "word " * 45 + "\n\n" + "word " * 46 + "\n\n$$ nonsense $$\n", tmp_path)
        monkeypatch.setattr(build, "LECTURES", root)
        assert build.main(["--course", "english"]) == 2
        lines = [line.split(": ")[0] for line in capsys.readouterr().err.splitlines()]
        assert lines == ["09-sample.md:12", "09-sample.md:14", "09-sample.md:16"]
        assert [path.name for path in (root / "english").iterdir()] == ["sources"]


class TestBuild:
    def test_check_names_each_file_that_differs(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(build, "LECTURES", course_with(SAMPLE, tmp_path))
        assert build.main(["--course", "english"]) == 0
        assert build.main(["--course", "english", "--check"]) == 0
        pdf, extra = tmp_path / "english" / "09-sample.pdf", tmp_path / "english" / "10-extra.pdf"
        pdf.write_bytes(pdf.read_bytes() + b"\n")
        extra.touch()
        (tmp_path / "english" / "truth.jsonl").unlink()
        assert build.main(["--course", "english", "--check"]) == 1
        assert capsys.readouterr().err.splitlines() == [
            "english/09-sample.pdf differs from its source; run python data/lectures/build.py",
            "english/10-extra.pdf has no source; remove it",
            "english/truth.jsonl is missing; run python data/lectures/build.py",
        ]

    def test_a_copy_has_the_bytes_of_its_lecture(self) -> None:
        folder = build.LECTURES / "english"
        assert (folder / "lecture6_eval_final.pdf").read_bytes() == (folder / "06-evaluation.pdf").read_bytes()


@pytest.mark.parametrize("course", build.COURSES)
class TestCommitted:
    def test_files_are_reproduced_byte_for_byte(self, course: str, tmp_path: Path) -> None:
        build.write(build.build_course(course, build.LECTURES).files, tmp_path / course)
        assert build.differences(tmp_path / course, build.LECTURES / course) == []

    def test_playable_paragraphs_have_the_right_length_and_are_unique(self, course: str) -> None:
        records = committed_truth(course)
        minimum = MIN_PLAYABLE_WORDS["he" if course == "hebrew" else "en"]
        texts = [str(record["text"]) for record in records if record["playable"]]
        assert texts
        assert all(minimum <= len(text.split()) <= MAX_PLAYABLE_WORDS for text in texts)
        assert len(set(texts)) == len(texts)
        assert all(
            str(record["text"]).startswith(str(record["opening_sentence"])) for record in records if record["playable"]
        )

    def test_playable_paragraphs_begin_and_end_on_the_pages_told(self, course: str) -> None:
        pages: dict[str, list[str]] = {}
        for record in committed_truth(course):
            name = str(record["document"])
            if name not in pages:
                document = pypdfium2.PdfDocument(build.LECTURES / course / f"{name}.pdf")
                pages[name] = [letters(page.get_textpage().get_text_range()) for page in document]
            if record["playable"]:
                first, *_, last = (letters(word) for word in str(record["text"]).split())
                assert first in pages[name][record["page"] - 1], record["text"]
                assert last in pages[name][record["page_end"] - 1], record["text"]
                if course == "english":  # Hebrew lines with Latin words in them come out of a PDF in another order
                    assert letters(str(record["text"]))[:20] in pages[name][record["page"] - 1], record["text"]

    def test_pdfs_are_small(self, course: str) -> None:
        sizes = [path.stat().st_size for path in (build.LECTURES / course).glob("*.pdf")]
        assert sizes
        assert max(sizes) < 500_000


def committed_truth(course: str) -> list[dict[str, Any]]:
    lines = (build.LECTURES / course / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]
