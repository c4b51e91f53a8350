"""recipes.py ROOT: docs/extending.md says what a new thing touches, and it stays little.

A recipe is a section with `Example: `NAME`` and a numbered list. Its files exist and name the
example; together they are no more than MOST allows. A workload is named nowhere else in the sources.
"""

import pathlib
import re
import sys

from sources import code_files

PAGE = "docs/extending.md"
# The files of a recipe, its three languages and its test among them.
MOST = {"A setting": 5, "A workload": 7, "An attention backend": 9, "A sentence": 4,
        "A calculator": 5, "A stepper": 7, "A command": 2, "A view": 8, "A language": 7, "A lesson": 2,
        "A decision tree": 1, "A demo": 1, "A format that opens": 3}
LANGUAGES = ("assets/locale/en.json", "assets/locale/zh-CN.json", "assets/locale/zh-TW.json")
NAMED_FILE = re.compile(r"`((?:app|core|kernels|tests|views)/[\w./-]+\.(?:h|cpp|py))`")
SECTION = re.compile(r"^## (.+)$", re.MULTILINE)


def recipes(page):
    """(title, example or None, numbered items, text) of every section."""
    parts = SECTION.split(page)
    for title, text in zip(parts[1::2], parts[2::2]):
        example = re.search(r"^Example: `(\w+)`", text, re.MULTILINE)
        numbers = [int(number) for number in re.findall(r"(?:^|\band |\bto )(\d+)\. ", text, re.MULTILINE)]
        yield title, example and example[1], max(numbers, default=0), text


def names(path, example):
    return re.search(r"(?:\b|_)" + example + r"\b", path.read_text(encoding="utf-8")) is not None


def named_elsewhere(root, example, listed):
    for path in code_files(root):
        name = path.as_posix()
        if not name.startswith("tests/") and name not in listed and names(root / path, example):
            yield f"{name}: names {example}, but {PAGE} does not list it"


def problems(root):
    seen = set()
    for title, example, count, text in recipes((root / PAGE).read_text(encoding="utf-8")):
        if title not in MOST:
            yield f"{PAGE}: no limit is known for \"{title}\""
            continue
        seen.add(title)
        if count > MOST[title]:
            yield f"{PAGE}: {title} touches {count} files, more than {MOST[title]}"
        listed = NAMED_FILE.findall(text)
        steps = NAMED_FILE.findall(text[text.find("\n1. "):].split("\n\n")[0])
        for file in listed:
            if not (root / file).is_file():
                yield f"{PAGE}: {title}: there is no {file}"
            elif example and file in steps and not names(root / file, example):
                yield f"{PAGE}: {title}: {file} does not name {example}"
        if title == "A workload":
            yield from named_elsewhere(root, example, listed)
            for file in LANGUAGES:
                if not names(root / file, example):
                    yield f"{file}: has no text for {example}"
    for title in MOST.keys() - seen:
        yield f"{PAGE}: there is no section \"{title}\""


def main(root):
    found = list(problems(pathlib.Path(root)))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
