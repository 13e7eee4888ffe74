"""The simulated referee: answers multiple-choice questions about a paragraph from their wording alone.

The referee has its own rules for reading questions; it shares only the form of questions, answers and scores with the
player. A question that the player words badly, or an option that the player assigns wrongly, therefore costs as much
here as in a game. A SPEC says how much of the paragraph the referee sees, how it answers and how often it errs:
`spec.TERMS`.
"""
