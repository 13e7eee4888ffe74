"""The simulated referee: answers multiple-choice questions about a paragraph from their wording alone.

The referee reads questions by its own rules, and shares only the form of questions, answers and scores with the player.
Hence a badly worded question, or an option that the player assigns wrongly, costs as much here as in a game. A SPEC
sets the view of the referee, the policy of its answers and its rate of errors; see `spec.format_spec_table`.
"""
