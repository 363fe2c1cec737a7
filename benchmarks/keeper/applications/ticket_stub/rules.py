"""On which side a gate lies."""


def side(text):
    words = text.upper().split()
    if "NORTH" in words:
        return "left"
    if "SOUTH" in words:
        return "right"
    return "desk"
