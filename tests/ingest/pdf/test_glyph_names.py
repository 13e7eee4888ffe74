"""ingest/pdf/glyph_names.py: glyphs that a font's encoding names although its map does not."""

import io

import pikepdf

from ingest.pdf.glyph_names import with_glyph_names

MAP = b"1 begincodespacerange\n<00><FF>\nendcodespacerange\n2 beginbfrange\n<21><21><ffff>\n<22><22><0041>\nendbfrange"


def pdf(
    differences: list[object],
    cmap: bytes,
    program: str = "",
) -> bytes:
    made = pikepdf.new()
    made.add_blank_page()
    font = pikepdf.Dictionary(
        Type=pikepdf.Name.Font,
        Subtype=pikepdf.Name.Type1,
        Encoding=pikepdf.Dictionary(Differences=pikepdf.Array(differences)),
        ToUnicode=made.make_stream(cmap),
    )
    if program:
        font.FontDescriptor = pikepdf.Dictionary(
            {"/Type": pikepdf.Name.FontDescriptor, program: made.make_stream(b"")}
        )
    made.pages[0].Resources = pikepdf.Dictionary(
        Font=pikepdf.Dictionary(F1=made.make_indirect(font))
    )
    written = io.BytesIO()
    made.save(written)
    return written.getvalue()


def cmap_of(content: bytes) -> str:
    with pikepdf.open(io.BytesIO(content)) as made:
        cmap: bytes = made.pages[0].Resources.Font.F1.ToUnicode.read_bytes()
        return cmap.decode("ascii")


def names(*glyphs: str) -> list[object]:
    """Glyphs from code 33 on."""
    return [33, *(pikepdf.Name(f"/{glyph}") for glyph in glyphs)]


def test_old_style_figures_and_small_capitals_are_mapped_by_their_names() -> None:
    content = pdf(names("one.oldstyle", "B", "n.sc"), MAP)
    cmap = cmap_of(with_glyph_names(content))

    assert "<21> <0031>" in cmap
    assert "<22> <0041>" in cmap, "what the file maps stays"
    assert "<23> <006e>" in cmap


def test_a_whole_map_and_a_damaged_file_stay_as_they_are() -> None:
    whole = pdf([34, pikepdf.Name("/B")], MAP)
    assert with_glyph_names(whole) is whole
    assert with_glyph_names(b"%PDF-1.4 nothing") == b"%PDF-1.4 nothing"


def bitmap(differences: list[object]) -> bytes:
    """A PDF with a bitmap font without a map."""
    content = pdf(differences, b"")
    with pikepdf.open(io.BytesIO(content)) as made:
        font = made.pages[0].Resources.Font.F1
        font.Subtype = pikepdf.Name.Type3
        del font.ToUnicode
        written = io.BytesIO()
        made.save(written)
    return written.getvalue()


def test_a_bitmap_font_without_a_map_is_mapped_by_the_codes_that_it_uses() -> None:
    glyphs = [pikepdf.Name("/a33"), 40, pikepdf.Name("/.notdef"), 50]
    content = bitmap([33, *glyphs, pikepdf.Name("/a50")])
    cmap = cmap_of(with_glyph_names(content))
    assert "<21> <2192>" in cmap
    assert "<32> <2208>" in cmap
    assert "<28>" not in cmap


def test_a_bitmap_font_with_glyphs_of_several_fonts_is_unknown() -> None:
    numbered = [pikepdf.Name(f"/a{code}") for code in range(200)]
    assert "<41> <fffd>" in cmap_of(with_glyph_names(bitmap([0, *numbered])))
    assert "<41> <0041>" in cmap_of(with_glyph_names(bitmap([1, *numbered[1:]])))


def test_names_of_signs_correct_a_map_that_contradicts_most_of_them() -> None:
    signs = names("Sigma", "lscript", "minus", "a")
    arrows = MAP.replace(b"<ffff>", b"<2303>").replace(b"<0041>", b"<0060>")
    more = b"<23><23><2212>\n<24><24><05d0>\nendbfrange"
    arrows = arrows.replace(b"endbfrange", more)
    cmap = cmap_of(with_glyph_names(pdf(signs, arrows, "/FontFile")))
    assert "<21> <03a3>" in cmap
    assert "<22> <2113>" in cmap
    assert "<24> <05d0>" in cmap, "letters of another script may bear Latin names"
    whole = pdf(signs, arrows)
    assert with_glyph_names(whole) is whole, "names lead to glyphs in embedded fonts"
