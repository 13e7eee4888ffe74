"""The torture course: the same lectures typeset by many programs. `python -m tests.ingest.torture.build` makes it.

Needs the Debian packages texlive-latex-recommended, texlive-xetex, texlive-luatex, texlive-fonts-recommended,
texlive-lang-arabic, texlive-plain-generic, lmodern, culmus, groff, ghostscript, libreoffice-writer-nogui,
libreoffice-math-nogui, fonts-texgyre, chromium, tesseract-ocr and poppler-utils, and from PyPI pypandoc_binary,
weasyprint, img2pdf, and typst and pypdf as requirements-dev.txt has them. The tests need none: what is built lies here.

Each source is a Markdown file with a comment before each paragraph that names what it tries, and a broken bar where the
opening sentence ends. `dev` is for developing on; `once` holds other texts in other fonts, and is opened once.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

FOLDER = Path(__file__).parent
SETS = {"dev": ("sampling", "timing-he"), "once": ("flows", "sharing-he")}
"""Sources of the two sets. The others are for lectures drawn by lot (`styles.py`): clocks and voting-he, and by another
hand than the rules: tides, tuning and quakes-he."""
END = "¦"
PANDOC = (sys.executable, "-m", "pypandoc")

_MATH = re.compile(r"\$\$(?P<display>.+?)\$\$|\$(?P<inline>(?=\S)[^$]*?(?<=\S))\$(?!\d)", re.DOTALL)
_SYMBOLS = {
    r"\dots": "…", r"\sigma": "σ", r"\sqrt": "√", r"\in": "∈", r"\ne": "≠", r"\to": "→", r"\le": "≤", r"\ge": "≥",
    r"\|": "‖", r"\alpha": "α", r"\beta": "β", r"\delta": "δ", r"\varepsilon": "ε", r"\subseteq": "⊆", r"\notin": "∉",
    r"\cap": "∩", r"\cup": "∪", r"\emptyset": "∅", r"\leadsto": "⇝", r"\Rightarrow": "⇒", r"\log": "log ",
    r"\cos": "cos ", r"\omega": "ω", r"\approx": "≈", r"\sum": "∑",
}  # fmt: skip


def math_text(tex: str) -> str:
    """What a formula says on one line: letters and digits in the order of reading, signs as Unicode has them."""
    tex = re.sub(r"\\frac\{(.+?)\}\{(.+?)\}", r"\1/\2", tex)
    tex = re.sub(r"\\math(?:bb|cal)\{(.)\}", r"\1", tex).replace(r"\,", "").replace("'", "′")
    tex = tex.replace(r"\{", "❴").replace(r"\}", "❵")
    tex = re.sub(r"\\(?:[a-zA-Z]+|\|)", lambda name: _SYMBOLS[name.group()], tex)
    return " ".join(tex.translate(str.maketrans("❴❵", "{}", "{}_^")).split())


def plain(markdown: str) -> str:
    """A paragraph of a source as it reads in print, without the marks of notes and citations."""
    text = _MATH.sub(lambda math: math_text(math["display"] or math["inline"]), markdown)
    text = re.sub(r"\[\^\d\]|\^\[[^\]]*\]|\^[\d,-]+\^", "", text)
    text = re.sub(r"\[([^\]]+)\]\{\.smallcaps\}", r"\1", text)
    text = re.sub(r"(?<!\w)\*\*?(?=\w)|(?<=[\w.:?])\*\*?(?!\w)|`|^- ", "", text)
    return " ".join(text.replace("---", "—").replace("--", "–").split())


def truth(source: str) -> list[dict[str, str]]:
    """The paragraphs of a source: what each tries, its text and its opening sentence."""
    rows, construct = [], ""
    for piece in (FOLDER / "sources" / f"{source}.md").read_text(encoding="utf-8").split("\n\n"):
        comment = re.match(r"<!-- (.+?) -->\n", piece)
        construct = comment.group(1) if comment else construct
        body = piece[comment.end() :] if comment else piece
        if body.startswith(("#", "[^", "- ", "* ")):
            continue
        opening, _, _ = body.partition(END)
        rows.append({"construct": construct, "opening_sentence": plain(opening), "text": plain(body.replace(END, ""))})
    return rows


def markdown(source: str) -> str:
    """A source without what only the truth needs."""
    text = (FOLDER / "sources" / f"{source}.md").read_text(encoding="utf-8")
    return re.sub(r"<!-- .+? -->\n", "", text).replace(END, "")


def run(*command: str, cwd: Path, stdin: str | None = None) -> str:
    """Standard output of a command.

    Raises:
        RuntimeError: it failed.
    """
    done = subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, text=True, check=False, errors="replace")
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stdout[-1500:]}{done.stderr[-1500:]}")
    return done.stdout


def pandoc(text: str, to: str, *options: str) -> str:
    """Markdown in another format, by pandoc."""
    import pypandoc

    return str(pypandoc.convert_text(text, to, format="markdown-auto_identifiers", extra_args=list(options)))


def tex_body(text: str) -> str:
    """Markdown as the body of a LaTeX document."""
    body = pandoc(text, "latex", "--shift-heading-level-by=-1")
    return body.replace(r"\tightlist", "")


def latex(text: str, folder: Path, engine: str, preamble: str) -> Path:
    """A PDF by a TeX engine."""
    title = text.splitlines()[0].removeprefix("# ")
    source = (
        f"{preamble}\n\\begin{{document}}\n"
        f"\\begin{{center}}\\Large {title}\\end{{center}}\n{tex_body(text)}\n\\end{{document}}\n"
    )
    (folder / "a.tex").write_text(source, encoding="utf-8")
    for _ in range(2):
        run(engine, "-interaction=nonstopmode", "-halt-on-error", "a.tex", cwd=folder)
    return folder / "a.pdf"


ARTICLE = r"\documentclass[10pt]{article}\usepackage[utf8]{inputenc}\usepackage{amssymb,amsmath}"
LATEX = {
    "dev": {
        "pdflatex": rf"{ARTICLE}\usepackage[margin=1.3in]{{geometry}}",
        "pdflatex-bitmap": rf"{ARTICLE}\usepackage[T1]{{fontenc}}\pdfmapfile{{}}\pdfpkresolution=600",
        "pdflatex-oldstyle": rf"{ARTICLE}\usepackage[T1]{{fontenc}}\usepackage[osf]{{mathpazo}}",
        "xelatex": r"\documentclass[11pt]{article}\usepackage{amssymb,amsmath,fontspec}"
        r"\setmainfont{TeX Gyre Pagella}["
        r"Numbers=OldStyle]",
        "lualatex": r"\documentclass[11pt]{article}\usepackage{amssymb,amsmath,fontspec}"
        r"\setmainfont{Latin Modern Roman}",
    },
    "once": {
        "pdflatex": rf"{ARTICLE.replace('10pt', '11pt,twocolumn')}\usepackage{{mathptmx}}\usepackage[T1]{{fontenc}}",
        "pdflatex-bitmap": rf"{ARTICLE.replace('10pt', '12pt')}\pdfmapfile{{}}\pdfpkresolution=300",
        "pdflatex-oldstyle": rf"{ARTICLE.replace('10pt', '11pt')}\usepackage[T1]{{fontenc}}"
        r"\usepackage[osf,sc]{mathpazo}\usepackage[margin=1.5in]{geometry}",
        "xelatex": r"\documentclass[10pt,twocolumn]{article}\usepackage{amssymb,amsmath,fontspec}"
        r"\setmainfont{TeX Gyre Termes}["
        r"Numbers=OldStyle]",
        "lualatex": r"\documentclass[12pt]{article}\usepackage{amssymb,amsmath,fontspec}"
        r"\setmainfont{TeX Gyre Bonum}"
    },
}  # fmt: skip
HEBREW = {
    "xelatex-he": r"\documentclass[12pt]{article}\usepackage{amsmath,fontspec,polyglossia}"
    r"\setmainlanguage{hebrew}\setotherlanguage{english}\newfontfamily\hebrewfont[Script=Hebrew]{%s}"
    r"\newfontfamily\hebrewfonttt{%s}\setmainfont{%s}",
    "lualatex-he": r"\documentclass[11pt]{article}\usepackage{amsmath}\usepackage[bidi=basic]{babel}"
    r"\babelprovide[import,main]{hebrew}\babelfont{rm}{%s}\babelfont{tt}{%s}%%%s",
}
HEBREW_FONT = {"dev": "David CLM", "once": "Frank Ruehl CLM"}
LATIN_FONT = {"dev": "Liberation Serif", "once": "DejaVu Serif"}
CSS = {
    "dev": "@page { size: A4; margin: 28mm; @bottom-center { content: counter(page) } }"
    "body { font: 10.5pt/1.4 'Liberation Serif', 'David CLM'; text-align: justify; hyphens: auto }",
    "once": "@page { size: letter; margin: 20mm; @top-right { content: 'Week 3 / ' counter(page) } }"
    "body { font: 9.5pt/1.35 'DejaVu Serif', 'Frank Ruehl CLM'; columns: 2 } h1 { column-span: all }"
    "p { margin: 0; text-indent: 1.2em }",
}
TYPST = {
    "dev": "#set page(paper: \"a4\", margin: 30mm, numbering: \"1\")\n#set text(font: \"Libertinus Serif\", size: 11pt,"
    " number-type: \"old-style\")\n#set par(justify: true)\n",
    "once": "#set page(paper: \"us-letter\", margin: 22mm, columns: 2)\n#set text(font: \"New Computer Modern\","
    " size: 10pt)\n#set par(justify: true, first-line-indent: 1.2em, spacing: 0.65em)\n",
}  # fmt: skip


DROP_CAPS = "h2 + p::first-letter { font-size: 32pt; float: inline-start; line-height: .85; padding-inline-end: 2pt }"


def html(text: str, which: str, language: str, *options: str) -> str:
    """Markdown as a page with the style of a set."""
    title = text.splitlines()[0].removeprefix("# ")
    direction = "rtl" if language == "he" else "ltr"
    return (
        f"<html lang={language} dir={direction}><meta charset=utf-8><title>{title}</title><style>{CSS[which]}"
        f".smallcaps {{ font-variant: small-caps }}</style>"
        f"<body>{pandoc(text, 'html', *options)}</body></html>"
    )


def marked(text: str) -> str:
    """Hebrew with its Latin phrases marked, as XeTeX needs them."""
    latin = r"\$(?![\d ])[^$]*?\$|[A-Za-z][A-Za-zÀ-ž.'@-]*(?: [A-Za-z(][A-Za-zÀ-ž.'-]*)*(?<![.-])\)?"
    return re.sub(latin, lambda run: run.group() if "$" in run.group() else rf"\textenglish{{{run.group()}}}", text)


def by_weasyprint(text: str, folder: Path, which: str, language: str) -> Path:
    """A PDF by WeasyPrint."""
    text = re.sub(r"\$\\frac\{(\d)\}\{(\d)\}\$", r"^\1^⁄~\2~", text)
    (folder / "a.html").write_text(html(text, which, language), encoding="utf-8")
    run(str(Path(sys.executable).parent / "weasyprint"), "a.html", "a.pdf", cwd=folder)
    return folder / "a.pdf"


def by_chromium(text: str, folder: Path, which: str, language: str) -> Path:
    """A PDF as Chromium prints it."""
    page = html(text, which, language, "--mathml").replace(
        "</style>", f"{DROP_CAPS}</style>" if which == "dev" else "</style>"
    )
    (folder / "a.html").write_text(page, encoding="utf-8")
    run(
        "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
        f"--user-data-dir={folder}/profile", "--print-to-pdf=a.pdf", "a.html", cwd=folder,
    )  # fmt: skip
    return folder / "a.pdf"


def by_office(text: str, folder: Path, kind: str, language: str) -> Path:
    """A PDF by LibreOffice Writer, from docx or odt."""
    import pypandoc

    options = ["--metadata=lang:he", "--metadata=dir:rtl"] if language == "he" else []
    pypandoc.convert_text(
        text, kind, format="markdown-auto_identifiers", outputfile=str(folder / f"a.{kind}"), extra_args=options
    )
    run(
        "soffice",
        f"-env:UserInstallation=file://{folder}/profile",
        "--headless",
        "--convert-to",
        "pdf",
        f"a.{kind}",
        cwd=folder,
    )
    return folder / "a.pdf"


def by_groff(text: str, folder: Path) -> Path:
    """A PDF by groff's ms macros and gropdf."""
    source = pandoc(text, "ms", "--shift-heading-level-by=-1", "--standalone")
    (folder / "a.ms").write_text(source, encoding="utf-8")
    with (folder / "a.pdf").open("wb") as out:
        subprocess.run(
            ["groff", "-k", "-Kutf8", "-ms", "-e", "-t", "-Tpdf", "a.ms"], cwd=folder, stdout=out, check=True,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
    return folder / "a.pdf"


def by_typst(text: str, folder: Path, which: str, language: str) -> Path:
    """A PDF by typst."""
    import typst

    direction = '#set text(lang: "he", font: ("David CLM", "New Computer Modern"))\n' if language == "he" else ""
    source = TYPST[which] + direction + "#let sect = $inter$\n" + pandoc(text, "typst")
    (folder / "a.typ").write_text(source, encoding="utf-8")
    typst.compile(str(folder / "a.typ"), output=str(folder / "a.pdf"), font_paths=["/usr/share/fonts"])
    return folder / "a.pdf"


def by_beamer(text: str, folder: Path) -> Path:
    """Slides whose paragraphs appear one by one: each step is a page."""
    title, *pieces = text.split("\n\n")
    frames, heading = [], title
    body: list[str] = []
    for piece in [*pieces, "## "]:
        if piece.startswith("#") or len(body) == 2:
            if body:
                inside = "\n\n\\pause\n\n".join(tex_body(part) for part in body)
                frames.append(f"\\begin{{frame}}[fragile]{{{heading.lstrip('# ')}}}\n{inside}\n\\end{{frame}}")
            body = []
        if piece.startswith("#"):
            heading = piece
        elif not piece.startswith("[^"):
            body.append(re.sub(r"\[\^\d\]", "", piece))
    source = (
        "\\documentclass{beamer}\\usepackage[utf8]{inputenc}\\usepackage{amssymb,amsmath}\\begin{document}\n"
        + "\n".join(frames)
        + "\n\\end{document}\n"
    )
    (folder / "a.tex").write_text(source, encoding="utf-8")
    run("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex", cwd=folder)
    return folder / "a.pdf"


def redistilled(pdf: Path, folder: Path) -> Path:
    """A PDF made PostScript and distilled again, as printers to a file do; its fonts lose what they stand for."""
    run("gs", "-q", "-dBATCH", "-dNOPAUSE", "-sDEVICE=ps2write", "-sOutputFile=b.ps", str(pdf), cwd=folder)
    run("gs", "-q", "-dBATCH", "-dNOPAUSE", "-sDEVICE=pdfwrite", "-sOutputFile=b.pdf", "b.ps", cwd=folder)
    return folder / "b.pdf"


def scanned(pdf: Path, folder: Path, degrees: float, dpi: int) -> Path:
    """A PDF as a scanner sees it: black and white images of its pages, turned by some degrees."""
    import img2pdf
    from PIL import Image, ImageFilter

    run("pdftoppm", "-gray", "-r", str(dpi), str(pdf), "page", cwd=folder)
    images = []
    for path in sorted(folder.glob("page-*.pgm")):
        image = Image.open(path).rotate(degrees, Image.Resampling.BICUBIC, fillcolor=255)
        image = image.filter(ImageFilter.GaussianBlur(0.6)).point(lambda level: 255 * (level > 140)).convert("1")
        image.save(path.with_suffix(".tif"), compression="group4", dpi=(dpi, dpi))
        images.append(str(path.with_suffix(".tif")))
    (folder / "scan.pdf").write_bytes(img2pdf.convert(images))
    return folder / "scan.pdf"


def badly_recognised(scan: Path, folder: Path) -> Path:
    """A scan with the text that an engine made of a coarse copy of it laid under."""
    import pypdf

    run("pdftoppm", "-gray", "-r", "90", str(scan), "coarse", cwd=folder)
    writer = pypdf.PdfWriter(clone_from=str(scan))
    for page, image in zip(writer.pages, sorted(folder.glob("coarse-*.pgm")), strict=True):
        run("tesseract", image.name, image.stem, "--dpi", "90", "-c", "textonly_pdf=1", "pdf", cwd=folder)
        page.merge_page(pypdf.PdfReader(str(image.with_suffix(".pdf"))).pages[0])
    writer.write(str(folder / "bad.pdf"))
    return folder / "bad.pdf"


def builders(which: str, english: str, hebrew: str) -> dict[str, tuple[str, Callable[[Path], Path]]]:
    """Name -> the source, and what makes a PDF of it in a folder."""
    text, rtl = markdown(english), markdown(hebrew)
    made: dict[str, tuple[str, Callable[[Path], Path]]] = {}

    def tex(name: str, preamble: str) -> Callable[[Path], Path]:
        return lambda folder: latex(text, folder, name.partition("-")[0], preamble)

    for name, preamble in LATEX[which].items():
        made[name] = (english, tex(name, preamble))
    plainest, unicode = LATEX[which]["pdflatex"], LATEX[which]["xelatex"]
    font, latin = HEBREW_FONT[which], LATIN_FONT[which]
    made |= {
        "redistilled": (english, lambda folder: redistilled(latex(text, folder, "pdflatex", plainest), folder)),
        "redistilled-unicode": (english, lambda folder: redistilled(latex(text, folder, "xelatex", unicode), folder)),
        "beamer": (english, lambda folder: by_beamer(text, folder)),
        "groff": (english, lambda folder: by_groff(text, folder)),
        "writer": (english, lambda folder: by_office(text, folder, "docx" if which == "dev" else "odt", "en")),
        "weasyprint": (english, lambda folder: by_weasyprint(text, folder, which, "en")),
        "chromium": (english, lambda folder: by_chromium(text, folder, which, "en")),
        "typst": (english, lambda folder: by_typst(text, folder, which, "en")),
        "scan": (english, lambda folder: scanned(latex(text, folder, "pdflatex", plainest), folder, 0.0, 200)),
        "scan-skewed": (english, lambda folder: scanned(by_weasyprint(text, folder, which, "en"), folder, 1.0, 200)),
        "scan-badly-read": (
            english,
            lambda folder: badly_recognised(scanned(by_typst(text, folder, which, "en"), folder, -0.4, 200), folder),
        ),
        "xelatex-he": (
            hebrew,
            lambda folder: latex(marked(rtl), folder, "xelatex", HEBREW["xelatex-he"] % (font, font, latin)),
        ),
        "lualatex-he": (
            hebrew,
            lambda folder: latex(rtl, folder, "lualatex", HEBREW["lualatex-he"] % (font, font, "")),
        ),
        "writer-he": (hebrew, lambda folder: by_office(rtl, folder, "docx" if which == "dev" else "odt", "he")),
        "chromium-he": (hebrew, lambda folder: by_chromium(rtl, folder, which, "he")),
        "typst-he": (hebrew, lambda folder: by_typst(rtl, folder, which, "he")),
        "scan-he": (hebrew, lambda folder: scanned(by_chromium(rtl, folder, which, "he"), folder, 0.0, 200)),
    }
    return made


def build(which: str, only: Sequence[str] = ()) -> None:
    """Write the PDFs of a set and what they truly say."""
    folder = FOLDER / which
    folder.mkdir(exist_ok=True)
    made = builders(which, *SETS[which])
    for name, (_, make) in made.items():
        if only and name not in only:
            continue
        with tempfile.TemporaryDirectory() as work:
            try:
                content = make(Path(work)).read_bytes()
            except (RuntimeError, subprocess.CalledProcessError) as error:
                print(f"{which}/{name}: {error}", file=sys.stderr)
                continue
        (folder / f"{name}.pdf").write_bytes(content)
        print(f"{which}/{name}.pdf  {len(content) // 1024} kB")
    rows = [{"document": name, **row, "playable": True} for name, (source, _) in made.items() for row in truth(source)]
    (folder / "truth.jsonl").write_text(
        "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8"
    )


if __name__ == "__main__":
    for chosen in sys.argv[1:2] or SETS:
        build(chosen, sys.argv[2:])
