"""What a defect is, and how to find it: no network, no subprocess, no database."""
