"""Conversion of text from any source to text that is safe to show."""


def printable(text: str) -> str:
    """Return the text with `?` in place of characters that are not printable."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else "?" for character in text)
