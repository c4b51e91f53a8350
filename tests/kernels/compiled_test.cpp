// Steps that Inductor compiled: they compute what the eager ones do, keep no more for the backward,
// and what stands in the way has its sentence. What needs Python is skipped where there is none.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/sub.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "core/run/workload_math.h"
#include "kernels/compiled/package.h"
#include "kernels/compiled/package_maker.h"
#include "kernels/compiled/package_request.h"
#include "kernels/compiled/package_store.h"
#include "kernels/dry_run/dry_runner.h"
#include "kernels/precision.h"
#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

namespace fs = std::filesystem;
using run::Pass;
using run::WorkloadKind;

run::WorkloadSpec compiled(run::WorkloadSpec spec) {
  spec.compile = run::Compile::inductor;
  return spec;
}

PackageRequest request_of(const run::WorkloadSpec& spec) {
  Builder builder(at::kMeta, scalar_type(spec.dtype), spec.seed);
  const auto workload = find_workload(spec.workload)->make(builder, spec);
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

  static std::string failure_of(const run::WorkloadSpec& spec,
                                const base::CancelToken& cancel = {}) {
    const auto made = engine().compile(spec, kPlenty, cancel);
    return made ? std::string() : made.error().sentence;
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

  fs::path folder_;
};

TEST_F(CompiledSteps, are_told_apart_by_all_that_shapes_them) {
  const run::WorkloadSpec spec = small_spec(WorkloadKind::lm);
  const std::string key = request_of(spec).key;
  const auto changed = [&](auto change) {
    run::WorkloadSpec other = spec;
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
  EXPECT_NE(changed([](auto& s) { s.dtype = run::DataType::bf16; }), key);
  EXPECT_NE(changed([](auto& s) { s.autocast = run::Autocast::bf16; }), key);
  EXPECT_NE(changed([](auto& s) { s.tied = true; }), key);
  EXPECT_NE(changed([](auto& s) { s.causal = false; }), key);
  EXPECT_NE(changed([](auto& s) { s.backend = run::AttentionBackend::flash; }), key);
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
  run::DryRunOptions options;
  options.rules = run::DeviceKind::cpu;
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
  const PackageRequest request = request_of(spec);
  fs::create_directories(package_path(request).parent_path());
  std::ofstream(package_path(request)) << "no package";
  EXPECT_FALSE(engine().prepare(spec, kPlenty, nullptr, {}));
}

TEST_F(CompiledSteps, stop_being_made_when_cancelled) {
  if (const std::string reason = why_no_compiler(); !reason.empty()) GTEST_SKIP() << reason;
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

Trained train(const run::WorkloadSpec& spec) {
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
  if (const std::string reason = why_no_compiler(); !reason.empty()) GTEST_SKIP() << reason;
  run::WorkloadSpec eager = small_spec(WorkloadKind::lm, Pass::full_step);
  eager.layers = 1;
  eager.accumulate = 2;
  eager.learning_rate = 0.01;
  const run::WorkloadSpec spec = compiled(eager);
  ASSERT_EQ(failure_of(spec), "");
  EXPECT_EQ(files().size(), 2U) << "the package and its time";
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
  run::WorkloadSpec other = spec;
  other.seed = 9;
  setenv("TENSORSCOPE_PYTHON", "false", 1);
  EXPECT_EQ(failure_of(other), "");
}

TEST_F(CompiledSteps, give_the_output_of_a_forward_alone) {
  if (const std::string reason = why_no_compiler(); !reason.empty()) GTEST_SKIP() << reason;
  const run::WorkloadSpec eager = small_spec(WorkloadKind::weighted_sum, Pass::forward);
  ASSERT_EQ(failure_of(compiled(eager)), "");
  const auto output = [](const run::WorkloadSpec& spec) {
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
