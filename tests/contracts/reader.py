"""The suite that every reader of PDFs passes: one page model, whichever library opens the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.errors import SourceError
from ingest.extensions import find
from ingest.layout.extract import READERS, Pdf, extract
from ingest.pdf.model import UNKNOWN, PdfReader
from tests.contracts.handmade import PAGE_HEIGHT, PAGE_WIDTH, Run, pdf
from tests.fakes import each, encrypted_pdf

HEBREW = {"a": "א", "b": "ב", "g": "ג", "m": "ם", "s": "ש", "l": "ל", "v": "ו"}


class ReaderContract:
    """What every reader does; a subclass gives its name, or its dotted path."""

    name: str

    @pytest.fixture
    def opened(self) -> Callable[[bytes], PdfReader]:
        return lambda content: find(READERS, self.name, "ingest.reader")(
            Path("lecture.pdf"), content
        )

    @pytest.fixture
    def read(self, tmp_path: Path) -> Callable[[bytes], Pdf]:
        def read(content: bytes) -> Pdf:
            path = tmp_path / "lecture.pdf"
            path.write_bytes(content)
            return extract(path, self.name)

        return read

    def test_pages_have_sizes_and_glyphs_have_boxes_and_baselines(
        self, opened: Callable[[bytes], PdfReader]
    ) -> None:
        reader = opened(pdf([[Run(50, 100, "oi")], [Run(70, 200, "s", size=20)]]))
        assert reader.n_pages == 2
        page = reader.page(0)
        assert (page.width, page.height, page.ruled) == (PAGE_WIDTH, PAGE_HEIGHT, False)
        # Helvetica: o is 0.556 em wide, i 0.222
        boxes = [
            (glyph.text, glyph.x0, glyph.x1, glyph.y, glyph.size)
            for glyph in page.glyphs
        ]
        assert [box[0] for box in boxes] == ["o", "i"]
        assert boxes[0][1:] == pytest.approx((50, 55.56, 100, 10), abs=0.02)
        assert boxes[1][1:] == pytest.approx((55.56, 57.78, 100, 10), abs=0.02)
        (glyph,) = reader.page(1).glyphs
        assert (glyph.x0, glyph.y, glyph.size) == pytest.approx((70, 200, 20), abs=0.02)
        reader.close()

    def test_fonts_tell_bold_and_fixed_pitch(
        self, opened: Callable[[bytes], PdfReader]
    ) -> None:
        reader = opened(
            pdf(
                [
                    [
                        Run(50, 100, "a"),
                        Run(50, 120, "b", font="bold"),
                        Run(50, 140, "c", font="mono"),
                    ]
                ]
            )
        )
        fonts = each(reader.page(0).glyphs, "font")
        assert [reader.fonts.bold[font] for font in fonts] == [False, True, False]
        assert [reader.fonts.mono(font) for font in fonts] == [False, False, True]

    def test_metadata_are_texts_and_absent_ones_empty(
        self, opened: Callable[[bytes], PdfReader]
    ) -> None:
        reader = opened(
            pdf(
                [[Run(50, 100, "a")]],
                extra="<< /Title (Trees) >>",
                trailer="/Info 3 0 R",
            )
        )
        assert (reader.metadata("Title"), reader.metadata("Author")) == ("Trees", "")

    def test_words_come_in_rows_from_top_to_bottom(
        self, read: Callable[[bytes], Pdf]
    ) -> None:
        document = read(
            pdf(
                [
                    [
                        Run(50, 300, "third row"),
                        Run(50, 100, "first row"),
                        Run(50, 112, "second"),
                    ]
                ]
            )
        )
        assert each(document.pages[0].lines, "text") == [
            "first row",
            "second",
            "third row",
        ]
        assert document.reader == self.name

    def test_right_to_left_text_comes_in_logical_order(
        self, read: Callable[[bytes], Pdf]
    ) -> None:
        # from left to right the page shows m v l s: read from the right that is shalom
        document = read(pdf([[Run(50, 100, "mvls", font="mapped")]], HEBREW))
        assert (document.pages[0].lines[0].text, document.rtl) == ("שלום", True)

    def test_ligatures_are_letters_and_private_characters_unknown(
        self, opened: Callable[[bytes], PdfReader]
    ) -> None:
        reader = opened(
            pdf(
                [[Run(50, 100, "abc", font="mapped")]],
                {"a": "\ufb01", "b": "\ue123", "c": "c"},
            )
        )
        assert each(reader.page(0).glyphs, "text") == ["fi", UNKNOWN, "c"]

    def test_what_cannot_be_seen_is_left_out(
        self, opened: Callable[[bytes], PdfReader]
    ) -> None:
        reader = opened(
            pdf(
                [[Run(50, 100, "abc", font="mapped")]],
                {"a": "a", "b": "\u200f", "c": "c"},
            )
        )
        assert each(reader.page(0).glyphs, "text") == ["a", "c"]

    def test_glyphs_drawn_twice_count_once(
        self, opened: Callable[[bytes], PdfReader]
    ) -> None:
        reader = opened(
            pdf([[Run(50, 100, "a"), Run(50, 100, "a"), Run(60, 100, "b")]])
        )
        assert "".join(glyph.text for glyph in reader.page(0).glyphs) == "ab"

    def test_an_encrypted_file_is_told(
        self, opened: Callable[[bytes], PdfReader]
    ) -> None:
        with pytest.raises(SourceError, match=r"lecture\.pdf: is encrypted"):
            opened(encrypted_pdf())

    def test_a_damaged_file_is_told(self, read: Callable[[bytes], Pdf]) -> None:
        with pytest.raises(SourceError, match=r"damaged|no text layer|must have pages"):
            read(
                b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\nstartxref\n9\n%%EOF\n"
            )
