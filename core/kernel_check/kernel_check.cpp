#include "core/kernel_check/kernel_check.h"

#include <array>
#include <chrono>
#include <csignal>
#include <regex>
#include <string_view>

#include "core/base/environment.h"
#include "core/io/child_process.h"
#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/kernel_check/kept_executor.h"
#include "core/kernel_check/wrong_source.h"
#include "core/text/message.h"

#define TENSORSCOPE_EXECUTOR_FILES(EACH)                 \
  EACH(accesses, "accesses.cpp")                         \
  EACH(check_attention, "check_attention.cpp")           \
  EACH(cuda_device_on_cpu, "cuda_device_on_cpu.h")       \
  EACH(cuda_functions_on_cpu, "cuda_functions_on_cpu.h") \
  EACH(cuda_groups_on_cpu, "cuda_groups_on_cpu.h")       \
  EACH(cuda_on_cpu, "cuda_on_cpu.h")                     \
  EACH(cuda_runtime_on_cpu, "cuda_runtime_on_cpu.h")     \
  EACH(entry_points, "entry_points.h")                   \
  EACH(executor_source, "executor.cpp")                  \
  EACH(executor_header, "executor.h")                    \
  EACH(one_process, "one_process.h")                     \
  EACH(state, "state.h")                                 \
  EACH(time_attention, "time_attention.cpp")

#define TENSORSCOPE_DECLARE(symbol, name)                      \
  extern "C" const char tensorscope_asset_executor_##symbol[]; \
  extern "C" const char tensorscope_asset_executor_##symbol##_end[];
TENSORSCOPE_EXECUTOR_FILES(TENSORSCOPE_DECLARE)
#undef TENSORSCOPE_DECLARE

namespace ts::kernel_check {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

struct ExecutorFile {
  const char* name;
  const char *begin, *end;
};
#define TENSORSCOPE_ROW(symbol, name) \
  {name, tensorscope_asset_executor_##symbol, tensorscope_asset_executor_##symbol##_end},
constexpr std::array kExecutorFiles =
    std::to_array<ExecutorFile>({TENSORSCOPE_EXECUTOR_FILES(TENSORSCOPE_ROW)});
#undef TENSORSCOPE_ROW

constexpr const char* kTimer = "time";  // the program that times a kernel, in its folder
constexpr int kTimedOut = 124;          // as of timeout(1)
constexpr int kAborted = 128 + SIGABRT;
constexpr int kWroteTooMuch = 128 + SIGXFSZ;
constexpr std::chrono::seconds kLongestRun{60};

base::Result<void> write_sources(const fs::path& folder, const std::string& source) {
  const fs::path executor = folder / "kernels/executor";
  std::error_code failed;
  fs::create_directories(executor, failed);
  for (const ExecutorFile& file : kExecutorFiles) {
    if (auto written = io::write_file(
            executor / file.name, {file.begin, static_cast<std::size_t>(file.end - file.begin)});
        !written) {
      return written;
    }
  }
  // Headers of CUDA that such files include. Half types are in none of them: a file that has them
  // is refused where it names them.
  fs::create_directories(folder / "cooperative_groups", failed);
  const auto stands_for = [&](const char* name, const char* ours) {
    return io::write_file(folder / name,
                          std::string("#include \"kernels/executor/") + ours + "\"\n");
  };
  for (const char* name :
       {"cuda_runtime.h", "cuda_runtime_api.h", "cuda.h", "cuda_pipeline.h", "math_constants.h",
        "device_launch_parameters.h", "cuda_fp16.h", "cuda_bf16.h"}) {
    TS_TRY_DONE(stands_for(name, "cuda_runtime_on_cpu.h"));
  }
  for (const char* name : {"cooperative_groups.h", "cooperative_groups/reduce.h"})
    TS_TRY_DONE(stands_for(name, "cuda_groups_on_cpu.h"));
  return io::write_file(folder / "kernel.cpp", source);
}

// The file's name, without letters that end a string of C++.
std::string shown_name(const fs::path& file) {
  std::string name = file.filename().string();
  std::erase_if(name,
                [](char letter) { return letter == '"' || letter == '\\' || letter == '\n'; });
  return name;
}

std::string compiler() {
  const std::string named = base::environment_variable("CXX");
  return named.empty() ? "c++" : named;
}

// A kernel's file, and the folder where it is compiled.
struct Source {
  fs::path file;
  std::string text;
  fs::path folder;
};

base::Result<void> compile_source(const Source& source, std::vector<std::string> words,
                                  const base::CancelToken& cancel) {
  words.insert(words.begin(), {compiler(), "-std=c++20", "-w", "-I", source.folder.string()});
  const io::ChildCommand command{.words = std::move(words), .log = source.folder / "log"};
  TS_TRY(const auto code, io::run_child(command, cancel));
  if (code == 0) return {};
  TS_TRY(const auto log, io::read_file(command.log));
  return tl::unexpected(why_not_compiled(shown_name(source.file), source.text, log));
}

// All that a program says; empty where there is no such program, or it fails.
std::string output_of(std::vector<std::string> words, const fs::path& folder,
                      const base::CancelToken& cancel) {
  const io::ChildCommand command{.words = std::move(words), .log = folder / "output"};
  const auto code = io::run_child(command, cancel);
  return code && *code == 0 ? io::read_file(command.log).value_or("") : "";
}

fs::path kept_executor_of(const fs::path& folder, const base::CancelToken& cancel) {
  const std::string version = output_of({compiler(), "--version"}, folder, cancel);
  if (version.empty()) return {};
  std::string sources;
  for (const ExecutorFile& file : kExecutorFiles) sources.append(file.begin, file.end);
  return kept_executor(sources, version);
}

// Links the kernel's object with the executor, which is compiled unless it was kept. One that was
// kept may be damaged: it is compiled again if the program cannot be linked with it.
base::Result<void> link_check(const Source& kernel, const std::string& object,
                              const std::string& program, const base::CancelToken& cancel) {
  const auto linked = [&](const fs::path& executor) {
    // -rdynamic: with names for kernels.
    return compile_source(kernel, {"-rdynamic", executor.string(), object, "-o", program}, cancel);
  };
  const fs::path kept = kept_executor_of(kernel.folder, cancel);
  std::error_code error;
  if (!kept.empty() && fs::is_regular_file(kept, error) && linked(kept)) return {};
  const std::string sources = (kernel.folder / "kernels/executor").string();
  const fs::path made = kernel.folder / "executor.o";
  TS_TRY_DONE(compile_source(
      kernel,
      {"-O1", "-r", "-nostdlib", sources + "/accesses.cpp", sources + "/executor.cpp",
       sources + "/check_attention.cpp", "-o", made.string()},
      cancel));
  keep_executor(made, kept);
  return linked(made);
}

// For the executor: a function a line, after its bytes.
base::Result<void> write_static_shared(const fs::path& file, const StaticShared& shared) {
  std::string lines;
  for (const auto& [function, bytes] : shared)
    lines += std::to_string(bytes) + " " + function + "\n";
  return io::write_file(file, lines);
}

std::string number(const Json& result, const char* key) {
  return std::to_string(result.value(key, std::int64_t{0}));
}

std::string block(const Json& result, const char* key) {
  const auto index = result.value(key, std::vector<int>{0, 0, 0});
  return "(" + std::to_string(index.at(0)) + ", " + std::to_string(index.at(1)) + ", " +
         std::to_string(index.at(2)) + ")";
}

// "heads 2, T 64, d_head 64", for the end of a sentence.
base::Message sizes_of(const Json& result) {
  const std::vector<base::Argument> arguments = {{"heads", number(result, "heads")},
                                                 {"length", number(result, "length")},
                                                 {"width", number(result, "d_head")},
                                                 {"scores", number(result, "scores")}};
  if (result.value("scores", 0) != 0)
    return text::message(result.value("causal", false) ? "kernel_check.sizes_causal_scores"
                                                       : "kernel_check.sizes_scores",
                         arguments);
  return result.value("causal", false) ? text::message("kernel_check.sizes_causal", arguments)
                                       : text::message("kernel_check.sizes", arguments);
}

base::Message wrong_value(const Json& result) {
  const std::string got = result.value("got", "");
  std::vector<base::Argument> arguments = {{"tensor", result.value("tensor", "")},
                                           {"head", number(result, "head")},
                                           {"row", number(result, "row")},
                                           {"column", number(result, "column")},
                                           {"got", got},
                                           {"expected", result.value("expected", "")},
                                           {"thread", number(result, "thread")},
                                           {"block", block(result, "block")},
                                           text::argument("sizes", sizes_of(result))};
  const std::string mistake = result.value("mistake", "");
  if (!mistake.empty()) {
    arguments.push_back(
        text::argument("mistake", text::message("kernel_check.mistake." + mistake)));
    return text::message("kernel_check.wrong_as_if", arguments);
  }
  if (got == "nan" && result.value("thread", -1) < 0) {
    return text::message("kernel_check.not_computed", arguments);
  }
  return text::message(
      result.value("thread", -1) < 0 ? "kernel_check.wrong" : "kernel_check.wrong_by", arguments);
}

std::string access_key(const std::string& outcome, const Json& result) {
  const bool write = result.value("write", false);
  if (result.value("thread", -1) < 0) {  // by plain C++
    if (outcome == "outside") return write ? "cpp_outside_write" : "cpp_outside_read";
    if (outcome == "read_only") return "cpp_read_only";
  }
  if (outcome == "outside") {
    const std::string side = write ? "outside_write" : "outside_read";
    return result.value("memory", "") == "shared memory" ? side + "_shared" : side;
  }
  if (outcome == "nowhere") return write ? "nowhere_write" : "nowhere_read";
  if (outcome == "host") return write ? "host_write" : "host_read";
  if (outcome == "race" && result.value("other_block", Json()) != result.value("block", Json())) {
    return "race_blocks";
  }
  return outcome;
}

base::Message access_message(const std::string& outcome, const Json& result) {
  const auto in_bytes = [&](const char* key) {
    return std::to_string(result.value(key, std::int64_t{0}) *
                          result.value("unit", std::int64_t{1}));
  };
  return text::message("kernel_check." + access_key(outcome, result),
                       {{"memory", result.value("memory", "")},
                        {"index", number(result, "index")},
                        {"byte", in_bytes("index")},
                        {"bytes", in_bytes("elements")},
                        {"elements", number(result, "elements")},
                        {"thread", number(result, "thread")},
                        {"other", number(result, "other")},
                        {"block", block(result, "block")},
                        {"other_block", block(result, "other_block")},
                        text::argument("sizes", sizes_of(result))});
}

// CUDA C++ as a C++ compiler reads it with cuda_on_cpu.h: KERNEL<<<A, B>>>(C) becomes
// Launch(KERNEL, A, B)(C), and `extern __shared__ T X[];` becomes DYNAMIC_SHARED(T, X);. Lines stay
// where they are.
std::string as_cpp(const std::string& text) {
  // Arguments of a template may have arguments themselves.
  static const std::regex launch(R"(([A-Za-z_][\w:]*(?:<(?:[^<>;(){}]|<[^<>;(){}]*>)*>)?)\s*<<<)");
  static const std::regex launched(R"(>>>(\s*)\()");
  static const std::regex shared(
      R"(extern\s+(?:__align__\s*\([^)]*\)\s*)?__shared__\s+(?:__align__\s*\([^)]*\)\s*)?((?:unsigned\s+)?[\w:]+)\s+(\w+)\s*\[\s*\]\s*;)");
  // Where CUDA has __shared__ this has a word after which C++ takes no alignas.
  static const std::regex aligned(R"((__shared__\s+)alignas\b)");
  const std::string source = std::regex_replace(text, aligned, "$1__align__");
  const std::string lines = std::regex_replace(source, launch, "Launch($1, ");
  const std::string calls = std::regex_replace(lines, launched, ")$1(");
  // Not as a macro: the standard library has the word in attributes.
  static const std::regex apart(R"((^|[^\w(])__noinline__\b)");
  const std::string words = std::regex_replace(calls, apart, "$1[[gnu::noinline]]");
  return std::regex_replace(words, shared, "DYNAMIC_SHARED($1, $2);");
}

bool has_kernels(const std::string& source) {
  return source.find("__global__") != std::string::npos;
}

// Lines are those of the file.
std::string with_its_name(const fs::path& file, const std::string& source) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const std::size_t begin = source.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  return "#line 1 \"" + shown_name(file) + "\"\n" + source.substr(begin);
}

// Runs a program of the folder with limits. What it wrote into result.json, and how it ended.
base::Result<std::pair<Json, int>> run_limited(const fs::path& here, const std::string& program,
                                               const std::vector<std::string>& arguments,
                                               const base::CancelToken& cancel) {
  const fs::path result = here / "result.json";
  io::ChildCommand run{
      .words = {"sh", "-c", "ulimit -v 4194304; ulimit -f 2048; ulimit -c 0; exec \"$0\" \"$@\"",
                program, result.string()},
      .log = here / "log",
      .limit = kLongestRun};
  run.words.insert(run.words.end(), arguments.begin(), arguments.end());
  const auto ended = io::run_child(run, cancel);
  if (!ended && ended.error().key != "file_error.no_end") return tl::unexpected(ended.error());
  const int code = ended.value_or(kTimedOut);
  const auto text = io::read_file(result);
  if (!text) return text::fail("kernel_check.no_result");
  const auto parsed = io::parse_json(text->substr(0, text->find('\n') + 1));
  if (!parsed || !parsed->is_object()) return text::fail("kernel_check.no_result");
  return std::pair{*parsed, code};
}

}  // namespace

base::Result<KernelVerdict> check_attention(const fs::path& file, int d_head,
                                            const base::CancelToken& cancel) {
  TS_TRY(const auto source, io::read_file(file));
  TS_TRY(auto folder, io::PrivateFolder::make(fs::temp_directory_path(), "tensorscope-kernel-"));
  const fs::path& here = folder.path();
  const bool cuda = has_kernels(source);
  TS_TRY_DONE(write_sources(here, with_its_name(file, cuda ? as_cpp(source) : source)));
  const std::string object = (here / "kernel.o").string(), program = (here / "check").string();
  std::vector<std::string> words = {"-O1",
                                    "-include",
                                    (here / "kernels/executor/entry_points.h").string(),
                                    "-c",
                                    (here / "kernel.cpp").string(),
                                    "-o",
                                    object};
  if (cuda) {
    words.insert(words.begin(), {"-fsanitize=thread", "-include",
                                 (here / "kernels/executor/cuda_runtime_on_cpu.h").string()});
  } else {
    words.emplace_back("-march=native");
  }
  const Source kernel{file, source, here};
  TS_TRY_DONE(compile_source(kernel, std::move(words), cancel));
  // Nothing is known where there is no nm, which comes with the linker.
  const StaticShared shared =
      cuda ? static_shared(output_of({"nm", "-f", "sysv", "-S", "-C", object}, here, cancel))
           : StaticShared();
  if (base::Message wrong = too_much(shared); !wrong.empty())
    return KernelVerdict{false, std::move(wrong), {{"outcome", "static_shared"}}};
  const fs::path fixed = here / "static_shared";
  TS_TRY_DONE(write_static_shared(fixed, shared));
  TS_TRY_DONE(link_check(kernel, object, program, cancel));
  TS_TRY(auto ran, run_limited(here, program, {std::to_string(d_head), fixed.string()}, cancel));
  ran.first["cuda"] = cuda;
  KernelVerdict verdict = verdict_of(ran.first, ran.second);
  if (verdict.result.value("outcome", "") == "ended" && ran.second == kAborted) {
    verdict.message = text::message(
        "kernel_check.ended_saying",
        {text::argument("ended", verdict.message), {"said", io::last_line(here / "log")}});
  }
  // The backward of the executor is weak: one with other arguments does not replace it.
  base::Message other = other_arguments_message(shown_name(file), source, kBackward);
  if (verdict.passed && !verdict.result.value("backward", false) && !other.empty()) {
    verdict.passed = false;
    verdict.message =
        text::message("kernel_check.other_backward", {text::argument("reason", other)});
  }
  return verdict;
}

base::Result<TimedKernel> TimedKernel::compile(const fs::path& file,
                                               const base::CancelToken& cancel) {
  TS_TRY(const auto source, io::read_file(file));
  if (has_kernels(source)) return text::fail("kernel_check.not_timed");
  TS_TRY(auto folder, io::PrivateFolder::make(fs::temp_directory_path(), "tensorscope-kernel-"));
  const fs::path& here = folder.path();
  TS_TRY_DONE(write_sources(here, with_its_name(file, source)));
  const std::string executor = (here / "kernels/executor").string();
  TS_TRY_DONE(compile_source({file, source, here},
                             {"-O3", "-march=native", "-include", executor + "/entry_points.h",
                              (here / "kernel.cpp").string(), executor + "/time_attention.cpp",
                              "-o", (here / kTimer).string()},
                             cancel));
  return TimedKernel(std::move(folder));
}

base::Result<KernelTime> TimedKernel::time(int heads, int length, int d_head,
                                           const base::CancelToken& cancel) const {
  TS_TRY(
      const auto ran,
      run_limited(folder_.path(), (folder_.path() / kTimer).string(),
                  {std::to_string(heads), std::to_string(length), std::to_string(d_head)}, cancel));
  const double seconds = ran.first.value("median_s", 0.0);
  if (seconds <= 0) return text::fail("kernel_check.no_result");
  KernelTime time{.seconds = seconds, .calls = ran.first.value("calls", std::int64_t{0})};
  if (ran.first.contains("backward_median_s"))
    time.backward_seconds = ran.first["backward_median_s"].get<double>();
  return time;
}

KernelVerdict verdict_of(const Json& result, int code) {
  const std::string outcome = result.value("outcome", "");
  if (outcome == "ok") {
    const bool backward = result.value("backward", false);
    const std::string key = result.value("cuda", true) ? "passed" : "passed_cpp";
    return {true,
            text::message("kernel_check." + key + (backward ? "_backward" : ""),
                          {{"count", number(result, "cases")}}),
            result};
  }
  if (outcome == "wrong") return {false, wrong_value(result), result};
  if (outcome == "ended" && code == kTimedOut) {
    return {false,
            text::message("kernel_check.too_long", {text::argument("sizes", sizes_of(result))}),
            result};
  }
  if (outcome == "ended" && code == kWroteTooMuch) {
    return {false,
            text::message("kernel_check.wrote_much", {text::argument("sizes", sizes_of(result))}),
            result};
  }
  if (outcome == "ended") {
    return {false,
            text::message("kernel_check.ended", {{"code", std::to_string(code)},
                                                 text::argument("sizes", sizes_of(result))}),
            result};
  }
  return {false, access_message(outcome, result), result};
}

}  // namespace ts::kernel_check
