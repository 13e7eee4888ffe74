"""Commands that play, measure and check: each reads its options and calls one package of `evaluate`."""
