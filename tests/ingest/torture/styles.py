"""Lectures in styles drawn by lot: `python -m tests.ingest.torture.styles SEED N FOLDER [SOURCE...]` typesets N of them.

The torture course (`build.py`, whose packages this needs, and python-docx and python-pptx besides) holds a few styles that
somebody thought of. Here class, fonts, columns, margins, spacing, indents, headings, heads and feet, notes in the margin,
drop caps, watermarks, line numbers, floats, listings and tables are drawn from wide ranges for each of eleven typesetters,
and so are the paragraphs: those of SOURCE (`sources/`), and prose of the bundled lectures. Write down the commit, build
with a seed that nobody used, and measure once: `python -m tests.ingest.torture.measure FOLDER`.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.ingest.torture import build as b

LECTURES = Path(__file__).resolve().parents[3] / "data" / "lectures"
PLAIN_PROSE = re.compile(r"[\w\s.,;:!?()'\"%-]+")
CODE = "    def walk(tree, seen):\n        if tree in seen:\n            return None\n        seen.add(tree)\n        return max(walk(c, seen) for c in tree)"
TABLE = (
    "| season | boats | share |\n|---|---|---|\n| spring | 12 | 0.31 |\n| summer | 40 | 0.52 |\n| winter | 3 | 0.17 |"
)
LIST = "- Count the boats in the harbour before noon.\n- Ask the keeper for the tables.\n- Compare both, and write down which one was wrong."
QUOTE = "> Nothing that is counted twice was ever counted once."
FORMULA = "$$ e = r + s $$"


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a lecture: a heading, a paragraph with its truth, or something else that stands between."""

    kind: str
    markdown: str
    row: dict[str, str]


def source_parts(name: str) -> list[Part]:
    """The labelled paragraphs of a source, each with the notes that it needs."""
    text = (b.FOLDER / "sources" / f"{name}.md").read_text(encoding="utf-8")
    notes = dict(re.findall(r"^\[\^(\d)\]: (.+)$", text, re.MULTILINE))
    parts: list[Part] = []
    rows = iter(b.truth(name))
    for piece in text.split("\n\n"):
        body = re.sub(r"<!-- .+? -->\n", "", piece)
        if body.startswith(("#", "[^", "- ")):
            continue
        if body.startswith("* "):  # a list that its paragraph leads into
            parts[-1] = Part("paragraph", f"{parts[-1].markdown}\n\n{body}", parts[-1].row)
            continue
        marks = re.findall(r"\[\^(\d)\]", body)
        for mark in marks:
            body = body.replace(f"[^{mark}]", f"^[{notes[mark]}]")
        parts.append(Part("paragraph", body.replace(b.END, ""), next(rows)))
    return parts


def prose_parts(language: str) -> list[Part]:
    """Paragraphs of the bundled lectures that any typesetter can set."""
    parts = []
    for line in (LECTURES / language / "truth.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["playable"] and PLAIN_PROSE.fullmatch(row["text"]) and 30 <= len(row["text"].split()) <= 160:
            found = {"construct": "prose", "opening_sentence": row["opening_sentence"], "text": row["text"]}
            parts.append(Part("paragraph", row["text"].replace(" - ", " -- "), found))
    return parts


HEADINGS = {
    "english": ("First Steps", "What Is Counted", "A Word on Method", "Costs and Benefits", "The Long Way Round",
                "Boats, Rooms and Names", "Open Questions", "Two Examples", "History", "How It Is Done Today"),
    "hebrew": ("צעדים ראשונים", "מה סופרים", "על השיטה", "שתי דוגמאות", "שאלות פתוחות", "קצת היסטוריה"),
}  # fmt: skip


def lecture(rng: random.Random, language: str, sources: list[str]) -> list[Part]:
    """A lecture drawn by lot: headings, paragraphs and what stands between them."""
    own = [part for name in sources for part in source_parts(name)]
    own = rng.sample(own, min(len(own), 14))
    prose = prose_parts(language)
    chosen = own + rng.sample(prose, min(len(prose), 12))
    rng.shuffle(chosen)
    headings = list(HEADINGS[language])
    rng.shuffle(headings)
    parts: list[Part] = []
    extras = [TABLE, LIST, QUOTE, CODE, FORMULA] if language == "english" else ["> לא כל מה שנספר פעמיים נספר פעם אחת."]
    for position, part in enumerate(chosen):
        if position % 4 == 0 and headings:
            parts.append(Part("heading", headings.pop(), {}))
        parts.append(part)
        if rng.random() < 0.15 and position % 4 != 3:
            parts.append(Part("extra", rng.choice(extras), {}))
    return parts


def as_markdown(parts: list[Part], level: int = 2) -> str:
    """Parts as one Markdown text under a title."""
    title = "# A Lecture Drawn by Lot" if not re.search("[א-ת]", parts[1].markdown) else "# הרצאה שהוגרלה"
    pieces = [f"{'#' * level} {part.markdown}" if part.kind == "heading" else part.markdown for part in parts]
    return "\n\n".join([title, *pieces])


def maybe(rng: random.Random, share: float, text: str) -> str:
    """A text with a probability, "" else."""
    return text if rng.random() < share else ""


# --- LaTeX ---------------------------------------------------------------------------------------------------------

PDFLATEX_FONTS = (
    "", "", r"\usepackage[T1]{fontenc}\usepackage{lmodern}", r"\usepackage[T1]{fontenc}", r"\usepackage{mathptmx}",
    r"\usepackage[T1]{fontenc}\usepackage{mathptmx}", r"\usepackage[T1]{fontenc}\usepackage{mathpazo}",
    r"\usepackage{charter}", r"\usepackage[T1]{fontenc}\usepackage{newcent}", r"\usepackage{bookman}",
    r"\usepackage[scaled]{helvet}\renewcommand\familydefault{\sfdefault}", r"\usepackage[T1]{fontenc}\usepackage{tgschola}",
    r"\usepackage[T1]{fontenc}\usepackage{tgbonum}", r"\renewcommand\familydefault{\sfdefault}",
)  # fmt: skip
OPEN_FONTS = (
    "TeX Gyre Pagella", "TeX Gyre Termes", "TeX Gyre Schola", "TeX Gyre Heros", "Latin Modern Roman", "Liberation Serif",
    "DejaVu Serif", "TeX Gyre Bonum", "Liberation Sans", "DejaVu Sans", "Liberation Sans Narrow",
)  # fmt: skip
HEBREW_FONTS = (
    "David CLM",
    "Frank Ruehl CLM",
    "Miriam CLM",
    "Hadasim CLM",
    "Drugulin CLM",
    "Simple CLM",
    "Nachlieli CLM",
)
CLASSES = (
    "article",
    "article",
    "article",
    "report",
    "scrartcl",
    "scrreprt",
    "memoir",
    "amsart",
    "extarticle",
    "tufte-handout",
    "proc",
)


def latex_preamble(rng: random.Random, fonts: str) -> tuple[str, str]:
    """A preamble drawn by lot, and the name of its class."""
    kind = rng.choice(CLASSES)
    options = [rng.choice(("10pt", "11pt", "12pt") if kind != "extarticle" else ("9pt", "14pt"))]
    tufte = kind == "tufte-handout"
    columns = 2 if kind == "proc" else rng.choice((1, 1, 1, 2)) if not tufte else 1
    if columns == 2 and kind != "proc":
        options.append("twocolumn")
    if rng.random() < 0.5 and not tufte:
        options.append("a4paper")
    if rng.random() < 0.12:
        options.append("fleqn")
    lines = [
        rf"\documentclass[{','.join(options)}]{{{kind}}}",
        r"\usepackage{amssymb,amsmath,longtable,booktabs,array,calc,graphicx}",
        fonts,
    ]
    if not tufte and rng.random() < 0.6:
        landscape = rng.random() < 0.12
        inner, outer = rng.randint(14, 45), rng.randint(14, 45)
        lines.append(
            rf"\usepackage[left={inner}mm,right={outer}mm,top={rng.randint(15, 35)}mm,bottom={rng.randint(15, 35)}mm{',landscape' if landscape else ''}]{{geometry}}"
        )
    if columns == 2 and rng.random() < 0.5:
        lines.append(
            rf"\setlength\columnsep{{{rng.randint(9, 30)}pt}}" + maybe(rng, 0.4, r"\setlength\columnseprule{.4pt}")
        )
    spacing = rng.choice(("usual", "usual", "parskip", "both", "small indent", "large indent", "neither"))
    lines.append({
        "usual": "", "parskip": rf"\AtBeginDocument{{\setlength\parindent{{0pt}}\setlength\parskip{{{rng.randint(4, 12)}pt plus 1pt}}}}",
        "both": rf"\AtBeginDocument{{\setlength\parskip{{{rng.randint(3, 9)}pt}}}}",
        "small indent": r"\AtBeginDocument{\setlength\parindent{1em}}", "large indent": r"\AtBeginDocument{\setlength\parindent{3em}}",
        "neither": r"\AtBeginDocument{\setlength\parindent{0pt}\setlength\parskip{0pt}}",
    }[spacing])  # fmt: skip
    lines.append(
        rng.choice(("", "", "", r"\linespread{1.1}", r"\linespread{1.3}", r"\linespread{1.6}", r"\linespread{0.96}"))
    )
    lines.append(
        maybe(
            rng,
            0.15,
            r"\AtBeginDocument{\raggedright" + (r"\setlength\parindent{1.5em}" if spacing == "usual" else "") + "}",
        )
    )
    lines.append(maybe(rng, 0.3, r"\usepackage{microtype}"))
    if kind not in ("memoir", "tufte-handout") and rng.random() < 0.4:
        lines.append(
            r"\usepackage{fancyhdr}\pagestyle{fancy}\fancyhf{}\fancyhead[L]{\small Course of Lectures}\fancyhead[R]{\small\thepage}\fancyfoot[C]{\footnotesize Draft of \today, please do not copy}"
        )
    lines.append(maybe(rng, 0.08, r"\usepackage{lineno}\AtBeginDocument{\linenumbers}"))
    lines.append(maybe(rng, 0.12, r"\usepackage{draftwatermark}\SetWatermarkText{DRAFT}"))
    if kind in ("article", "report", "extarticle") and rng.random() < 0.4:
        lines.append(
            r"\usepackage{titlesec}"
            + rng.choice(
                (
                    r"\titleformat*{\section}{\centering\scshape}",
                    r"\titleformat*{\section}{\normalsize\bfseries}",
                    r"\titleformat*{\section}{\normalsize\itshape}",
                    r"\titleformat*{\section}{\sffamily\large}",
                )
            )
        )
    lines.append(maybe(rng, 0.15, r"\usepackage[symbol]{footmisc}"))
    return "\n".join(lines), kind


def decorated(rng: random.Random, parts: list[Part], kind: str) -> list[Part]:
    """Parts with LaTeX's drop caps, notes in the margin, figures and numbered formulas put in."""
    caps, notes, floats = rng.random() < 0.2, rng.random() < 0.2, rng.random() < 0.3
    numbered = rng.random() < 0.3
    made: list[Part] = []
    for part in parts:
        text = part.markdown
        after_heading = bool(made) and made[-1].kind == "heading"
        word = re.match(r"([A-Z])([a-z]*) ", text)
        if part.kind == "paragraph" and caps and after_heading and word:
            text = rf"\lettrine{{{word[1]}}}{{{word[2]}}} " + text[word.end() :]
        if part.kind == "paragraph" and notes and rng.random() < 0.3 and ". " in text and "$" not in text:
            head, dot, rest = text.rpartition(". ")
            text = head + dot + r"\marginpar{\footnotesize See the second sheet, where this is worked out.}" + rest
        if numbered:
            text = re.sub(r"\$\$ (.+?) \$\$", lambda m: r"\begin{equation}" + m[1] + r"\end{equation}", text)
        made.append(Part(part.kind, text, part.row))
        if floats and part.kind == "paragraph" and rng.random() < 0.15:
            made.append(
                Part(
                    "extra",
                    rf"\begin{{figure}}[{rng.choice(('t', 'b', 'h', 'tb'))}]\centering\rule{{.6\linewidth}}{{{rng.randint(10, 40)}mm}}\caption{{The tower as it was drawn from the harbour by a visitor.}}\end{{figure}}",
                    {},
                )
            )
    return made


def by_latex(rng: random.Random, parts: list[Part], folder: Path, engine: str) -> Path:
    """A PDF by a TeX engine in a style drawn by lot."""
    if engine == "pdflatex":
        fonts = (
            r"\usepackage[utf8]{inputenc}"
            + rng.choice(PDFLATEX_FONTS)
            + maybe(rng, 0.1, r"\pdfmapfile{}\pdfpkresolution=600")
        )
    else:
        features = maybe(rng, 0.25, "[Numbers=OldStyle]")
        fonts = rf"\usepackage{{fontspec}}\setmainfont{{{rng.choice(OPEN_FONTS)}}}{features}"
    preamble, kind = latex_preamble(rng, fonts)
    preamble += r"\usepackage{lettrine}\providecommand\tightlist{}\usepackage{newunicodechar}"
    body = b.pandoc(
        as_markdown(decorated(rng, parts, kind)), "latex", "--shift-heading-level-by=-1", "--syntax-highlighting=none"
    )
    if "twocolumn" in preamble or kind == "proc":
        body = (
            body.replace("longtable", "tabular")
            .replace(r"\endhead", "")
            .replace(r"\endfirsthead", "")
            .replace(r"\endlastfoot", "")
            .replace(r"\noalign{}", "")
        )
        body = re.sub(r"\\begin\{tabular\}\[\]", r"\\begin{tabular}", body)
    multi = (
        rng.random() < 0.1
        and "twocolumn" not in preamble
        and kind in ("article", "scrartcl")
        and "marginpar" not in body
    )
    if multi:
        preamble += r"\usepackage{multicol}"
        body = (
            r"\begin{multicols}{2}"
            + re.sub(r"(?s)\\begin\{(figure|longtable)\}.*?\\end\{\1\}", "", body)
            + r"\end{multicols}"
        )
    heading = rng.choice(
        (
            r"\begin{center}\Large A Lecture Drawn by Lot\end{center}",
            r"\title{A Lecture Drawn by Lot}\author{A. Nonymous}\maketitle",
            r"\noindent{\huge\bfseries A Lecture Drawn by Lot}\par\bigskip",
        )
    )
    if kind in ("report", "scrreprt", "memoir") and rng.random() < 0.5:
        heading = r"\chapter{A Lecture Drawn by Lot}"
    (folder / "a.tex").write_text(
        f"{preamble}\n\\begin{{document}}\n{heading}\n{body}\n\\end{{document}}\n", encoding="utf-8"
    )
    for _ in range(2):
        b.run(engine, "-interaction=nonstopmode", "-halt-on-error", "a.tex", cwd=folder)
    return folder / "a.pdf"


def by_plain_tex(rng: random.Random, parts: list[Part], folder: Path) -> Path:
    """A PDF by plain TeX."""

    def inline(text: str) -> str:
        text = re.sub(r"\^\[(.+?)\]", r"\\footnote{$^*$}{\1}", text)
        text = re.sub(r"\^([\d,-]+)\^", r"$^{\1}$", text.partition("\n\n* ")[0])
        text = re.sub(r"\[([^\]]+)\]\{\.smallcaps\}", r"\1", text)
        text = re.sub(r"`([^`]+)`", lambda m: r"{\tt " + m[1].replace("_", r"\_") + "}", text)
        text = re.sub(r"\*\*(.+?)\*\*", r"{\\bf \1}", text)
        text = re.sub(r"(?<![\w*])\*(?=\w)(.+?)(?<=[\w.])\*", r"{\\it \1\\/}", text)
        text = (
            re.sub(r"\$(?=\d)", r"\\char36 ", text)
            if re.search(r"\$\d[\d,.]* (?!.*\\)", text) and "\\" not in text
            else text
        )
        return text.replace("%", r"\%").replace("#", r"\#").replace("&", r"\&")

    usable = [part for part in parts if part.kind != "extra" and part.markdown.isascii()]
    body = "\n\n".join(
        rf"\bigskip\noindent{{\bf {part.markdown}}}\par\nobreak" if part.kind == "heading" else inline(part.markdown)
        for part in usable
    )
    body = re.sub(r'"(\w)', r"``\1", body).replace('"', "''")
    head = r"\input amssym \def\frac#1#2{{#1\over #2}}\def\mathbb#1{{\bf #1}}\def\mathcal#1{{\cal #1}}\def\emptyset{\varnothing}"
    head += rng.choice((r"\magnification=1200 ", r"\magnification=1100 ", "", r"\hsize=5in "))
    head += rng.choice(("", r"\parskip=6pt ", r"\parindent=0pt \parskip=8pt plus 2pt ", r"\parindent=30pt "))
    head += r"\def\varnothing{\char59 }" * 0
    (folder / "a.tex").write_text(
        rf"{head}\centerline{{\bf A Lecture Drawn by Lot}}\bigskip{chr(10)}{body}{chr(10)}\bye", encoding="utf-8"
    )
    b.run("pdftex", "-interaction=nonstopmode", "-halt-on-error", "a.tex", cwd=folder)
    return folder / "a.pdf"


def by_beamer(rng: random.Random, parts: list[Part], folder: Path) -> Path:
    """Slides by beamer, with builds here and there."""
    theme = rng.choice(
        (
            "default",
            "Madrid",
            "Warsaw",
            "Berlin",
            "CambridgeUS",
            "Boadilla",
            "AnnArbor",
            "metropolis",
            "Singapore",
            "Goettingen",
            "PaloAlto",
            "Frankfurt",
            "Szeged",
            "Antibes",
            "Montpellier",
            "Rochester",
        )
    )
    aspect = rng.choice(("", "aspectratio=169,", "aspectratio=1610,"))
    size = rng.choice(("10pt", "11pt", "9pt"))
    builds, lists = rng.random() < 0.5, rng.random() < 0.35
    frames, heading = list[str](), "Opening"
    body: list[str] = []
    pause = "\n\n\\pause\n\n" if builds else "\n\n"
    for part in [*parts, Part("heading", "", {})]:
        if part.kind == "heading" or len(body) == 2:
            if body:
                pieces = [b.tex_body(text) for text in body]
                inside = pause.join(pieces)
                if lists:
                    inside = (
                        "\\begin{itemize}"
                        + ("[<+->]" if builds else "")
                        + "".join(f"\\item {piece}" for piece in pieces)
                        + "\\end{itemize}"
                    )
                elif rng.random() < 0.15:
                    inside = f"\\begin{{block}}{{A remark}}{inside}\\end{{block}}"
                frames.append(f"\\begin{{frame}}[fragile]{{{heading}}}\n{inside}\n\\end{{frame}}")
            body = []
        if part.kind == "heading":
            heading = part.markdown
            if heading:
                frames.append(f"\\section{{{heading}}}")
        elif part.kind == "paragraph":
            body.append(re.sub(r"\^\[.+?\]", "", part.markdown))
    serif = maybe(rng, 0.3, r"\usefonttheme{serif}")
    fonts = rng.choice(("", r"\usepackage{mathptmx}", r"\usepackage[T1]{fontenc}\usepackage{lmodern}"))
    spacing = rng.choice(("", r"\setlength\parskip{6pt}", r"\setlength\parindent{1em}"))
    (folder / "a.tex").write_text(
        rf"\documentclass[{aspect}{size}]{{beamer}}\usepackage[utf8]{{inputenc}}\usepackage{{amssymb,amsmath}}\usetheme{{{theme}}}{serif}{fonts}"
        rf"\title[Lots]{{A Lecture Drawn by Lot}}\author[A. N.]{{A. Nonymous}}\begin{{document}}\begin{{frame}}\titlepage\end{{frame}}{spacing}"
        + "\n"
        + "\n".join(frames)
        + "\n\\end{document}\n",
        encoding="utf-8",
    )
    for _ in range(2):
        b.run("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex", cwd=folder)
    return folder / "a.pdf"


# --- groff ---------------------------------------------------------------------------------------------------------


def by_groff(rng: random.Random, parts: list[Part], folder: Path) -> Path:
    """A PDF by groff, with the macros ms or mm."""
    body = b.pandoc(as_markdown(parts), "ms", "--shift-heading-level-by=-1")
    body = re.sub(r"\.pdfhref[^\n]*\n(?:\.pdfhref[^\n]*\n)*", "", body)
    macros, head = (
        "-ms",
        f".nr PS {rng.choice((9, 10, 11, 12))}\n.nr VS {rng.choice((12, 13, 15, 18))}\n.nr LL {rng.choice(('5i', '5.5i', '6i'))}\n.nr PI {rng.choice(('2n', '5n', '1m'))}\n.nr PD {rng.choice(('0', '0.3v', '0.5v'))}\n.EQ\ndelim @@\n.EN\n",
    )
    if rng.random() < 0.3:
        head += ".ND\n.LP\n.2C\n"
    if rng.random() < 0.5:
        body = body.replace("\n.LP\n", "\n.PP\n")
    if rng.random() < 0.3:
        macros = "-mm"
        head = f".nr Pt {rng.choice((0, 1))}\n.PGFORM\n.S {rng.choice((10, 11, 12))}\n.EQ\ndelim @@\n.EN\n"
        body = re.sub(r"\.(LP|PP)\n", ".P\n", body)
        body = re.sub(r"\.SH \d+\n(.+)\n", r'.HU "\1"\n', body)
        body = body.replace("\\**", "\\*F").replace(".QS", "").replace(".QE", "")
        body = re.sub(r"\.EQ\n(.*?)\n\.EN", r".DS CB\n.EQ\n\1\n.EN\n.DE", body, flags=re.S)
        body = re.sub(r"\.IP.*\n", ".P\n", body)
    family = rng.choice(("T", "P", "N", "B", "H"))
    (folder / "a.ms").write_text(f".fam {family}\n{head}{body}", encoding="utf-8")
    device = rng.choice(("pdf", "pdf", "ps"))
    with (folder / f"a.{device}").open("wb") as out:
        subprocess.run(
            ["groff", "-k", "-Kutf8", macros, "-e", "-t", f"-T{device}", "a.ms"],
            cwd=folder,
            stdout=out,
            check=True,
            stderr=subprocess.DEVNULL,
        )
    if device == "ps":
        b.run("ps2pdf", "a.ps", "a.pdf", cwd=folder)
    return folder / "a.pdf"


# --- offices -------------------------------------------------------------------------------------------------------


def soffice(folder: Path, name: str) -> Path:
    """What LibreOffice exports."""
    b.run(
        "soffice",
        f"-env:UserInstallation=file://{folder}/profile",
        "--headless",
        "--convert-to",
        "pdf",
        name,
        cwd=folder,
    )
    return folder / f"{Path(name).stem}.pdf"


def by_writer(rng: random.Random, parts: list[Part], folder: Path, language: str) -> Path:
    """A PDF by LibreOffice Writer, of a docx whose styles are drawn by lot."""
    import docx
    import pypandoc
    from docx.enum.text import WD_ALIGN_PARAGRAPH
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn
    from docx.shared import Mm, Pt, RGBColor

    options = ["--metadata=lang:he", "--metadata=dir:rtl"] if language == "hebrew" else []
    kind = "docx" if rng.random() < 0.8 else "odt"
    pypandoc.convert_text(
        as_markdown(parts),
        kind,
        format="markdown-auto_identifiers",
        outputfile=str(folder / f"a.{kind}"),
        extra_args=options,
    )
    if kind == "odt":
        return soffice(folder, "a.odt")
    document = docx.Document(str(folder / "a.docx"))
    font = rng.choice(("Liberation Serif", "Liberation Sans", "DejaVu Serif", "C059", "P052", "Utopia"))
    size = rng.choice((10, 10.5, 11, 12))
    spacing = rng.choice(("after", "indent", "both", "neither"))
    for name in ("Normal", "Body Text", "First Paragraph"):
        style = document.styles[name]
        style.font.name, style.font.size = font, Pt(size)
        form = style.paragraph_format
        form.line_spacing = rng.choice((1.0, 1.15, 1.5)) if name == "Normal" else None
        form.space_before = Pt(0)
        form.space_after = Pt(rng.choice((4, 8, 12)) if spacing in ("after", "both") else 0)
        if spacing in ("indent", "both") and name == "Body Text":
            form.first_line_indent = Mm(rng.choice((5, 8, 12)))
    if rng.random() < 0.5:
        for name in ("Body Text", "First Paragraph"):
            document.styles[name].paragraph_format.alignment = WD_ALIGN_PARAGRAPH.JUSTIFY
    heading = document.styles["Heading 2"]
    heading.font.name, heading.font.size = font, Pt(size * rng.choice((1.0, 1.2, 1.5)))
    heading.font.color.rgb = RGBColor(0, 0, rng.choice((0, 128)))
    section = document.sections[0]
    section.left_margin = section.right_margin = Mm(rng.randint(15, 40))
    section.top_margin = section.bottom_margin = Mm(rng.randint(18, 30))
    if rng.random() < 0.25:
        columns = section._sectPr.xpath("./w:cols")
        element = columns[0] if columns else OxmlElement("w:cols")
        element.set(qn("w:num"), "2")
        element.set(qn("w:space"), str(rng.choice((360, 720))))
        if not columns:
            section._sectPr.append(element)
    if rng.random() < 0.5:
        section.header.paragraphs[0].text = "Course of Lectures\tDrawn by Lot"
    if rng.random() < 0.6:
        run = section.footer.paragraphs[0].add_run("Page ")
        for which, text in (("begin", None), (None, "PAGE"), ("end", None)):
            item = OxmlElement("w:fldChar" if which else "w:instrText")
            if which:
                item.set(qn("w:fldCharType"), which)
            else:
                item.text = text
            run._r.append(item)
    document.save(str(folder / "a.docx"))
    return soffice(folder, "a.docx")


def by_impress(rng: random.Random, parts: list[Part], folder: Path) -> Path:
    """Slides by LibreOffice Impress, of a pptx."""
    import pptx
    from pptx.util import Pt

    deck = pptx.Presentation()
    if rng.random() < 0.5:
        deck.slide_width, deck.slide_height = pptx.util.Inches(13.333), pptx.util.Inches(7.5)
    size, bullets, font = (
        rng.choice((14, 16, 18, 20)),
        rng.random() < 0.5,
        rng.choice(("Liberation Sans", "DejaVu Sans", "Liberation Serif")),
    )
    title = deck.slides.add_slide(deck.slide_layouts[0])
    title.shapes.title.text = "A Lecture Drawn by Lot"
    title.placeholders[1].text = "A. Nonymous"
    heading = "Opening"
    body: list[str] = []
    two = rng.random() < 0.25
    for part in [*parts, Part("heading", "", {})]:
        if part.kind == "heading" or len(body) == 2:
            if body:
                slide = deck.slides.add_slide(deck.slide_layouts[3 if two and len(body) == 2 else 1])
                slide.shapes.title.text = heading
                if rng.random() < 0.5:
                    box = slide.shapes.add_textbox(Pt(30), (deck.slide_height or 0) - Pt(30), Pt(300), Pt(20))
                    box.text_frame.text = "Course of Lectures, 2026"
                    box.text_frame.paragraphs[0].runs[0].font.size = Pt(10)
                for position, text in enumerate(body):
                    frame = slide.placeholders[1 + (position if two and len(body) == 2 else 0)].text_frame
                    item = frame.paragraphs[0] if not frame.text else frame.add_paragraph()
                    run = item.add_run()
                    run.text = text
                    run.font.size, run.font.name = Pt(size - 3 if two else size), font
                    if not bullets:
                        properties = item._p.get_or_add_pPr()
                        properties.set("marL", "0")
                        properties.set("indent", "0")
                        properties.insert(0, properties.makeelement(pptx.oxml.ns.qn("a:buNone"), {}))
            body = []
        if part.kind == "heading":
            heading = part.markdown
        elif part.kind == "paragraph":
            body.append(part.row["text"])
    deck.save(str(folder / "a.pptx"))
    return soffice(folder, "a.pptx")


# --- the web -------------------------------------------------------------------------------------------------------


def css(rng: random.Random, language: str, paged: bool) -> str:
    """A style sheet drawn by lot; `paged` if the typesetter knows notes and running heads."""
    family = rng.choice(
        (
            "Liberation Serif",
            "DejaVu Serif",
            "C059",
            "P052",
            "Nimbus Roman",
            "URW Bookman",
            "Utopia",
            "Liberation Sans",
            "DejaVu Sans",
            "TeX Gyre Pagella",
        )
    )
    hebrew = f", '{rng.choice(HEBREW_FONTS)}'" if language == "hebrew" else ""
    size = rng.choice((9, 9.5, 10, 11, 12, 13))
    # Chromium cuts off the columns after the first page, and WeasyPrint sets justified Hebrew askew
    columns = rng.choice((1, 1, 1, 2, 2, 3)) if paged and language == "english" else 1
    page = rng.choice(("A4", "letter", "A5" if columns == 1 else "A4", "A4 landscape"))
    rules = [f"@page {{ size: {page}; margin: {rng.randint(14, 30)}mm {rng.randint(14, 35)}mm;"]
    if paged:
        rules.append(
            rng.choice(
                (
                    "",
                    "@bottom-center { content: counter(page) }",
                    "@top-left { content: string(part) } @top-right { content: counter(page) }",
                    "@bottom-right { content: 'Sheet ' counter(page) ' of ' counter(pages) }",
                )
            )
        )
    align = rng.choice(("justify", "justify", "start")) if not (paged and language == "hebrew") else "start"
    rules.append(
        f"}} h2 {{ string-set: part content() }} body {{ font: {size}pt/{rng.choice((1.15, 1.3, 1.45, 1.6, 1.8))} '{family}'{hebrew}; text-align: {align}; hyphens: {rng.choice(('auto', 'manual'))} }}"
    )
    if columns > 1:
        rules.append(
            f"body {{ columns: {columns}; column-gap: {rng.randint(4, 14)}mm {maybe(rng, 0.3, '; column-rule: 1px solid #999')} }} {maybe(rng, 0.6, 'h1 { column-span: all }')}"
        )
    rules.append("p { margin: 0 0 .7em }" if paged and language == "hebrew" else rng.choice((
        "p { margin: 0; text-indent: 1.5em }", "p { margin: 0; text-indent: 1.2em } h2 + p { text-indent: 0 }",
        "p { margin: 0 0 .7em }", "p { margin: 1em 0 }", "p { margin: 0 0 .4em; text-indent: 1em }", "p { margin: 0 }",
    )))  # fmt: skip
    rules.append(
        rng.choice(
            (
                "h2 { font-size: 1.4em }",
                "h2 { font-size: 1em }",
                "h2 { font-size: 1em; font-weight: normal; font-style: italic }",
                "h2 { text-align: center; font-variant: small-caps; font-weight: normal }",
                "h2 { border-bottom: 1px solid; font-family: sans-serif }",
            )
        )
    )
    if rng.random() < 0.25:
        rules.append(
            f"h2 + p::first-letter {{ font-size: {rng.choice((2.4, 3.1, 3.6))}em; float: {'right' if language == 'hebrew' else 'left'}; line-height: .85; padding-inline-end: 2pt }}"
        )
    elif rng.random() < 0.2:
        rules.append("h2 + p::first-line { font-variant: small-caps }")
    if columns == 1:
        rules.append(
            maybe(
                rng,
                0.2,
                "aside { float: right; width: 30%; margin-right: -34%; font-size: .75em; line-height: 1.2; text-align: left } body { margin-right: 28% }",
            )
        )
    rules.append(
        maybe(rng, 0.15, "body { letter-spacing: .02em }")
        + maybe(rng, 0.15, "pre { background: #eee; font-size: .85em }")
        + maybe(rng, 0.2, "p { widows: 3; orphans: 3 }")
    )
    return " ".join(rules) + " .smallcaps { font-variant: small-caps }"


def html(rng: random.Random, parts: list[Part], language: str, paged: bool, *options: str) -> str:
    """A page in a style drawn by lot."""
    style = css(rng, language, paged)
    pieces = []
    for part in parts:
        if "aside" in style and part.kind == "paragraph" and rng.random() < 0.25:
            pieces.append(
                Part("extra", "<aside>A remark that stands in the margin, in small print, beside the text.</aside>", {})
            )
        pieces.append(part)
    body = b.pandoc(as_markdown(pieces), "html", *options)
    mark = maybe(
        rng,
        0.12,
        "<div style='position: fixed; top: 40%; left: 20%; font-size: 80pt; color: #eee; transform: rotate(-40deg)'>DRAFT</div>",
    )
    direction, code = ("rtl", "he") if language == "hebrew" else ("ltr", "en")
    return f"<html lang={code} dir={direction}><meta charset=utf-8><title>Lots</title><style>{style}</style><body>{mark}{body}</body></html>"


def by_weasyprint(rng: random.Random, parts: list[Part], folder: Path, language: str) -> Path:
    """A PDF by WeasyPrint."""
    text = html(
        rng,
        [Part(p.kind, re.sub(r"\$\\frac\{(\d)\}\{(\d)\}\$", r"^\1^⁄~\2~", p.markdown), p.row) for p in parts],
        language,
        True,
    )
    (folder / "a.html").write_text(text, encoding="utf-8")
    b.run(str(Path(sys.executable).parent / "weasyprint"), "a.html", "a.pdf", cwd=folder)
    return folder / "a.pdf"


def by_chromium(rng: random.Random, parts: list[Part], folder: Path, language: str) -> Path:
    """A PDF as Chromium prints it, with its own head and foot now and then."""
    (folder / "a.html").write_text(html(rng, parts, language, False, "--mathml"), encoding="utf-8")
    heads = [] if rng.random() < 0.3 else ["--no-pdf-header-footer"]
    b.run(
        "chromium",
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        *heads,
        f"--user-data-dir={folder}/profile",
        "--print-to-pdf=a.pdf",
        "a.html",
        cwd=folder,
    )
    return folder / "a.pdf"


def by_typst(rng: random.Random, parts: list[Part], folder: Path, language: str) -> Path:
    """A PDF by typst."""
    import typst

    columns = rng.choice((1, 1, 1, 2, 3))
    font = rng.choice(
        ("Libertinus Serif", "New Computer Modern", "TeX Gyre Pagella", "DejaVu Serif", "Liberation Sans", "C059")
    )
    page = rng.choice(("a4", "us-letter", "a5" if columns == 1 else "a4", "presentation-16-9"))
    lines = [f'#set page(paper: "{page}", margin: {rng.randint(14, 32)}mm, columns: {columns}, numbering: {rng.choice(("none", chr(34) + "1" + chr(34), chr(34) + "1 / 1" + chr(34)))}'
             + maybe(rng, 0.4, ', header: [#text(size: 8pt)[Course of Lectures #h(1fr) Drawn by Lot]]') + maybe(rng, 0.12, ', background: rotate(-35deg, text(size: 70pt, fill: luma(90%))[DRAFT])') + ")",
             f'#set text(font: ("{font}", "{rng.choice(HEBREW_FONTS)}"), size: {rng.choice((9, 10, 11, 12))}pt{maybe(rng, 0.25, ", number-type: " + chr(34) + "old-style" + chr(34))}{", lang: " + chr(34) + "he" + chr(34) if language == "hebrew" else ""})',
             rng.choice(("#set par(justify: true)", "#set par(justify: true, first-line-indent: 1.4em, spacing: 0.65em)", "#set par(leading: 0.9em, spacing: 1.4em)", "#set par(justify: true, leading: 0.55em, spacing: 0.55em)", "#set par(justify: true, first-line-indent: (amount: 1.2em, all: true), spacing: 0.9em)")),
             rng.choice(("", "#show heading: set text(size: 1em)", "#show heading: it => align(center, smallcaps(text(weight: \"regular\", it.body)))", "#set heading(numbering: \"1.1\")")),
             "#let sect = $inter$\n#let horizontalrule = line(length: 30%)"]  # fmt: skip
    if columns > 1:
        lines.append(f"#set columns(gutter: {rng.randint(4, 14)}mm)")
    (folder / "a.typ").write_text("\n".join(lines) + "\n" + b.pandoc(as_markdown(parts), "typst"), encoding="utf-8")
    typst.compile(
        str(folder / "a.typ"),
        output=str(folder / "a.pdf"),
        font_paths=["/usr/share/fonts", "/usr/share/texmf/fonts/opentype"],
    )
    return folder / "a.pdf"


def by_hebrew_tex(rng: random.Random, parts: list[Part], folder: Path, engine: str) -> Path:
    """Hebrew by XeLaTeX and polyglossia, or by LuaLaTeX and babel."""
    font, latin = rng.choice(HEBREW_FONTS[:5]), rng.choice(("Liberation Serif", "DejaVu Serif", "TeX Gyre Termes"))
    kind = rng.choice(("article", "article", "report", "scrartcl" if engine == "lualatex" else "article"))
    columns = maybe(rng, 0.25, ",twocolumn")
    preamble = rf"\documentclass[{rng.choice(('10pt', '11pt', '12pt'))}{columns}]{{{kind}}}" + maybe(
        rng, 0.5, rf"\usepackage[margin={rng.randint(18, 40)}mm]{{geometry}}"
    )
    preamble += (
        rng.choice(("", "", r"\AtBeginDocument{\setlength\parindent{0pt}\setlength\parskip{7pt}}", r"\linespread{1.3}"))
        + r"\providecommand\tightlist{}"
    )
    text = as_markdown(parts)
    if engine == "xelatex":
        preamble += rf"\usepackage{{amsmath,amssymb,fontspec,polyglossia}}\setmainlanguage{{hebrew}}\setotherlanguage{{english}}\newfontfamily\hebrewfont[Script=Hebrew]{{{font}}}\newfontfamily\hebrewfonttt{{{font}}}\setmainfont{{{latin}}}"
        text = b.marked(text)
    else:
        preamble += rf"\usepackage{{amsmath,amssymb}}\usepackage[bidi=basic]{{babel}}\babelprovide[import,main]{{hebrew}}\babelfont{{rm}}{{{font}}}\babelfont{{tt}}{{{font}}}"
    return b.latex(text, folder, engine, preamble)


# --- what happens to a PDF afterwards ------------------------------------------------------------------------------


def afterwards(rng: random.Random, pdf: Path, folder: Path) -> Path:
    """A PDF as it came, or distilled again, or its pages turned, or stamped."""
    lot = rng.random()
    if lot < 0.08:
        b.run("gs", "-q", "-dBATCH", "-dNOPAUSE", "-sDEVICE=pdfwrite", "-sOutputFile=b.pdf", str(pdf), cwd=folder)
        return folder / "b.pdf"
    if lot < 0.14:
        import pypdf

        writer = pypdf.PdfWriter(clone_from=str(pdf))
        for page in writer.pages:  # the text lies on its side, and the viewer turns it upright
            width, height = float(page.mediabox.width), float(page.mediabox.height)
            page.add_transformation(pypdf.Transformation().rotate(90).translate(height, 0))
            page.mediabox.upper_right = page.cropbox.upper_right = (height, width)
            page.rotate(90)
        writer.write(str(folder / "b.pdf"))
        return folder / "b.pdf"
    return pdf


ENGLISH: dict[str, Callable[[random.Random, list[Part], Path], Path]] = {
    "pdflatex": lambda rng, parts, folder: by_latex(rng, parts, folder, "pdflatex"),
    "xelatex": lambda rng, parts, folder: by_latex(rng, parts, folder, "xelatex"),
    "lualatex": lambda rng, parts, folder: by_latex(rng, parts, folder, "lualatex"),
    "plaintex": by_plain_tex,
    "beamer": by_beamer,
    "groff": by_groff,
    "writer": lambda rng, parts, folder: by_writer(rng, parts, folder, "english"),
    "impress": by_impress,
    "weasyprint": lambda rng, parts, folder: by_weasyprint(rng, parts, folder, "english"),
    "chromium": lambda rng, parts, folder: by_chromium(rng, parts, folder, "english"),
    "typst": lambda rng, parts, folder: by_typst(rng, parts, folder, "english"),
}
HEBREW: dict[str, Callable[[random.Random, list[Part], Path], Path]] = {
    "xelatex-he": lambda rng, parts, folder: by_hebrew_tex(rng, parts, folder, "xelatex"),
    "lualatex-he": lambda rng, parts, folder: by_hebrew_tex(rng, parts, folder, "lualatex"),
    "writer-he": lambda rng, parts, folder: by_writer(rng, parts, folder, "hebrew"),
    "weasyprint-he": lambda rng, parts, folder: by_weasyprint(rng, parts, folder, "hebrew"),
    "chromium-he": lambda rng, parts, folder: by_chromium(rng, parts, folder, "hebrew"),
    "typst-he": lambda rng, parts, folder: by_typst(rng, parts, folder, "hebrew"),
}
NO_MATH = {"impress"}


def build(seed: int, n: int, out: Path, sources: list[str]) -> None:
    """Write N lectures and what they truly say into a folder, each typesetter in turn; what cannot be set is left out."""
    out.mkdir(parents=True, exist_ok=True)
    makers = [*ENGLISH.items(), *HEBREW.items()]
    rows = []
    for number in range(n):
        name, make = makers[number % len(makers)]
        hebrew = name.endswith("-he")
        own = [source for source in sources if source.endswith("-he") == hebrew]
        for attempt in range(4):
            rng = random.Random(f"{seed}/{number}/{attempt}")
            parts = lecture(rng, "hebrew" if hebrew else "english", own)
            if name in NO_MATH:
                parts = [part for part in parts if "$" not in part.markdown or part.kind != "paragraph"]
            with tempfile.TemporaryDirectory() as work:
                try:
                    content = afterwards(rng, make(rng, parts, Path(work)), Path(work)).read_bytes()
                except (RuntimeError, subprocess.CalledProcessError, OSError) as error:
                    print(f"{name}-{number}: {str(error)[-300:]}", file=sys.stderr)
                    continue
            break
        else:
            continue
        kept = [part for part in parts if part.kind == "paragraph"]
        if name == "plaintex":
            kept = [part for part in kept if part.markdown.isascii()]
        (out / f"{name}-{number:02}.pdf").write_bytes(content)
        rows += [{"document": f"{name}-{number:02}", **part.row, "playable": True} for part in kept]
    (out / "truth.jsonl").write_text(
        "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8"
    )


if __name__ == "__main__":
    chosen = sys.argv[4:] or [source for sources in b.SETS.values() for source in sources]
    build(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]), chosen)
