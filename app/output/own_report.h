#pragma once

#include <filesystem>

#include "app/output/output_folder.h"
#include "app/output/save_parts.h"
#include "core/base/result.h"
#include "core/text/text.h"

namespace ts::app {

// Writes the report of a result into its own folder, when all its other files are there: the
// settings, and report.md, report.html and report.tex in the language of `texts`.
base::Result<void> write_own_report(const std::filesystem::path& folder, const text::Texts& texts);

// Ends the folder of a result whose files are written: with the report, if it is among the parts,
// and the list of files.
base::Result<void> finish_with_report(OutputFolder& folder, const std::filesystem::path& path,
                                      const SaveParts& parts, const text::Texts& texts);

}  // namespace ts::app
