// Small recordings with the stacks, lifetimes and proportions of published ones, whose categories
// follow from the architecture: a model of kLayers layers, a table of words and a head.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/allocator/log_of_snapshot.h"

namespace ts::allocator {
namespace {

using memory::Category;
using Bytes = std::map<std::string, std::int64_t>;

constexpr std::int64_t kWorkspace = 8'519'680;
constexpr std::int64_t kLayers = 6, kWidth = 512, kWords = 1000, kTokens = 96;
constexpr std::int64_t kMatrix = kWidth * kWidth * 4, kWide = 4 * kMatrix,
                       kTable = kWords * kWidth * 4;
constexpr std::int64_t kNorm = kWidth * 4;
constexpr std::int64_t kHidden = kTokens * kWidth * 4, kLogits = kTokens * kWords * 4;
// Two matrices, two wide ones and two norms a layer; table, head and the last norm.
constexpr std::int64_t kParameters =
    kLayers * (2 * kMatrix + 2 * kWide + 2 * kNorm) + 2 * kTable + kNorm;

std::vector<std::int64_t> sizes_of_parameters() {
  std::vector<std::int64_t> sizes{kTable, kTable, kNorm};
  for (std::int64_t layer = 0; layer < kLayers; ++layer)
    sizes.insert(sizes.end(), {kMatrix, kMatrix, kWide, kWide, kNorm, kNorm});
  return sizes;
}

class Recording {
 public:
  Recording() {
    snapshot_.notes.add({});
    snapshot_.device_traces.resize(1);
    snapshot_.segments.resize(1);
  }

  // A stack, innermost first, of "function file" for each line.
  StackIndex stack(const std::vector<std::pair<const char*, const char*>>& lines) {
    std::vector<FrameIndex> frames;
    for (const auto& [function, file] : lines) {
      Frame frame;
      frame.name = snapshot_.strings->intern(function);
      frame.filename = snapshot_.strings->intern(file);
      frame.line = 7;
      frames.push_back(snapshot_.stacks.add_frame(frame));
    }
    return snapshot_.stacks.add_stack(frames);
  }
  std::uint64_t alloc(std::int64_t size, StackIndex stack) {
    add(TraceAction::alloc, next_ += kStep, size, stack);
    live_[next_] = {size, stack};
    return next_;
  }
  void free(std::uint64_t address) {
    add(TraceAction::free_completed, address, live_.at(address).first, memory::kNone);
    live_.erase(address);
  }
  void temporary(std::int64_t size, StackIndex stack) { free(alloc(size, stack)); }
  std::uint64_t before(std::int64_t size, StackIndex stack = memory::kNone) {
    live_[next_ += kStep] = {size, stack};
    return next_;
  }
  void parameters_before() {
    for (const std::int64_t size : sizes_of_parameters()) before(size);
  }

  // The guess, with bytes by category: alive at the end, or at the peak.
  SnapshotLog read() {
    SnapshotSegment& segment = snapshot_.segments[0];
    segment.total_size = std::int64_t{1} << 50;
    for (const auto& [address, block] : live_) {
      const auto& [size, made] = block;
      segment.blocks.push_back({address, size, size, made, BlockState::active_allocated});
    }
    return log_of_snapshot(snapshot_, 0);
  }
  Bytes at_end() {
    const SnapshotLog guess = read();
    return bytes(guess, static_cast<memory::EventIndex>(guess.log.events().size() - 1));
  }
  static Bytes bytes(const SnapshotLog& guess, memory::EventIndex event) {
    Bytes sums;
    const memory::CategoryBytes all = guess.log.by_category_after(event);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i] > 0) sums[std::string(memory::kCategoryNames[i])] = all[i];
    }
    return sums;
  }

 private:
  static constexpr std::uint64_t kStep = 1 << 28;
  void add(TraceAction action, std::uint64_t address, std::int64_t size, StackIndex stack) {
    TraceEntry entry;
    entry.action = action;
    entry.address = address;
    entry.size = size;
    entry.stack = stack;
    entry.time_us = ++time_;
    snapshot_.device_traces[0].push_back(entry);
  }

  Snapshot snapshot_;
  std::map<std::uint64_t, std::pair<std::int64_t, StackIndex>> live_;
  std::uint64_t next_ = 0;
  std::int64_t time_ = 0;
};

// A recording whose lines are those of a script that calls a model.
struct Script : Recording {
  std::pair<const char*, const char*> call{"_call_impl", "/lib/torch/nn/modules/module.py"};
  std::pair<const char*, const char*> main{"<module>", "/data/train.py"};
  StackIndex embedding = stack({{"forward", "/data/words.py"}, call, main});
  StackIndex layer = stack({{"forward", "/data/model.py"}, call, main});
  StackIndex head = stack({{"forward", "/data/head.py"}, call, main});
  StackIndex product =
      stack({{"at::cuda::getNewWorkspace()", "??"}, {"forward", "/data/model.py"}, call, main});
  StackIndex script = stack({main});
  StackIndex engine = stack({{"torch::autograd::Engine::thread_main(...)", "??"}});
  StackIndex optimizer =
      stack({{"step", "/data/optimizers.py"}, {"wrapper", "/lib/torch/optim/optimizer.py"}, main});

  // A forward that keeps its graph; what it keeps.
  std::vector<std::uint64_t> forward() {
    std::vector<std::uint64_t> kept{alloc(kHidden, embedding)};
    for (std::int64_t i = 0; i < kLayers; ++i) {
      temporary(4 * kHidden, layer);
      kept.push_back(alloc(4 * kHidden, layer));
      kept.push_back(alloc(kHidden, layer));
    }
    kept.push_back(alloc(kLogits, head));
    return kept;
  }
  // Without a graph: one layer's output is freed by the next.
  void inference() {
    std::uint64_t last = alloc(kHidden, embedding);
    for (std::int64_t i = 0; i < kLayers; ++i) {
      temporary(4 * kHidden, layer);
      const std::uint64_t next = alloc(kHidden, layer);
      free(last);
      last = next;
    }
    const std::uint64_t logits = alloc(kLogits, head);
    free(last);
    free(logits);
  }
};
constexpr std::int64_t kActivations = kHidden + kLayers * 5 * kHidden + kLogits;

// Outputs of the forward that something still holds are no parameters, and gradients of adapters
// are no optimizer state: no optimizer ran.
TEST(ForeignPatterns, OutputsHeldThroughTheOnlyBackwardAreActivations) {
  constexpr std::int64_t kAdapter = 16 * kWidth * 4;
  Script script;
  script.parameters_before();
  for (int i = 0; i < 2 * kLayers; ++i) script.before(kAdapter);
  script.before(kWorkspace);
  const std::vector<std::uint64_t> kept = script.forward();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    script.temporary(kHidden, script.engine);
    if (i % 2 == 1) script.free(kept[kept.size() - 1 - i]);
  }
  for (int i = 0; i < 2 * kLayers; ++i) script.alloc(kAdapter, script.engine);
  script.alloc(4 * kHidden, script.engine);  // a gradient as large as what the forward holds
  script.temporary(512, script.engine);
  // The logits and the wide output of each layer stay.
  EXPECT_EQ(script.at_end(), (Bytes{{"parameter", kParameters + 2 * kLayers * kAdapter},
                                    {"activation", kLogits + 4 * kLayers * kHidden},
                                    {"gradient", 2 * kLayers * kAdapter + 4 * kHidden},
                                    {"temporary", kWorkspace}}));
}

TEST(ForeignPatterns, AForwardAloneHasParametersAndActivations) {
  Script script;
  script.parameters_before();
  script.alloc(2 * kWorkspace, script.product);
  script.forward();
  EXPECT_EQ(script.at_end(), (Bytes{{"parameter", kParameters},
                                    {"activation", kActivations},
                                    {"temporary", 2 * kWorkspace}}));
}

TEST(ForeignPatterns, InferenceHasParametersAndTemporaries) {
  Script script;
  script.parameters_before();
  for (int i = 0; i < 3; ++i) script.inference();
  const SnapshotLog guess = script.read();
  EXPECT_EQ(guess.guessed_share, 1.0);
  EXPECT_EQ(Recording::bytes(guess, guess.log.peak_event()),
            (Bytes{{"parameter", kParameters}, {"temporary", 5 * kHidden}}));
}

// The graph of a pass is freed when the next one has run.
TEST(ForeignPatterns, PassesWithAGraphHaveActivations) {
  Script script;
  script.parameters_before();
  std::vector<std::uint64_t> held;
  for (int i = 0; i < 3; ++i) {
    const std::vector<std::uint64_t> kept = script.forward();
    for (const std::uint64_t address : held) script.free(address);
    held = kept;
  }
  const SnapshotLog guess = script.read();
  EXPECT_EQ(Recording::bytes(guess, guess.log.peak_event()),
            (Bytes{{"parameter", kParameters}, {"activation", 2 * kActivations}}));
}

TEST(ForeignPatterns, AModelThatTheRecordingMadeHasParametersAndAnInput) {
  Script script;
  const StackIndex moved = script.stack({{"convert", "/lib/torch/nn/modules/module.py"},
                                         {"_apply", "/lib/torch/nn/modules/module.py"},
                                         script.main});
  for (const std::int64_t size : sizes_of_parameters()) script.alloc(size, moved);
  script.alloc(kTokens * 8, script.script);
  script.inference();
  EXPECT_EQ(script.at_end(), (Bytes{{"parameter", kParameters}, {"input", kTokens * 8}}));
}

// Two moments beside each parameter from before a forward: nothing tells which is which.
TEST(ForeignPatterns, ThreeOfEachSizeBeforeAForwardAreUnknown) {
  Script script;
  for (int i = 0; i < 3; ++i) script.parameters_before();
  script.forward();
  EXPECT_EQ(script.at_end(), (Bytes{{"unknown", 3 * kParameters}, {"activation", kActivations}}));
}

// An optimizer that makes its moments anew in each step; those before the recording are freed.
void full_step(Script& script, const std::vector<std::uint64_t>& moments) {
  const std::vector<std::uint64_t> kept = script.forward();
  script.alloc(4, script.script);  // the loss
  script.alloc(kWorkspace, script.engine);
  for (std::size_t i = kept.size() - 1; i-- > 0;) script.free(kept[i]);
  for (const std::int64_t size : sizes_of_parameters()) script.alloc(size, script.engine);
  script.temporary(512, script.engine);
  std::size_t old = 0;
  for (const std::int64_t size : sizes_of_parameters()) {
    for (int moment = 0; moment < 2; ++moment) {
      script.alloc(size, script.optimizer);
      if (old < moments.size()) script.free(moments[old++]);
    }
    script.temporary(size, script.optimizer);
  }
}

TEST(ForeignPatterns, AFullStepIsPartedToTheByte) {
  for (const bool had_state : {false, true}) {
    Script script;
    script.parameters_before();
    script.before(kWorkspace);
    std::vector<std::uint64_t> moments;
    for (const std::int64_t size : sizes_of_parameters()) {
      for (int i = 0; had_state && i < 2; ++i) moments.push_back(script.before(size));
    }
    full_step(script, moments);
    const SnapshotLog guess = script.read();
    EXPECT_EQ(
        Recording::bytes(guess, static_cast<memory::EventIndex>(guess.log.events().size() - 1)),
        (Bytes{{"parameter", kParameters},
               {"gradient", kParameters},
               {"optimizer_state", 2 * kParameters},
               {"activation", kLogits + 4},
               {"temporary", 2 * kWorkspace}}));
    EXPECT_EQ(guess.guessed_share, 1.0) << "the state that is replaced, too";
  }
}

// Stacks of Python alone: a backward has none, but where it calls an operator written in Python.
TEST(ForeignPatterns, ABackwardWithSomeLinesOfPythonIsOneBackward) {
  Script script;
  const StackIndex own = script.stack({{"backward", "/data/product.py"}});
  script.parameters_before();
  const std::vector<std::uint64_t> kept = script.forward();
  for (std::size_t i = kept.size(); i-- > 0;) {
    script.temporary(kHidden, memory::kNone);
    script.temporary(kHidden, own);
    script.free(kept[i]);
  }
  for (const std::int64_t size : sizes_of_parameters()) script.alloc(size, memory::kNone);
  EXPECT_EQ(script.at_end(), (Bytes{{"parameter", kParameters}, {"gradient", kParameters}}));
}

// A fused optimizer allocates nothing in its later steps: no stack tells of it.
TEST(ForeignPatterns, StateOfAnOptimizerOnNoStackIsFoundByItsCounts) {
  for (const std::int64_t wide : {1, 2}) {
    Script script;
    script.parameters_before();
    for (const std::int64_t size : sizes_of_parameters()) {
      for (int i = 0; i < 2; ++i) script.before(wide * size);
    }
    const std::vector<std::uint64_t> kept = script.forward();
    for (std::size_t i = kept.size(); i-- > 0;) script.free(kept[i]);
    for (const std::int64_t size : sizes_of_parameters()) script.alloc(size, script.engine);
    EXPECT_EQ(script.at_end(), (Bytes{{"parameter", kParameters},
                                      {"gradient", kParameters},
                                      {"optimizer_state", 2 * wide * kParameters}}))
        << wide;
  }
}

}  // namespace
}  // namespace ts::allocator
