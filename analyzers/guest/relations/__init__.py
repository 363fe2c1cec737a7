"""The calls of a library beside those that they should agree with: DeepREL, in the guest."""
