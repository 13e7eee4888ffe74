"""PDF -> glyphs, rules and tables, by PDFium and pdfplumber; `model` has the types that all share."""
