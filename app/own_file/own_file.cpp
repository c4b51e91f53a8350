#include "app/own_file/own_file.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/own_file/own_cache.h"
#include "app/session/engine_loader.h"
#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/io/private_folder.h"
#include "core/run/protocol_json.h"
#include "core/run/recording.h"
#include "core/spec/model_config.h"
#include "core/text/joined.h"
#include "core/text/message.h"

namespace ts::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// A question may leave so much: its answer, its recording, and what the file prints. A full
// recording is a quarter of it.
constexpr std::uintmax_t kMostBytes = 4 * run::kMostRecordingBytes;

enum class Caching : std::uint8_t { off, on };

struct Answer {
  Json json;
  std::string recording;
};

std::string name_of(const OwnQuestion& question) {
  return question.file.path.filename().string();
}

// Outer frames follow inner ones: "model.py:7 in attend < model.py:31 in step".
std::string frames_of(const Json& answer) {
  std::string words;
  const Json& frames = answer.at("frames");
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
    words += (words.empty() ? "" : " < ") + frame->get<std::string>();
  return words.empty() ? answer.at("words").value("place", "?") : words;
}

std::string places_of(const Json& answer, const char* name) {
  return text::joined(answer.value(name, std::vector<std::string>()), ", ");
}

// The words for an error of the package in this program's messages.
base::Message message_of(const OwnQuestion& question, const Json& answer) {
  static constexpr std::array kWrongs = {
      "annotation",   "exit",          "file",         "interrupted",  "killed_at",
      "needs_data",   "no_annotation", "no_build",     "no_control",   "no_module",
      "no_step",      "not_run",       "not_callable", "not_exported", "not_on_meta",
      "raised",       "syntax",        "unavailable",  "unknown",      "value_bool",
      "value_choice", "value_float",   "value_int",    "value_range",  "value_step"};
  const std::string kind = answer.at("kind").get<std::string>();
  if (std::ranges::find(kWrongs, std::string_view(kind)) == kWrongs.end())
    return text::message("own_file.answer", {{"file", name_of(question)}});
  std::vector<base::Argument> arguments = {{"frames", frames_of(answer)},
                                           {"python", question.python.string()}};
  for (const auto& [name, value] : answer.at("words").items())
    if (value.is_string()) arguments.emplace_back(name, value.get<std::string>());
  if (kind == "unavailable") {
    if (auto why = spec::reason_beyond_our_model(question.file.path); !why.empty()) {
      arguments.push_back(text::argument("why", std::move(why)));
      return text::message("own_file.without_it", std::move(arguments));
    }
  }
  return text::message("own_file." + kind, std::move(arguments));
}

// The message for a process that wrote no answer.
base::Message message_of_end(const OwnQuestion& question, int code) {
  constexpr int kSignal = 128;  // OwnProcess adds the signal's number
  if (code <= kSignal) {
    return text::message("own_file.left",
                         {{"file", name_of(question)}, {"code", std::to_string(code)}});
  }
  const char* const name = sigabbrev_np(code - kSignal);
  return text::message(
      "own_file.killed",
      {{"file", name_of(question)},
       {"signal", name != nullptr ? std::string("SIG") + name : std::to_string(code - kSignal)}});
}

// The same with the lines in which the process was when it was ended.
base::Error with_lines(const OwnQuestion& question, base::Error why, const std::string& answer) {
  const auto said = io::parse_json(answer);
  if (!said || !said->is_object() || said->value("kind", "") != "killed_at") return why;
  const bool late = why.key == "file_error.no_end";
  if (!late && why.key != "engine.cancelled") return why;
  try {
    const std::string frames = frames_of(*said);
    if (!late)
      return text::message("own_file.stopped", {{"file", name_of(question)}, {"frames", frames}});
    return text::message("own_file.no_end", {{"file", name_of(question)},
                                             {"seconds", std::to_string(question.limit.count())},
                                             {"frames", frames}});
  } catch (const Json::exception&) {
    return why;
  }
}

bool is_full(const fs::path& folder) {
  constexpr std::uintmax_t kLeast = 4096;
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  return !error && space.available < kLeast;
}

// Another build of the library may answer otherwise.
std::string library_mark() {
  const fs::path path = engine_file();
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  if (error) return {};
  const auto written = fs::last_write_time(path, error).time_since_epoch().count();
  return std::to_string(bytes) + " " + std::to_string(written);
}

// All that decides an answer but the content of files.
Json question_json(const OwnQuestion& question, const char* what, const Json& more) {
  Json asked = {{"what", what},
                {"file", question.file.path.string()},
                {"function", question.file.function},
                {"settings", question.settings},
                {"python", question.python.string()},
                {"library", library_mark()},
                {"version", 5}};
  asked.update(more);
  return asked;
}

base::Result<OwnAnswerFiles> run_process(OwnProcess& process, const OwnQuestion& question,
                                         Json request, const base::CancelToken& cancel) {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  TS_TRY(auto folder, io::PrivateFolder::make(parent, "tensorscope-"));
  const fs::path answer = folder.path() / "answer.json";
  const fs::path recording = folder.path() / "own.recording";
  const fs::path log = folder.path() / "log";
  request["answer"] = answer.string();
  request["log"] = log.string();
  if (!request.contains("out")) request["out"] = recording.string();
  const fs::path asked = folder.path() / "request.json";
  TS_TRY_DONE(io::write_file(asked, io::json_text(request)));
  const auto code = process.ask({.python = question.python,
                                 .file = asked,
                                 .limit = question.limit,
                                 .about = name_of(question),
                                 .most_bytes = kMostBytes},
                                cancel);
  auto said = io::read_file(answer);
  if (!code) return tl::unexpected(with_lines(question, code.error(), said.value_or("")));
  if (!said) {
    if (is_full(folder.path())) {
      return text::fail("own_file.no_room",
                        {{"file", name_of(question)}, {"folder", parent.string()}});
    }
    constexpr int kPackageFailed = 70;  // python/tensorscope/_own_serve.py
    if (*code != kPackageFailed) return tl::unexpected(message_of_end(question, *code));
    return text::fail("own_file.python",
                      {{"python", question.python.string()}, {"reason", io::last_line(log)}});
  }
  OwnAnswerFiles files{std::move(*said), {}};
  if (auto read = io::read_file(recording)) files.recording = std::move(*read);
  return files;
}

base::Result<Answer> ask(OwnProcess& process, const OwnQuestion& question, const char* what,
                         const Json& more, Caching caching, const base::CancelToken& cancel) {
  if (const auto why = io::reason_no_file(question.file.path)) {
    return text::fail("file_error.read",
                      {{"path", question.file.path.string()}, text::argument("reason", *why)});
  }
  const Json request = question_json(question, what, more);
  auto kept = caching == Caching::on ? cached_answer(request) : std::nullopt;
  TS_TRY(auto files, kept ? base::Result<OwnAnswerFiles>(std::move(*kept))
                          : run_process(process, question, request, cancel));
  auto said = io::parse_json(files.json);
  const base::Message unreadable = text::message("own_file.answer", {{"file", name_of(question)}});
  if (!said || !said->is_object()) return tl::unexpected(unreadable);
  try {
    if (!said->at("ok").get<bool>()) {
      base::Message why = message_of(question, *said);
      return tl::unexpected(std::move(why));
    }
  } catch (const Json::exception&) {
    return tl::unexpected(unreadable);
  }
  if (caching == Caching::on && !kept) keep_answer(request, files);
  return Answer{std::move(*said), std::move(files.recording)};
}

OwnArgument argument_from(const Json& told) {
  const std::string kind = told.at("kind").get<std::string>();
  OwnArgument made;
  made.name = told.at("name").get<std::string>();
  made.value = told.at("default").get<std::string>();
  made.kind = kind == "int"      ? OwnArgument::Kind::whole
              : kind == "float"  ? OwnArgument::Kind::real
              : kind == "bool"   ? OwnArgument::Kind::truth
              : kind == "choice" ? OwnArgument::Kind::choice
                                 : OwnArgument::Kind::words;
  if (told.contains("choices")) made.choices = told["choices"].get<std::vector<std::string>>();
  if (told.contains("low")) {
    made.low = std::stod(told["low"].get<std::string>());
    made.high = std::stod(told["high"].get<std::string>());
    made.step = std::stoll(told.value("step", "1"));
  }
  return made;
}

std::optional<OwnFile> config_of(const std::string& text) {
  constexpr std::string_view kAsked = ":transformers";
  const bool asked = text.ends_with(kAsked);
  OwnFile file{text.substr(0, text.size() - (asked ? kAsked.size() : 0)), "transformers"};
  const bool taken =
      asked ? spec::is_model_config(file.path) : !spec::reason_beyond_our_model(file.path).empty();
  if (!taken) return std::nullopt;
  if (auto whole = io::absolute_path(file.path)) file.path = std::move(*whole);
  return file;
}

std::vector<run::StepTimes> steps_from(const Json& told) {
  std::vector<run::StepTimes> steps;
  for (const Json& ns : told) steps.emplace_back().total_ns = ns.get<std::int64_t>();
  return steps;
}

base::Result<OwnRecording> recording_of(Answer answer) {
  OwnRecording made{nullptr, std::make_shared<base::StringTable>(), std::move(answer.recording)};
  TS_TRY(made.run, run::read_recording(made.content, 1, *made.strings));
  return made;
}

}  // namespace

std::optional<OwnFile> own_file_of(const std::string& text) {
  if (auto config = config_of(text)) return config;
  constexpr std::string_view kEnd = ".py";
  const std::size_t at = text.rfind(kEnd);
  if (at == std::string::npos || at == 0) return std::nullopt;
  const std::string_view rest = std::string_view(text).substr(at + kEnd.size());
  if (!rest.empty() && (rest.front() != ':' || rest.size() == 1)) return std::nullopt;
  OwnFile file{text.substr(0, at + kEnd.size())};
  if (auto whole = io::absolute_path(file.path)) file.path = std::move(*whole);
  if (!rest.empty()) file.function = rest.substr(1);
  return file;
}

base::Result<OwnDescription> describe_own(OwnProcess& process, const OwnQuestion& question,
                                          const base::CancelToken& cancel) {
  OwnQuestion plain = question;
  plain.settings.clear();
  TS_TRY(auto answer, ask(process, plain, "describe", Json::object(), Caching::on, cancel));
  try {
    OwnDescription made;
    for (const Json& one : answer.json.at("arguments"))
      made.arguments.push_back(argument_from(one));
    made.others = answer.json.at("others").get<bool>();
    made.about = answer.json.at("about").get<std::string>();
    made.torch = answer.json.at("torch").get<std::string>();
    return made;
  } catch (const std::exception&) {
    return text::fail("own_file.answer", {{"file", name_of(question)}});
  }
}

base::Result<OwnRecording> record_own(OwnProcess& process, const OwnQuestion& question, int steps,
                                      const base::CancelToken& cancel) {
  TS_TRY(auto answer, ask(process, question, "record", {{"steps", steps}}, Caching::off, cancel));
  return recording_of(std::move(answer));
}

base::Result<OwnDryRun> dry_run_own(OwnProcess& process, const OwnQuestion& question,
                                    const predict::PredictionTarget& target,
                                    const base::CancelToken& cancel, OnCpu on_cpu) {
  const predict::DryRunOptions options = predict::dry_run_options(target);
  const bool cuda = options.rules == spec::DeviceKind::cuda;
  OwnDryRun made;
  auto answer = ask(process, question, "predict",
                    {{"steps", options.steps},
                     {"compute_capability", cuda ? options.compute_capability : 0},
                     {"multiprocessors", options.multiprocessors}},
                    Caching::on, cancel);
  if (!answer) {
    const std::string& key = answer.error().key;
    if (key != "own_file.needs_data" && key != "own_file.not_on_meta")
      return tl::unexpected(answer.error());
    if (on_cpu == OnCpu::never)
      return text::fail("own_file.no_hunt", {{"file", name_of(question)}});
    made.on_cpu = std::move(answer.error());
    answer = ask(process, question, "record", {{"steps", options.steps}, {"uncompiled", true}},
                 Caching::on, cancel);
    if (!answer) return tl::unexpected(answer.error());
  }
  made.run.options = options;
  made.run.parameters = answer->json.value("parameters", std::int64_t{0});
  made.run.trained = answer->json.value("trained", std::int64_t{0});
  made.run.apart_bytes = answer->json.value("apart_bytes", std::int64_t{0});
  made.run.torch = answer->json.value("torch_minor", std::string());
  const std::string compiled = places_of(answer->json, "compiled");
  if (!compiled.empty()) made.compiled = text::message("own_file.compiled", {{"places", compiled}});
  TS_TRY(auto recording, recording_of(std::move(*answer)));
  made.run.log = std::move(recording.run->memory);
  made.strings = std::move(recording.strings);
  made.content = std::move(recording.content);
  if (made.run.log.blocks().empty())
    return text::fail("own_file.no_tensors", {{"file", name_of(question)}});
  return made;
}

base::Result<std::vector<OwnTimes>> time_own(OwnProcess& process, const OwnQuestion& question,
                                             const std::vector<OwnSettings>& sides,
                                             const run::Protocol& protocol,
                                             const base::CancelToken& cancel) {
  const Json more = {{"sides", sides}, {"protocol", run::to_json(protocol)}};
  TS_TRY(auto answer, ask(process, question, "time", more, Caching::off, cancel));
  try {
    std::vector<OwnTimes> made;
    for (const Json& side : answer.json.at("sides")) {
      made.push_back({steps_from(side.at("warmup")), steps_from(side.at("timed")),
                      side.at("settled").get<bool>()});
    }
    if (made.size() == sides.size()) return made;
  } catch (const Json::exception&) {
  }
  return text::fail("own_file.answer", {{"file", name_of(question)}});
}

base::Result<OwnExport> export_own(OwnProcess& process, const OwnQuestion& question,
                                   const fs::path& out, const base::CancelToken& cancel) {
  TS_TRY(auto answer,
         ask(process, question, "export", {{"out", out.string()}}, Caching::off, cancel));
  OwnExport made{answer.json.value("about", std::string()), {}};
  const std::string places = places_of(answer.json, "checkpoints");
  if (!places.empty()) made.kept = text::message("own_file.checkpoints", {{"places", places}});
  return made;
}

}  // namespace ts::app
