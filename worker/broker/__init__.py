"""The broker: answers a guest's calls of ML APIs within a budget."""
