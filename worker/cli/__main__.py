"""``python -P -m worker.cli``: how Assayer starts processes of its own."""

from worker.cli import main

if __name__ == "__main__":
    main()
