// Steps that Inductor compiled: they compute what the eager ones do, keep no more for the backward,
// and what stands in the way has its sentence. What needs Python is skipped where there is none.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/sub.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "core/spec/workload_math.h"
#include "kernels/compiled/package.h"
#include "kernels/compiled/package_maker.h"
#include "kernels/compiled/package_request.h"
#include "kernels/compiled/package_store.h"
#include "kernels/device/precision.h"
#include "kernels/engine/dry_runner.h"
#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

namespace fs = std::filesystem;
using spec::Pass;
using spec::WorkloadKind;

spec::WorkloadSpec compiled(spec::WorkloadSpec spec) {
  spec.compile = spec::Compile::inductor;
  return spec;
}

PackageRequest request_of(const spec::WorkloadSpec& spec) {
  Builder builder(at::kMeta, scalar_type(spec.dtype), spec.seed);
  const auto workload = make_workload(builder, spec);
  return make_request(spec, builder);
}

// Packages go into a folder of the test's own, so that each is really made.
class CompiledSteps : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "compiled-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    unsetenv("TENSORSCOPE_PYTHON");
  }
  void TearDown() override {
    unsetenv("TENSORSCOPE_PYTHON");
    fs::remove_all(folder_);
  }

  static std::string failure_of(const spec::WorkloadSpec& spec,
                                const base::CancelToken& cancel = {}) {
    const auto made = engine().compile(spec, kPlenty, cancel);
    return made ? std::string() : made.error().sentence;
  }
  // The folder of a package of which nothing can be loaded, noted as it is.
  static fs::path put_package(const PackageRequest& request) {
    const auto store = package_store();
    EXPECT_TRUE(store) << store.error().sentence;
    fs::path folder = package_folder(*store, request);
    fs::create_directory(folder);
    std::ofstream(package_file(folder)) << "no package";
    EXPECT_TRUE(note_package(folder, 1));
    return folder;
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    const fs::path packages = folder_ / "tensorscope" / "compiled";
    if (!fs::exists(packages)) return names;
    for (const auto& entry : fs::directory_iterator(packages)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

  // Makes a package, waits for the end of the pipe and keeps it. 0, or the number of what went
  // wrong. For a child process: nothing is said.
  static int make_and_keep(const fs::path& store, const PackageRequest& request, int pipe) {
    const auto work = folder_for_making(store);
    if (!work) return 1;
    const fs::path made = work->path() / "package";
    fs::create_directory(made);
    std::ofstream(package_file(made)) << std::string(100'000, 'x') << getpid();
    if (!note_package(made, 1)) return 2;
    char end = 0;
    if (::read(pipe, &end, 1) != 0) return 3;
    if (!keep_package(made, package_folder(store, request))) return 4;
    return check_package(package_folder(store, request)) ? 0 : 5;
  }

  // Whether the process has a lock on a file, or waits for one, as the kernel lists them.
  static bool in_lock_list(pid_t process, bool waits) {
    std::ifstream locks("/proc/locks");
    const std::string number = " " + std::to_string(process) + " ";
    for (std::string line; std::getline(locks, line);) {
      const bool waiting = line.find("->") != std::string::npos;
      const bool flock = line.find("FLOCK") != std::string::npos;
      if (flock && waiting == waits && line.find(number) != std::string::npos) return true;
    }
    return false;
  }

  fs::path folder_;
};

TEST_F(CompiledSteps, are_told_apart_by_all_that_shapes_them) {
  const spec::WorkloadSpec spec = small_spec(WorkloadKind::lm);
  const std::string key = request_of(spec).key;
  const auto changed = [&](auto change) {
    spec::WorkloadSpec other = spec;
    change(other);
    return request_of(other).key;
  };
  EXPECT_EQ(changed([](auto&) {}), key);
  EXPECT_EQ(changed([](auto& s) { s.seed = 5; }), key);
  EXPECT_EQ(changed([](auto& s) { s.pass = Pass::full_step; }), key);
  EXPECT_EQ(changed([](auto& s) { s.accumulate = 3; }), key);
  EXPECT_NE(changed([](auto& s) { s.pass = Pass::forward; }), key);
  EXPECT_NE(changed([](auto& s) { s.batch = 3; }), key);
  EXPECT_NE(changed([](auto& s) { s.vocab = 102; }), key);
  EXPECT_NE(changed([](auto& s) { s.dtype = spec::DataType::bf16; }), key);
  EXPECT_NE(changed([](auto& s) { s.autocast = spec::Autocast::bf16; }), key);
  EXPECT_NE(changed([](auto& s) { s.tied = true; }), key);
  EXPECT_NE(changed([](auto& s) { s.causal = false; }), key);
  EXPECT_NE(changed([](auto& s) { s.backend = spec::AttentionBackend::flash; }), key);
  EXPECT_NE(changed([](auto& s) { s.compile = spec::Compile::max_autotune; }), key);
}

TEST_F(CompiledSteps, say_what_is_missing_for_them) {
  const auto spec = compiled(small_spec(WorkloadKind::mlp));
  setenv("TENSORSCOPE_PYTHON", "/no/such/python", 1);
  EXPECT_EQ(failure_of(spec),
            "Compiling a step needs Python 3.11 with torch 2.11: third_party/setup.sh sets it up "
            "where Python 3.11 is installed, or name one with TENSORSCOPE_PYTHON");
  setenv("TENSORSCOPE_PYTHON", "false", 1);
  EXPECT_EQ(failure_of(spec), "Inductor did not compile this step: it said nothing");
  EXPECT_TRUE(files().empty());
}

TEST_F(CompiledSteps, are_not_predicted) {
  TorchDryRunner runner;
  base::StringTable strings;
  predict::DryRunOptions options;
  options.rules = spec::DeviceKind::cpu;
  const auto dry = runner.dry_run(compiled(small_spec(WorkloadKind::mlp)), options, strings, {});
  ASSERT_FALSE(dry);
  EXPECT_EQ(
      dry.error().sentence,
      "A compiled step is not predicted: Inductor decides what it keeps. Choose compile eager "
      "for the prediction, or run it");
}

TEST_F(CompiledSteps, are_not_run_from_what_is_no_package_of_theirs) {
  const auto spec = compiled(small_spec(WorkloadKind::mlp));
  EXPECT_EQ(engine().prepare(spec, kPlenty, nullptr, {}).error().sentence,
            "This step has not been compiled");
  const fs::path folder = put_package(request_of(spec));
  EXPECT_FALSE(engine().prepare(spec, kPlenty, nullptr, {}));
  std::ofstream(package_file(folder)) << "other content";
  EXPECT_NE(
      engine().prepare(spec, kPlenty, nullptr, {}).error().sentence.find("is not what was written"),
      std::string::npos);
}

TEST_F(CompiledSteps, are_kept_where_nobody_else_can_write) {
  const fs::path folder = put_package(request_of(small_spec(WorkloadKind::mlp)));
  const fs::path store = folder.parent_path();
  const auto mode = [](const fs::path& path) {
    struct stat status {};
    EXPECT_EQ(::lstat(path.c_str(), &status), 0);
    return status.st_mode & 0777U;
  };
  EXPECT_EQ(mode(store), 0700U);
  EXPECT_EQ(folder.filename().string().size(), 64U) << "named by a digest";
  EXPECT_TRUE(check_package(folder));
  const auto refused = [&] {
    const auto checked = check_package(folder);
    return checked ? std::string() : checked.error().sentence;
  };
  for (const fs::path& path : {folder, package_file(folder)}) {
    const auto before = mode(path);
    ASSERT_EQ(::chmod(path.c_str(), before | 0022U), 0);
    EXPECT_NE(refused().find("Other users may write to"), std::string::npos) << refused();
    ASSERT_EQ(::chmod(path.c_str(), before), 0);
  }
  if (::geteuid() == 0) {
    for (const fs::path& path : {folder, package_file(folder)}) {
      ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
      EXPECT_NE(refused().find("belongs to another user"), std::string::npos) << refused();
      ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
    }
  }
  EXPECT_TRUE(check_package(folder));
  // Somebody else's link in place of the package.
  fs::rename(package_file(folder), folder_ / "elsewhere");
  fs::create_symlink(folder_ / "elsewhere", package_file(folder));
  EXPECT_NE(refused().find("is no file"), std::string::npos) << refused();
}

TEST_F(CompiledSteps, are_not_kept_in_a_folder_of_others) {
  const fs::path store = *package_store();
  ASSERT_EQ(::chmod(store.c_str(), 0777), 0);
  EXPECT_NE(package_store().error().sentence.find("Other users may write to"), std::string::npos);
  ASSERT_EQ(::chmod(store.c_str(), 0755), 0);
  EXPECT_TRUE(package_store()) << "that of an earlier version";
  fs::remove(store);
  fs::create_directory(folder_ / "elsewhere");
  fs::create_directory_symlink(folder_ / "elsewhere", store);
  EXPECT_NE(package_store().error().sentence.find("is no folder"), std::string::npos);
}

TEST_F(CompiledSteps, need_a_folder_of_the_user) {
  const std::string home = std::getenv("HOME") != nullptr ? std::getenv("HOME") : "";
  unsetenv("HOME");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(failure_of(compiled(small_spec(WorkloadKind::mlp))),
            "Compiled steps cannot be kept. There is no folder of this user: set HOME, or "
            "XDG_CACHE_HOME, to an absolute path");
  setenv("HOME", home.c_str(), 1);
}

// Two that made the same step at once: both succeed, and what is kept is whole.
TEST_F(CompiledSteps, are_kept_by_whoever_comes_first) {
  const fs::path folder =
      package_folder(*package_store(), request_of(small_spec(WorkloadKind::mlp)));
  const auto made = [&](const char* name, const char* content) {
    fs::create_directory(folder_ / name);
    std::ofstream(package_file(folder_ / name)) << content;
    EXPECT_TRUE(note_package(folder_ / name, 2));
    return folder_ / name;
  };
  const auto kept = [&] {
    std::ifstream file(package_file(folder));
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_TRUE(keep_package(made("one", "first"), folder));
  EXPECT_TRUE(keep_package(made("two", "second"), folder));
  EXPECT_TRUE(check_package(folder));
  EXPECT_EQ(kept(), "first");
  // A package that may not be loaded gives way.
  std::ofstream(package_file(folder)) << "damaged";
  EXPECT_FALSE(check_package(folder));
  EXPECT_TRUE(keep_package(made("three", "third"), folder));
  EXPECT_TRUE(check_package(folder));
  EXPECT_EQ(kept(), "third");
  EXPECT_EQ(files().size(), 1U);
}

// Processes that made the same step keep it at the same moment while a damaged one is there: they
// wait for the one that replaces it, look only then, and leave what they find whole.
TEST_F(CompiledSteps, are_kept_by_processes_at_the_same_time) {
  const fs::path store = *package_store();
  const PackageRequest request = request_of(small_spec(WorkloadKind::mlp));
  const fs::path folder = put_package(request);
  std::ofstream(package_file(folder)) << "damaged";
  ASSERT_FALSE(check_package(folder));
  const int lock = ::open(store.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  if (!in_lock_list(getpid(), false)) GTEST_SKIP() << "/proc/locks does not list this lock";
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::vector<pid_t> processes;
  for (int i = 0; i < 2; ++i) {
    const pid_t process = fork();
    if (process == 0) {
      ::close(ends[1]);
      _exit(make_and_keep(store, request, ends[0]));
    }
    processes.push_back(process);
  }
  ::close(ends[0]);
  ::close(ends[1]);  // now both begin
  for (const pid_t process : processes) {
    int status = 0;
    while (::waitpid(process, &status, WNOHANG) == 0 && !in_lock_list(process, true))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(in_lock_list(process, true)) << "it did not wait, and ended with " << status;
  }
  // The holder of the lock puts a good one in place of the damaged.
  fs::remove_all(folder);
  put_package(request);
  ASSERT_EQ(::flock(lock, LOCK_UN), 0);
  ::close(lock);
  for (const pid_t process : processes) {
    int status = 0;
    ASSERT_EQ(::waitpid(process, &status, 0), process);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  std::ifstream kept(package_file(folder));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(kept), {}), "no package")
      << "nobody looked before it was there";
  EXPECT_TRUE(check_package(folder));
  EXPECT_EQ(files().size(), 1U);
}

// Packages of earlier versions are never loaded; what only looks like them is somebody's.
TEST_F(CompiledSteps, leave_nothing_of_earlier_versions) {
  const fs::path store = *package_store();
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  ASSERT_EQ(::waitpid(gone, nullptr, 0), gone);
  const auto of_process = [](pid_t process) {
    return "1b2c.pt2.new.pt2." + std::to_string(process);
  };
  for (const char* name : {"9fe81c1f0f1a2b3c.pt2", "9fe81c1f0f1a2b3c.pt2.seconds",
                           "1b2c.pt2.new.pt2", "1b2c.pt2.new.pt2.seconds"}) {
    std::ofstream(store / name) << "old";
  }
  fs::create_directories(store / of_process(gone) / "inductor");
  fs::create_directory(store / "making-abcdef");
  fs::last_write_time(store / "making-abcdef",
                      fs::file_time_type::clock::now() - std::chrono::hours(48));
  const std::vector<std::string> stay = {"mine.pt2", "1b2c.pt2.txt", of_process(getppid()),
                                         "making-ghijkl", "making-of"};
  std::ofstream(store / stay[0]) << "mine";
  std::ofstream(store / stay[1]) << "mine";
  for (std::size_t i = 2; i < stay.size(); ++i) fs::create_directory(store / stay[i]);
  fs::last_write_time(store / "making-of",
                      fs::file_time_type::clock::now() - std::chrono::hours(48));
  const fs::path folder = put_package(request_of(small_spec(WorkloadKind::mlp)));
  EXPECT_TRUE(check_package(folder));
  std::vector<std::string> expected = stay;
  expected.push_back(folder.filename().string());
  EXPECT_THAT(files(), testing::UnorderedElementsAreArray(expected));
}

// Neither the current folder nor variables of Python decide what is imported.
TEST_F(CompiledSteps, are_made_by_an_isolated_python) {
  const fs::path python = folder_ / "python";
  std::ofstream(python) << "#!/bin/sh\necho \"$1 $PYTHONSAFEPATH $PYTHONNOUSERSITE\"; exit 1\n";
  fs::permissions(python, fs::perms::owner_all);
  setenv("TENSORSCOPE_PYTHON", python.c_str(), 1);
  EXPECT_EQ(failure_of(compiled(small_spec(WorkloadKind::mlp))),
            "Inductor did not compile this step: -I 1 1");
}

TEST_F(CompiledSteps, stop_being_made_when_cancelled) {
  if (const std::string reason = why_no_compiler().sentence; !reason.empty())
    GTEST_SKIP() << reason;
  const base::CancelToken cancel;
  cancel.cancel();
  const auto begin = std::chrono::steady_clock::now();
  const auto made = engine().compile(compiled(small_spec(WorkloadKind::mlp)), kPlenty, cancel);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().verdict, run::Verdict::cancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_TRUE(files().empty());
}

// Losses of five training steps, and what one forward keeps.
struct Trained {
  std::vector<double> losses;
  std::int64_t peak = 0;
  bool has_kernel = false;
  bool has_node = false;
  double compile_s = 0;
};

Trained train(const spec::WorkloadSpec& spec) {
  Recorded recorded;
  const auto execution = engine().prepare(spec, kPlenty, nullptr, {});
  EXPECT_TRUE(execution) << execution.error().sentence;
  Trained out;
  if (!execution) return out;
  for (int step = 0; step < 5; ++step) {
    const auto times = (*execution)->step(step == 4 ? &recorded.recorder : nullptr, step);
    EXPECT_TRUE(times) << times.error().sentence;
    if (times) out.losses.push_back(times->loss);
  }
  recorded.drain();
  out.peak = (*execution)->memory().peak;
  out.compile_s = (*execution)->facts().compile_s;
  for (const capture::RawRecord& op : recorded.of_kind(capture::RawKind::op)) {
    const std::string name = recorded.text(op.name);
    out.has_node |= name == "CompiledStep";
    out.has_kernel |= name.find("cpp_fused") != std::string::npos;
  }
  return out;
}

// Every layer there is; two micro-batches, so that rows of the tokens are given. Making it compares
// loss and gradients with the eager step's.
TEST_F(CompiledSteps, train_a_language_model_as_the_eager_ones_do) {
  if (const std::string reason = why_no_compiler().sentence; !reason.empty())
    GTEST_SKIP() << reason;
  spec::WorkloadSpec eager = small_spec(WorkloadKind::lm, Pass::full_step);
  eager.layers = 1;
  eager.accumulate = 2;
  eager.learning_rate = 0.01;
  const spec::WorkloadSpec spec = compiled(eager);
  ASSERT_EQ(failure_of(spec), "");
  EXPECT_EQ(files().size(), 1U) << "the folder of the package";
  const Trained expected = train(eager);
  const Trained found = train(spec);
  ASSERT_EQ(found.losses.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(found.losses[i], expected.losses[i], 1e-3);
  EXPECT_LT(found.losses.back(), found.losses.front());
  EXPECT_LE(found.peak, expected.peak);
  EXPECT_TRUE(found.has_kernel);
  EXPECT_TRUE(found.has_node);
  EXPECT_GT(found.compile_s, 0);
  EXPECT_EQ(expected.compile_s, 0);
  EXPECT_FALSE(expected.has_kernel);

  // Found again at once, also under another seed.
  spec::WorkloadSpec other = spec;
  other.seed = 9;
  setenv("TENSORSCOPE_PYTHON", "false", 1);
  EXPECT_EQ(failure_of(other), "");
}

TEST_F(CompiledSteps, give_the_output_of_a_forward_alone) {
  if (const std::string reason = why_no_compiler().sentence; !reason.empty())
    GTEST_SKIP() << reason;
  const spec::WorkloadSpec eager = small_spec(WorkloadKind::weighted_sum, Pass::forward);
  ASSERT_EQ(failure_of(compiled(eager)), "");
  const auto output = [](const spec::WorkloadSpec& spec) {
    auto execution = engine().prepare_execution(spec, kPlenty, nullptr, {});
    EXPECT_TRUE(execution);
    const at::NoGradGuard no_grad;
    return (*execution)->workload().forward().clone();
  };
  const at::Tensor difference = at::sub(output(eager), output(compiled(eager)));
  EXPECT_LT(difference.abs().max().item<float>(), 1e-5F);
}

}  // namespace
}  // namespace ts::kernels
