"""The paragraphs whose text is in doubt, as a page for the browser: each beside a picture of its first lines."""

from __future__ import annotations

import base64
import html
import io
import json
from collections.abc import Iterable, Mapping, Sequence

import pypdfium2

from quarry.ingest.paragraph import Paragraph
from quarry.ingest.paragraphs.sentence import alternatives

SURE_FROM = 0.99
"""Share of a paragraph's characters that the file tells, from which on it is not in doubt."""

_SCALE = 1.6
"""Dots a point of the pictures."""

QUOTED_WORDS = 12
"""Words of a paragraph by which its correction finds it."""

_HOW = (
    "To correct one, copy what stands below it under a line <code>corrections:</code> into a file beside the lecture,"
    " named as that is but for .yaml at the end; write <code>opening_sentence</code> (or <code>text</code>, the whole"
    " paragraph) as it is printed, and ingest again."
)

_STYLE = (
    "body { font: 15px/1.45 sans-serif; max-width: 62em; margin: 2em auto; color: #222 } img { max-width: 100%;"
    " border: 1px solid #ccc } section { margin: 2em 0; border-top: 1px solid #ddd } small { color: #666 }"
)


def doubtful(paragraphs: Iterable[Paragraph]) -> list[Paragraph]:
    """The paragraphs that are in doubt, the least sure first."""
    found = [item for item in paragraphs if item.sureness < SURE_FROM or item.reader == "tesseract"]
    return sorted(found, key=lambda item: (item.sureness, item.paragraph_id))


def page(paragraphs: Sequence[Paragraph], paths: Mapping[str, str]) -> str:
    """A page of HTML that shows paragraphs beside pictures of their first lines.

    Args:
        paragraphs: in the order in which they are shown.
        paths: doc_id -> where its PDF lies; one that is gone has no pictures.
    """
    rows = []
    for item in paragraphs:
        others = "".join(f"<li>{html.escape(sentence)}</li>" for sentence in alternatives(item.text))
        rows.append(
            f"<section><p><small>{html.escape(item.paragraph_id)}, {item.sureness:.0%} told, by"
            f" {html.escape(item.reader)}</small></p>{_picture(item, paths)}"
            f"<p><b>{html.escape(item.opening_sentence)}</b>"
            f"{html.escape(item.text.removeprefix(item.opening_sentence))}</p><ul>{others}</ul>"
            f"<pre>{html.escape(_correction(item))}</pre></section>"
        )
    title = f"{len(paragraphs)} paragraphs in doubt"
    return (
        f"<!doctype html><html><meta charset=utf-8><title>{title}</title><style>{_STYLE}</style>"
        f"<body dir=auto><h1>{title}</h1><p>{_HOW}</p>{''.join(rows)}</body></html>"
    )


def _correction(item: Paragraph) -> str:
    """The entry of a sidecar file that says how a paragraph is printed, to be mended by hand."""
    words = " ".join(item.text.split()[:QUOTED_WORDS])
    sentence = json.dumps(item.opening_sentence, ensure_ascii=False)  # a text of JSON is one of YAML
    return f"- page: {item.page}\n  was: {json.dumps(words, ensure_ascii=False)}\n  opening_sentence: {sentence}"


def _picture(item: Paragraph, paths: Mapping[str, str]) -> str:
    """The first lines of a paragraph as they are printed, "" if they cannot be shown."""
    if len(item.place) != 2 or item.doc_id not in paths:
        return ""
    try:
        with pypdfium2.PdfDocument(paths[item.doc_id]) as document:
            sheet = document[item.page - 1]
            height = sheet.get_height()
            top, bottom = max(0.0, item.place[0] - 6), min(height, item.place[1] + 6)
            image = sheet.render(scale=_SCALE, crop=(0, height - bottom, 0, top)).to_pil()
            sheet.close()
    except (OSError, ValueError, pypdfium2.PdfiumError):
        return ""
    content = io.BytesIO()
    image.save(content, format="PNG")
    return f'<img alt="" src="data:image/png;base64,{base64.b64encode(content.getvalue()).decode()}">'
