"""The commands that practise, measure and check: each reads its options and calls one package of `evaluate`."""
