"""What hears GitHub and people: verifies, records, enqueues, shows."""
