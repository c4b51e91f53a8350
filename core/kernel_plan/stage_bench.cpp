#include "core/kernel_plan/stage_bench.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::kernel_plan {
namespace {

constexpr std::array kPasses = {spec::Pass::forward, spec::Pass::forward_backward};
constexpr const char* kFlashTime = "flash_ms";
constexpr std::string_view kPlainLoops = "portable";  // as the engine names them

std::string share_of_roof(const report::Roofs& roofs, const report::KernelPoint& point, double ms) {
  if (roofs.tflops <= 0) return text::kNoNumber;
  return text::decimal(100 * tflops_of(point, ms) / roofs.tflops, 1) + " %";
}

}  // namespace

std::vector<std::string> stages_here() {
  std::vector<std::string> names = {std::string(kPlainLoops)};
  if (__builtin_cpu_supports("x86-64-v3") != 0) names.emplace_back("AVX2");
  if (__builtin_cpu_supports("x86-64-v4") != 0) names.emplace_back("AVX-512");
  return names;
}

std::string stage_text(const std::string& stage) {
  return stage == kPlainLoops ? text::message("own_kernels.processor.portable").sentence : stage;
}

std::vector<std::string> StageBench::stages() const {
  std::vector<std::string> names;
  for (const StagePoint& one : points) {
    if (std::ranges::find(names, one.instructions) == names.end())
      names.push_back(one.instructions);
  }
  return names;
}

const report::KernelPoint* StageBench::find(const std::string& stage, spec::Pass pass) const {
  for (const StagePoint& one : points) {
    if (one.instructions == stage && one.point.spec.pass == pass) return &one.point;
  }
  return nullptr;
}

report::Roofs StageBench::reached_roofs() const {
  report::Roofs reached = roofs;
  for (const StagePoint& one : points) report::raise_to(reached, one.point);
  return reached;
}

std::vector<spec::WorkloadSpec> stage_bench_specs(const spec::WorkloadSpec& base) {
  std::vector<spec::WorkloadSpec> specs;
  for (const spec::Pass pass : kPasses) {
    specs.push_back(base);
    specs.back().backend = spec::AttentionBackend::own;
    specs.back().pass = pass;
  }
  return specs;
}

io::TextTable stage_bench_table(const StageBench& bench, const text::Texts& texts) {
  io::TextTable table{.right = {false, true, true, true, true, true, true}};
  for (const char* column : {"stage", "forward", "forward_roof", "forward_flash", "training",
                             "training_roof", "training_flash"})
    table.columns.emplace_back(texts("own_kernels.processor." + std::string(column)));
  const report::Roofs roofs = bench.reached_roofs();
  const auto add = [&](std::string& cell, const report::KernelPoint* point, auto words) {
    cell = point == nullptr ? std::string(text::kNoNumber) : words(*point);
  };
  const auto row = [&](const std::string& name, const std::string& stage, bool ours) {
    std::vector<std::string> cells(table.columns.size());
    cells[0] = name;
    for (std::size_t pass = 0; pass < kPasses.size(); ++pass) {
      const report::KernelPoint* const point = bench.find(stage, kPasses[pass]);
      const auto time = [ours](const report::KernelPoint& one) {
        return ours ? one.ours_ms : one.theirs_ms;
      };
      const std::size_t first = 1 + 3 * pass;
      add(cells[first], point, [&](const report::KernelPoint& one) {
        return text::duration_ns(time(one) * 1e6).joined();
      });
      add(cells[first + 1], point,
          [&](const report::KernelPoint& one) { return share_of_roof(roofs, one, time(one)); });
      add(cells[first + 2], point, [&](const report::KernelPoint& one) {
        return ours ? text::decimal(one.speed(), 2) : std::string("1");
      });
    }
    table.rows.push_back(std::move(cells));
  };
  const std::vector<std::string> stages = bench.stages();
  for (const std::string& stage : stages) {
    row(stage == kPlainLoops ? texts("own_kernels.processor.portable") : stage, stage, true);
  }
  if (!stages.empty()) row(texts("own_kernels.processor.flash"), stages.back(), false);
  return table;
}

std::string stage_bench_sentence(const StageBench& bench) {
  const std::vector<std::string> stages = bench.stages();
  if (stages.empty()) return {};
  std::string sentence;
  for (const spec::Pass pass : kPasses) {
    const report::KernelPoint* const first = bench.find(stages.front(), pass);
    const report::KernelPoint* const last = bench.find(stages.back(), pass);
    if (first == nullptr || last == nullptr) continue;
    sentence += sentence.empty() ? "" : "; ";
    sentence += std::string(to_string(pass)) + ": " + stage_text(stages.back()) + " is ";
    if (first != last) {
      sentence += text::decimal(first->ours_ms / last->ours_ms, 2) + " times as fast as " +
                  stage_text(stages.front()) + " and ";
    }
    sentence += text::decimal(last->speed(), 2) + " times as fast as flash";
  }
  return sentence;
}

nlohmann::json to_json(const StageBench& bench, const nlohmann::json& environment) {
  auto points = nlohmann::json::array();
  for (const StagePoint& one : bench.points) {
    nlohmann::json json = to_json(one.point, kFlashTime);
    json["instructions"] = one.instructions;
    json["tflops"] = tflops_of(one.point, one.point.ours_ms);
    json["flash_tflops"] = tflops_of(one.point, one.point.theirs_ms);
    points.push_back(std::move(json));
  }
  return {{"sentence", stage_bench_sentence(bench)},
          {"roof", report::to_json(bench.roofs)},
          {"stages", std::move(points)},
          {"environment", environment}};
}

base::Result<StageBench> stage_bench_from_json(const nlohmann::json& json) {
  try {
    StageBench bench;
    bench.roofs = report::roofs_from_json(json.at("roof"));
    for (const nlohmann::json& one : json.at("stages")) {
      TS_TRY(auto point, report::kernel_point_from_json(one, kFlashTime));
      bench.points.push_back({one.at("instructions").get<std::string>(), std::move(point)});
    }
    if (const auto cut = json.find("cut_short"); cut != json.end() && cut->is_object()) {
      bench.cut = {.done = cut->at("done").get<std::size_t>(),
                   .all = cut->at("of").get<std::size_t>(),
                   .reason = {.sentence = cut->at("reason").get<std::string>()}};
    }
    return bench;
  } catch (const nlohmann::json::exception& error) {
    return base::fail(error.what());
  }
}

base::Result<StageBench> read_stage_bench(const std::filesystem::path& path) {
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(path, ignored);
  const std::filesystem::path file = folder ? path / "bench.json" : path;
  const auto text = io::read_file(file);
  if (!text) return tl::unexpected(text.error());
  const auto json = io::parse_json(*text);
  auto bench = json ? stage_bench_from_json(*json) : tl::unexpected(json.error());
  if (!bench) return text::fail("own_kernels.processor.no_bench", {{"file", file.string()}});
  return bench;
}

}  // namespace ts::kernel_plan
