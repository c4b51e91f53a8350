"""formatted.py ROOT: every source file is as clang-format 14 writes it.

Other versions break lines elsewhere, so without version 14 the test is skipped (exit code 77).
"""

import shutil
import subprocess
import sys

from sources import code_files

if __name__ == "__main__":
    tool = shutil.which("clang-format-14")
    if tool is None:
        print("skipped: clang-format-14 is not installed")
        sys.exit(77)
    root = sys.argv[1]
    sys.exit(subprocess.run([tool, "--dry-run", "-Werror", *map(str, code_files(root))],
                            cwd=root, check=False).returncode)
