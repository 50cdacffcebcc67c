"""The vocabulary by a name that nothing else has: `rails_cli.protocol.messages` is `protocol.messages`, and so on.

Each module here has what its namesake has, the very same objects. A bot that imports from here never reaches for a
`protocol` that is not ours, but is told which one is in the way.
"""

import os

import protocol

_found = protocol.__file__ or ""
_ours = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(__file__))), "protocol", "__init__.py")
if not (_found and os.path.samefile(_found, _ours)):
    raise ImportError(f"{_found or protocol.__path__} is called `protocol`, which hides a part of rails-cli: rename it")
