"""Code shared by tests, and programs that generate the files tests compare with."""
