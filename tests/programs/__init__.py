"""Tests of running bot programs: processes, limits, sandboxes, and `check-bot`."""
