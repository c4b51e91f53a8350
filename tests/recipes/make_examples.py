"""make_examples.py ROOT OUT: adds the smallest example of each recipe of docs/extending.md.

OUT gets the changed copies of the files that the recipe names, and the files that it adds. A place
that is not found means that the recipe has changed: the page, this script and the sources belong
together.
"""

import pathlib
import re
import sys

# File -> [(place, what stands there afterwards)]
CHANGES = {
    "core/spec/workload_spec.h": [
        # A setting: its row and its member.
        ("  EACH(clip, ", "  EACH(example_setting, S::optimizer, RealField{&W::example_setting, 0, 10}, "
         '"an example") \\\n  EACH(clip, '),
        ("  double clip = 0;", "  double example_setting = 0;\n  double clip = 0;"),
        # A workload and a backend.
        ("  EACH(own_model)\n", "  EACH(own_model) EACH(example_workload)\n"),
        ("  EACH(automatic, auto)\n", "  EACH(automatic, auto) EACH(example_backend, example)\n"),
    ],
    "core/spec/workload_traits.cpp": [
        ("     .other_parameters = parameters_of_file},\n",
         "     .other_parameters = parameters_of_file},\n"
         "    {.kind = K::example_workload, .products = weighted_sum_products,\n"
         "     .other_parameters = no_parameters},\n"),
    ],
    "core/spec/backend_traits.cpp": [
        ("    {.backend = A::automatic},\n",
         "    {.backend = A::automatic},\n"
         "    {.backend = A::example_backend, .on_cpu = false, .stores_scores = false},\n"),
    ],
    "views/common/backend_marks.cpp": [
        ("// automatic\n", "// automatic\n    {rgb(0x123456), rgb(0x654321), MarkShape::square},\n"),
    ],
    "app/commands/command_line.h": [
        ('  EACH(doctor, "Say what this machine offers")',
         '  EACH(doctor, "Say what this machine offers") EACH(example, "Return a number")'),
    ],
    "core/files/opened_file.cpp": [
        ('#include "core/io/file.h"\n', '#include "core/io/file.h"\n'
         '#include "core/snapshot/example_read.h"\n'),
        ("  TS_TRY(auto read, snapshot::read_snapshot(path, input, waiting.progress, waiting.range));\n",
         '  TS_TRY(auto read, input.text().starts_with("example ")\n'
         "                         ? snapshot::read_example(input.rest())\n"
         "                         : snapshot::read_snapshot(path, input, waiting.progress, waiting.range));\n"),
    ],
}

ADDED = {
    "app/commands/example_command.cpp": """#include <CLI/CLI.hpp>

#include "app/commands/command_line.h"

namespace ts::app {

ParsedCommand example_command(CLI::App& app) {
  const auto number = std::make_shared<int>(0);
  app.add_option("NUMBER", *number, "The number")->required();
  return parsed_command<int>(number, [](const int& read) { return read; });
}

}  // namespace ts::app
""",
    "core/snapshot/example_read.h": """#pragma once

#include "core/snapshot/snapshot_read.h"

namespace ts::snapshot {

// "example 512": one block of 512 bytes.
base::Result<SnapshotFile> read_example(std::string_view content);

}  // namespace ts::snapshot
""",
    "core/snapshot/example_read.cpp": """#include "core/snapshot/example_read.h"

#include <cstdlib>

namespace ts::snapshot {

base::Result<SnapshotFile> read_example(std::string_view content) {
  const std::string number(content.substr(content.find(' ')));
  SnapshotFile file;
  file.bytes = content.size();
  allocator::TraceEntry entry;
  entry.address = 0x1000;
  entry.size = std::atoll(number.c_str());
  if (entry.size <= 0) return base::fail("an example needs a number of bytes");
  entry.notes = file.snapshot.notes.add({}) & allocator::kMostNotes;
  file.snapshot.device_traces = {{entry}};
  return file;
}

}  // namespace ts::snapshot
""",
}


def changed(root, name, changes):
    text = (root / name).read_text(encoding="utf-8")
    for place, afterwards in changes:
        if text.count(place) != 1:
            sys.exit(f"{name}: {place!r} is there {text.count(place)} times, not once")
        text = text.replace(place, afterwards)
    return text


def other_commands(root):
    """The commands of the program, which need all of it, for a test that never asks for them."""
    text = (root / "app/commands/command_line.h").read_text(encoding="utf-8")
    names = re.findall(r"^  EACH\((\w+),", text, re.MULTILINE) + ["window"]
    lines = "".join(f"ParsedCommand {name}_command(CLI::App&) {{ return {{}}; }}\n" for name in names)
    return {"app/commands/other_commands.cpp":
            f'#include "app/commands/command_line.h"\n\nnamespace ts::app {{\n{lines}}}\n'}


def main(root, out):
    files = {name: changed(root, name, changes) for name, changes in CHANGES.items()}
    files.update(other_commands(root))
    files.update(ADDED)
    for name, text in files.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
