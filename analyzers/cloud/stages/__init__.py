"""The stages of an examination, in the order in which ``analyzer`` lists them.

Each takes the examination as the ones before left it and yields verdicts.
"""
