"""What is sold."""

DRINKS = ["Bottle", "Beer"]
