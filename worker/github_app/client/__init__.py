"""GitHub's API as the App sees it: who we are, what we may ask, what went wrong.

Knows nothing of runs, the store or reports.
"""
