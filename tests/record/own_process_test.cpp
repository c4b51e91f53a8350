// A Python file of the user's own, asked by one process of Python that is kept: what wrong files
// and arguments get as a sentence, whose answers are kept, and what becomes of a question that
// hangs.
#include "app/own_file/own_process.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "app/own_file/own_cache.h"
#include "app/own_file/own_file.h"
#include "app/own_file/own_python.h"
#include "app/own_file/own_session.h"
#include "tests/io/temporary_folder.h"

namespace ts::app::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

std::string step_of(const std::string& code) {
  return "def build(B, T, device):\n  import torch\n  def step():\n    " + code +
         "\n  return step\n";
}

class OwnProcessTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    ::setenv("TENSORSCOPE_PYTHON", TENSORSCOPE_TORCH_PYTHON, 1);
    const auto found = examine_python(own_python(), {});
    usable_ = found && found->find("torch 2.11") != std::string::npos;
  }
  void SetUp() override {
    if (!usable_) GTEST_SKIP() << "there is no Python with torch 2.11";
    ::setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
    ::setenv("XDG_CONFIG_HOME", (folder_ / "config").c_str(), 1);
  }

  OwnQuestion question_of(const std::string& text,
                          std::map<std::string, std::string> settings = {}) {
    io::testing::put(folder_ / "own.py", text);
    OwnQuestion question;
    question.file.path = folder_ / "own.py";
    question.settings = std::move(settings);
    question.python = own_python();
    return question;
  }
  std::string sentence_of(const OwnQuestion& question) {
    const auto answer = record_own(process(), question, 1, cancel_);
    return answer ? "it ran" : answer.error().sentence;
  }
  std::string predicted_sentence_of(const OwnQuestion& question) {
    const auto answer = dry_run_own(process(), question, predict::PredictionTarget(), cancel_);
    return answer ? "it ran" : answer.error().sentence;
  }
  // The number that a file has written, and 0 before that.
  [[nodiscard]] pid_t number_in(const char* name) const {
    pid_t number = 0;
    std::ifstream(folder_ / name) >> number;
    return number;
  }
  [[nodiscard]] std::string hanging() const {
    return step_of("import os, time; open('" + (folder_ / "begun").string() +
                   "', 'w').write(f'{os.getpid()} {os.getppid()}\\n'); time.sleep(1000)");
  }
  // One for all tests.
  static OwnProcess& process() {
    static OwnProcess* const kept = new OwnProcess;  // ends with this program
    return *kept;
  }

  io::testing::TemporaryFolder folder_;
  const base::CancelToken cancel_;
  static inline bool usable_ = false;
};

TEST_F(OwnProcessTest, WrongFilesGetASentence) {
  const std::pair<std::string, const char*> wrongs[] = {
      {"x = 1\n", "own.py has no function build"},
      {"build = 3\n", "is no function: int"},
      {"def build(B, T, device)\n  pass\n", "own.py:1 is no valid Python"},
      {"import nothing_of_that_name\n",
       "ModuleNotFoundError: No module named 'nothing_of_that_name', at own.py:1"},
      {"def build(B, T, device, x: list):\n  pass\n", "Argument x at own.py:1 has the type list"},
      {"def build(B, T, device):\n  def step():\n    yield\n  return step\n",
       "The step at own.py:2 returned a generator, so nothing in it ran"},
      {"def build(B, T, device):\n  async def step():\n    pass\n  return step\n",
       "The step at own.py:2 returned a coroutine"},
      {"def build(B, T, device):\n  async def step():\n    yield\n  return step\n",
       "The step at own.py:2 returned a async_generator"},
      {"def build(B, T, device):\n  async def step():\n    pass\n  return lambda: step()\n",
       "The step at own.py:2 returned a coroutine"},
      {"def build(B, T, device, x):\n  pass\n", "neither a type nor a default"},
      {"def build(B: 'nothing', T, device):\n  pass\n", "NameError"},
      {"def build(B, T, device):\n  return 3\n", "it returned int"},
      {"def build(B, T, device):\n  raise ValueError('no\\nmore')\n",
       "ValueError: no, at own.py:2 in build"},
      {step_of("torch.ones(2, 3) @ torch.ones(2, 3)"), "at own.py:4 in step"},
      {step_of("raise SystemExit(7)"), "sys.exit(7), at own.py:4 in step"},
      {step_of("import os; os._exit(9)"), "ended with code 9"},
      {step_of("import os; print('bye', flush=True); os._exit(1)"), "ended with code 1"},
      {step_of("import os; os.kill(os.getpid(), 9)"), "SIGKILL ended Python"},
      {step_of("import ctypes; ctypes.string_at(0)"),
       "SIGSEGV ended Python while it ran own.py, at own.py:4 in step"},
      {step_of("import os, signal; os.kill(os.getpid(), signal.SIGTERM)"),
       "SIGTERM ended Python while it ran own.py, at own.py:4 in step"}};
  for (const auto& [text, words] : wrongs) {
    const OwnQuestion question = question_of(text);
    EXPECT_THAT(sentence_of(question), HasSubstr(words)) << text;
    EXPECT_THAT(predicted_sentence_of(question), HasSubstr(words)) << text;
  }
}

TEST_F(OwnProcessTest, WrongArgumentsGetASentence) {
  const std::string text =
      "import typing\n"
      "def build(B, T, device, kind: typing.Literal['words', 'pictures'] = 'words',\n"
      "          amp: bool = False, clip: float = 0.0):\n  return lambda: None\n";
  const std::tuple<const char*, const char*, const char*> wrongs[] = {
      {"B", "few", "B is a whole number, not few"},
      {"kind", "music", "kind is one of words, pictures"},
      {"amp", "perhaps", "amp is true or false"},
      {"clip", "x", "clip is a number"},
      {"depth", "2", "has no argument depth; it has B, T, kind"},
      {"device", "cuda", "has no argument device"}};
  for (const auto& [name, value, words] : wrongs)
    EXPECT_THAT(sentence_of(question_of(text, {{name, value}})), HasSubstr(words));
  EXPECT_EQ(sentence_of(question_of(text, {{"amp", "on"}, {"clip", "1e-3"}})), "it ran");
}

TEST_F(OwnProcessTest, NothingIsPredictedWhereNothingIsOnTheDevice) {
  const OwnQuestion question = question_of(step_of("torch.randn(1000, 1000)"));
  EXPECT_EQ(sentence_of(question), "it ran");
  EXPECT_THAT(predicted_sentence_of(question), HasSubstr("makes no tensor on its argument device"));
}

TEST_F(OwnProcessTest, AnAnswerIsKeptForTheseFilesOnly) {
  const std::string ran = (folder_ / "ran").string();
  const OwnQuestion question =
      question_of("import os, other, torch\ndef build(B, T, device):\n  open('" + ran +
                  "', 'a').write('x')\n"
                  "  return lambda: torch.ones(other.SIZE, device=device)\n");
  const auto peak = [&]() -> std::pair<std::int64_t, std::size_t> {
    const auto dry = dry_run_own(process(), question, predict::PredictionTarget(), cancel_);
    if (!dry) return {0, 0};
    return {dry->run.log.peak_bytes(), io::testing::content_of(ran).size()};
  };
  io::testing::put(folder_ / "other.py", "SIZE = 256\n");
  EXPECT_EQ(peak(), std::pair(std::int64_t{1024}, std::size_t{1}));
  EXPECT_EQ(peak(), std::pair(std::int64_t{1024}, std::size_t{1}));
  io::testing::put(folder_ / "other.py", "SIZE = 4096\n");
  EXPECT_EQ(peak(), std::pair(std::int64_t{16384}, std::size_t{2}));
}

// A file has no descriptor of the talk between the program and its Python.
TEST_F(OwnProcessTest, AFileCannotAnswerForPython) {
  EXPECT_EQ(sentence_of(question_of("import os, stat\n"
                                    "def build(B, T, device):\n"
                                    "  for name in os.listdir('/proc/self/fd'):\n"
                                    "    try: mode = os.fstat(int(name)).st_mode\n"
                                    "    except OSError: continue\n"
                                    "    if stat.S_ISSOCK(mode): raise ValueError('a socket')\n"
                                    "  return lambda: None\n")),
            "it ran");
}

TEST_F(OwnProcessTest, FilesOfOneProcessDoNotMeet) {
  const std::string text =
      "import builtins, torch\nseen = getattr(builtins, 'seen', 0)\nbuiltins.seen = 1\n"
      "torch.set_default_dtype(torch.float64)\n"
      "def build(B, T, device):\n  if seen: raise ValueError('another one was here')\n"
      "  return lambda: None\n";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(sentence_of(question_of(text)), "it ran");
}

TEST_F(OwnProcessTest, AQuestionThatHangsIsEndedAndTheNextIsAnswered) {
  OwnQuestion question = question_of(hanging());
  question.limit = 3s;
  EXPECT_EQ(sentence_of(question_of("def build(B, T, device):\n  return lambda: None\n")),
            "it ran");
  question = question_of(hanging());
  question.limit = 3s;
  EXPECT_THAT(sentence_of(question), HasSubstr("did not end within 3 s"));
  const pid_t hung = number_in("begun");
  ASSERT_GT(hung, 1);
  EXPECT_NE(::kill(hung, 0), 0);
  EXPECT_TRUE(process().waits());
  EXPECT_EQ(sentence_of(question_of("def build(B, T, device):\n  return lambda: None\n")),
            "it ran");
}

TEST_F(OwnProcessTest, AFileThatPrintsWithoutEndIsEnded) {
  EXPECT_THAT(sentence_of(question_of(step_of("while True: print('x' * 1000000)"))),
              HasSubstr("recording of own.py grew beyond 128 MiB"));
  // Nor is an answer read that is too large, of a file that has ended.
  EXPECT_THAT(sentence_of(question_of(step_of("print('x' * (1 << 28), flush=True)"))),
              HasSubstr("grew beyond 128 MiB"));
  EXPECT_EQ(sentence_of(question_of(step_of("print('x' * 1000000)"))), "it ran");
}

TEST_F(OwnProcessTest, KeptAnswersHaveABound) {
  const std::string recording(std::size_t{48} << 20, 'x');
  constexpr int kAnswers = 7;
  for (int i = 0; i < kAnswers; ++i) keep_answer({{"number", i}}, {"{}", recording});
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "cache"))
    if (entry.is_regular_file()) bytes += entry.file_size();
  EXPECT_EQ(bytes, 5 * (recording.size() + 2));  // 256 MiB have room for so many
}

TEST_F(OwnProcessTest, ALoopWithoutEndSaysWhereItWas) {
  OwnSession session;
  session.predict(question_of("def turn():\n  while True: pass\n"
                              "def build(B, T, device):\n  open('" +
                              (folder_ / "begun").string() + "', 'w').write('1')\n  turn()\n"),
                  predict::PredictionTarget());
  while (session.busy() && number_in("begun") == 0) std::this_thread::sleep_for(10ms);
  session.cancel();
  while (session.busy()) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(session.state().problem.sentence,
            "Cancelled while own.py ran, at own.py:2 in turn < own.py:5 in build");
}

TEST_F(OwnProcessTest, ACancelledQuestionEndsWhatItStarted) {
  const OwnQuestion question = question_of(
      "import signal, subprocess\n"
      "def build(B, T, device):\n  signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
      "  open('" +
      (folder_ / "begun").string() +
      "', 'w').write(f\"{subprocess.Popen(['sleep', '1000']).pid}\\n\")\n"
      "  while True: pass\n");
  std::thread stop([this] {
    while (number_in("begun") == 0) std::this_thread::sleep_for(10ms);
    cancel_.cancel();
  });
  EXPECT_EQ(sentence_of(question), "Cancelled");  // its own handler leaves no lines
  stop.join();
  // Nobody waits for it any more but the first process, which does so at its leisure.
  const std::string state = "/proc/" + std::to_string(number_in("begun")) + "/stat";
  for (int i = 0; i < 3000; ++i) {
    const std::string text = io::testing::content_of(state);
    if (text.empty() || text.find(") Z ") != std::string::npos) return;
    std::this_thread::sleep_for(10ms);
  }
  FAIL() << "sleep goes on";
}

TEST_F(OwnProcessTest, AProcessThatIsKilledStartsAgain) {
  const OwnQuestion question =
      question_of(step_of("import os; os.kill(os.getppid(), 9); os.kill(os.getpid(), 9)"));
  EXPECT_THAT(sentence_of(question), HasSubstr("SIGKILL ended Python"));
  EXPECT_FALSE(process().waits());
  EXPECT_EQ(sentence_of(question_of("def build(B, T, device):\n  return lambda: None\n")),
            "it ran");
  EXPECT_TRUE(process().waits());
}

TEST_F(OwnProcessTest, ARememberedPythonThatIsGoneIsNotTaken) {
  const std::string named = own_python().string();
  ::unsetenv("TENSORSCOPE_PYTHON");
  EXPECT_TRUE(remember_python(named));
  EXPECT_EQ(own_python(), named);
  EXPECT_TRUE(remember_python("python3.11"));
  EXPECT_EQ(own_python(), "python3.11") << "is searched in PATH";
  EXPECT_TRUE(remember_python("/no/python"));
  EXPECT_EQ(own_python(), TENSORSCOPE_TORCH_PYTHON);
  ::setenv("TENSORSCOPE_PYTHON", named.c_str(), 1);
}

TEST_F(OwnProcessTest, APythonThatDoesNotStartIsNamed) {
  OwnQuestion question = question_of("def build(B, T, device):\n  return lambda: None\n");
  question.python = "/no/python";
  OwnProcess other;
  auto answer = record_own(other, question, 1, cancel_);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().sentence, HasSubstr("No such file"));
  question.python = "/bin/false";
  answer = record_own(other, question, 1, cancel_);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().sentence, HasSubstr("/bin/false cannot be used"));
}

}  // namespace
}  // namespace ts::app::testing
