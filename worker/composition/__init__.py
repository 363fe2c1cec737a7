"""What should stand at GitHub: composed from a stored report and today's ignores, nothing asked."""
