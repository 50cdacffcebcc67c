"""The parts of `rails-cli server`, one module each."""
