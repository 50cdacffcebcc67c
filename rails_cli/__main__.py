"""`python -m rails_cli` is `rails-cli`."""

from rails_cli.cli import main

main(prog_name="rails-cli")
