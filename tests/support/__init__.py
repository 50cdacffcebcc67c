"""Code shared by tests, and programs that generate files with which tests compare."""
