"""One reader a file: each gives its verdict on the options, or None for a question that is not of its kind."""
