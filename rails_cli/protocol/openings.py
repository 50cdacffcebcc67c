"""All of `protocol.openings`."""

from protocol.openings import *
