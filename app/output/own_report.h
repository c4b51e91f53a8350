#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/text/text.h"

namespace ts::app {

// Writes the report of a result into its own folder, when all its other files are there: the
// settings, and report.md, report.html and report.tex in the language of `texts`.
base::Result<void> write_own_report(const std::filesystem::path& folder, const text::Texts& texts);

}  // namespace ts::app
