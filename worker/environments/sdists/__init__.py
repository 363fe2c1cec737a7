"""Source distributions: located on the host, built in the sandbox, validated on the host."""
