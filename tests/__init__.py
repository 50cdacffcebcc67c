"""Tests of rails-cli, and the benchmarks and long campaigns."""
