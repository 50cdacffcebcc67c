"""All of `protocol.lines`."""

from protocol.lines import *
