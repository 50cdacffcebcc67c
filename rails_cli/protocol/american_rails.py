"""All of `protocol.american_rails`."""

from protocol.american_rails import *
