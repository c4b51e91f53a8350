#pragma once

#include <filesystem>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>

#include "app/output/save_parts.h"
#include "core/allocator/allocator_settings.h"
#include "core/base/result.h"
#include "core/base/string_table.h"
#include "core/predict/outlook.h"

namespace ts::app {

// The files of a prediction, with its pictures; a report may stand beside them.
inline constexpr std::initializer_list<const char*> kPredictionFiles = {
    "prediction.json", "predicted_snapshot.pickle",
    "peak.csv",        "peak.md",
    "accounting.csv",  "accounting.md",
    "workspace.png",   "memory.png"};

// The memory of a prediction in the format of PyTorch's viewers, each entry marked as predicted.
base::Result<void> write_predicted_snapshot(const std::filesystem::path& path,
                                            const predict::Forecast& forecast,
                                            const allocator::AllocatorSettings& settings,
                                            const base::StringTable& strings);

// Writes prediction.json (`document`) and of the chosen parts the memory in the format of PyTorch's
// viewers with each entry marked as predicted, and the tables of what is alive at the peak; no
// pictures. Creates the folder.
base::Result<void> write_prediction(const std::filesystem::path& folder,
                                    const predict::Forecast& forecast,
                                    const spec::WorkloadSpec& spec,
                                    const base::StringTable& strings,
                                    const nlohmann::json& document, const SaveParts& parts = {});

}  // namespace ts::app
