"""A zoo of bugs in neural-network code, and how many of them are found (issue 6).

Every folder in ``zoo/`` is one small project of our own writing, twice:

``buggy/``
    with one bug, of a root cause that surveys of such programs name.
``fixed/``
    the same without it: whatever is reported there is a false alarm.
``case.toml``
    the function, the cause, where and how it fails, and expressions that fail
    in ``buggy`` or pass in ``fixed`` (:mod:`benchmarks.properties.verify`).

The cases were written before the analyzer could be run on them.
"""
