// Scripts that are recorded with --live, in the window that is open: real ones, in PyTorch's
// Python.
#include <fcntl.h>
#include <imgui_internal.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/io/child_process.h"
#include "tests/gui/driven_window.h"

namespace ts::app::testing {
namespace {

using State = live::Incoming::State;

constexpr const char* kBeginning = R"(
import os, sys, time
import torch
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.Linear(64, 8))
optimizer = torch.optim.AdamW(model.parameters())
def step():
    optimizer.zero_grad()
    model(torch.randn(4, 32)).square().mean().backward()
    optimizer.step()
def wait(name):
    while not os.path.exists(name): time.sleep(0.005)
)";

// `python -m tensorscope` with the package in that folder: this Python sets its own PYTHONPATH.
constexpr const char* kStart =
    "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); "
    "runpy.run_module('tensorscope', run_name='__main__', alter_sys=True)";

// A command that is a Python which has imported torch already (tests/record/ready_python.py).
class ReadyPython {
 public:
  explicit ReadyPython(const std::filesystem::path& folder) : command_(folder / "ready_python") {
    constexpr const char* kReady = R"(
import os, sys
sys.path.insert(0, sys.argv[1])
from ready_python import ReadyPython
ready, path = ReadyPython(), sys.argv[2]
with open(path + ".made", "w") as file:
    file.write(f"#!/bin/sh\nPYTHONPATH={os.environ.get('PYTHONPATH', '')} exec {ready.python} \"$@\"\n")
os.chmod(path + ".made", 0o755)
os.rename(path + ".made", path)
sys.stdin.read()
ready.end()
)";
    const auto code = folder / "ready.py";
    std::ofstream(code) << kReady;
    const std::string words = TENSORSCOPE_TORCH_PYTHON " -B " + code.string() +
                              " " TENSORSCOPE_RECORD_TESTS " " + command_.string();
    waits_ = ::popen(words.c_str(), "we");
    EXPECT_NE(waits_, nullptr);
    // Only against hanging where that Python cannot start.
    for (int looks = 0; looks < 6000 && !std::filesystem::exists(command_); ++looks)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_TRUE(std::filesystem::exists(command_));
  }
  // It ends with its input.
  ~ReadyPython() {
    if (waits_ != nullptr) ::pclose(waits_);
  }
  ReadyPython(const ReadyPython&) = delete;
  ReadyPython& operator=(const ReadyPython&) = delete;
  [[nodiscard]] std::string command() const { return command_.string(); }

 private:
  std::filesystem::path command_;
  std::FILE* waits_ = nullptr;
};

// A script in a process of its own, which is to end with this code (see ended()).
class Script {
 public:
  Script(const std::filesystem::path& folder, const char* name, const std::string& text,
         const std::string& python, int code = 0)
      : out_(folder / (std::string(name) + ".recording")),
        said_(folder / (std::string(name) + ".err")),
        code_(code) {
    const auto file = folder / (std::string(name) + ".py");
    std::ofstream(file) << kBeginning << text;
    const io::SpawnArguments words({python, "-c", kStart, TENSORSCOPE_PACKAGE, "record", "--live",
                                    "--out", out_.string(), file.string()});
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, said_.c_str(),
                                       O_WRONLY | O_CREAT | O_TRUNC, 0600);
    // A test that was started in the background ignores SIGINT, and so would the script.
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t interrupt;
    ::sigemptyset(&interrupt);
    ::sigaddset(&interrupt, SIGINT);
    ::posix_spawnattr_setsigdefault(&attributes, &interrupt);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    EXPECT_EQ(
        ::posix_spawnp(&process_, words.data()[0], &actions, &attributes, words.data(), environ),
        0);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    all_.push_back(this);
  }
  ~Script() {
    std::erase(all_, this);
    if (process_ > 0) ::kill(process_, SIGKILL);
    static_cast<void>(ended());
  }
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;

  void kill(int number) const { ::kill(process_, number); }
  // The exit code, or 128 and the signal.
  int ended() {
    int status = 0;
    if (process_ > 0) ::waitpid(std::exchange(process_, 0), &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  [[nodiscard]] const std::filesystem::path& out() const { return out_; }

  // The script's words that will never come to the window, or its wrong end; empty: none.
  static std::string problem() {
    for (const Script* one : all_) {
      const std::string said = one->said();
      const bool alone = said.find("there is no open window") != std::string::npos;
      if (alone || one->broke_off()) return one->out_.stem().string() + " does not go on:\n" + said;
    }
    return {};
  }

 private:
  [[nodiscard]] std::string said() const {
    std::ifstream file(said_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // It ended with another code. Leaves the end to ended().
  [[nodiscard]] bool broke_off() const {
    siginfo_t end{};
    const bool asked = process_ > 0 && ::waitid(P_PID, static_cast<id_t>(process_), &end,
                                                WEXITED | WNOHANG | WNOWAIT) == 0;
    if (!asked || end.si_pid == 0) return false;
    return code_ != (end.si_code == CLD_EXITED ? end.si_status : 128 + end.si_status);
  }

  static inline std::vector<const Script*> all_;

  std::filesystem::path out_;
  std::filesystem::path said_;
  int code_;
  pid_t process_ = 0;
};

class LiveInTheWindow : public DrivenWindow {
 protected:
  void SetUp() override {
    DrivenWindow::SetUp();
    if (!has_torch()) GTEST_SKIP() << "there is no Python with torch 2.11";
  }
  void TearDown() override {
    while (!session().files().entries().empty()) session().files().close(0);
  }
  static void TearDownTestSuite() {
    ready_.reset();
    DrivenWindow::TearDownTestSuite();
  }

  static std::string python() {
    if (ready_ == nullptr) ready_ = std::make_unique<ReadyPython>(folder());
    return ready_->command();
  }
  static std::string path(const char* name) { return (folder() / name).string(); }
  static void tell(const char* name) { std::ofstream(path(name)) << "go"; }
  static std::string waits(const char* name) { return "wait('" + path(name) + "')\n"; }

  static const OpenedFiles::Entry* entry(std::size_t index) {
    const auto& all = session().files().entries();
    return index < all.size() ? &all[index] : nullptr;
  }
  // Steps that the window has of the script; they do not go away.
  static std::size_t steps(std::size_t index) {
    const OpenedFiles::Entry* const one = entry(index);
    if (one == nullptr || one->opened == nullptr) return 0;
    return one->opened->trace->run.recorded_steps.size();
  }
  static bool whole(std::size_t index) {
    const OpenedFiles::Entry* const one = entry(index);
    return one != nullptr && one->opened != nullptr && !one->opened->devices.empty();
  }
  // The words of a script that broke off before the condition held; empty: it holds. Only CTest's
  // limit ends what hangs.
  static std::string broken_off_before(ImGuiTestContext* context,
                                       const std::function<bool()>& condition) {
    std::string problem;
    const bool known = until(context, 600, [&] {
      if (condition()) return true;
      problem = Script::problem();
      return !problem.empty();
    });
    return known ? problem : "it takes too long";
  }
  static bool until_it_is(ImGuiTestContext* context, const std::function<bool()>& condition) {
    const std::string problem = broken_off_before(context, condition);
    if (!problem.empty()) ADD_FAILURE() << problem;
    return problem.empty();
  }

 private:
  static inline std::unique_ptr<ReadyPython> ready_;
};

// So that these tests do not wait for what cannot come.
TEST_F(LiveInTheWindow, AScriptThatFailsIsToldWithItsLastWords) {
  const Script script(folder(), "fails", "raise ValueError('no more')\n", python());
  drive([&](ImGuiTestContext* context) {
    const std::string problem = broken_off_before(context, [] { return steps(0) > 0; });
    IM_CHECK_NE(problem.find("ValueError: no more"), std::string::npos);
  });
}

TEST_F(LiveInTheWindow, ATabGrowsWhileTheScriptRunsAndStaysAsItsFile) {
  Script script(
      folder(), "grows",
      "for _ in range(3): step()\n" + waits("more") + "for _ in range(4): step()\n" + waits("end"),
      python());
  drive([&](ImGuiTestContext* context) {
    IM_CHECK(until_it_is(context, [] { return steps(0) == 3; }));
    IM_CHECK(entry(0)->grows());
    const run::Run& run = entry(0)->opened->trace->run;
    IM_CHECK(session().files().current() == entry(0));
    const std::uint64_t slices = run.trace.slice_count();
    const std::size_t events = run.memory.events().size();
    IM_CHECK_GT(slices, 0U);
    IM_CHECK_GT(events, 0U);
    context->Yield(2);
    // The newest step is in sight, not all of them.
    IM_CHECK_EQ(state().view.visible.begin, run.recorded_steps.back().begin_ns);
    tell("more");
    IM_CHECK(until_it_is(context, [] { return steps(0) == 7; }));
    IM_CHECK(entry(0)->grows());
    IM_CHECK_GT(run.trace.slice_count(), slices);
    IM_CHECK_GT(run.memory.events().size(), events);
    context->Yield(2);
    IM_CHECK_EQ(state().view.visible.begin, run.recorded_steps.back().begin_ns);
    // Who looks elsewhere is left there.
    const base::TimeRange chosen{run.recorded_steps[0].begin_ns, run.recorded_steps[1].begin_ns};
    state().view.visible = chosen;
    context->Yield(3);
    IM_CHECK(state().view.visible == chosen);
    tell("end");
    IM_CHECK(until_it_is(context, [] { return whole(0); }));
    IM_CHECK_EQ(script.ended(), 0);
    IM_CHECK(entry(0)->live == nullptr);
    IM_CHECK(entry(0)->path == script.out());
    IM_CHECK_EQ(entry(0)->opened->trace->about.bytes, std::filesystem::file_size(script.out()));
    IM_CHECK(run.verdict == run::Verdict::ok);
    const auto read = files::open_file(script.out());
    IM_CHECK(read.has_value());
    IM_CHECK_EQ((*read)->trace->run.trace.slice_count(), run.trace.slice_count());
    IM_CHECK_EQ((*read)->trace->run.memory.events().size(), run.memory.events().size());
    context->Yield(3);
  });
}

TEST_F(LiveInTheWindow, AKilledScriptLeavesItsTabAndSaysSo) {
  Script script(folder(), "killed", "while True: step(); time.sleep(0.01)\n", python(),
                128 + SIGKILL);
  state().page = Page::sweep;
  drive([&](ImGuiTestContext* context) {
    IM_CHECK(until_it_is(context, [] { return steps(0) > 2; }));
    IM_CHECK(state().page == Page::run);
    script.kill(SIGKILL);
    IM_CHECK(until_it_is(context, [] { return whole(0); }));
    IM_CHECK(entry(0)->live->state() == State::cut);
    IM_CHECK_GT(steps(0), 2U);
    IM_CHECK_STR_EQ(entry(0)->opened->trace->run.failure.key.c_str(), "live.cut");
    context->Yield(3);
  });
  EXPECT_FALSE(std::filesystem::exists(script.out()));
}

TEST_F(LiveInTheWindow, ClosingTheTabEndsOnlyTheView) {
  Script script(folder(), "goes_on",
                "step()\n" + waits("closed") + "for _ in range(20): step(); time.sleep(0.01)\n",
                python());
  drive([&](ImGuiTestContext* context) {
    IM_CHECK(until_it_is(context, [] { return steps(0) == 1; }));
    session().files().close(0);
    tell("closed");
    context->Yield(3);
  });
  EXPECT_EQ(script.ended(), 0);
  const auto read = files::open_file(script.out());
  ASSERT_TRUE(read) << read.error().sentence;
  EXPECT_EQ((*read)->trace->run.recorded_steps.size(), 21U);
}

// One that ends by sys.exit and has worker processes and a fork; one that is stopped by Control-C.
TEST_F(LiveInTheWindow, TwoScriptsAtOnceAndHowTheyEnd) {
  Script exits(folder(), "exits", R"(
from torch.utils.data import DataLoader, TensorDataset
if __name__ == "__main__":
    child = os.fork()
    if child == 0:
        step()
        os._exit(0)
    os.waitpid(child, 0)
    for batch, in DataLoader(TensorDataset(torch.ones(64, 32)), batch_size=16, num_workers=2):
        model(batch)
        step()
)" + waits("both") + "sys.exit(3)\n",
               python(), 3);
  // A signal wants the Python itself.
  Script stopped(folder(), "stopped", "while True: step(); time.sleep(0.01)\n",
                 TENSORSCOPE_TORCH_PYTHON, 128 + SIGINT);
  drive([&](ImGuiTestContext* context) {
    const auto named = [](const char* name) -> const OpenedFiles::Entry* {
      for (const OpenedFiles::Entry& one : session().files().entries())
        if (one.path.stem() == name && one.opened != nullptr) return &one;
      return nullptr;
    };
    IM_CHECK(until_it_is(context, [&] {
      const auto* one = named("exits");
      const auto* other = named("stopped");
      return one != nullptr && other != nullptr &&
             one->opened->trace->run.recorded_steps.size() == 4 &&
             other->opened->trace->run.recorded_steps.size() > 1;
    }));
    tell("both");
    stopped.kill(SIGINT);
    IM_CHECK(until_it_is(context, [] { return whole(0) && whole(1); }));
    IM_CHECK_EQ(exits.ended(), 3);
    IM_CHECK_EQ(stopped.ended(), 130);
    IM_CHECK(named("exits")->opened->trace->run.verdict == run::Verdict::failed);
    IM_CHECK_NE(named("exits")->opened->trace->run.failure.sentence.find("SystemExit"),
                std::string::npos);
    IM_CHECK(named("stopped")->opened->trace->run.verdict == run::Verdict::cancelled);
    IM_CHECK(named("exits")->live == nullptr && named("stopped")->live == nullptr);
  });
}

}  // namespace
}  // namespace ts::app::testing
