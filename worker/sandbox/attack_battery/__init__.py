"""The escapes that a guest may try: each returns what it got hold of; held if it fails."""
