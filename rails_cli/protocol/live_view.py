"""All of `protocol.live_view`."""

from protocol.live_view import *
