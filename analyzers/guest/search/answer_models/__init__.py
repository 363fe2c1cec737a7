"""TODO: analyzers/guest/search/answer_models."""
