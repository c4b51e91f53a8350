"""Which files and lines are the user's own. Without torch, for a signal may come while that is imported."""

import os
import sys
import sysconfig


def foreign_folders():
    """Files in them are not the user's own: packages, the standard library, this package. With a separator at the end."""
    folders = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders.append(os.path.dirname(__file__))
    if file := getattr(sys.modules.get("torch"), "__file__", None):
        folders.append(os.path.dirname(os.path.dirname(file)))
    return sorted({os.path.join(folder, "") for folder in folders if folder})


def own_place(frame):
    """"train.py:12" of the innermost frame in a file of the user's own; "" without one."""
    foreign = tuple(foreign_folders())
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(("<", *foreign)):
            return f"{os.path.basename(file)}:{frame.f_lineno}"
        frame = frame.f_back
    return ""
