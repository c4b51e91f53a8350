#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/own_file/own_process.h"
#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/base/string_table.h"
#include "core/predict/dry_run.h"
#include "core/predict/prediction.h"
#include "core/run/protocol.h"
#include "core/run/run.h"

// A Python file of the user's own as a workload: `def build(B, T, device, ...): return step`; or a
// config.json of transformers, whose model transformers makes (python/tensorscope/_config.py). Its
// code runs in a process of the user's Python (python/tensorscope/_own_file.py), which may do
// anything: hang, end, be killed. What it answers is read here. All functions wait for that
// process; one at a time asks an OwnProcess.
namespace ts::app {

struct OwnFile {
  std::filesystem::path path;  // absolute
  std::string function = "build";
  // The config.json of a model of transformers; the function has that name.
  [[nodiscard]] bool is_config() const { return path.extension() == ".json"; }
};
// The file of "FILE.py" or "FILE.py:FUNCTION", of which is not asked whether it is there; of
// "FILE.json:transformers" for the config of a model, and of "FILE.json" where our language model
// cannot express that. Nothing for a text of another form.
std::optional<OwnFile> own_file_of(const std::string& text);

struct OwnArgument {
  enum class Kind : std::uint8_t { whole, real, truth, choice, words };
  std::string name;
  Kind kind = Kind::whole;
  std::string value;                 // the default
  std::vector<std::string> choices;  // of a choice
  std::optional<double> low, high;   // of a number, where the file names them
  std::int64_t step = 1;             // of a whole one, from low on
};

struct OwnDescription {
  std::vector<OwnArgument> arguments;
  bool others = false;  // the function takes further arguments of any name
  std::string about;    // the first line of its own description
  std::string torch;    // the version in that Python
};

using OwnSettings = std::map<std::string, std::string>;  // argument -> value, as text

struct OwnQuestion {
  OwnFile file;
  OwnSettings settings;
  std::filesystem::path python;
  std::chrono::seconds limit{600};  // a process that takes longer is ended
};

struct OwnRecording {
  std::shared_ptr<run::Run> run;
  std::shared_ptr<base::StringTable> strings;  // of the run
  std::string content;                         // the recording as a file
};

struct OwnDryRun {
  predict::DryRun run;
  std::shared_ptr<base::StringTable> strings;
  std::string content;  // the recording as a file
  // Why it is that of a run on the CPU and not of one without data; empty: it is one without.
  base::Message on_cpu;
  // Where torch.compile was called, which does nothing in a prediction; empty: nowhere.
  base::Message compiled;
};

struct OwnExport {
  std::string about;   // the module and its inputs
  base::Message kept;  // of checkpoints that the file has not; empty: there were none
};

// The arguments of the function. Runs the file, but not the function.
base::Result<OwnDescription> describe_own(OwnProcess& process, const OwnQuestion& question,
                                          const base::CancelToken& cancel);
// Set-up and so many steps on the CPU, recorded. Never from the cache.
base::Result<OwnRecording> record_own(OwnProcess& process, const OwnQuestion& question, int steps,
                                      const base::CancelToken& cancel);
// Set-up and two steps without data, by the rules of the target's device; where the code cannot run
// without data, on the CPU, or an error.
enum class OnCpu : std::uint8_t { where_needed, never };
base::Result<OwnDryRun> dry_run_own(OwnProcess& process, const OwnQuestion& question,
                                    const predict::PredictionTarget& target,
                                    const base::CancelToken& cancel,
                                    OnCpu on_cpu = OnCpu::where_needed);
// Times of plain steps on the CPU, without recording: of one setting, or of two by turns in one
// process (A B B A). total_ns is all that is known of a step. As many as `sides`. Never from the
// cache.
struct OwnTimes {
  std::vector<run::StepTimes> warmup;
  std::vector<run::StepTimes> timed;
  bool settled = false;  // the warm-up did
};
base::Result<std::vector<OwnTimes>> time_own(OwnProcess& process, const OwnQuestion& question,
                                             const std::vector<OwnSettings>& sides,
                                             const run::Protocol& protocol,
                                             const base::CancelToken& cancel);
// Writes the module that the step calls first as torch.export has it.
base::Result<OwnExport> export_own(OwnProcess& process, const OwnQuestion& question,
                                   const std::filesystem::path& out,
                                   const base::CancelToken& cancel);

}  // namespace ts::app
