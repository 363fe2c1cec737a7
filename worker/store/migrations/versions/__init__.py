"""Steps between versions of the database."""
