"""The commands of the program, one module each: they read the command line and wire the parts together."""
