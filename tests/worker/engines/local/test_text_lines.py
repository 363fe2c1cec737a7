from worker.engines.local.text_lines import TextPiece, rows


def piece(text, left, top, width=40.0, height=20.0):
    corners = (
        (left, top),
        (left + width, top),
        (left + width, top + height),
        (left, top + height),
    )
    return TextPiece(text, corners, 1.0)


def texts(pieces):
    return [[found.text for found in row] for row in rows(pieces)]


def test_pieces_of_a_line_are_joined():
    assert texts([piece("12", 50, 3), piece("Room", 0, 0), piece("now", 0, 40)]) == [
        ["Room", "12"],
        ["now"],
    ]


def test_distant_columns_stay_apart():
    assert texts([piece("name", 0, 0), piece("price", 400, 0)]) == [["name"], ["price"]]


def test_slanted_lines_are_followed():
    slanted = [piece(str(number), number * 45, number * 6) for number in range(5)]
    assert texts(slanted) == [["0", "1", "2", "3", "4"]]


def test_words_share_the_corners():
    first, second = piece("ab cd", 0, 0, width=50).words()
    assert (first.text, first.left, first.right) == ("ab", 0, 20)
    assert (second.text, second.left, second.right) == ("cd", 30, 50)
