"""PDF -> glyphs, rules and tables, by PDFium or pdfplumber; `model` has the types that all share.

The maps of fonts are repaired first, with pikepdf.
"""
