"""Every effect: git, sandbox, engines, sources, store, reports, command line."""
