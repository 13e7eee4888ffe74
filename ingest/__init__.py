"""Ingest: reads lecture files, and writes their paragraphs to a store."""
