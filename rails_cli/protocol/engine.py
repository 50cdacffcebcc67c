"""All of `protocol.engine`."""

from protocol.engine import *
