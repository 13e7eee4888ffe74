"""Languages of lectures and questions: one file for each."""
