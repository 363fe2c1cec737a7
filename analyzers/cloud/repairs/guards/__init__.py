"""Guard clauses for answers in which there is nothing."""
