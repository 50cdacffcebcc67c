"""Entry point of `python -m rails_cli`, which is the same as `rails-cli`."""

from rails_cli.cli import main

main(prog_name="rails-cli")
