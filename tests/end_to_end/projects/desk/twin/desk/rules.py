"""What the words on a scan mean."""


def needs_signature(text):
    if "SIGN HERE" in text or "SIGNATURE" in text:
        return True
    return False
