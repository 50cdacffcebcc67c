"""The vocabulary by a name that nothing else has: `rails_cli.protocol.messages` is `protocol.messages`, and so on.

Each module here contains the same objects as the module of the same name in `protocol`. If another installed package
named `protocol` hides ours, importing from here raises an error that names it.
"""

import os

import protocol

_found = protocol.__file__ or ""
_ours = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(__file__))), "protocol", "__init__.py")
if not (_found and os.path.samefile(_found, _ours)):
    raise ImportError(f"{_found or protocol.__path__} is called `protocol`, which hides a part of rails-cli: rename it")
