"""All of `protocol.bot`."""

from protocol.bot import *
