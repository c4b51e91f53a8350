"""Stands in for the sdist's build backend while pip downloads it.

pip asks the backend for metadata before it keeps the archive. PKG-INFO in the archive already is
that metadata, so nothing of the archive has to be run and no build tools have to be downloaded.
"""

import email
import pathlib
import shutil


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    information = email.message_from_bytes(pathlib.Path("PKG-INFO").read_bytes())
    name = information["Name"].replace("-", "_")
    folder = pathlib.Path(metadata_directory) / f"{name}-{information['Version']}.dist-info"
    folder.mkdir()
    shutil.copy("PKG-INFO", folder / "METADATA")
    return folder.name
