"""Questions for respondents, people or models of others who answer a batch in a file, and what they answered."""
