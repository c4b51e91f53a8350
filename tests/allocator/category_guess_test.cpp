#include "core/allocator/category_guess.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/allocator/log_of_snapshot.h"
#include "core/allocator/snapshot_of_log.h"
#include "tests/allocator/share_right.h"

namespace ts::allocator {
namespace {

using memory::Action;
using memory::Category;

// Steps of a model with so many layers, whose categories are known.
class Training {
 public:
  explicit Training(std::uint32_t seed, int layers = 24) : random_(seed), layers_(layers) {}

  memory::AllocationLog steps(int count) {
    for (int layer = 0; layer < layers_; ++layer) {
      for (const std::int64_t size : {4096 * 1024, 1024 * 4096 * 3, 6 * 4096})
        parameters_.push_back({alloc(size, base::Phase::setup, Category::parameter), size});
    }
    for (int step = 0; step < count; ++step) one_step(step);
    return std::move(log_);
  }

 private:
  struct Piece {
    std::uint64_t address = 0;
    std::int64_t size = 0;
  };
  std::uint64_t alloc(std::int64_t size, base::Phase phase, Category category) {
    memory::Record record;
    record.time_ns = time_ += 1000;
    record.address = next_ += 1 << 28;
    record.size = size;
    record.phase = phase;
    record.step = step_;
    record.graph_kept = true;
    log_.append(record);
    record.action = Action::owner;
    record.category = category;
    log_.append(record);
    return next_;
  }
  void free(std::uint64_t address) {
    memory::Record record;
    record.time_ns = time_ += 1000;
    record.address = address;
    record.action = Action::free_completed;
    log_.append(record);
  }
  void temporary(base::Phase phase) {
    free(
        alloc(512 * static_cast<std::int64_t>(1 + random_() % 20'000), phase, Category::temporary));
  }
  void one_step(int step) {
    step_ = step;
    std::vector<std::uint64_t> kept;
    const std::uint64_t tokens = alloc(64 * 1024, base::Phase::forward, Category::input);
    for (int layer = 0; layer < layers_; ++layer) {
      for (int i = 0; i < 4; ++i) {
        temporary(base::Phase::forward);
        kept.push_back(alloc(20'000'000 + 512 * i, base::Phase::forward, Category::activation));
      }
    }
    std::vector<std::uint64_t> gradients;
    for (std::size_t i = kept.size(); i-- > 0;) {
      temporary(base::Phase::backward);
      free(kept[i]);
      if (i % 4 != 0) continue;
      for (std::size_t k = 0; k < 3; ++k)
        gradients.push_back(
            alloc(parameters_[i / 4 * 3 + k].size, base::Phase::backward, Category::gradient));
    }
    for (const Piece& parameter : parameters_) {
      temporary(base::Phase::optimizer);
      if (step > 0) continue;
      alloc(parameter.size, base::Phase::optimizer, Category::optimizer_state);
      alloc(parameter.size, base::Phase::optimizer, Category::optimizer_state);
    }
    for (const std::uint64_t gradient : gradients) free(gradient);
    free(tokens);
  }

  std::mt19937 random_;
  int layers_;
  memory::AllocationLog log_;
  std::vector<Piece> parameters_;
  std::int64_t time_ = 0;
  std::uint64_t next_ = 0;
  std::int32_t step_ = 0;
};

enum class Stacks { none, python };

// The log as a file of somebody else has it.
SnapshotLog foreign(const memory::AllocationLog& log, Stacks stacks) {
  const base::StringTable strings;
  Snapshot snapshot = snapshot_of(log, strings);
  EXPECT_FALSE(log_of_snapshot(snapshot, 0).guessed_share) << "this file tells the categories";
  const auto line = [&](const char* name, const char* file) {
    Frame frame;
    frame.name = snapshot.strings->intern(name);
    frame.filename = snapshot.strings->intern(file);
    frame.line = 12;
    const FrameIndex index = snapshot.stacks.add_frame(frame);
    return snapshot.stacks.add_stack(std::span(&index, 1));
  };
  const StackIndex made = line("__init__", "/usr/lib/torch/nn/modules/linear.py");
  const StackIndex batch = line("next_batch", "project/train.py");
  const std::array<FrameIndex, 2> in_module{
      snapshot.stacks.stack(line("forward", "project/model.py"))[0],
      snapshot.stacks.stack(line("_call_impl", "/usr/lib/torch/nn/modules/module.py"))[0]};
  const StackIndex model = snapshot.stacks.add_stack(in_module);
  const StackIndex optimizer = line("step", "/usr/lib/torch/optim/adamw.py");
  const NotesIndex none = snapshot.notes.add({});
  std::size_t block = 0;
  for (TraceEntry& entry : snapshot.device_traces.at(0)) {
    entry.notes = none & kMostNotes;
    entry.stack = memory::kNone;
    if (entry.action != TraceAction::alloc) continue;
    const base::Phase phase = log.blocks()[block].phase;
    const bool input = log.blocks()[block++].category == Category::input;
    if (stacks == Stacks::none || phase == base::Phase::backward) continue;
    entry.stack = phase == base::Phase::optimizer ? optimizer
                  : phase == base::Phase::setup   ? made
                  : input                         ? batch
                                                  : model;
  }
  snapshot.external_annotations.clear();
  return log_of_snapshot(snapshot, 0);
}

TEST(CategoryGuess, IsMostlyRightWithTheStacksOfPython) {
  for (std::uint32_t seed = 1; seed < 6; ++seed) {
    const memory::AllocationLog told = Training(seed).steps(3);
    const SnapshotLog guess = foreign(told, Stacks::python);
    EXPECT_TRUE(guess.guessed_share);
    EXPECT_GT(ts::testing::share_right(told, guess.log), 0.999) << seed;
    for (memory::BlockIndex i = 0; i < told.blocks().size(); ++i) {
      EXPECT_EQ(told.blocks()[i].category == Category::input,
                guess.log.blocks()[i].category == Category::input)
          << i;
    }
    // Three times forward, backward, optimizer.
    ASSERT_GE(guess.log.phases().size(), 9U);
    EXPECT_EQ(guess.log.phases().front().phase, base::Phase::forward);
    EXPECT_EQ(guess.log.phases().back().step, 2);
  }
}

TEST(CategoryGuess, IsMostlyRightWithoutAnyStack) {
  for (std::uint32_t seed = 1; seed < 6; ++seed) {
    const memory::AllocationLog told = Training(seed).steps(3);
    const SnapshotLog guess = foreign(told, Stacks::none);
    EXPECT_TRUE(guess.guessed_share);
    EXPECT_GT(ts::testing::share_right(told, guess.log), 0.95) << seed;
  }
}

TEST(CategoryGuess, WithoutABackwardNothingIsGuessed) {
  Snapshot snapshot;
  snapshot.device_traces.resize(1);
  for (std::int64_t i = 0; i < 200; ++i) {
    TraceEntry entry;
    entry.address = 0x1000 * static_cast<std::uint64_t>(1 + i);
    entry.size = 0x800;
    entry.time_us = i;
    snapshot.device_traces[0].push_back(entry);
  }
  snapshot.notes.add({});
  const SnapshotLog log = log_of_snapshot(snapshot, 0);
  EXPECT_FALSE(log.guessed_share);
  for (const memory::Block& block : log.log.blocks()) EXPECT_EQ(block.category, Category::unknown);
}

// A snapshot of a refusal has one event; the blocks of its segments have stacks.
TEST(CategoryGuess, OfARefusalAloneTheStacksOfItsBlocksTell) {
  struct Frames {
    const char* name;
    const char* file;
  };
  constexpr Frames kMade{"__init__", "/usr/lib/torch/nn/modules/linear.py"};
  constexpr Frames kStep{"step", "/usr/lib/torch/optim/adamw.py"};
  constexpr Frames kEngine{"torch::autograd::Engine::evaluate_function(...)", "??"};
  constexpr Frames kBatch{"next_batch", "project/train.py"};
  constexpr Frames kCall{"_call_impl", "/usr/lib/torch/nn/modules/module.py"};
  Snapshot snapshot;
  SnapshotSegment segment;
  std::vector<Category> expected;
  const auto add = [&](std::optional<Frames> frames, std::int64_t size, Category category) {
    SnapshotBlock block{.address = 0x1000 + static_cast<std::uint64_t>(segment.total_size),
                        .size = size,
                        .requested = size,
                        .state = BlockState::active_allocated};
    if (frames) {
      Frame frame;
      frame.name = snapshot.strings->intern(frames->name);
      frame.filename = snapshot.strings->intern(frames->file);
      const FrameIndex index = snapshot.stacks.add_frame(frame);
      block.stack = snapshot.stacks.add_stack(std::span(&index, 1));
    }
    segment.blocks.push_back(block);
    segment.total_size += size;
    expected.push_back(category);
  };
  add(kMade, 4096, Category::parameter);
  add(kMade, 8192, Category::parameter);
  add(kBatch, 512, Category::unknown);
  add(kCall, 4096, Category::activation);
  add(kStep, 4096, Category::optimizer_state);
  add(kEngine, 8192, Category::gradient);
  add(kEngine, 1024, Category::unknown);
  add(std::nullopt, 4096, Category::gradient);
  add(std::nullopt, 4096, Category::unknown);  // there is one parameter of that size
  segment.address = 0x1000;
  snapshot.segments.push_back(segment);
  TraceEntry refused;
  refused.action = TraceAction::oom;
  refused.size = 1 << 20;
  refused.notes = snapshot.notes.add({}) & kMostNotes;
  snapshot.device_traces.resize(1);
  snapshot.device_traces[0].push_back(refused);
  const SnapshotLog log = log_of_snapshot(snapshot, 0);
  ASSERT_EQ(log.log.blocks().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(log.log.blocks()[i].category, expected[i]) << i;
  EXPECT_TRUE(log.guessed_share) << "it is marked";
  for (SnapshotBlock& block : snapshot.segments[0].blocks) block.stack = memory::kNone;
  EXPECT_FALSE(log_of_snapshot(snapshot, 0).guessed_share);
}

// On CUDA a backward allocates on a thread that has no Python.
TEST(CategoryGuess, WherePythonAllocatedEverythingThereIsNoBackward) {
  memory::AllocationLog log;
  std::int64_t time = 0;
  const auto add = [&](memory::Action action, std::uint64_t address, std::int64_t size) {
    memory::Record record;
    record.time_ns = ++time;
    record.action = action;
    record.address = address;
    record.size = size;
    log.append(record);
  };
  add(memory::Action::alloc, 1, 1 << 20);  // a parameter
  constexpr std::uint64_t kLayers = 200;
  for (std::uint64_t i = 0; i < kLayers; ++i)
    add(memory::Action::alloc, 100 + i, 4096 + 512 * static_cast<std::int64_t>(i));
  for (std::uint64_t i = kLayers; i-- > 0;) add(memory::Action::free_completed, 100 + i, 0);
  std::vector<BlockEvidence> evidence(log.blocks().size());
  const auto guesses = [&] {
    const CategoryGuess guess = guess_categories(log, evidence);
    return std::ranges::any_of(guess.categories,
                               [](Category category) { return category != Category::unknown; });
  };
  EXPECT_TRUE(guesses()) << "what fills up and empties looks like a step";
  for (BlockEvidence& known : evidence) known.python = true;
  EXPECT_FALSE(guesses());
  evidence.back().phase = base::Phase::optimizer;
  EXPECT_TRUE(guesses()) << "an optimizer has gradients";
}

// A fused optimizer allocates its state in the first step and nothing later.
TEST(CategoryGuess, AnAnnotatedOptimizerWithoutAllocationsIsSeen) {
  constexpr int kSteps = 5, kLayers = 4;
  memory::AllocationLog log;
  std::vector<BlockEvidence> evidence;
  std::int64_t time = 0;
  std::uint64_t last = 0;
  const auto record = [&](Action action, std::uint64_t address, base::Phase phase) {
    memory::Record one;
    one.time_ns = time += 10;
    one.action = action;
    one.address = address;
    one.size = 1 << 20;
    one.phase = phase;
    log.append(one);
  };
  const auto alloc = [&](base::Phase phase, bool python) {
    record(Action::alloc, ++last, base::Phase::idle);
    evidence.push_back({.phase = phase, .python = python, .makes_module = last <= kLayers});
    return last;
  };
  for (int i = 0; i < kLayers; ++i) alloc(base::Phase::idle, true);
  std::vector<std::int64_t> optimizers;  // where they begin
  for (int step = 0; step < kSteps; ++step) {
    std::vector<std::uint64_t> activations, gradients;
    for (int i = 0; i < kLayers; ++i) activations.push_back(alloc(base::Phase::idle, true));
    for (int i = 0; i < kLayers; ++i) {
      gradients.push_back(alloc(base::Phase::backward, false));
      record(Action::free_completed, activations.back(), base::Phase::idle);
      activations.pop_back();
    }
    record(Action::phase_begin, 0, base::Phase::optimizer);
    optimizers.push_back(time);
    for (int i = 0; i < kLayers && step == 0; ++i) alloc(base::Phase::optimizer, true);
    record(Action::phase_end, 0, base::Phase::optimizer);
    for (const std::uint64_t address : gradients)
      record(Action::free_completed, address, base::Phase::idle);
  }
  const CategoryGuess guess = guess_categories(log, evidence);
  std::array<int, memory::kCategoryCount> counts{};
  for (const Category category : guess.categories) ++counts[static_cast<std::size_t>(category)];
  EXPECT_EQ(counts[static_cast<std::size_t>(Category::gradient)], kSteps * kLayers);
  EXPECT_EQ(counts[static_cast<std::size_t>(Category::activation)], kSteps * kLayers);
  EXPECT_EQ(counts[static_cast<std::size_t>(Category::optimizer_state)], kLayers);
  EXPECT_EQ(counts[static_cast<std::size_t>(Category::parameter)], kLayers);
  std::vector<std::int64_t> begins;
  std::int32_t step = 0;
  for (const memory::PhaseSpan& span : guess.phases) {
    if (span.phase != base::Phase::optimizer) continue;
    begins.push_back(span.begin_ns);
    EXPECT_EQ(span.step, step++);
  }
  EXPECT_EQ(begins, optimizers);
}

// A model with adapters: what has no gradient has no state either.
TEST(CategoryGuess, FrozenParametersAreNoOptimizerState) {
  constexpr std::int64_t kFrozen = 1 << 20, kAdapter = 1 << 12, kActivation = 3 << 10;
  constexpr int kLayers = 20, kAdapters = 4;
  memory::AllocationLog log;
  std::vector<BlockEvidence> evidence;
  std::int64_t time = 0;
  std::uint64_t last = 0;
  const auto alloc = [&](std::int64_t size, base::Phase phase) {
    memory::Record record;
    record.time_ns = ++time;
    record.address = ++last;
    record.size = size;
    log.append(record);
    evidence.push_back({.phase = phase,
                        .python = phase != base::Phase::backward,
                        .earlier = phase == base::Phase::idle});
    return last;
  };
  for (int i = 0; i < kLayers; ++i) alloc(kFrozen, base::Phase::idle);
  // Adapters in 32 bits with two moments each.
  for (int i = 0; i < 3 * kAdapters; ++i) alloc(kAdapter, base::Phase::idle);
  std::vector<std::uint64_t> activations;
  for (int i = 0; i < kLayers; ++i) activations.push_back(alloc(kActivation, base::Phase::forward));
  for (int i = 0; i < kAdapters; ++i) alloc(kAdapter, base::Phase::backward);
  for (const std::uint64_t address : activations) {
    memory::Record record;
    record.time_ns = ++time;
    record.action = Action::free_completed;
    record.address = address;
    log.append(record);
  }
  const CategoryGuess guess = guess_categories(log, evidence);
  std::array<int, 2> parameters{}, states{};
  for (std::size_t i = 0; i < log.blocks().size(); ++i) {
    const std::size_t adapter = log.blocks()[i].size == kAdapter ? 1 : 0;
    parameters[adapter] += guess.categories[i] == Category::parameter ? 1 : 0;
    states[adapter] += guess.categories[i] == Category::optimizer_state ? 1 : 0;
  }
  EXPECT_EQ(parameters, (std::array{kLayers, kAdapters}));
  EXPECT_EQ(states, (std::array{0, 2 * kAdapters}));
}

// Any sequence: every block gets an answer, phases are in order and inside the log.
TEST(CategoryGuess, HoldsForAnyLog) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    memory::AllocationLog log;
    std::vector<std::uint64_t> live;
    const int events = static_cast<int>(random() % 400);
    for (int i = 0; i < events; ++i) {
      memory::Record record;
      record.time_ns = i;
      if (live.empty() || random() % 3 != 0) {
        record.address = static_cast<std::uint64_t>(i + 1);
        record.size = static_cast<std::int64_t>(random() % 5) << (random() % 30);
        live.push_back(record.address);
      } else {
        const std::size_t which = random() % live.size();
        record.action = Action::free_completed;
        record.address = live[which];
        live.erase(live.begin() + static_cast<std::ptrdiff_t>(which));
      }
      log.append(record);
    }
    std::vector<BlockEvidence> evidence(log.blocks().size());
    for (BlockEvidence& one : evidence) {
      if (round % 2 == 0) one.phase = static_cast<base::Phase>(random() % base::kPhaseCount);
      one.python = random() % 2 == 0;
      one.earlier = random() % 9 == 0;
      one.in_module = random() % 3 != 0;
      one.makes_module = random() % 7 == 0;
      one.workspace = random() % 20 == 0;
      one.stack = random() % 8;
      if (round % 3 == 0) one = {.python = true, .in_module = true, .stack = one.stack};
    }
    const CategoryGuess guess = guess_categories(log, evidence);
    ASSERT_EQ(guess.categories.size(), log.blocks().size());
    memory::EventIndex end = 0;
    for (const memory::PhaseSpan& span : guess.phases) {
      ASSERT_GE(span.first_event, end);
      ASSERT_GT(span.end_event, span.first_event);
      ASSERT_LE(span.end_event, log.events().size());
      end = span.end_event;
    }
    log.decide(guess.categories, guess.phases);
    for (std::size_t i = 0; i < log.blocks().size(); ++i)
      ASSERT_EQ(log.blocks()[i].category, guess.categories[i]);
  }
}

}  // namespace
}  // namespace ts::allocator
