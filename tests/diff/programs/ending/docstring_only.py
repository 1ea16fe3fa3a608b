"""Only a docstring: nothing happens."""
