"""locale_terms.py ROOT: the language files use one word for one thing, that of assets/locale/terms.json.

Also holds: no raw key (the name that --set takes, such as memory_limit) stands in a Chinese text,
only the symbols that papers write and calls of Python's such as torch.no_grad(); Han and Latin letters or digits are parted by a space.
"""

import json
import pathlib
import re
import sys

FOLDER = "assets/locale"
LANGUAGES = ("zh-CN", "zh-TW")
BRACES = re.compile(r"\{[^{}]*\}")
RAW_KEY = re.compile(r"\b[a-z]+_[a-z_]+\b|\b(?:workload|pass|dtype|backend|heads|corpus|causal)\b")
SYMBOLS = {"d_model", "d_head", "d_ff"}  # T_kv has a capital
CALL = re.compile(r"[\w.]+\(\w*\)")
HAN = "\u4e00-\u9fff"
UNSPACED = re.compile(rf"[{HAN}][A-Za-z0-9]|[A-Za-z0-9][{HAN}]")


def read(root, name):
    return json.loads((root / FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def term_faults(terms, language, english, texts):
    for term in terms["terms"]:
        word = term["word"][language]
        for key, text in english.items():
            said = texts.get(key, "")
            if re.search(term["english"], text) and word not in said \
                    and key not in term.get("except", []):
                yield f"{language}: {key} has no {word} for {term['english']}: {said}"
            for other in term["never"].get(language, []):
                if other in BRACES.sub("", said) or ("{" in other and other in said):
                    yield f"{language}: {key} has {other} where {word} is the word: {said}"
    for only in terms["only"]:
        word = only["word"][language]
        for key, said in texts.items():
            if word in said and not key.startswith(tuple(only["keys"])):
                yield f"{language}: {key} has {word}, which belongs to {', '.join(only['keys'])}"


def writing_faults(language, texts):
    for key, said in texts.items():
        bare = BRACES.sub("", said)
        for raw in RAW_KEY.findall(CALL.sub("", bare)):
            if raw not in SYMBOLS:
                yield f"{language}: {key} has the raw key {raw}: {said}"
        found = UNSPACED.search(bare)
        if found:
            yield f"{language}: {key} has no space in {found[0]}: {said}"


def faults(root):
    root = pathlib.Path(root)
    english = read(root, "en")
    terms = read(root, "terms")
    for language in LANGUAGES:
        texts = read(root, language)
        yield from term_faults(terms, language, english, texts)
        yield from writing_faults(language, texts)


def main(root):
    found = list(faults(root))
    print("\n".join(found) or "one word for one thing")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
