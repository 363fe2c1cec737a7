"""A report in every format, and the files that let anybody see it again."""
