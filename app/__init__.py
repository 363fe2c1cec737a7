"""Web process for GitHub and people: verifies, records, enqueues, shows."""
