"""aN: the language in which a project says what its functions take (aNNoTest, section 3.1).

Pure and shared: the host reads and renders annotations with it, the guest
builds what they describe.  Python 3.9 and the standard library only.
"""
