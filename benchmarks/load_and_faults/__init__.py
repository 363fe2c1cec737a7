"""The hosted bot under load while its parts are killed: see ``__main__``."""
