"""Keras 3 models: the same model over another backend, in a process of its own.

Keras reads its backend once, when it is imported.  Another backend is therefore
another interpreter (:mod:`.child`, :mod:`.serving`), to which a model goes as its
configuration and weights (:mod:`.parcels`).
"""
