#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/output/save_parts.h"
#include "core/base/result.h"
#include "core/run/compare.h"

namespace ts::app {

// Writes comparison.json (`document` and its checks), and with the tables comparison.csv and
// comparison.md, checks.csv and checks.md. Creates the folder.
base::Result<void> write_comparison(const std::filesystem::path& folder,
                                    const run::Comparison& comparison,
                                    const nlohmann::json& document, const SaveParts& parts = {});

// Writes comparison.csv and comparison.md, which begins with `sides`: lines about A and B, or none.
base::Result<void> write_comparison_tables(const std::filesystem::path& folder,
                                           const run::Comparison& comparison,
                                           const std::string& sides);

}  // namespace ts::app
