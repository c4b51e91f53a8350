"""locale_keys.py ROOT: every text the program asks for stands in the language files, and is used.

Reads the C++ sources of app, core, kernels and views. A string literal "area.name" is a key when its area is
one of the language files', or when texts(...), text::message(...) or text::fail(...) is called with
it; a literal that ends in a dot is the beginning of keys that are put together, and stands for all
of them. core and kernels also name files of the system that look like keys, so there only those
count that one of the three is called with. Where they are called with arguments, these must be the placeholders of
the English text, no more and no fewer.
"""

import json
import pathlib
import re
import sys

from sources import code_files

FOLDERS = ("app", "core", "kernels", "views")
NAME_FILES = ("core", "kernels")
ENGLISH = "assets/locale/en.json"
LITERAL = re.compile(r'"([a-z][a-z0-9_]*(?:\.[A-Za-z0-9_-]+)*\.?)"')
CALL = re.compile(r'\b(?:texts(?:_?\))?|text::message|text::fail)\s*\(\s*(?:std::string\()?"([a-z][a-z0-9_]*\.[A-Za-z0-9_.-]*)"')
# How an argument is given: {"name", ...}, or a function that makes one of that name.
GIVEN = re.compile(r'\{\s*"(\w+)"\s*,|\bargument\(\s*"(\w+)"|\bsystem_(reason)\(|\b(who)_asked\(')
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
PLACEHOLDER = re.compile(r"\{(\w+)(?:\|[^{}|]*\|[^{}|]*)?\}")
FILE_NAME = re.compile(r"\.(?:json|so|png|h|cpp|ini|ttf|otf|ttc|sh|tmp|csv|md|tex|jsonl|svg)$")


def call_text(source, start):
    """The rest of a call from just behind its key to the bracket that closes it."""
    depth = 1
    for place in range(start, len(source)):
        depth += {"(": 1, ")": -1}.get(source[place], 0)
        if depth == 0:
            return source[start:place]
    return source[start:]


def given_names(rest):
    """The names of the arguments in a list; what stands inside an argument is another message's."""
    names = set()
    depth = place = 0
    while place < len(rest):
        found = GIVEN.match(rest, place) if depth == 1 else None
        if found:
            names.add(next(name for name in found.groups() if name))
        string = STRING.match(rest, place)
        if string:
            place = string.end()
            continue
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(rest[place], 0)
        place += 1
    return names


def check_source(path, source, english, areas, used, prefixes):
    asked = {match[1] for match in CALL.finditer(source)}
    for match in LITERAL.finditer(source):
        literal = match[1]
        if "." not in literal or FILE_NAME.search(literal):
            continue
        if literal not in asked and literal.split(".")[0] not in areas:
            continue
        if literal.endswith("."):
            prefixes.add(literal)
            if not any(key.startswith(literal) for key in english):
                yield f"{path}: no text begins with {literal}"
            continue
        used.add(literal)
        if literal not in english and (literal in asked or path.parts[0] not in NAME_FILES):
            yield f"{path}: {ENGLISH} lacks {literal}"
    for match in CALL.finditer(source):
        key = match[1]
        rest = call_text(source, match.end()).strip()
        if key not in english or not rest.startswith(",") or "{" not in rest:
            continue
        given = given_names(rest)
        wanted = set(PLACEHOLDER.findall(english[key]))
        if given != wanted:
            yield (f"{path}: {key} is given {', '.join(sorted(given)) or 'nothing'}, "
                   f"its text has {', '.join(sorted(wanted)) or 'no placeholder'}")


def faults(root):
    root = pathlib.Path(root)
    english = json.loads((root / ENGLISH).read_text(encoding="utf-8"))
    areas = {key.split(".")[0] for key in english}
    used, prefixes = set(), set()
    for path in code_files(root):
        if path.parts[0] in FOLDERS:
            source = (root / path).read_text(encoding="utf-8")
            yield from check_source(path, source, english, areas, used, prefixes)
    for key in sorted(set(english) - used):
        if not any(key.startswith(prefix) for prefix in prefixes):
            yield f"{ENGLISH}: {key} is never used"


def main(root):
    found = list(faults(root))
    print("\n".join(found) or "every text is there and is used")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
