"""Run rails-cli with a limit of open files. Arguments: the soft limit, the hard limit, and those of rails-cli."""

import resource
import sys

from rails_cli.cli import main

if __name__ == "__main__":
    soft, hard, *words = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_NOFILE, (int(soft), int(hard)))
    main(words, prog_name="rails-cli")
