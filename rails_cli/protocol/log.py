"""All of `protocol.log`."""

from protocol.log import *
