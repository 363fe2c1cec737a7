"""Keras 3 models, run over another backend in a process of its own.

Keras reads its backend once, on import.  Another backend therefore runs in another interpreter
(:mod:`.keras_executions`, :mod:`.backend_server`), which receives a model as configuration and
weights (:mod:`.serialized_model`).
"""
