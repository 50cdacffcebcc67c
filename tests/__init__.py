"""Tests of rails-cli, benchmarks, and long tests (campaigns)."""
