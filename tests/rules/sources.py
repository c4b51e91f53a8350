"""Finds this project's own files; shared by the rule tests."""

import pathlib

CODE_FOLDERS = ("app", "assets", "core", "kernels", "views", "tests")
CODE_SUFFIXES = (".h", ".cpp", ".cu", ".cuh")
NOT_OURS = {".git", ".cache", ".deps", "build", "out", "__pycache__"}


def code_files(root):
    """All C++ and CUDA files, as paths relative to `root`, sorted."""
    root = pathlib.Path(root)
    return sorted(
        path.relative_to(root)
        for folder in CODE_FOLDERS
        for path in (root / folder).rglob("*")
        if path.suffix in CODE_SUFFIXES and path.is_file()
    )


def all_files(root):
    """Every file that belongs to the project, whatever its kind, relative to `root`, sorted."""
    root = pathlib.Path(root)
    found = []
    pending = [root]
    while pending:
        for path in pending.pop().iterdir():
            if path.name in NOT_OURS or path.is_symlink():
                continue
            if path.is_dir():
                pending.append(path)
            else:
                found.append(path.relative_to(root))
    return sorted(found)
