"""The process that speaks to GitHub: hears what came, and does what there is to do."""
