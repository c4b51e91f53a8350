#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/io/child_process.h"

namespace ts::app {

// The Python that runs files of the user's own: TENSORSCOPE_PYTHON (which the package's own command
// sets), else the one that was chosen last if it is still there, else the one that the set-up made,
// else python3.
std::filesystem::path own_python();
// Remembers the choice for later starts, in a file beside the preferences.
base::Result<void> remember_python(const std::filesystem::path& python);

// `python -m tensorscope WORDS...` with the package of this program, whatever that Python's own
// path is, and the variables with which it finds the libraries.
io::ChildCommand own_python_command(const std::filesystem::path& python,
                                    const std::vector<std::string>& words);

// "Python 3.11.2, torch 2.11.0"; the error says why that Python cannot be used. It takes a moment:
// a process is started, which imports nothing of torch.
base::Result<std::string> examine_python(const std::filesystem::path& python,
                                         const base::CancelToken& cancel);

}  // namespace ts::app
