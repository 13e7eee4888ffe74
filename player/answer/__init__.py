"""The guess: opening sentence, associative word, justifications."""
