"""TODO: analyzers/assembly/disassembly."""
