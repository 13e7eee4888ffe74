"""A local page to look at a course, games and runs, and to be the referee."""
