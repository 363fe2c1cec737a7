from helper import first_word


def main(paths):
    for path in paths:
        word = first_word(path)
        if word == "VOID":
            print(path)
