#pragma once

#include <string>
#include <vector>

#include "core/base/string_table.h"

namespace ts::kernels {

// The line of Python that the calling thread runs, by the interpreter of this process. Its
// functions are looked up in the process, so that this library needs none to be built or loaded.
// Only names of files, functions and line numbers are read.

// True if there is an interpreter. Frames of files that begin with one of `foreign` (PyTorch, the
// standard library, this package) are not the program's own. Call it before python_place().
bool prepare_python_places(std::vector<std::string> foreign);

// "layers.0.attn @ model.py:61": the module, and the innermost line of the program's own files. The
// module itself on a thread that runs no Python, and where no own file is on the stack. Takes the
// interpreter's lock.
base::StringId python_place(base::StringTable& strings, base::StringId module);

}  // namespace ts::kernels
