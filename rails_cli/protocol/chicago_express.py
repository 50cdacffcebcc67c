"""All of `protocol.chicago_express`."""

from protocol.chicago_express import *
