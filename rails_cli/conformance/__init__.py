"""The conformance suite: checks that every game must pass, for `rails-cli check-game` and for pytest."""
