"""The parts of `rails-cli tournament`, one module each."""
