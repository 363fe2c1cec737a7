"""The half of Assayer that runs inside the sandbox, under the project's own Python."""
