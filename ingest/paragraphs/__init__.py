"""Lines -> groups -> blocks -> paragraphs, and their sections.

- habits, hyphens, markers: the typesetting of a document, such as distances of lines, broken words and bullets
- beginnings, continuations, line_group: lines -> groups, which are whole blocks in print
- blocks: groups -> blocks of text with their features
- kinds, from_blocks, sections: blocks -> paragraphs of a kind, and the headings above each
"""
