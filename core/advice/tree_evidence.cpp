#include "core/advice/tree_evidence.h"

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "core/base/letters.h"
#include "core/lessons/quantities.h"
#include "core/run/compare.h"
#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traffic.h"
#include "core/spec/workload_traits.h"
#include "core/text/message.h"
#include "core/trace/kernel_class.h"

namespace ts::advice {
namespace {

using lessons::Nature;
using lessons::Number;
using lessons::StepKind;
using lessons::Unit;
using nlohmann::json;

// A source, and the kind of step whose quantities its document has.
struct Source {
  const char* name;
  StepKind kind;
  const char* spec;   // pointer of its settings
  const char* where;  // of its device or card
};
constexpr std::array kSources = {
    Source{"run", StepKind::run, "/spec", "/spec/device"},
    Source{"ab", StepKind::ab, "/a/spec", "/a/spec/device"},
    Source{"sweep", StepKind::sweep, "/sweep/base", "/sweep/base/device"},
    Source{"predict", StepKind::predict, "/spec", "/target/name"},
    Source{"naive", StepKind::predict, "/spec", "/target/name"},
    Source{"flash", StepKind::predict, "/spec", "/target/name"}};

const Source* source_from(const std::string& name) {
  const auto* const found = std::ranges::find(kSources, name, &Source::name);
  return found == kSources.end() ? nullptr : found;
}

const json& at(const json& document, const char* pointer) {
  static const json none;
  const json::json_pointer place(pointer);
  return document.contains(place) ? document.at(place) : none;
}

const json* document_of(const Evidence& evidence, const std::string& source) {
  const auto found = evidence.documents.find(source);
  return found == evidence.documents.end() ? nullptr : &found->second;
}

// A total from the summary of a trace, which has more than its checks.
double total_of(const json& rows, const std::function<bool(const std::string& name)>& counts) {
  double total = 0;
  for (const json& row : rows) {
    if (counts(row.value("name", ""))) total += row.value("total_us", 0.0);
  }
  return total;
}
double all_of(const json& rows) {
  return total_of(rows, [](const std::string&) { return true; });
}
std::optional<double> percent_of(double part, double whole) {
  return whole > 0 ? std::optional(100 * part / whole) : std::nullopt;
}

std::optional<double> communication(const json& trace) {
  const json& kernels = at(trace, "/kernels");
  const auto counts = [](const std::string& name) {
    return base::lower(name).find("nccl") != std::string::npos;
  };
  return percent_of(total_of(kernels, counts), all_of(kernels));
}
std::optional<double> softmax(const json& trace) {
  const json& kernels = at(trace, "/kernels");
  const auto counts = [](const std::string& name) {
    return trace::classify_kernel(name) == trace::SliceClass::softmax;
  };
  return percent_of(total_of(kernels, counts), all_of(kernels));
}
struct TraceNumber {
  const char* name;
  std::optional<double> (*read)(const json& trace);
};
constexpr std::array kOfTrace = {TraceNumber{"communication_percent", communication},
                                 TraceNumber{"softmax_percent", softmax}};

// The part of T x T in the forward's FLOPs.
std::optional<double> attention_flops_percent(const spec::WorkloadSpec& spec) {
  if (!spec::field_applies(spec, spec::Field::backend)) return std::nullopt;
  spec::WorkloadSpec now = spec;
  now.pass = spec::Pass::forward;
  const auto backend = spec::AttentionBackend::math;
  double attention = 0;
  for (const spec::ModelPart& part : spec::model_parts(now))
    attention += spec::attention_flops(part, backend);
  return percent_of(attention, spec::step_flops(now, backend).forward);
}

constexpr const char* kOfTheory = "attention_flops_percent";

struct Word {
  const char* name;  // without its source
  const char* source;
  const char* pointer;
};
constexpr std::array kWords = {
    Word{"run.backend_ran", "run", "/backend_ran"}, Word{"ab.a_backend", "ab", "/a/spec/backend"},
    Word{"ab.b_backend", "ab", "/b/spec/backend"}, Word{"ab.b_backend_ran", "ab", "/b/backend_ran"},
    Word{"predict.backend", "predict", "/backend"}};
constexpr const char* kAvailable = "flash.available";

std::string after(const std::string& text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : std::string();
}
constexpr std::string_view kSettings = "settings.";

// The words of a setting in a document are those of --set; T of an argument stands for a number.
std::string with_settings(std::string argument, const Evidence& evidence) {
  constexpr std::string_view kLength = "{T}";
  const std::size_t place = argument.find(kLength);
  if (place != std::string::npos && evidence.spec)
    argument.replace(place, kLength.size(), std::to_string(evidence.spec->seq_len));
  return argument;
}

}  // namespace

std::optional<spec::WorkloadSpec> spec_of(const std::string& source, const json& document) {
  const Source* const row = source_from(source);
  if (row == nullptr) return std::nullopt;
  const auto spec = spec::spec_from_json(at(document, row->spec));
  return spec ? std::optional(*spec) : std::nullopt;
}

void Evidence::add(const std::string& source, json document) {
  const auto of = spec_of(source, document);
  if (of && !spec) spec = of;
  if (of && spec) {
    std::vector<std::string> free = {"backend", "target_gpu", "memory_limit", "alloc_conf"};
    if (source == "sweep") {
      for (const json& axis : at(document, "/sweep/axes")) free.push_back(axis.value("field", ""));
      for (const json& one : at(document, "/sweep/series")) free.push_back(one.value("field", ""));
    }
    std::string differs;
    for (const run::SpecDifference& one : run::differences(*of, *spec)) {
      if (std::ranges::find(free, one.key) != free.end()) continue;
      differs += (differs.empty() ? "" : ", ") + one.key + " = " + one.a;
    }
    if (!differs.empty()) {
      apart[source] = text::message("tree.other_settings", {{"settings", differs}});
      return;
    }
  }
  apart.erase(source);
  documents[source] = std::move(document);
}

std::optional<Number> number_of(const Evidence& evidence, const lessons::Reference& reference) {
  if (reference.of == "settings") {
    const auto field = spec::field_from_name(reference.name);
    if (!field || !evidence.spec || !spec::field_applies(*evidence.spec, *field))
      return std::nullopt;
    return Number{static_cast<double>(spec::number_of(*evidence.spec, *field)), Unit::count,
                  Nature::stated};
  }
  if (reference.of == "theory") {
    const auto percent = evidence.spec ? attention_flops_percent(*evidence.spec) : std::nullopt;
    if (!percent) return std::nullopt;
    return Number{*percent, Unit::percent, Nature::theory};
  }
  const json* const document = document_of(evidence, reference.of);
  if (document == nullptr) return std::nullopt;
  if (reference.of == "trace") {
    const auto* const row = std::ranges::find(kOfTrace, reference.name, &TraceNumber::name);
    const auto value = row == kOfTrace.end() ? std::nullopt : row->read(*document);
    if (!value) return std::nullopt;
    return Number{*value, Unit::percent, Nature::measured};
  }
  const Source* const source = source_from(reference.of);
  const auto row = source == nullptr ? base::Result<const lessons::QuantityRow*>(nullptr)
                                     : lessons::find_quantity(source->kind, reference.name);
  if (!row || *row == nullptr) return std::nullopt;
  const auto value =
      lessons::read_quantity(**row, *document, with_settings(reference.argument, evidence));
  if (!value) return std::nullopt;
  return Number{*value, (*row)->unit, (*row)->nature};
}

std::string word_of(const Evidence& evidence, const std::string& name) {
  if (const std::string setting = after(name, kSettings); !setting.empty()) {
    const auto field = spec::field_from_name(setting);
    const bool has = field && evidence.spec && spec::field_applies(*evidence.spec, *field);
    return has ? spec::field_text(*evidence.spec, *field) : std::string();
  }
  if (name == kAvailable) {
    const json* const flash = document_of(evidence, "flash");
    if (flash == nullptr) return evidence.apart.contains("flash") ? "no" : "";
    return "yes";
  }
  const auto* const word = std::ranges::find(kWords, name, &Word::name);
  const json* const document = word == kWords.end() ? nullptr : document_of(evidence, word->source);
  if (document == nullptr) return {};
  const json& found = at(*document, word->pointer);
  return found.is_string() ? found.get<std::string>() : std::string();
}

base::Result<void> check_number_name(const lessons::Reference& reference) {
  if (reference.of == "settings") {
    const auto field = spec::field_from_name(reference.name);
    return field ? base::Result<void>() : tl::unexpected(field.error());
  }
  const bool theory = reference.of == "theory" && reference.name == kOfTheory;
  const bool trace =
      reference.of == "trace" &&
      std::ranges::find(kOfTrace, reference.name, &TraceNumber::name) != kOfTrace.end();
  if (theory || trace) return {};
  const Source* const source = source_from(reference.of);
  if (source == nullptr)
    return text::fail("tree_file.no_evidence", {{"name", reference.of + "." + reference.name}});
  const auto row = lessons::find_quantity(source->kind, reference.name);
  return row ? base::Result<void>() : tl::unexpected(row.error());
}

base::Result<void> check_word_name(const std::string& name) {
  if (const std::string setting = after(name, kSettings); !setting.empty()) {
    const auto field = spec::field_from_name(setting);
    return field ? base::Result<void>() : tl::unexpected(field.error());
  }
  if (name == kAvailable || std::ranges::find(kWords, name, &Word::name) != kWords.end()) return {};
  return text::fail("tree_file.no_evidence", {{"name", name}});
}

std::string where_of(const Evidence& evidence, const std::string& source) {
  const Source* const row = source_from(source);
  const json* const document = document_of(evidence, source);
  if (row == nullptr || document == nullptr) return {};
  const json& where = at(*document, row->where);
  return where.is_string() ? where.get<std::string>() : std::string();
}

}  // namespace ts::advice
