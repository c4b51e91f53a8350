// The functions that the Python package calls by ctypes. Plain C; all from the interpreter's thread
// that started the recording, but enter and leave, which any of its threads may call. A function
// that can fail gives a sentence, which lives until the next call, or null.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/message.h"
#include "core/text/numbers.h"
#include "kernels/record/gradients.h"
#include "kernels/record/module_calls.h"
#include "kernels/record/process_recorder.h"
#include "kernels/record/python_place.h"

namespace {

using ts::kernels::ProcessRecorder;

std::unique_ptr<ProcessRecorder> recorder;
std::string sentence;
std::string remarks;

const char* say(std::string words) {
  sentence = std::move(words);
  return sentence.c_str();
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

#define TENSORSCOPE_API extern "C" __attribute__((visibility("default")))

// A package of another number is refused.
TENSORSCOPE_API int tensorscope_record_version() {
  return 10;
}

// foreign: folders, one a line; the files in them are not the program's own. Steps from first up to
// end are recorded; end -1: all. live: the open window shows it, see tensorscope_record_live().
// path: where it will be written, empty if that is not known. on_cuda: the memory of a card is
// recorded, once tensorscope_record_cuda() has said that CUDA was started.
TENSORSCOPE_API const char* tensorscope_record_start(const char* script, std::int64_t limit,
                                                     const char* foreign, std::int32_t first,
                                                     std::int32_t end, int live, const char* path,
                                                     int on_cuda) {
  if (recorder != nullptr) return say("A recording goes on already");
  if (!ts::kernels::prepare_python_places(lines_of(foreign)))
    return say("This process has no Python interpreter of 3.9 or later");
  recorder = ts::kernels::make_process_recorder(
      {.script = script,
       .limit = limit,
       .first = first,
       .end = end < 0 ? std::numeric_limits<std::int32_t>::max() : end,
       .on_cuda = on_cuda != 0,
       .live = live != 0,
       .path = path});
  return nullptr;
}

// Why no window shows the recording; null: one does, or that was not asked for.
TENSORSCOPE_API const char* tensorscope_record_live() {
  if (recorder == nullptr || recorder->live_problem().empty()) return nullptr;
  return say(recorder->live_problem().sentence);
}

// The script has started CUDA.
TENSORSCOPE_API void tensorscope_record_cuda() {
  if (recorder != nullptr) recorder->cuda_started();
}

// After tensorscope_record_finish(): what the recording lacks, and what was written beside it, a
// sentence a line.
TENSORSCOPE_API const char* tensorscope_record_remarks() {
  return remarks.c_str();
}

TENSORSCOPE_API std::uint32_t tensorscope_record_name(const char* text) {
  return recorder != nullptr ? recorder->strings().intern(text) : 0;
}

TENSORSCOPE_API void tensorscope_record_enter(std::uint32_t module) {
  if (recorder != nullptr) recorder->enter(module);
}

TENSORSCOPE_API void tensorscope_record_leave(std::uint32_t module) {
  if (recorder != nullptr) recorder->leave(module);
}

// See make_module_calls(). All arguments and the result are objects of Python.
TENSORSCOPE_API ts::kernels::Object* tensorscope_record_module_calls(ts::kernels::Object* modules,
                                                                     ts::kernels::Object* opened,
                                                                     ts::kernels::Object* frozen,
                                                                     ts::kernels::Object* before,
                                                                     ts::kernels::Object* after) {
  return ts::kernels::make_module_calls(
      {.modules = modules, .opened = opened, .frozen = frozen, .before = before, .after = after},
      tensorscope_record_enter, tensorscope_record_leave);
}

// phase: a number of base::Phase.
TENSORSCOPE_API void tensorscope_record_phase(int phase, int graph_kept) {
  if (recorder != nullptr && phase >= 0 && phase < ts::base::kPhaseCount)
    recorder->phase(static_cast<ts::base::Phase>(phase), graph_kept != 0);
}

TENSORSCOPE_API void tensorscope_record_step() {
  if (recorder != nullptr) recorder->step();
}

// The blocks at these addresses belong to a category (a number of memory::Category). `names`: of
// tensorscope_record_name(), 0 for none.
TENSORSCOPE_API void tensorscope_record_owners(const std::uint64_t* addresses,
                                               const std::uint32_t* names, std::int64_t count,
                                               int category) {
  if (recorder == nullptr || category < 0 || category >= ts::memory::kCategoryCount) return;
  for (std::int64_t i = 0; i < count; ++i) {
    recorder->owner(reinterpret_cast<const void*>(addresses[i]),
                    static_cast<ts::memory::Category>(category), names[i]);
  }
}

// Tells whose the gradients of parameters are, which are named by Tensor._cdata, 0 for one that is
// gone. found: a number of Gradient for each.
TENSORSCOPE_API void tensorscope_record_gradients(const std::uint64_t* parameters,
                                                  const std::uint32_t* names, std::int64_t count,
                                                  int on_cuda, std::uint8_t* found) {
  using ts::kernels::Gradient;
  if (recorder == nullptr) return;
  for (std::int64_t i = 0; i < count; ++i) {
    const Gradient one = parameters[i] != 0 ? ts::kernels::record_gradient(*recorder, parameters[i],
                                                                           names[i], on_cuda != 0)
                                            : Gradient::none;
    found[i] = static_cast<std::uint8_t>(one);
  }
}

// A part of a model that no optimizer changes (run::ScriptNotes). inside: names, one a line.
TENSORSCOPE_API void tensorscope_record_idle_part(const char* module, const char* inside,
                                                  int gradients) {
  if (recorder == nullptr) return;
  recorder->notes.idle_parts.push_back({module, lines_of(inside), gradients != 0});
}

// Earlier steps whose loss still had its graph at the end of a step; the largest number counts.
TENSORSCOPE_API void tensorscope_record_kept_graphs(std::int64_t count) {
  if (recorder == nullptr) return;
  recorder->notes.kept_graphs = std::max(recorder->notes.kept_graphs, count);
}

// verdict: a number of run::Verdict. error, place: "ValueError", "train.py:12" of a script that
// failed. numbers: steps, those recorded, peak bytes, bytes of the file, lost records, those that
// only the window lost, the step at whose end the window was gone (-1: it stayed). Gives a sentence
// if no file was written.
TENSORSCOPE_API const char* tensorscope_record_finish(const char* path, int verdict,
                                                      const char* error, const char* place,
                                                      std::int64_t* numbers) {
  if (recorder == nullptr) return say("No recording goes on");
  const std::unique_ptr<ProcessRecorder> ending = std::move(recorder);
  using ts::run::Verdict;
  std::optional<ts::run::Failure> failure;
  if (verdict == static_cast<int>(Verdict::cancelled)) {
    failure.emplace(ts::text::message("engine.cancelled"), Verdict::cancelled);
  } else if (verdict != static_cast<int>(Verdict::ok)) {
    failure.emplace(ts::text::message("script_error.raised", {{"error", error}, {"place", place}}),
                    verdict == static_cast<int>(Verdict::oom) ? Verdict::oom : Verdict::failed);
  }
  const auto summary = ending->finish(path, std::move(failure));
  remarks.clear();
  for (const ts::base::Message& one : ending->remarks) remarks += one.sentence + '\n';
  if (!summary) return say(summary.error().sentence);
  numbers[0] = summary->steps;
  numbers[1] = summary->recorded;
  numbers[2] = summary->peak_bytes;
  numbers[3] = summary->file_bytes;
  numbers[4] = static_cast<std::int64_t>(summary->lost);
  numbers[5] = static_cast<std::int64_t>(summary->lost_live);
  numbers[6] = summary->window_gone;
  return nullptr;
}

TENSORSCOPE_API void tensorscope_record_abandon() {
  if (recorder == nullptr) return;
  recorder->leave_in_child();
  static_cast<void>(recorder.release());  // what was recorded is leaked
}

// "1.5 GiB"
TENSORSCOPE_API const char* tensorscope_record_bytes(std::int64_t bytes) {
  return say(ts::text::bytes(bytes).joined());
}
