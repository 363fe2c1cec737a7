"""Model files taken apart into a template with slots and the blocks that stood in them."""
