"""Lines -> groups -> blocks -> passages, and their sections."""
