"""What was played: records, measures, files, comparison, export."""
