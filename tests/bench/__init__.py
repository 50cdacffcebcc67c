"""Benchmarks: the speed of the program relative to reference programs measured alternately in the same run."""
