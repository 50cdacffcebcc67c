"""All of `protocol.last_spike`."""

from protocol.last_spike import *
