"""Client libraries of ML APIs, intercepted where they would send a request."""
