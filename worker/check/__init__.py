"""The one pipeline of the command line and the hosted app: plan, examine, report."""
