"""library_names.py ROOT: a file that uses a name of a library includes the header of that name, itself
or through headers of ours.

g++ would not notice: most headers of the standard library bring others along, and self_contained.py
compiles with all these headers precompiled. PRECOMPILED lists them; a name of a header that is
not listed there is found by self_contained.py, which then has no declaration of it.
"""

import os
import pathlib
import re
import sys

from sources import code_files

# Header: the names for which it must be included. In parentheses behind them other headers that
# have the same names by the standard's word or by the library's.
_HEADERS = {
    "algorithm": (
        r"\bstd::(min|max|clamp|minmax|sort|stable_sort|any_of|all_of|none_of|find|find_if|count|"
        r"count_if|copy|copy_n|fill|fill_n|generate|transform|lower_bound|upper_bound|reverse|rotate|"
        r"unique|remove|remove_if|max_element|min_element|minmax_element|equal|nth_element|partition|"
        r"is_sorted|binary_search|replace)\(|\bstd::ranges::(?!views|view|range|begin|end|size)\w+\(",
        ()),
    "array": (r"\bstd::(array|to_array)\b", ()),
    "atomic": (r"\bstd::(atomic|memory_order)", ()),
    "bit": (r"\bstd::(bit_\w+|has_single_bit|count[lr]_\w+|popcount|endian)\b", ()),
    "cctype": (r"\bstd::(is(alnum|alpha|digit|lower|print|space|upper|xdigit)|tolower|toupper)\b", ()),
    "cerrno": (r"\berrno\b", ()),
    "charconv": (r"\bstd::(from_chars|to_chars)", ()),
    "chrono": (r"\bstd::chrono\b", ()),
    "cmath": (r"\bstd::(sqrt|cbrt|pow|exp|exp2|expm1|log|log2|log10|log1p|floor|ceil|round|lround|llround|"
              r"nearbyint|trunc|fabs|fmod|hypot|sin|cos|tan|tanh|isfinite|isnan|isinf|ldexp|frexp)\(", ()),
    "condition_variable": (r"\bstd::condition_variable", ()),
    "csignal": (r"\bstd::(signal|raise|sig_atomic_t)\b|\bSIG[A-Z]{3,}\b", ("signal.h",)),
    "cstdint": (r"\bu?int(8|16|32|64|ptr)_t\b", ()),
    "cstdio": (r"\bstd::(f?printf|snprintf|f(open|close|read|write|puts|flush)|puts|FILE)\b|\bstd(out|err)\b",
               ()),
    "cstdlib": (r"\bstd::(getenv|exit|_Exit|abort|malloc|free|strto\w+|at(of|oi|ol))\b", ()),
    "cstring": (r"\bstd::(mem(cpy|cmp|set|move|chr)|str(len|cmp|ncmp|chr|error))\b", ()),
    "deque": (r"\bstd::deque\b", ()),
    "filesystem": (r"\bstd::filesystem\b", ()),
    "fmt/format.h": (r"\bfmt::", ()),
    "functional": (r"\bstd::(function|plus|reference_wrapper|c?ref|invoke|bind_front|not_fn)\b", ()),
    "future": (r"\bstd::(future|shared_future|async|promise|packaged_task)\b", ()),
    "imgui.h": (r"\bImGui::|\bIm(Vec2|Vec4|U32|DrawList)\b", ("imgui_internal.h", "imgui_te_context.h")),
    "limits": (r"\bstd::numeric_limits\b", ()),
    "map": (r"\bstd::(multi)?map\b", ()),
    "memory": (r"\bstd::(unique_ptr|shared_ptr|weak_ptr|make_unique|make_shared|enable_shared_from_this)\b",
               ()),
    "mutex": (r"\bstd::(mutex|recursive_mutex|lock_guard|unique_lock|scoped_lock|once_flag|call_once)\b",
              ("condition_variable",)),
    "numeric": (r"\bstd::(accumulate|iota|gcd|lcm|reduce|inner_product|partial_sum|midpoint)\b", ()),
    "optional": (r"\bstd::(optional|nullopt|make_optional)\b", ()),
    "ranges": (r"\bstd::(ranges::)?views::", ()),
    "set": (r"\bstd::(multi)?set\b", ()),
    "span": (r"\bstd::(span|as_bytes|as_writable_bytes)\b", ()),
    "string": (r"\bstd::(string|to_string|getline|stoi|stol|stoll|stod)\b", ()),
    "string_view": (r"\bstd::string_view\b", ("string",)),
    "system_error": (r"\bstd::(error_code|errc|error_category|system_error)\b", ("charconv", "filesystem")),
    "thread": (r"\bstd::(thread|jthread|this_thread)\b", ()),
    "tl/expected.hpp": (r"\btl::", ()),
    "tuple": (r"\bstd::(tuple|tie|make_tuple|forward_as_tuple)\b", ()),
    "unordered_map": (r"\bstd::unordered_map\b", ()),
    "utility": (r"\bstd::(move|exchange|swap|forward|make_pair|pair|as_const|in_place\w*)\b",
                ("map", "memory", "unordered_map", "vector", "string", "optional", "functional")),
    "variant": (r"\bstd::(variant|visit|get_if|holds_alternative|monostate)\b", ()),
    "vector": (r"\bstd::vector\b", ()),
}
FOLDERS = ("app", "assets", "core", "views")
PRECOMPILED = tuple(_HEADERS)
_RULES = [(header, re.compile(names), {header, *others}) for header, (names, others) in _HEADERS.items()]
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)', re.MULTILINE)
_NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^ (]*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"', re.DOTALL)


class Sources:
    """The files below a root, each read once."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.read = {}

    def text(self, path):
        """The text of a file, empty where there is none."""
        if path not in self.read:
            file = self.root / path
            self.read[path] = file.read_text(encoding="utf-8") if file.is_file() else ""
        return self.read[path]

    def library_headers(self, path):
        """The headers that a file includes in angle brackets, itself and through files of ours."""
        found, seen, pending = set(), set(), [str(path)]
        while pending:
            current = pending.pop()
            if current in seen:
                continue
            seen.add(current)
            for bracket, name in _INCLUDE.findall(self.text(current)):
                if bracket == "<":
                    found.add(name)
                else:
                    pending += [name, os.path.join(os.path.dirname(current), name)]
        return found


def faults(root):
    """One sentence for each name whose header a file does not include."""
    sources = Sources(root)
    for path in code_files(root):
        if path.parts[0] not in FOLDERS:
            continue
        code = _NOT_CODE.sub('""', sources.text(str(path)))
        included = sources.library_headers(path)
        for header, names, enough in _RULES:
            if not enough & included:
                used = names.search(code)
                if used:
                    yield f"{path} uses {used.group().rstrip('(')} and does not include <{header}>"


def main(root):
    found = list(faults(root))
    print("\n".join(found))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
