#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "core/base/result.h"
#include "core/lessons/lesson_report.h"
#include "core/text/text.h"

namespace ts::app {

// Writes report.md, report.html, report.tex, and the tables as CSV, Markdown and LaTeX. Pictures
// and other files are taken from the folder. Then the whole folder is zipped, beside it.
base::Result<void> write_lesson_report(const std::filesystem::path& folder,
                                       lessons::ReportInput input, const text::Texts& texts,
                                       const nlohmann::json& environment);

}  // namespace ts::app
