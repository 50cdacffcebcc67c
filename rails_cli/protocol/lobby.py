"""All of `protocol.lobby`."""

from protocol.lobby import *
