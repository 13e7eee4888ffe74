"""Lines -> blocks -> paragraphs, their sections and sentences."""
