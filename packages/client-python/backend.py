"""Build backend: generates `mandat.api` from the OpenAPI documents, then lets flit_core build."""

import subprocess
from pathlib import Path

from flit_core import buildapi
from flit_core.buildapi import get_requires_for_build_sdist, get_requires_for_build_wheel  # noqa: F401

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def _generate() -> None:
    # A source distribution has the generated files and no documents.
    if (ROOT / "docs/openapi").is_dir():
        command = ["npm", "run", "--silent", "client:generate"]
        subprocess.run(command, cwd=ROOT, check=True)


def build_wheel(*arguments, **settings):
    _generate()
    return buildapi.build_wheel(*arguments, **settings)


def build_sdist(*arguments, **settings):
    _generate()
    return buildapi.build_sdist(*arguments, **settings)
