import argparse
import sys

from receipts.total import total


def main(argv=None):
    parser = argparse.ArgumentParser(description="Sum up receipts")
    parser.add_argument("pictures", nargs="+")
    options = parser.parse_args(argv)
    missing = 0
    for picture in options.pictures:
        amount = total(picture)
        if amount is None:
            missing += 1
            print(f"{picture}: no amount found", file=sys.stderr)
        else:
            print(f"{picture}: {amount}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
