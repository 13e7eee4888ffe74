"""The nouns of a course: documents, paragraphs, pieces and their sentences."""
