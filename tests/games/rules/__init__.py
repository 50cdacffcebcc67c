"""One test for each numbered rule and worked example."""
