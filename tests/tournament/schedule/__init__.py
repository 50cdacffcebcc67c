"""Tests of formats, schedules and stopping rules."""
