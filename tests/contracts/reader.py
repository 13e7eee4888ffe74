"""The suite that every reader of PDFs passes: one page model, whichever library opens the file."""

from pathlib import Path

import numpy as np
import pytest

from ingest.errors import SourceError
from ingest.layout.extract import READERS, Pdf
from ingest.pdf.model import UNKNOWN, Glyph, PdfReader
from quarry.plugins import find
from tests.contracts.handmade import PAGE_HEIGHT, PAGE_WIDTH, Run, pdf
from tests.fakes import each, encrypted_pdf
from tests.ingest.reading import extracted

HEBREW = {"m": "ם", "s": "ש", "l": "ל", "v": "ו"}
RUN = Run(50, 100, "abc", font="mapped")


class ReaderContract:
    """Suite that every reader passes; a subclass gives its name, or its dotted path."""

    name: str

    def open(self, content: bytes) -> PdfReader:
        return find(READERS, self.name, "ingest.reader")(Path("lecture.pdf"), content)

    def glyphs(self, *runs: Run, **to_unicode: str) -> list[Glyph]:
        return self.open(pdf([runs], to_unicode)).page(0).glyphs

    def read(self, content: bytes) -> Pdf:
        return extracted(content, self.name)

    def test_pages_have_sizes_and_glyphs_have_boxes_and_baselines(self) -> None:
        small = Run(50, 100, "oi")
        large = Run(70, 200, "s", size=20)
        reader = self.open(pdf([[small], [large]]))
        assert reader.n_pages == 2
        page = reader.page(0)
        assert page.width == PAGE_WIDTH
        assert page.height == PAGE_HEIGHT
        assert not page.tables

        glyphs = [*page.glyphs, *reader.page(1).glyphs]
        assert each(glyphs, "text") == ["o", "i", "s"]
        boxes = [(glyph.x0, glyph.x1, glyph.y, glyph.size) for glyph in glyphs]
        # Helvetica: o is 0.556 em wide, i 0.222, s 0.5
        expected = [
            (50, 55.56, 100, 10),
            (55.56, 57.78, 100, 10),
            (70, 80, 200, 20),
        ]
        np.testing.assert_allclose(boxes, expected, atol=0.02, rtol=0.0)
        reader.close()

    def test_fonts_tell_bold_and_fixed_pitch(self) -> None:
        runs = [
            Run(50, 100, "a"),
            Run(50, 120, "b", font="bold"),
            Run(50, 140, "c", font="mono"),
        ]
        reader = self.open(pdf([runs]))
        fonts = each(reader.page(0).glyphs, "font")
        bold = [reader.fonts.bold[font] for font in fonts]
        mono = [reader.fonts.mono(font) for font in fonts]
        assert bold == [False, True, False]
        assert mono == [False, False, True]

    def test_metadata_are_texts_and_absent_ones_empty(self) -> None:
        title = "<< /Title (Trees) >>"
        reader = self.open(pdf([[RUN]], extra=title, trailer="/Info 3 0 R"))
        assert reader.metadata("Title") == "Trees"
        assert reader.metadata("Author") == ""

    def test_words_come_in_rows_from_top_to_bottom(self) -> None:
        runs = [
            Run(50, 300, "third row"),
            Run(50, 100, "first row"),
            Run(50, 112, "2"),
        ]
        document = self.read(pdf([runs]))
        texts = each(document.pages[0].lines, "text")
        assert texts == ["first row", "2", "third row"]
        assert document.reader == self.name

    def test_right_to_left_text_comes_in_logical_order(self) -> None:
        # from left to right the page shows m v l s: read from the right that is shalom
        run = Run(50, 100, "mvls", font="mapped")
        document = self.read(pdf([[run]], HEBREW))
        (line,) = document.pages[0].lines
        assert line.text == "שלום"
        assert document.pages[0].rtl

    def test_ligatures_are_letters_private_characters_unknown_and_marks_left_out(
        self,
    ) -> None:
        glyphs = self.glyphs(RUN, a="\ufb01", b="\ue123", c="\u200f")
        assert each(glyphs, "text") == ["fi", UNKNOWN]

    def test_glyphs_drawn_twice_count_once(self) -> None:
        one = Run(50, 100, "a")
        glyphs = self.glyphs(one, one, Run(60, 100, "b"))
        assert each(glyphs, "text") == ["a", "b"]

    def test_an_encrypted_file_is_refused(self) -> None:
        with pytest.raises(SourceError, match=r"lecture\.pdf: is encrypted"):
            self.open(encrypted_pdf())

    def test_a_damaged_file_is_refused(self) -> None:
        content = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\nstartxref\n9\n%%EOF\n"
        with pytest.raises(SourceError, match=r"damaged|no text|claims .* pages"):
            self.read(content)
