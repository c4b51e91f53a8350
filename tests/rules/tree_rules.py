"""tree_rules.py ROOT: nothing in the tree names one machine, and files stay short.

Text files hold no path of somebody's machine and no name of a package server. A source file of more
than 400 lines is warned about, one of more than 600 lines fails. JSON is parsed in one place, which
limits how deep it nests. Files that README, architecture.md and extending.md name exist. A comment begins
with its subject, not with "What ..." or "Of ...". No name begins with "-": commands take it for an option.
"""

import pathlib
import re
import sys

from sources import all_files, code_files

# Written so that this file does not contain what it looks for.
HOMES = "|".join(["root", "home", "work", "Users", "mnt", "srv", "opt/wheels", r"tmp/\w+"])
SERVERS = "|".join([r"pypi\.", r"pythonhosted\.", r"deb\.debian\.", r"archive\.ubuntu\.",
                    r"art[i]factory", r"[a-z0-9-]+\.internal\b", r"[a-z0-9-]+\.pkg\.dev"])
MACHINE_PATH = re.compile(r"(?<![\w.)}>*/-])/(?:" + HOMES + r")\b")
SERVER = re.compile(r"\b(?:" + SERVERS + ")")

# io::parse_json itself; the tables of texts, which are part of the program and lie below core/io.
JSON_PARSERS = ("core/io/json_parse.cpp", "core/text/text.cpp")
PARSES_JSON = re.compile(r"\bjson::(?:parse|accept)\(", re.IGNORECASE)

NAMES_FILES = ("README.md", "docs/architecture.md", "docs/extending.md")
NAMED_FILE = re.compile(r"`((?:app|assets|core|docs|kernels|tests|third_party|views)/"
                        r"[\w./-]*(?:/|\.(?:h|cpp|py|md|json|txt)))`")

WITHOUT_SUBJECT = re.compile(r"^(?![ \t]*//).*\n[ \t]*// (What|Of) ", re.MULTILINE)
# The same of scripts: a remark, or a description in Python.
WITHOUT_SUBJECT_IN_SCRIPT = re.compile(r"""^(?![ \t]*#).*\n[ \t]*(?:# |\"{3})(What|Of) """, re.MULTILINE)
SCRIPTS = re.compile(r".*\.(?:py|cmake)|(?:.*/)?CMakeLists\.txt")

WARN_LINES = 400
MOST_LINES = 600


def machine_names(root):
    for path in all_files(root):
        content = (pathlib.Path(root) / path).read_bytes()
        if b"\0" in content:
            continue
        for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
            for pattern in (MACHINE_PATH, SERVER):
                match = pattern.search(line)
                if match:
                    yield f"{path}:{number}: names a machine: {match[0]}"


def long_files(root):
    for path in code_files(root):
        count = (pathlib.Path(root) / path).read_text(encoding="utf-8").count("\n")
        if count > WARN_LINES:
            yield path, count


def other_json_parsers(root):
    for path in code_files(root):
        name = path.as_posix()
        if name in JSON_PARSERS or name.startswith("tests/"):
            continue
        if PARSES_JSON.search((pathlib.Path(root) / path).read_text(encoding="utf-8")):
            yield f"{name}: parses JSON by itself: io::parse_json limits its depth"


def comments_without_subject(root):
    scripts = [path for path in all_files(root) if SCRIPTS.fullmatch(path.as_posix())]
    found = [*((path, WITHOUT_SUBJECT) for path in code_files(root)),
             *((path, WITHOUT_SUBJECT_IN_SCRIPT) for path in scripts)]
    for path, pattern in found:
        text = "\n" + (pathlib.Path(root) / path).read_text(encoding="utf-8")
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.end())
            yield f'{path}:{line}: begin the comment with its subject, not with "{match[1]} ..."'


def names_like_options(root):
    for path in all_files(root):
        if any(part.startswith("-") for part in path.parts):
            yield f"{path}: commands take this name for an option"


def missing_names(root):
    for document in NAMES_FILES:
        path = pathlib.Path(root) / document
        if not path.is_file():
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for name in NAMED_FILE.findall(line):
                if not (pathlib.Path(root) / name).exists():
                    yield f"{document}:{number}: there is no {name}"


def main(root):
    found = [*machine_names(root), *other_json_parsers(root), *missing_names(root),
             *comments_without_subject(root), *names_like_options(root)]
    for path, count in long_files(root):
        print(f"{'too long' if count > MOST_LINES else 'warning'}: {path} has {count} lines")
        if count > MOST_LINES:
            found.append(f"{path}: split it, {MOST_LINES} lines are the most")
    print("\n".join(found) or f"{len(all_files(root))} files keep the rules of the tree")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
