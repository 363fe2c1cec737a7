"""The half of the hosted app that holds GitHub's key: events, commands, outbox, publishing."""
