"""All of `protocol.messages`."""

from protocol.messages import *
