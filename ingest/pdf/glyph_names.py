"""Unicode maps of fonts, completed from the names of their glyphs.

Some programs write a map that says of a glyph such as "one.oldstyle" or "a.sc" that it is no character, although the
font's encoding names it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping

import pikepdf
from fontTools import agl

_NO_CHARACTER = re.compile(r"(?:0000|fff[def])+")
_CHAR = re.compile(r"<([0-9a-f]+)>\s*<([0-9a-f]+)>")
_RANGE = re.compile(r"<([0-9a-f]+)>\s*<([0-9a-f]+)>\s*<([0-9a-f]+)>")
_SECTION = re.compile(r"beginbf(char|range)(.*?)endbf", re.DOTALL)
MAX_CODE = 255
"""Character codes of fonts whose encoding names glyphs."""


def with_glyph_names(content: bytes) -> bytes:
    """Return a PDF whose fonts map every glyph that their encoding names to its character.

    Args:
        content: of the file.

    Returns:
        `content` itself where nothing can be added.

    Reference:
        Adobe, Glyph List Specification: the part of a name before its first full stop names the character.
    """
    try:
        with pikepdf.open(io.BytesIO(content)) as pdf:
            changed = [_complete(pdf, font) for font in pdf.objects if isinstance(font, pikepdf.Dictionary)]
            if not any(changed):
                return content
            written = io.BytesIO()
            pdf.save(written)
            return written.getvalue()
    except (pikepdf.PdfError, ValueError, TypeError, KeyError, AttributeError):  # a damaged file is read as it is
        return content


def _complete(pdf: pikepdf.Pdf, font: pikepdf.Dictionary) -> bool:
    """Complete the map of a font; whether anything was added."""
    encoding, cmap = font.get("/Encoding"), font.get("/ToUnicode")
    if not isinstance(encoding, pikepdf.Dictionary) or not isinstance(cmap, pikepdf.Stream):
        return False
    differences = encoding.get("/Differences")
    if font.get("/Type") != "/Font" or not isinstance(differences, pikepdf.Array):
        return False
    known = _read_map(cmap.read_bytes().decode("latin-1").lower())
    named = {code: text for code, text in _named(differences).items() if code not in known}
    if not named:
        return False
    font.ToUnicode = pdf.make_stream(_write_map(known | named))
    return True


def _named(differences: pikepdf.Array) -> dict[int, str]:
    """The characters of the codes that an encoding names, in hexadecimal UTF-16."""
    found: dict[int, str] = {}
    code = 0
    for item in differences:
        if isinstance(item, pikepdf.Name):
            text = agl.toUnicode(str(item)[1:])
            if text and code <= MAX_CODE:
                found[code] = text.encode("utf-16-be").hex()
            code += 1
        else:
            code = int(item)
    return found


def _read_map(cmap: str) -> dict[int, str]:
    """The characters of a map's codes, in hexadecimal UTF-16; without those that it calls no character."""
    found: dict[int, str] = {}
    for kind, section in _SECTION.findall(cmap):
        if kind == "char":
            found |= {int(code, 16): text for code, text in _CHAR.findall(section)}
        else:
            for first, last, text in _RANGE.findall(section):
                for step in range(min(int(last, 16), MAX_CODE) - int(first, 16) + 1):
                    found[int(first, 16) + step] = f"{int(text, 16) + step:0{len(text)}x}"
    return {code: text for code, text in found.items() if not _NO_CHARACTER.fullmatch(text)}


def _write_map(characters: Mapping[int, str]) -> bytes:
    rows = "\n".join(f"<{code:02x}> <{text}>" for code, text in sorted(characters.items()))
    return (
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName /Named def\n/CMapType 2 def\n"
        "1 begincodespacerange\n<00> <ff>\nendcodespacerange\n"
        f"{len(characters)} beginbfchar\n{rows}\nendbfchar\nendcmap\nCMapName currentdict /CMap defineresource pop\n"
        "end\nend\n"
    ).encode("ascii")
