"""Benchmarks of the program. Each speed is compared with that of a reference program.

The program and the reference run alternately, so that the load of the machine affects both.
"""
