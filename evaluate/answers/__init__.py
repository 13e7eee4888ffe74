"""Questions for outside readers, and what they answered."""
