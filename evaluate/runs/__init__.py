"""Runs of replayed games: records, measures, figures, files, comparison and export."""
