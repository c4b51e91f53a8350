"""locale_keys.py ROOT: every text the program asks for stands in the language files, and is used.

Reads the C++ sources of app, core, kernels and views. A string literal "area.name" is a key when its area is
one of the language files', or when texts(...), text::message(...) or text::fail(...) is called with
it; a literal that ends in a dot is the beginning of keys that are put together, and stands for all
of them. core and kernels also name files of the system that look like keys, so there only those
count that one of the three is called with. Where they are called with arguments, these must be the placeholders of
the English text, no more and no fewer.

A message without a key stays English in every window. So base::fail("...") and a Message or Error
made of a literal stand only in the files of ENGLISH_ONLY, whose sentences no window shows.
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
# The beginning of a message made of a literal: the literal may stand behind other parts of the call.
KEYLESS = re.compile(r'\bbase::fail\s*\(|(?<!c10::)\b(?:Message|Error|Failure)\s*(?:\w+\s*)?[({]+\s*(?:\.sentence\s*=\s*)?(?=")|'
                     r'\.sentence\s*\+?=\s*(?=")')
ENGLISH_ONLY = (
    # The command line alone asks for these.
    "app/commands/",
    "app/output/file_question.cpp",
    "app/own_file/own_points.cpp",
    "app/pages/page.cpp",
    "app/ranks/confirm_run.cpp",
    "app/window/workspace_picture.cpp",
    "views/tables/operators_view.cpp",
    # There is no window yet, or none can be opened.
    "app/pictures/graphics.cpp",
    "app/window/window.cpp",
    # Files that are part of the program: a test reads them, so no user sees the fault of one.
    "core/cluster/links.cpp",
    "core/lessons/demo.cpp",
    "core/lessons/lesson_rows.cpp",
    "core/lessons/material_errors.cpp",
    "core/predict/cuda_scratch.cpp",
    "core/spec/gpu_catalogue.cpp",
    "core/sweep/reference_points.cpp",
    "core/sweep/sweep_presets.cpp",
    "core/text/text.cpp",
    # Records that tests and checks alone read back.
    "core/capture/gpu_buffer_file.cpp",
    # An engine without a reference answers so; the engines of the window have one.
    "core/run/engine.h",
)
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


def keyless_messages(path, source):
    for match in KEYLESS.finditer(source):
        if match[0].startswith("base::fail"):
            literals = STRING.findall(call_text(source, match.end()))
        else:
            literals = [STRING.match(source, match.end())[0]]
        if any(re.search("[A-Za-z]{2}", literal) for literal in literals):
            line = source.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: this sentence has no key, so a window in Chinese shows it in English"


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
            if not path.as_posix().startswith(ENGLISH_ONLY):
                yield from keyless_messages(path, source)
    for key in sorted(set(english) - used):
        if not any(key.startswith(prefix) for prefix in prefixes):
            yield f"{ENGLISH}: {key} is never used"


def main(root):
    found = list(faults(root))
    print("\n".join(found) or "every text is there and is used")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
