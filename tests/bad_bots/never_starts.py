"""A bot that exits at once with code 3."""

import sys

sys.exit(3)
