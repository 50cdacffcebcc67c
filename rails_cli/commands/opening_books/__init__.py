"""The parts of `rails-cli openings`, one module each."""
