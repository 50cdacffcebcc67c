"""All of `protocol.pool`."""

from protocol.pool import *
