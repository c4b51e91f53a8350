#include "app/output/saved_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/output/report_pages.h"
#include "core/base/result_files.h"
#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/spec/spec_fields.h"
#include "core/text/message.h"
#include "core/text/numbers.h"
#include "views/common/spec_text.h"

namespace ts::app {
namespace {

using io::Block;
using json = nlohmann::json;

struct Kind {
  ResultKind kind;
  const char* name;
  const char* file;
  // Its tables for readers, and how many rows of each a report shows.
  std::array<const char*, 2> tables;
  std::size_t rows;
};
constexpr std::array<Kind, 5> kKinds = {
    {{ResultKind::run, "run", "run.json", {"operators.md", nullptr}, 12},
     {ResultKind::prediction, "prediction", "prediction.json", {"accounting.md", "peak.md"}, 20},
     {ResultKind::sweep, "sweep", base::kSweepDocument, {base::kSweepMarkdown, nullptr}, 200},
     {ResultKind::hunt, "hunt", base::kHuntDocument, {base::kHuntMarkdown, nullptr}, 60},
     {ResultKind::comparison, "comparison", "comparison.json", {"comparison.md", nullptr}, 20}}};

const Kind& row_of(ResultKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

// The part of a document at a pointer; null where there is none.
const json& at(const json& document, const char* pointer) {
  static const json kAbsent;
  const json::json_pointer path(pointer);
  return document.contains(path) ? document.at(path) : kAbsent;
}

std::string text_at(const json& document, const char* pointer) {
  const json& found = at(document, pointer);
  return found.is_string() ? found.get<std::string>() : std::string();
}

// A sentence in the language of the report, by its text beside it, where the file has that.
std::string said_at(const json& document, const std::string& sentence, const std::string& text,
                    const text::Texts& texts) {
  base::Message said{text_at(document, sentence.c_str())};
  if (const json& stored = at(document, text.c_str()); stored.is_object()) {
    try {
      said = text::message_from_json(std::move(said.sentence), stored);
    } catch (const json::exception&) {
      return text_at(document, sentence.c_str());  // written by hand
    }
  }
  return views::message_text(texts, said);
}

enum class Unit : std::uint8_t { ms, bytes, count, tokens, flops, milliseconds_spread };

struct Number {
  const char* key;  // of its name: results.number.<key>
  const char* pointer;
  Unit unit;
};
constexpr Number kOfRun[] = {{"median", "/step_ms/median", Unit::ms},
                             {"mean", "/step_ms", Unit::milliseconds_spread},
                             {"forward", "/parts_ms/forward", Unit::milliseconds_spread},
                             {"backward", "/parts_ms/backward", Unit::milliseconds_spread},
                             {"optimizer", "/parts_ms/optimizer", Unit::milliseconds_spread},
                             {"tokens", "/tokens_per_s", Unit::tokens},
                             {"flops", "/tflops_per_s", Unit::flops},
                             {"peak", "/memory/peak_allocated", Unit::bytes},
                             {"before_backward", "/memory/before_backward", Unit::bytes},
                             {"parameters", "/parameters", Unit::count}};
constexpr Number kOfPrediction[] = {{"peak", "/peak_allocated", Unit::bytes},
                                    {"before_backward", "/before_backward", Unit::bytes},
                                    {"reserved", "/peak_reserved", Unit::bytes},
                                    {"needed", "/needed", Unit::bytes},
                                    {"headroom", "/headroom", Unit::bytes},
                                    {"parameters", "/parameters", Unit::count}};
constexpr Number kOfHunt[] = {{"edge", "/largest_that_fits", Unit::count},
                              {"oom", "/smallest_oom", Unit::count}};

std::span<const Number> numbers_of(ResultKind kind) {
  switch (kind) {
    case ResultKind::run:
      return kOfRun;
    case ResultKind::prediction:
      return kOfPrediction;
    case ResultKind::hunt:
      return kOfHunt;
    case ResultKind::sweep:
    case ResultKind::comparison:
      break;
  }
  return {};
}

// Empty where the document has no such number.
std::string text_of(const json& value, Unit unit) {
  if (unit == Unit::milliseconds_spread) {
    if (!value.is_object() || !at(value, "/mean").is_number()) return {};
    const json& std = at(value, "/std");
    return text::duration_ms(at(value, "/mean").get<double>()).joined() +
           (std.is_number() ? " \xc2\xb1 " + text::duration_ms(std.get<double>()).joined()
                            : std::string());
  }
  if (!value.is_number()) return {};
  switch (unit) {
    case Unit::ms:
      return text::duration_ms(value.get<double>()).joined();
    case Unit::bytes:
      return text::bytes(value.get<std::int64_t>()).joined();
    case Unit::tokens:
      return text::rate(value.get<double>(), "tokens").joined();
    case Unit::flops:
      return text::rate(value.get<double>() * 1e12, "FLOP").joined();
    default:
      return text::grouped(value.get<std::int64_t>());
  }
}

const json& spec_of(const SavedResult& result) {
  return at(result.document, result.kind == ResultKind::sweep        ? "/sweep/base"
                             : result.kind == ResultKind::comparison ? "/a/spec"
                                                                     : "/spec");
}

// Whether that setting is not one of the whole result: points of a sweep differ in it, a hunt looks
// along it, or A and B have it otherwise.
bool varies(const SavedResult& result, const std::string& name) {
  for (const char* const list : {"/sweep/axes", "/sweep/series"}) {
    for (const json& one : at(result.document, list))
      if (text_at(one, "/field") == name) return true;
  }
  for (const json& one : at(result.document, "/differences"))
    if (text_at(one, "/key") == name) return true;
  return at(result.document, "/axes").contains(name) || text_at(result.document, "/axis") == name;
}

// "attention: backend = flash, dtype = fp32, B = 4, T = 512"; on a GPU with the card.
std::string settings_text(const SavedResult& result) {
  const auto spec = spec::spec_from_json(spec_of(result));
  if (!spec) return {};
  std::vector<spec::Field> fields = {spec::Field::backend, spec::Field::dtype, spec::Field::B,
                                     spec::Field::T};
  if (spec->device == spec::DeviceKind::cuda) fields.push_back(spec::Field::target_gpu);
  std::erase_if(fields, [&](spec::Field field) { return varies(result, spec::field_name(field)); });
  return spec::settings_text(*spec, fields);
}

// Adds the user's notes about moments and blocks.
void add_notes(std::vector<Block>& blocks, const SavedResult& result, const text::Texts& texts) {
  const json& notes = at(result.document, "/notes");
  if (!notes.is_array() || notes.empty()) return;
  io::TextTable table;
  table.columns = {texts("notes.place"), texts("notes.text")};
  for (const json& note : notes) {
    if (!at(note, "/text").is_string()) continue;
    std::string place = at(note, "/at_ms").is_number()
                            ? text::duration_ms(note["at_ms"].get<double>()).joined()
                            : texts("notes.of_run");
    if (at(note, "/block/size").is_number_integer() && at(note, "/block/op").is_string()) {
      place += ", " + note["block"]["op"].get<std::string>() + " " +
               text::bytes(note["block"]["size"].get<std::int64_t>()).joined();
    }
    table.rows.push_back({std::move(place), note["text"].get<std::string>()});
  }
  blocks.push_back({Block::Kind::text, texts("notes.title")});
  blocks.push_back({Block::Kind::table, {}, std::move(table)});
}

// The words for a head in English, whose key is "results.head.self_percent" for "self %"; empty:
// there are none.
std::string known_head(std::string_view head, const text::Texts& texts) {
  std::string key = "results.head.";
  for (const char letter : head) {
    if (letter == '%') {
      key += "percent";
    } else if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
      key += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    } else if (key.back() != '_') {
      key += '_';
    }
  }
  if (key.back() == '_') key.pop_back();
  std::string words = texts(key);
  return words == key ? std::string() : words;
}

// The head of a saved table, which is English, in the language of the report: all of it, or what
// follows the name of a curve, as in "flash MiB allocated". Other words stay.
std::string head_text(const std::string& head, const text::Texts& texts) {
  if (texts.language() == text::Language::en) return head;
  if (std::string words = known_head(head, texts); !words.empty()) return words;
  for (std::size_t at = head.find(' '); at != std::string::npos; at = head.find(' ', at + 1)) {
    const std::string words = known_head(std::string_view(head).substr(at + 1), texts);
    if (!words.empty()) return head.substr(0, at + 1) + words;
  }
  return head;
}

// The settings in which A and B differ.
void add_differences(std::vector<Block>& blocks, const SavedResult& result,
                     const text::Texts& texts) {
  const json& differences = at(result.document, "/differences");
  if (!differences.is_array() || differences.empty()) return;
  io::TextTable table;
  table.columns = {texts("compare.setting"), "A", "B"};
  for (const json& one : differences)
    table.rows.push_back({text_at(one, "/key"), text_at(one, "/a"), text_at(one, "/b")});
  blocks.push_back({Block::Kind::table, {}, std::move(table)});
}

void add_tables(std::vector<Block>& blocks, const SavedResult& result, const text::Texts& texts) {
  const Kind& kind = row_of(result.kind);
  for (const char* const name : kind.tables) {
    if (name == nullptr) continue;
    const auto content = io::read_file(result.folder / name);
    if (!content) continue;
    auto tables = io::read_markdown_tables(*content);
    if (tables.empty()) continue;
    // A file of several has the one for readers first.
    io::TextTable& first = tables.front();
    if (first.rows.size() > kind.rows) first.rows.resize(kind.rows);
    for (std::string& head : first.columns) head = head_text(head, texts);
    blocks.push_back({Block::Kind::table, {}, std::move(first)});
  }
}

std::string shell_word(const std::string& word) {
  return word.find(' ') == std::string::npos ? word : "\"" + word + "\"";
}

// The option that asks for so many steps or pairs as were measured, where their number was given.
std::string fixed_steps(const json& protocol, const char* option = "--steps") {
  const json& least = at(protocol, "/min_samples");
  const bool fixed = least.is_number() && least == at(protocol, "/max_samples");
  return fixed ? fmt::format(" {} {}", option, least.dump()) : std::string();
}

// The axes of a hunt as --axis takes them, the one across first.
std::string axes_of_map(const json& document) {
  std::vector<std::string> names = {text_at(document, "/across"), text_at(document, "/down")};
  const json& axes = at(document, "/axes");
  if (names.front().empty()) {  // a file of an earlier version
    names.clear();
    for (const auto& [name, values] : axes.items()) names.push_back(name);
  }
  std::string words;
  for (const std::string& name : names) {
    const json& values = at(axes, ("/" + name).c_str());
    words += " --axis " + name;
    if (!values.empty()) words += "=" + values.front().dump() + ":" + values.back().dump();
  }
  return words;
}

// The lists of a sweep as --axis and --series take them.
std::string lists_of(const json& list, const char* option, const char* name) {
  std::string words;
  if (!list.is_array()) return words;
  for (const json& one : list) {
    std::string values;
    for (const json& value : at(one, "/values")) {
      values += (values.empty() ? "" : ",") +
                (value.is_string() ? value.get<std::string>() : value.dump());
    }
    const std::string key = text_at(one, name);
    words += std::string(" ") + option + " " +
             shell_word((key.empty() ? std::string("preset") : key) + "=" + values);
  }
  return words;
}

}  // namespace

const char* to_string(ResultKind kind) {
  return row_of(kind).name;
}

base::Result<SavedResult> read_saved_result(const std::filesystem::path& folder) {
  std::string all;
  for (const Kind& kind : kKinds) {
    all += (all.empty() ? "" : ", ") + std::string(kind.file);
    std::error_code ignored;
    if (!std::filesystem::exists(folder / kind.file, ignored)) continue;
    TS_TRY(auto document, io::read_json(folder / kind.file));
    SavedResult result{.kind = kind.kind, .folder = folder, .document = std::move(document)};
    if (!spec::spec_from_json(spec_of(result)))
      return text::fail("report_error.no_settings", {{"path", (folder / kind.file).string()}});
    return result;
  }
  return text::fail("report_error.no_result", {{"path", folder.string()}, {"files", all}});
}

base::Result<std::vector<std::string>> write_settings(const SavedResult& result,
                                                      const std::filesystem::path& to) {
  std::vector<std::pair<std::string, const json*>> settings = {
      {base::kSpecDocument, &spec_of(result)}};
  if (result.kind == ResultKind::comparison) {
    settings = {{"a.json", &at(result.document, "/a/spec")},
                {"b.json", &at(result.document, "/b/spec")}};
  }
  std::vector<std::string> names;
  for (const auto& [name, spec] : settings) {
    TS_TRY_DONE(io::write_file(to / name, io::json_text(*spec)));
    names.push_back(name);
  }
  return names;
}

base::Result<std::vector<std::string>> copy_result(const SavedResult& result,
                                                   const std::filesystem::path& to) {
  TS_TRY_DONE(io::make_folder(to));
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(result.folder, error)) {
    std::error_code ignored;
    const std::string name = entry.path().filename().string();
    const bool page = name.starts_with("report.");
    if (name.starts_with('.') || page || !entry.is_regular_file(ignored)) continue;
    std::filesystem::copy_file(entry.path(), to / name,
                               std::filesystem::copy_options::overwrite_existing, error);
    if (error) break;
    names.push_back(name);
  }
  if (error) {
    return text::fail("report_error.not_copied",
                      {{"path", result.folder.string()}, {"reason", error.message()}});
  }
  auto settings = write_settings(result, to);
  if (!settings) return settings;
  for (std::string& name : *settings) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  return names;
}

std::string command_of(const SavedResult& result, const std::string& where) {
  const json& document = result.document;
  const std::string spec = " --spec " + where + "/spec.json";
  switch (result.kind) {
    case ResultKind::run:
      return "tensorscope run" + spec + fixed_steps(at(document, "/protocol"));
    case ResultKind::prediction:
      return "tensorscope predict" + spec;
    case ResultKind::sweep:
      return "tensorscope sweep" + spec +
             lists_of(at(document, "/sweep/axes"), "--axis", "/field") +
             lists_of(at(document, "/sweep/series"), "--series", "/field") +
             (at(document, "/sweep/only_predicted") == true
                  ? " --predict"
                  : fixed_steps(at(document, "/sweep/protocol"))) +
             " --out DIR";
    case ResultKind::hunt: {
      const std::string one = text_at(document, "/axis");
      return "tensorscope hunt" + spec + (one.empty() ? axes_of_map(document) : " --axis " + one);
    }
    case ResultKind::comparison:
      break;
  }
  std::string with;
  for (const json& one : at(document, "/differences"))
    with += " --with " + shell_word(text_at(one, "/key") + "=" + text_at(one, "/b"));
  return "tensorscope ab --spec " + where + "/a.json" + with +
         fixed_steps(at(document, "/protocol"), "--pairs");
}

std::vector<Block> blocks_of(const SavedResult& result, const std::string& where,
                             std::span<const std::string> files, const text::Texts& texts) {
  std::vector<Block> blocks;
  const auto add = [&](Block::Kind kind, std::string words) {
    if (!words.empty()) blocks.push_back({kind, std::move(words)});
  };
  add(Block::Kind::heading,
      texts("results.result",
            {{"kind", texts(std::string("results.kind.") + to_string(result.kind))},
             {"settings", settings_text(result)}}));
  add(Block::Kind::text, said_at(result.document, "/sentence", "/text", texts));
  io::TextTable numbers;
  numbers.columns = {
      texts("lesson.report.number"),
      texts(result.kind == ResultKind::run ? "lesson.report.measured" : "lesson.report.predicted")};
  numbers.right = {false, true};
  for (const Number& one : numbers_of(result.kind)) {
    std::string value = text_of(at(result.document, one.pointer), one.unit);
    if (!value.empty())
      numbers.rows.push_back({texts(std::string("results.number.") + one.key), std::move(value)});
  }
  if (!numbers.rows.empty()) blocks.push_back({Block::Kind::table, {}, std::move(numbers)});
  add_differences(blocks, result, texts);
  if (!at(result.document, "/axes").empty()) add(Block::Kind::text, texts("results.hunt_legend"));
  add_tables(blocks, result, texts);
  const json& sentences = at(result.document, "/sentences");
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const std::string place = "/" + std::to_string(i);
    add(Block::Kind::item, said_at(result.document, "/sentences" + place, "/texts" + place, texts));
  }
  add_notes(blocks, result, texts);
  for (const std::string& file : files) {
    if (is_picture(file)) add(Block::Kind::picture, fmt::format("{}/{}", where, file));
  }
  std::string rest;
  for (const std::string& file : files)
    if (!is_picture(file)) rest += (rest.empty() ? "" : ", ") + file;
  add(Block::Kind::text, texts("results.files", {{"folder", where}, {"files", rest}}));
  const json& workspaces = at(result.document, "/workspaces");
  const std::string snapshot = "predicted_snapshot.pickle";
  if (workspaces.is_number_integer() && workspaces > 0 &&
      std::ranges::find(files, snapshot) != files.end()) {
    const std::string size = text::bytes(workspaces.get<std::int64_t>()).joined();
    add(Block::Kind::text,
        texts("results.without_workspaces", {{"file", snapshot}, {"size", size}}));
  }
  add(Block::Kind::code, command_of(result, where));
  return blocks;
}

std::vector<Block> environments_of(std::span<const SavedResult> results, const text::Texts& texts) {
  std::vector<Block> blocks;
  std::vector<json> told;
  for (const SavedResult& result : results) {
    json environment = result.document.value("environment", json::object());
    environment.erase("date_utc");
    if (environment.empty() || std::ranges::find(told, environment) != told.end()) continue;
    told.push_back(environment);
    io::TextTable table;
    table.columns = {texts("lesson.report.environment"), ""};
    for (const auto& [name, value] : flat_rows(environment)) table.rows.push_back({name, value});
    blocks.push_back({Block::Kind::table, {}, std::move(table)});
  }
  return blocks;
}

}  // namespace ts::app
