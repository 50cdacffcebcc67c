"""Games between players inside the program, to measure them and to fit their weights."""
