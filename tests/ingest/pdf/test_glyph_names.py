"""ingest/pdf/glyph_names.py: glyphs that a font's encoding names although its map does not."""

import io

import pikepdf
import pytest
from fontTools.fontBuilder import FontBuilder

from ingest.pdf.glyph_names import with_glyph_names

MAP = b"1 begincodespacerange\n<00><FF>\nendcodespacerange\n2 beginbfrange\n<21><21><ffff>\n<22><22><0041>\nendbfrange"


def written_with(font: pikepdf.Dictionary, made: pikepdf.Pdf) -> bytes:
    """Write the PDF with a page that has this font."""
    made.add_blank_page()
    made.pages[0].Resources = pikepdf.Dictionary(
        Font=pikepdf.Dictionary(F1=made.make_indirect(font))
    )
    written = io.BytesIO()
    made.save(written)
    return written.getvalue()


def pdf(
    differences: list[object],
    cmap: bytes = b"",
    program: str = "",
) -> bytes:
    """Make a PDF with a font, which is a bitmap font if it has no map."""
    made = pikepdf.new()
    font = pikepdf.Dictionary(
        Type=pikepdf.Name.Font,
        Subtype=pikepdf.Name.Type1 if cmap else pikepdf.Name.Type3,
        Encoding=pikepdf.Dictionary(Differences=pikepdf.Array(differences)),
    )
    if cmap:
        font.ToUnicode = made.make_stream(cmap)
    if program:
        font.FontDescriptor = pikepdf.Dictionary(
            {"/Type": pikepdf.Name.FontDescriptor, program: made.make_stream(b"")}
        )

    return written_with(font, made)


def cmap_of(content: bytes) -> str:
    """Return the map of the font once glyph names have been added."""
    with pikepdf.open(io.BytesIO(with_glyph_names(content))) as made:
        cmap: bytes = made.pages[0].Resources.Font.F1.ToUnicode.read_bytes()
        return cmap.decode("ascii")


def names(*glyphs: str) -> list[object]:
    """Return glyphs from code 33 on."""
    return [33, *(pikepdf.Name(f"/{glyph}") for glyph in glyphs)]


def test_old_style_figures_and_small_capitals_are_mapped_by_their_names() -> None:
    cmap = cmap_of(pdf(names("one.oldstyle", "B", "n.sc"), MAP))
    assert "<21> <0031>" in cmap
    assert "<22> <0041>" in cmap, "what the file maps stays"
    assert "<23> <006e>" in cmap


def test_a_whole_map_and_a_damaged_file_stay_as_they_are() -> None:
    whole = pdf([34, pikepdf.Name("/B")], MAP)
    assert with_glyph_names(whole) is whole
    assert with_glyph_names(b"%PDF-1.4 nothing") == b"%PDF-1.4 nothing"


def test_a_damaged_font_leaves_the_other_ones_as_they_would_be() -> None:
    with pikepdf.open(io.BytesIO(pdf(names("one.oldstyle"), MAP))) as made:
        damaged = pikepdf.Dictionary(
            Type=pikepdf.Name.Font,
            Encoding=pikepdf.Dictionary(Differences=pikepdf.Array(["no code"])),
        )
        made.pages[0].Resources.Font.F2 = made.make_indirect(damaged)
        written = io.BytesIO()
        made.save(written)
    assert "<21> <0031>" in cmap_of(written.getvalue())


def test_names_correct_a_map_of_codes_to_themselves() -> None:
    itself = MAP.replace(b"<ffff>", b"<0021>").replace(b"<0041>", b"<0022>")
    cmap = cmap_of(pdf(names("fi", "comma"), itself, "/FontFile3"))
    assert "<21> <fb01>" in cmap
    assert "<22> <002c>" in cmap


def test_names_of_ligatures_correct_a_map_that_has_signs_for_them() -> None:
    signs = MAP.replace(b"<ffff>", b"<0021>")
    cmap = cmap_of(pdf(names("T_h", "f_t"), signs, "/FontFile3"))
    assert "<21> <00540068>" in cmap
    assert "<22> <0041>" in cmap, "a letter may bear the name of another one"
    stop = MAP.replace(b"<ffff>", b"<002e>")
    assert "<21> <0020>" in cmap_of(pdf(names("space"), stop, "/FontFile3"))


def test_a_glyph_without_a_character_has_a_private_code_where_glyphs_are_numbered() -> (
    None
):
    made = pikepdf.new()
    font = pikepdf.Dictionary(
        Type=pikepdf.Name.Font,
        Subtype=pikepdf.Name.TrueType,
        FirstChar=33,
        LastChar=36,
        Widths=pikepdf.Array([500, 500, 500, 0]),
    )
    numbered = MAP.replace(b"<ffff>", b"<0042>")
    font.ToUnicode = made.make_stream(numbered)
    assert "<23> <db80dc23>" in cmap_of(written_with(font, made))

    itself = numbered.replace(b"<0042>", b"<0021>").replace(b"<0041>", b"<0022>")
    font.ToUnicode = made.make_stream(itself)
    assert "<23>" not in cmap_of(written_with(font, made))


def test_accents_of_windows_in_a_font_without_encoding_and_map_are_no_macintosh_ones() -> (
    None
):
    for codes, is_windows in (
        ((0xE1, 0xF3), True),
        ((0xE1,), False),
        ((0xE1, 0xF3, 0x8E), False),
    ):
        made = pikepdf.new()
        widths = [500 if code in codes else 0 for code in range(0x80, 0x100)]
        font = pikepdf.Dictionary(
            Type=pikepdf.Name.Font,
            Subtype=pikepdf.Name.TrueType,
            FirstChar=0x80,
            LastChar=0xFF,
            Widths=pikepdf.Array(widths),
        )
        written = written_with(font, made)
        assert (with_glyph_names(written) is not written) is is_windows, codes
        if is_windows:
            assert "<f3> <00f3>" in cmap_of(written)


def test_ligatures_are_mapped_by_their_names_in_a_font_without_a_map() -> None:
    cmap = cmap_of(pdf(names("f_f_i", "a")).replace(b"/Type3", b"/Type1"))
    assert "<21> <006600660069>" in cmap
    assert "<22>" not in cmap


def test_a_bitmap_font_without_a_map_is_mapped_by_the_codes_that_it_uses() -> None:
    glyphs = [pikepdf.Name("/a33"), 40, pikepdf.Name("/.notdef"), 50]
    cmap = cmap_of(pdf([33, *glyphs, pikepdf.Name("/a50")]))
    assert "<21> <2192>" in cmap
    assert "<32> <2208>" in cmap
    assert "<28>" not in cmap


def test_a_bitmap_font_with_glyphs_of_several_fonts_is_unknown() -> None:
    numbered = [pikepdf.Name(f"/a{code}") for code in range(200)]
    assert "<41> <fffd>" in cmap_of(pdf([0, *numbered]))
    assert "<41> <0041>" in cmap_of(pdf([1, *numbered[1:]]))


def test_a_bitmap_font_whose_glyphs_are_named_by_characters_is_mapped_by_its_codes() -> (
    None
):
    relations = MAP.replace(b"<ffff>", b"<0021>")
    cmap = cmap_of(pdf([*names("!", '"', "#"), 50, pikepdf.Name("/2")], relations))
    assert "<21> <2192>" in cmap, "an arrow of CMSY"
    assert "<32> <2208>" in cmap
    accented = pdf([40, pikepdf.Name("/("), 97, pikepdf.Name("/a")], relations)
    accented = accented.replace(b"/a", b"/a 233 /#e9")
    assert "<e9> <00e9>" in cmap_of(accented)


def test_what_a_map_has_lost_is_known_by_the_names_in_the_program_of_the_font() -> None:
    made = pikepdf.new()
    program = b"dup 33 /prime put\ndup 34 /minus put\ndup 35 /plus put"
    font = pikepdf.Dictionary(
        Type=pikepdf.Name.Font,
        Subtype=pikepdf.Name.Type1,
        ToUnicode=made.make_stream(MAP.replace(b"<ffff>", b"<fffd>")),
        FontDescriptor=pikepdf.Dictionary(FontFile=made.make_stream(program)),
    )
    cmap = cmap_of(written_with(font, made))
    assert "<21> <2032>" in cmap
    assert "<22> <0041>" in cmap, "what the file maps stays"


def test_glyphs_that_ghostscript_numbers_are_known_by_their_codes_whatever_it_maps() -> (
    None
):
    digits = [pikepdf.Name(f"/{name}") for name in ("CP", "CQ", "CR")]  # a, b, c
    cmap = cmap_of(
        pdf([97, *digits], MAP.replace(b"<21><21><ffff>", b"<63><63><000d>"))
    )
    assert "<61> <0061>" in cmap
    assert "<63> <0063>" in cmap


def test_glyphs_that_distiller_gives_new_codes_are_known_by_the_numbers_in_their_names() -> (
    None
):
    glyphs = [pikepdf.Name(f"/{name}") for name in ("CP", "AC", "CX")]
    cmap = cmap_of(pdf([1, *glyphs]))
    for code, number in (("01", "0061"), ("02", "00660069"), ("03", "0069")):
        assert f"<{code}> <{number}>" in cmap
    other = [pikepdf.Name(f"/{name}") for name in ("CP", "H5x")]
    assert "<01> <0061>" not in cmap_of(pdf([1, *other, pikepdf.Name("/a99")]))


def test_names_of_signs_correct_a_map_that_contradicts_most_of_them() -> None:
    signs = names("Sigma", "lscript", "minus", "a")
    arrows = MAP.replace(b"<ffff>", b"<2303>").replace(b"<0041>", b"<0060>")
    more = b"<23><23><2212>\n<24><24><05d0>\nendbfrange"
    arrows = arrows.replace(b"endbfrange", more)
    cmap = cmap_of(pdf(signs, arrows, "/FontFile"))
    assert "<21> <03a3>" in cmap
    assert "<22> <2113>" in cmap
    assert "<24> <05d0>" in cmap, "letters of another script may bear Latin names"
    whole = pdf(signs, arrows)
    assert with_glyph_names(whole) is whole, "names lead to glyphs in embedded fonts"


def test_signs_of_tex_that_a_mac_maps_to_letters_are_known_by_their_names() -> None:
    signs = ["summationdisplay", "uniontext", "parenleftBig", "minus", "plus", "bardbl"]
    signs += ["parenrightBigg", "braceleft", "Phi1"]
    texts = (0x58, 0x22C3, 0x28, 0x2212, 0x2B, 0x6B, 0x21, 0x7D, 0xFFFD)
    rows = ""
    for code, text in enumerate(texts, 33):
        rows += f"<{code:x}><{code:x}><{text:04x}>\n"
    mapped = MAP.partition(b"2 beginbfrange")[0] + b"9 beginbfrange\n"
    cmap = cmap_of(
        pdf(names(*signs), mapped + rows.encode() + b"endbfrange", "/FontFile3")
    )

    for row in (
        "<21> <2211>",
        "<22> <22c3>",
        "<23> <0028>",
        "<24> <2212>",
        "<26> <2016>",
        "<27> <0029>",
        # a font of right-to-left text may turn its brackets
        "<28> <007d>",
        "<29> <03a6>",
    ):
        assert row in cmap


def test_names_of_tex_in_an_encoding_are_known_in_a_font_without_a_map() -> None:
    signs = names("vextendsingle", "lessorsimilar", "bracketleftbig", "a")
    with pikepdf.open(io.BytesIO(pdf(signs, MAP))) as made:
        del made.pages[0].Resources.Font.F1.ToUnicode
        written = io.BytesIO()
        made.save(written)
    cmap = cmap_of(written.getvalue())
    for row in ("<21> <007c>", "<22> <2272>", "<23> <005b>"):
        assert row in cmap
    assert "<24>" not in cmap, "PDFium knows the names of Adobe's list"


def test_names_in_the_program_of_a_font_are_known_where_others_are_usual() -> None:
    encoding = (
        b"dup 44 /a put dup 65 /epsilon1 put\ndup 80/summationdisplay put "
        b"dup 35 /Circle put dup 172 /xlessequal put eexec"
    )
    for name, is_known in (("PazoMath-Italic", True), ("CMMI10", False)):
        content = type1_font(name, encoding)
        if not is_known:  # by its codes, which count more
            assert with_glyph_names(content) is content
            continue
        cmap = cmap_of(content)
        assert "<41> <03f5>" in cmap
        assert "<50> <2211>" in cmap
        assert "<23> <25cb>" in cmap
        assert "<ac> <2a7d>" in cmap
        assert "<2c>" not in cmap


def test_glyphs_of_mathtime_are_known_by_their_codes_whatever_their_names() -> None:
    encoding = (
        b"dup 46 /period put dup 68 /D put dup 80 /P put dup 33 /exclam put eexec"
    )
    for name, rows in (
        ("MT2MIT", ("<2e> <0028>", "<44> <0044>")),
        ("MT2SYT", ("<44> <003d>", "<21> <2192>")),
        ("MT2EXA", ("<50> <2211>",)),
    ):
        cmap = cmap_of(type1_font(name, encoding))
        for row in rows:
            assert row in cmap, name


def type1_font(name: str, program: bytes) -> bytes:
    """Return a PDF with a Type 1 font whose program has the encoding."""
    made = pikepdf.new()
    font = pikepdf.Dictionary(
        Type=pikepdf.Name.Font,
        Subtype=pikepdf.Name.Type1,
        BaseFont=pikepdf.Name(f"/ABCDEF+{name}"),
        FontDescriptor=pikepdf.Dictionary(FontFile=made.make_stream(program)),
    )
    return written_with(font, made)


def numbered_font(name: str, rows: bytes) -> bytes:
    """Return a PDF with a font whose codes are glyph numbers, with the rows of its map."""
    made = pikepdf.new()
    font = pikepdf.Dictionary(
        Type=pikepdf.Name.Font,
        Subtype=pikepdf.Name.Type0,
        BaseFont=pikepdf.Name(f"/ABCDEF+{name}"),
        Encoding=pikepdf.Name("/Identity-H"),
        DescendantFonts=[pikepdf.Dictionary(Subtype=pikepdf.Name.CIDFontType2)],
        ToUnicode=made.make_stream(MAP.partition(b"<21>")[0] + rows),
    )
    return written_with(font, made)


def test_sums_and_arrows_of_cambria_math_are_mapped_as_such() -> None:
    rows = b"<03c3><03c3><03c3>\n<0dcd><0dcd><0dcd>\n<0526><0526><0526>\n<0040><0040><0061>\nendbfrange"
    for name, sums in (("CambriaMath", True), ("CambriaText", False)):
        cmap = cmap_of(numbered_font(name, rows))
        assert ("<0dcd> <2211>" in cmap) is sums
        assert ("<03c3> <2211>" in cmap) is sums
        assert ("<0526> <20d7>" in cmap) is sums
        assert ("<0040> <0061>" in cmap) is sums
        # letters and brackets that the map lacks
        for row in ("<0754> <0078>", "<07da> <03b2>", "<123c> <007b>", "<0d65> <005b>"):
            assert (row in cmap) is sums
        # sigmas, of which the final one is the second, and upright letters of exponents
        for row in ("<07ea> <03c3>", "<07eb> <03c2>", "<0b98> <03b8>", "<0c90> <03b8>"):
            assert (row in cmap) is sums
        # bold letters and digits, and primes
        for row in ("<087f> <0053>", "<0ad9> <0030>", "<11f1> <2032>", "<11f2> <2032>"):
            assert (row in cmap) is sums


def test_cambria_math_is_known_though_a_printer_names_it_by_a_number() -> None:
    builder = FontBuilder(unitsPerEm=1000, isTTF=True)
    builder.setupGlyphOrder([".notdef"])
    builder.setupNameTable({"familyName": "Cambria Math", "styleName": "Regular"})
    program = io.BytesIO()
    builder.save(program)
    content = numbered_font("F1", b"<0754><0754><0078>\nendbfrange")
    with pikepdf.open(io.BytesIO(content)) as made:
        embedded = made.make_stream(program.getvalue())
        descendant = made.pages[0].Resources.Font.F1.DescendantFonts[0]
        descendant.FontDescriptor = pikepdf.Dictionary(FontFile2=embedded)
        made.pages[0].Resources.Font.F1.BaseFont = pikepdf.Name("/CIDFont+F1")
        written = io.BytesIO()
        made.save(written)
    cmap = cmap_of(written.getvalue())
    for row in ("<0b36> <0032>", "<0b3f> <2212>", "<0bdc> <0069>", "<0c09> <03b2>"):
        assert row in cmap
    assert "<0de0> <0302>" in cmap


def test_a_map_of_a_font_of_windows_that_lacks_glyphs_is_completed() -> None:
    cmap = cmap_of(numbered_font("ArialMT", b"<0003><0003><0020>\nendbfrange"))
    assert "<02a0> <05d0>" in cmap
    cmap = cmap_of(numbered_font("SymbolMT", b"<0003><0003><0020>\nendbfrange"))
    assert "<007c> <2248>" in cmap
    renumbered = numbered_font("ArialMT", b"<0003><0003><0041>\nendbfrange")
    assert with_glyph_names(renumbered) is renumbered


def test_arabic_glyphs_that_word_maps_to_a_part_of_their_letters_are_whole() -> None:
    rows = b"<03dd><03dd><0644>\n<03fb><03fb><0644>\n<03fc><03fc><06440627>\n<0003><0003><064b>\nendbfrange"
    cmap = cmap_of(numbered_font("ArialMT", rows))
    assert "<0003> <0020>" in cmap
    assert "<03fb> <06270644>" in cmap  # which PDFium reverses
    assert "<03dd> <0644>" in cmap


@pytest.mark.parametrize(
    ("lost", "after", "letter"),
    [
        (b"<00aa><00aa><f8ff>", b"<00ac><00ac><05e2>", "<00aa> <05e0>"),
        (b"<00aa><00aa><fffd>", b"<00ab><00ab><05e1>", "<00aa> <05e0>"),
        (b"<00aa><00aa><f8ff>", b"<00ac><00ac><05e1>", ""),
        (b"<00aa><00aa><0061>", b"<00ab><00ab><05e1>", ""),
        (b"<00aa><00aa><00f0>", b"<00ab><00ab><05e1>", "<00aa> <05e0>"),
        (b"<00aa><00aa><00f0>", b"<00ab><00ab><00f1>", ""),
        (b"<0003><0003><0020>", b"<00ab><00ab><05e1>", "<00aa> <05e0>"),
        (b"<0043><0043><0061>", b"<0045><0045><0063>", ""),
        (b"<0043><0043><0061>\n<0044><0044><0066006c>", b"<0045><0045><0063>", ""),
    ],
    ids=[
        *("private", "unknown", "out of order", "mapped", "misread", "icelandic"),
        *("not mapped", "not used", "ligature"),
    ],
)
def test_a_lost_letter_is_found_between_its_neighbours(
    lost: bytes, after: bytes, letter: str
) -> None:
    rows = b"\n".join([b"<00a9><00a9><05df>", lost, after, b"endbfrange"])
    content = numbered_font("FrankRuehl", rows)
    if letter:
        assert letter in cmap_of(content)
    else:
        assert with_glyph_names(content) is content


@pytest.mark.parametrize("is_empty", [True, False], ids=["empty map", "no map"])
@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("Arial,Bold", "<0024> <0041>|<00b1> <2013>|<023a> <0410>|<02a0> <05d0>"),
        ("TimesNewRomanPS-BoldMT", "<0003> <0020>|<00ed> <2212>|<02ba> <05ea>"),
        ("David", "<0013> <0030>|<009a> <05d0>|<00b4> <05ea>"),
    ],
)
def test_fonts_of_windows_without_a_map_are_known_by_the_order_of_their_glyphs(
    name: str, rows: str, is_empty: bool
) -> None:
    content = numbered_font(name, b"endbfrange")
    if not is_empty:
        with pikepdf.open(io.BytesIO(content)) as made:
            del made.pages[0].Resources.Font.F1.ToUnicode
            written = io.BytesIO()
            made.save(written)
        content = written.getvalue()
    cmap = cmap_of(content)
    for row in rows.split("|"):
        assert row in cmap


@pytest.mark.parametrize(
    ("name", "rows"),
    [("Ariala", b"endbfrange"), ("Arial", b"<0024><0024><0042>\nendbfrange")],
    ids=["another family", "a map"],
)
def test_other_families_and_fonts_with_a_map_stay_as_they_are(
    name: str, rows: bytes
) -> None:
    content = numbered_font(name, rows)
    assert with_glyph_names(content) is content
