"""Small applications with planted defects, and how much of them is found (issue 4).

Every folder in ``applications/`` is one application of our own writing, in a
shape that real ones have:

``app.py``
    with planted defects (the words of ``truth.toml`` say where), or without.
``twin.py``
    the same without them: nothing may be reported there.
``truth.toml``
    the task, the function to test, what is planted, and what the providers
    see in pictures of a keyword (``sees``).
"""
