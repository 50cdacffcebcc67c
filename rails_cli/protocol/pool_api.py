"""All of `protocol.pool_api`."""

from protocol.pool_api import *
