"""Lines -> groups -> blocks -> passages, and their sections.

- habits, hyphens, markers: the typesetting of a document, such as distances of lines, broken words and bullets
- beginnings, continuations, line_group: lines -> groups, which are whole paragraphs
- blocks: groups -> blocks of text with their features
- kinds, passages, sections: blocks -> passages of a kind, and the headings above each
"""
