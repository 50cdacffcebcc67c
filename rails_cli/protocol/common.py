"""All of `protocol.common`."""

from protocol.common import *
