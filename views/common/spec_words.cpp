#include "views/common/spec_words.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/spec/memory_limit.h"
#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "core/text/known_sentence.h"
#include "core/text/numbers.h"

namespace ts::views {
namespace {

using spec::Field;

// These say by their value alone what they are: "flash", "bf16".
bool names_itself(Field field) {
  return field == Field::workload || field == Field::backend || field == Field::dtype ||
         field == Field::pass || field == Field::device || field == Field::optimizer ||
         field == Field::norm || field == Field::ffn || field == Field::positions;
}

// Of the card and its allocator, not of what is run.
bool of_target(Field field) {
  return field == Field::target_gpu || field == Field::alloc_conf;
}

// The smaller, the sooner it is told: what is compared most first.
int rank(Field field) {
  constexpr Field kFirst[] = {Field::workload, Field::backend, Field::dtype,
                              Field::pass,     Field::B,       Field::T};
  const auto* const found = std::ranges::find(kFirst, field);
  return static_cast<int>(found - std::begin(kFirst));
}

std::string one_setting(const text::Texts& texts, const spec::WorkloadSpec& spec, Field field) {
  const std::string value = spec::field_text(spec, field);
  if (field == Field::workload) return texts("controls.workload." + value);
  if (names_itself(field)) return value_words(texts, field, value);
  // No grouping behind "=".
  const bool number = spec::field_as<spec::NumberField>(field) != nullptr;
  return field_words(texts, field) + " = " + (number ? value : value_words(texts, field, value));
}

// What engines and their loaders say.
constexpr text::KnownSentence kEngineSentences[] = {
    {"No NVIDIA driver was found (libcuda.so.1)", "engine.no_driver"},
    {"{file} was not built: CUDA headers were not found", "engine.cuda_not_built"},
    {"The CUDA part cannot be loaded: {reason}", "engine.cuda_not_loaded"},
    {"{file} belongs to another version of the program; build both with ./run",
     "engine.other_version"},
    {"{file} belongs to another version of the program", "engine.other_cuda_version"},
    {"{file} is not beside the program: workloads cannot run; build it with ./run",
     "engine.not_there"},
    {"The engine cannot be loaded: {reason}", "engine.not_loaded"},
    {"The engine could not be loaded: {reason}", "engine.not_loaded"},
    {"The engine could not be loaded, and did not say why", "engine.not_loaded_unknown"},
    {"The engine library gave no engine", "engine.no_engine"},
    {"The engine library gave no dry run", "engine.no_dry_run"},
    {"Nothing can be predicted: {reason}", "engine.no_prediction"},
    {"LibTorch could not be initialised", "engine.no_libtorch"},
    {"There is no CUDA device {index}", "engine.no_device"},
    {"There is no device cuda {index} on this machine", "engine.no_device"},
    {"The caches of this device cannot be driven out: choose cache hot", "engine.no_cold"},
    {"{what} asked for {asked} and the system refused, although the budget has {free} free: other "
     "programs or a limit of this process take the memory",
     "engine.system_refused"},
    {"The system has no memory left for the program itself", "engine.no_memory"},
    {"The step ended with an unknown error", "engine.unknown"},
    {"This step has not been compiled", "engine.not_compiled"},
    {"Inductor did not compile this step: {reason}", "engine.inductor"},
    {"Compiling a step needs Python 3.11 with torch 2.11: third_party/setup.sh sets it up where "
     "Python 3.11 is installed, or name one with TENSORSCOPE_PYTHON",
     "engine.no_python"},
    {"Compiling a step needs the compiler g++, which is not installed", "engine.no_compiler"},
    {"{reason}. Operators are timed by CUDA events instead, to about 10 \xc2\xb5s",
     "engine.by_events"},
    {"{reason}. CUDA events do not work either: {why}", "engine.no_events"},
};

// What readers and writers of files say, and the reasons in it.
constexpr text::KnownSentence kFileSentences[] = {
    {"Cannot read the snapshot {path}: {reason}.", "file_error.snapshot"},
    {"Cannot read the trace {path}: {reason}.", "file_error.trace"},
    {"Cannot read {path}: {reason}.", "file_error.read"},
    {"Cannot write {path}: {reason}.", "file_error.write"},
    {"The folder {path} cannot be made: {reason}", "file_error.folder"},
    {"HOME is not set: choose a folder for saved files in the menu File", "file_error.no_home"},
    {"The snapshot {path} is empty: it has neither segments nor events", "file_error.nothing"},
    {"Read only a part of {path}: {reason}.", "file_error.part"},
    {"Another tensorscope is writing {path}", "file_error.busy"},
    {"{path}, line {line}: {reason}", "file_error.line"},
    {"No such file or directory", "file_error.reason.missing"},
    {"Permission denied", "file_error.reason.permission"},
    {"Is a directory", "file_error.reason.folder"},
    {"Not a directory", "file_error.reason.no_folder"},
    {"No space left on device", "file_error.reason.full"},
    {"Input/output error", "file_error.reason.io"},
    {"Cannot allocate memory", "file_error.reason.memory"},
    {"File too large", "file_error.reason.large"},
    {"it is a pipe or device", "file_error.reason.device"},
    {"the file is empty", "file_error.reason.empty"},
    {"this is neither a pickle of protocol 2 to 5 nor JSON", "file_error.reason.format"},
    {"it has no event that lasts, so nothing to show", "file_error.reason.no_stretch"},
    {"it ends in the middle, after {count} events", "file_error.reason.ends"},
    {"byte {place}: this is no JSON; {count} events stand before it", "file_error.reason.broken"},
    {"what gzip packed is cut off", "file_error.reason.packed_cut"},
    {"byte {place}: what gzip packed is damaged", "file_error.reason.packed_damaged"},
    {"it unpacks to more than {size} MiB, which no recording of its size does",
     "file_error.reason.bomb"},
    {"this is no memory snapshot: it has neither segments nor device_traces",
     "file_error.reason.no_snapshot"},
    {"byte {place}: this is no JSON", "file_error.reason.no_json"},
    {"this is not the journal of a sweep", "file_error.reason.no_journal"},
    {"the journal has a format that this program does not know",
     "file_error.reason.unknown_journal"},
    {"the header is not complete", "file_error.reason.header"},
};

std::string worded(const text::Texts& texts, const std::string& key,
                   std::vector<text::Argument> arguments, const std::string& sentence) {
  if (key.empty()) return engine_words(texts, sentence);
  for (text::Argument& one : arguments) {
    if (one.name == "target" || one.name == "card" || one.name == "limit")
      one.value = limit_words(texts, one.value);
    if (one.name == "workload") one.value = value_words(texts, Field::workload, one.value);
    if (one.name == "backend") one.value = value_words(texts, Field::backend, one.value);
    if (one.name != "field") continue;
    if (const auto field = spec::field_from_name(one.value)) one.value = field_words(texts, *field);
  }
  return texts(key, arguments);
}

}  // namespace

std::string message_words(const text::Texts& texts, const report::Message& message) {
  return worded(texts, message.key, message.arguments, message.sentence);
}

std::string message_words(const text::Texts& texts, const spec::SpecProblem& problem) {
  return worded(texts, problem.key, problem.arguments, problem.sentence);
}

std::string limit_words(const text::Texts& texts, std::string_view name) {
  struct Named {
    std::string_view name;
    const char* key;
  };
  for (const Named& one : {Named{spec::kLimitFromSpec, "limit.of_settings"},
                           Named{spec::kLimitFromRam, "limit.of_ram"},
                           Named{spec::kLimitFromContainer, "limit.of_container"},
                           Named{spec::kLimitFromAvailable, "limit.of_available"},
                           Named{spec::kLimitFromDevice, "limit.of_device"}}) {
    if (name.starts_with(one.name))
      return texts(one.key) + std::string(name.substr(one.name.size()));
  }
  return std::string(name);
}

std::string obstacle_words(const ViewContext& context) {
  if (context.outlook == nullptr || context.outlook->not_here.sentence.empty()) return {};
  return context.texts("obstacle.sentence",
                       {{"reason", message_words(context.texts, context.outlook->not_here)}});
}

const char* partial_key(const ViewContext& context) {
  const run::Run* const run = context.run;
  if (run == nullptr || context.file != nullptr) return nullptr;
  if (!run->finished) return "partial.goes_on";
  switch (run->verdict) {
    case run::Verdict::ok:
      return nullptr;
    case run::Verdict::cancelled:
      return "partial.cancelled";
    case run::Verdict::oom:
    case run::Verdict::failed:
      break;
  }
  return "partial.broke_off";
}

bool ended_before_memory(const ViewContext& context) {
  const run::Run* const run = context.run;
  return run != nullptr && context.file == nullptr && context.trace == nullptr && run->finished &&
         context.stale.empty() && run->memory.events().empty();
}

std::string engine_words(const text::Texts& texts, std::string_view sentence) {
  return text::known_words(texts, kEngineSentences, sentence);
}

std::string file_words(const text::Texts& texts, std::string_view sentence) {
  return text::known_words_and_reason(texts, kFileSentences, sentence);
}

std::string preset_words(const text::Texts& texts, const spec::Preset& preset) {
  return texts(std::string("controls.preset_name.") + preset.id);
}

std::string preset_source_words(const text::Texts& texts, const spec::Preset& preset) {
  const std::string_view source = preset.source;
  return source == spec::kRunsAnywhere ? texts("controls.preset.anywhere") : std::string(source);
}

std::string field_words(const text::Texts& texts, Field field) {
  // Those that stand under a heading of their own in the controls.
  if (field == Field::dtype) return texts("controls.precision");
  if (field == Field::pass) return texts("controls.pass");
  if (field == Field::backend) return texts("controls.strip.backend");
  if (field == Field::causal) return texts("controls.causal");
  return texts(std::string("controls.field.") + spec::field_name(field));
}

std::string value_words(const text::Texts& texts, Field field, const std::string& value) {
  if (spec::field_as<spec::ChoiceField>(field) != nullptr) {
    // What was typed need not be one of them.
    if (std::ranges::none_of(spec::field_choices(field),
                             [&value](const char* choice) { return value == choice; }))
      return value;
    std::string key = value;
    std::ranges::replace(key, '+', '_');
    return texts("controls.choice." + key);
  }
  if (spec::field_as<spec::FlagField>(field) != nullptr) {
    return texts(value == "true" ? "compare.on" : "compare.off");
  }
  const auto count = spec::parse_count(value);
  return count ? text::grouped(*count) : value;
}

std::string difference_words(const text::Texts& texts, const spec::WorkloadSpec& shown,
                             const spec::WorkloadSpec& now) {
  constexpr std::size_t kMost = 3;
  std::vector<Field> fields;
  for (const spec::FieldRow& row : spec::field_rows()) {
    const bool matters =
        spec::field_applies(shown, row.field) || spec::field_applies(now, row.field);
    if (of_target(row.field) || !matters) continue;
    if (spec::field_text(shown, row.field) != spec::field_text(now, row.field))
      fields.push_back(row.field);
  }
  std::ranges::stable_sort(fields, {}, rank);
  std::string words;
  for (std::size_t i = 0; i < std::min(kMost, fields.size()); ++i) {
    if (i > 0) words += texts("memory.list_comma");
    words += one_setting(texts, shown, fields[i]);
  }
  if (fields.size() > kMost) words += texts("memory.list_comma") + std::string("\xe2\x80\xa6");
  return words;
}

}  // namespace ts::views
