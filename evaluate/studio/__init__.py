"""The studio: local web pages that show a course, games and runs, and let a person be the referee."""
