"""Journals of played games; each version of the player must send the same messages as the version that played."""
