#include "app/lessons/tree_sources.h"

#include <system_error>
#include <utility>

#include "app/output/file_summary.h"
#include "app/output/saved_results.h"
#include "app/session/card_questions.h"
#include "app/session/catalogue.h"
#include "core/io/file_kind.h"
#include "core/io/json_parse.h"
#include "core/io/unpack.h"
#include "core/predict/prediction_json.h"
#include "core/report/run_json.h"
#include "core/run/recording.h"
#include "core/spec/presets.h"
#include "core/spec/spec_fields.h"
#include "core/text/message.h"

namespace ts::app {
namespace {

using Json = nlohmann::json;

base::Result<EvidenceFile> of_folder(const std::filesystem::path& folder) {
  TS_TRY(auto result, read_saved_result(folder));
  switch (result.kind) {
    case ResultKind::run:
      return EvidenceFile{"run", std::move(result.document)};
    case ResultKind::prediction:
      return EvidenceFile{"predict", std::move(result.document)};
    case ResultKind::sweep:
      return EvidenceFile{"sweep", std::move(result.document)};
    case ResultKind::comparison:
      return EvidenceFile{"ab", std::move(result.document)};
    case ResultKind::hunt:
      break;
  }
  return text::fail("tree.no_evidence", {{"path", folder.string()}});
}

// A document that a command printed, by what it has.
base::Result<EvidenceFile> of_document(const std::filesystem::path& path, Json document) {
  const auto has = [&](const char* pointer) {
    return document.contains(Json::json_pointer(pointer));
  };
  const char* const source = !document.is_object()                                     ? ""
                             : has("/ratio/total") && has("/a/spec")                   ? "ab"
                             : has("/sweep/base")                                      ? "sweep"
                             : has("/spec") && has("/step_ms")                         ? "run"
                             : has("/spec") && has("/peak_reserved") && has("/target") ? "predict"
                                                                                       : "";
  if (*source == '\0' || !advice::spec_of(source, document))
    return text::fail("tree.no_evidence", {{"path", path.string()}});
  return EvidenceFile{source, std::move(document)};
}

}  // namespace

base::Result<EvidenceFile> read_evidence(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return text::fail("tree.neither", {{"name", path.string()}});
  if (std::filesystem::is_directory(path, ignored)) return of_folder(path);
  TS_TRY(auto content, io::read_unpacked(path));
  const io::FileKind kind = io::kind_of_content(content.content);
  if (kind == io::FileKind::recording) {
    base::StringTable strings;
    TS_TRY(const auto run, run::read_recording(content.content, 1, strings));
    if (!run->script.empty()) return text::fail("tree.no_evidence", {{"path", path.string()}});
    return EvidenceFile{"run", report::to_json(*run, nullptr, strings)};
  }
  if (kind == io::FileKind::other) {
    auto document = io::parse_json(content.content);
    if (!document) return text::fail("tree.no_evidence", {{"path", path.string()}});
    return of_document(path, std::move(*document));
  }
  TS_TRY(auto summary, summary_of(path));
  if (summary.json["kind"] != "trace")
    return text::fail("tree.no_evidence", {{"path", path.string()}});
  return EvidenceFile{"trace", std::move(summary.json)};
}

void add_predictions(advice::Evidence& evidence, predict::DryRunner& runner,
                     const spec::GpuCatalogue& catalogue) {
  if (!evidence.spec) return;
  const bool cpu = evidence.spec->device == spec::DeviceKind::cpu;
  const predict::PredictionTarget target = target_of_spec(*evidence.spec, cpu, catalogue);
  const predict::CudaScratch scratch = built_in_scratch();
  const auto predicted = [&](const char* source, const spec::WorkloadSpec& spec) {
    if (evidence.documents.contains(source)) return;
    base::Message problem;
    if (const auto problems = spec::validate(spec); !problems.empty()) {
      problem = problems.front();
    } else {
      base::StringTable strings;
      auto dry = runner.dry_run(spec, predict::dry_run_options(target), strings, {});
      if (dry) {
        predict::Forecast forecast;
        forecast.run = std::move(*dry);
        forecast.target = target;
        forecast.prediction = predict::predict(forecast.run, strings, target,
                                               predict::allocator_settings_of(spec), &scratch);
        evidence.documents[source] = predict::to_json(forecast, spec);
        return;
      }
      problem = dry.error();
    }
    evidence.apart[source] = std::move(problem);
  };
  predicted("predict", *evidence.spec);
  if (!spec::field_applies(*evidence.spec, spec::Field::backend)) return;
  spec::WorkloadSpec other = *evidence.spec;
  other.backend = spec::AttentionBackend::naive;
  predicted("naive", other);
  other.backend = spec::AttentionBackend::flash;
  predicted("flash", other);
}

std::string settings_command(const spec::WorkloadSpec& spec) {
  spec::WorkloadSpec start;
  start.workload = spec.workload;
  spec::choose_workload(spec.workload, start);
  std::string command = to_string(spec.workload);
  for (const std::string& one : changed_settings(start, spec)) command += " --set " + one;
  return command;
}

}  // namespace ts::app
