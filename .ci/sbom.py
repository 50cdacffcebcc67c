"""Make the bill of materials of a wheel: a CycloneDX document about the wheel, its bundled parts and its requirements.

The build hook `.ci/compile.py` writes it to `.dist-info/sboms/` of every wheel (PEP 770). It contains no time and no
random identifier, so that the same sources give the same wheel.
"""

import json
from collections.abc import Sequence
from typing import Any

from packaging.requirements import Requirement

FILE_NAME = "rails-cli.cdx.json"
FONTS = {
    "Archivo": "https://github.com/Omnibus-Type/Archivo",
    "Besley": "https://github.com/indestructible-type/Besley",
}
"""Source of each font that a wheel bundles, by the name of the font."""


def bill_of_materials(version: str, requirements: Sequence[str], mypyc_version: str | None) -> bytes:
    """Return the bill of materials for `version` of rails-cli, with the dependencies `requirements`.

    `mypyc_version` is the version of mypy whose runtime library a compiled wheel contains, or None for a pure wheel.
    """
    own: dict[str, Any] = {"type": "application", "bom-ref": "rails-cli", "name": "rails-cli", "version": version}
    own |= {"purl": f"pkg:pypi/rails-cli@{version}", "licenses": [{"expression": "MIT AND OFL-1.1"}]}
    bundled: list[dict[str, Any]] = [
        {
            "type": "file",
            "bom-ref": f"font-{name.lower()}",
            "name": f"{name} (font)",
            "licenses": [{"license": {"id": "OFL-1.1"}}],
            "externalReferences": [{"type": "vcs", "url": source}],
        }
        for name, source in FONTS.items()
    ]
    if mypyc_version is not None:
        runtime = {"type": "library", "bom-ref": "mypyc-runtime", "name": "mypyc runtime library"}
        purl = f"pkg:pypi/mypy@{mypyc_version}"
        bundled.append({**runtime, "version": mypyc_version, "purl": purl, "licenses": [{"license": {"id": "MIT"}}]})
    required = [_required(Requirement(words)) for words in requirements]
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": own},
        "components": bundled + required,
        "dependencies": [
            {"ref": "rails-cli", "dependsOn": sorted(part["bom-ref"] for part in bundled + required)},
            *({"ref": part["bom-ref"]} for part in bundled + required),
        ],
    }
    return json.dumps(document, indent=2).encode() + b"\n"


def _required(requirement: Requirement) -> dict[str, Any]:
    """Return the entry of a required package.

    It has no version, because pip chooses the version when it installs the wheel.
    """
    properties = [{"name": "rails-cli:requirement", "value": str(requirement)}]
    purl = f"pkg:pypi/{requirement.name.lower().replace('_', '-')}"
    part = {"type": "library", "bom-ref": requirement.name, "name": requirement.name, "purl": purl}
    return {**part, "properties": properties}
