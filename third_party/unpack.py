#!/usr/bin/env python3
"""unpack.py FOLDER ARCHIVE... [--only PREFIX]... [--without PREFIX]...

Unpacks wheels (zip) or sdists (tar.gz, without their top folder) into FOLDER, which may already
hold files of other archives. Everything is written beside FOLDER first and then moved in, so that
an interrupted run or a full disk never leaves half a file there.
"""

import argparse
import os
import pathlib
import shutil
import sys
import tarfile
import zipfile


def wheel_members(archive):
    for info in archive.infolist():
        if not info.is_dir():
            yield info.filename, (info.external_attr >> 16) & 0o777, lambda info=info: archive.open(info)


def sdist_members(archive):
    for info in archive:
        if info.isfile():
            yield info.name.split("/", 1)[-1], info.mode & 0o777, lambda info=info: archive.extractfile(info)


def wanted(name, only, without):
    if ".." in pathlib.PurePosixPath(name).parts or name.startswith("/"):
        sys.exit(f"unpack.py: the archive holds an unsafe path: {name}")
    return (not only or name.startswith(tuple(only))) and not name.startswith(tuple(without))


def unpack(archive_file, staging, only, without):
    """Writes the wanted files of an archive into the folder `staging` and returns their names."""
    if zipfile.is_zipfile(archive_file):
        archive, members = zipfile.ZipFile(archive_file), wheel_members
    else:
        archive, members = tarfile.open(archive_file), sdist_members
    names = []
    with archive:
        for name, mode, open_source in members(archive):
            if not wanted(name, only, without):
                continue
            target = staging / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with open_source() as source, target.open("wb") as out:
                shutil.copyfileobj(source, out, 1 << 20)
            target.chmod(0o755 if mode & 0o111 else 0o644)
            names.append(name)
    return names


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("archives", type=pathlib.Path, nargs="+")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--without", action="append", default=[])
    arguments = parser.parse_args()

    staging = arguments.folder.with_name(arguments.folder.name + ".new")
    shutil.rmtree(staging, ignore_errors=True)
    for archive in arguments.archives:
        for name in unpack(archive, staging, arguments.only, arguments.without):
            target = arguments.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(staging / name, target)
    shutil.rmtree(staging, ignore_errors=True)


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit(f"unpack.py: {error.strerror}: {error.filename or 'while unpacking'}")
