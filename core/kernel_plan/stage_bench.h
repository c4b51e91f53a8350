#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/io/text_table.h"
#include "core/report/kernel_bench.h"
#include "core/text/text.h"

// Our attention on the processor in its stages, measured: with the instructions of every processor,
// then with wider and wider vectors, each by turns with PyTorch's flash.
namespace ts::kernel_plan {

// The stages that this processor can run, slowest first: portable, AVX2, AVX-512.
std::vector<std::string> stages_here();
// The stage's name in sentences: "plain loops" for portable, else itself.
std::string stage_text(const std::string& stage);

// A stage in one pass.
struct StagePoint {
  std::string instructions;  // of stages_here()
  report::KernelPoint point;
};

// Points are comparisons of flash (A) with a stage of ours (B).
struct StageBench {
  std::vector<StagePoint> points;            // by stage, forward first
  report::Roofs roofs;                       // of the machine
  std::optional<report::CutShort> cut = {};  // as a document says it
  base::Message problem = {};                // why a measurement ended early; empty: it did not
  // Names of the stages that have points, slowest first.
  [[nodiscard]] std::vector<std::string> stages() const;
  // Null where it was not measured.
  [[nodiscard]] const report::KernelPoint* find(const std::string& stage, spec::Pass pass) const;
  // `roofs`, raised to the rates of the points.
  [[nodiscard]] report::Roofs reached_roofs() const;
};

// Forward, and forward with backward, by our kernel. `base` gives the rest.
std::vector<spec::WorkloadSpec> stage_bench_specs(const spec::WorkloadSpec& base);

// Time and share of the roof of each stage in each pass, and how often as fast as flash it is; then
// flash, with its times beside the last stage. A number that was not measured is text::kNoNumber.
io::TextTable stage_bench_table(const StageBench& bench, const text::Texts& texts);
// "forward: AVX2 is 9.10 times as fast as plain loops and 1.30 times as fast as flash"; empty
// without points.
std::string stage_bench_sentence(const StageBench& bench);
// Without `cut` and `problem`, which the command adds.
nlohmann::json to_json(const StageBench& bench, const nlohmann::json& environment);
// The error says why it is none.
base::Result<StageBench> stage_bench_from_json(const nlohmann::json& json);
// Reads the folder of `bench stages --out`, or its bench.json.
base::Result<StageBench> read_stage_bench(const std::filesystem::path& path);

}  // namespace ts::kernel_plan
