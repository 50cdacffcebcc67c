"""Write `schemas/page.d.ts`: types of the messages and page elements used by the scripts of the web pages."""

import re
import sys
from pathlib import Path
from typing import Any

import msgspec

from rails_cli.basics.schemas import lobby_schema
from rails_cli.protocol.messages import Answer, Rejected, Request
from rails_cli.protocol.pool_api import EntrantPage, PoolOverview
from rails_cli.study.analysis.analysis import Analysis
from rails_cli.web.site import GameOffer
from rails_cli.web.story import Story

ROOT = Path(__file__).parent.parent
FILE = ROOT / "schemas/page.d.ts"
ALSO = (Answer[Any], Rejected, Request[Any, Any, Any], GameOffer, Story, PoolOverview, EntrantPage, Analysis)
"""Types that pages use besides the messages of the lobby."""

_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
_ID = re.compile(r'<(\w+)[^<>]*\sid="([\w-]+)"')


def page_types() -> str:
    _, more = msgspec.json.schema_components(ALSO, ref_template="#/$defs/{name}")
    parts = {name.partition("_")[0]: part for name, part in {**lobby_schema()["$defs"], **more}.items()}
    types = {**{name: _type(part) for name, part in parts.items()}, "Elements": _elements()}
    written = "\n".join(f"type {name} = {types[name]};\n" for name in sorted(types))
    return f"// Written by .ci/page_types.py.\ndeclare namespace Page {{\n{written}}}\n"


def _type(schema: dict[str, Any]) -> str:
    match schema:
        case {"$ref": reference}:
            return str(reference).rpartition("/")[2].partition("_")[0]
        case {"allOf": [only]}:
            return _type(only)
        case {"enum": values}:
            return " | ".join(msgspec.json.encode(value).decode() for value in values)
        case {"anyOf": kinds}:
            return " | ".join(map(_type, kinds))
        case {"prefixItems": items}:
            return f"[{', '.join(map(_type, items))}]"
        case {"type": "array"}:
            return f"Array<{_type(schema.get('items', {}))}>"
        case {"type": "object", "properties": fields}:
            # In messages of clients, fields with a default are optional. The server sends all fields with a default.
            is_from_client = schema.get("additionalProperties") is False
            optional = set(fields) - set(schema["required"])
            optional = {name for name in optional if is_from_client or "default" not in fields[name]}
            lines = [f"  {name}{'?' * (name in optional)}: {_type(part)};\n" for name, part in fields.items()]
            return f"{{\n{''.join(lines)}}}"
        case {"type": "object"}:
            return f"Record<string, {_type(schema.get('additionalProperties', {}))}>"
        case {"type": kind}:
            return _PLAIN[kind]
    return "any"


def _elements() -> str:
    """Return a TypeScript type that maps the id of each element in the web pages to the type of the element."""
    kinds: dict[str, set[str]] = {}
    for page in sorted((ROOT / "rails_cli").glob("*/*.html")):
        for tag, name in _ID.findall(page.read_text(encoding="utf-8")):
            of = "SVGElementTagNameMap" if tag == "path" else "HTMLElementTagNameMap"
            kinds.setdefault(name, set()).add(f'{of}["{tag}"]')
    lines = [f'  "{name}": {" | ".join(sorted(found))};\n' for name, found in sorted(kinds.items())]
    return f"{{\n{''.join(lines)}}}"


if __name__ == "__main__":
    wanted = page_types()
    if sys.argv[1:] == ["--write"]:
        FILE.write_text(wanted, encoding="utf-8")
    elif not FILE.is_file() or FILE.read_text(encoding="utf-8") != wanted:
        sys.exit("schemas/page.d.ts is out of date; run: python .ci/page_types.py --write")
