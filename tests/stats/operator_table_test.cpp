// The table against a slow computation of its own on random traces.
#include "core/stats/operator_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>

namespace ts::stats {
namespace {

using trace::Slice;
using trace::SliceClass;
using trace::TrackKind;

struct Known {
  Slice slice;
  int track = 0;
  int depth = 0;
  base::Phase phase = base::Phase::idle;
};

// Two steps with their phases and, on two threads, modules and operators that nest at random.
class RandomTrace {
 public:
  explicit RandomTrace(std::uint32_t seed) : random_(seed) {
    const auto phases = store.add_track({TrackKind::phases, "phases"});
    add_phase(phases, 0, SliceClass::setup, 0, 1000);
    for (int step = 0; step < 2; ++step) {
      const std::int64_t begin = 1000 + step * 200'000;
      Slice slice;
      slice.begin_ns = begin;
      slice.duration_ns = 150'000;
      slice.slice_class = SliceClass::step;
      store.append(phases, 0, slice);
      add_phase(phases, 1, SliceClass::forward, begin, 60'000);
      add_phase(phases, 1, SliceClass::backward, begin + 60'000, 90'000);
    }
    for (int thread = 0; thread < 2; ++thread) {
      const auto kind = thread == 0 ? TrackKind::cpu_thread : TrackKind::autograd_thread;
      const auto track = store.add_track({kind, "thread"});
      nest(track, 0, 0, 500);  // during set-up: not in the table
      nest(track, 0, 1000, 151'000);
      nest(track, 0, 201'000, 351'000);
    }
    std::ranges::stable_sort(known_, {}, [](const Known& one) { return one.slice.begin_ns; });
    for (const Known& one : known_) {
      store.append(static_cast<trace::TrackId>(one.track), static_cast<std::uint16_t>(one.depth),
                   one.slice);
    }
  }

  // Operators of steps.
  [[nodiscard]] std::vector<Known> operators() const {
    std::vector<Known> found;
    for (const Known& one : known_) {
      if (one.slice.slice_class > SliceClass::module && one.phase != base::Phase::setup) {
        found.push_back(one);
      }
    }
    return found;
  }

  trace::TraceStore store;
  base::StringTable strings;

 private:
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
  }

  void add_phase(trace::TrackId track, int depth, SliceClass slice_class, std::int64_t begin,
                 std::int64_t length) {
    Slice slice;
    slice.begin_ns = begin;
    slice.duration_ns = length;
    slice.slice_class = slice_class;
    store.append(track, static_cast<std::uint16_t>(depth), slice);
  }

  static base::Phase phase_at(std::int64_t time) {
    if (time < 1000) return base::Phase::setup;
    const std::int64_t in_step = (time - 1000) % 200'000;
    return in_step < 60'000    ? base::Phase::forward
           : in_step < 150'000 ? base::Phase::backward
                               : base::Phase::idle;
  }

  void nest(int track, int depth, std::int64_t begin, std::int64_t end) {
    std::int64_t at = begin;
    while (at < end && depth < 6) {
      at += below(300);
      const std::int64_t length = std::min(end - at, 1 + below((end - begin) / 2 + 1));
      if (length <= 0) break;
      Known one;
      one.slice.begin_ns = at;
      one.slice.duration_ns = length;
      const bool module = below(4) == 0;
      one.slice.slice_class =
          module ? SliceClass::module
                 : static_cast<SliceClass>(static_cast<int>(SliceClass::matmul) + below(7));
      one.slice.name = strings.intern((module ? "m" : "aten::op") + std::to_string(below(5)));
      one.slice.module = strings.intern(below(2) == 0 ? "blocks" : "blocks.1");
      one.slice.detail =
          below(3) == 0 ? base::kNoString : strings.intern("[" + std::to_string(below(3)) + "]");
      one.track = track;
      one.depth = depth;
      one.phase = phase_at(at);
      known_.push_back(one);
      if (below(3) > 0) nest(track, depth + 1, at, at + length);
      at += length;
    }
  }

  std::mt19937 random_;
  std::vector<Known> known_;
};

bool encloses(const Known& outer, const Known& inner) {
  return outer.track == inner.track && outer.depth < inner.depth &&
         outer.slice.begin_ns <= inner.slice.begin_ns &&
         inner.slice.end_ns() <= outer.slice.end_ns();
}

// The operator directly around `inner`: the deepest that encloses it.
int around(const std::vector<Known>& operators, std::size_t inner) {
  int found = -1;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    if (i == inner || !encloses(operators[i], operators[inner])) continue;
    if (found < 0 || operators[i].depth > operators[static_cast<std::size_t>(found)].depth) {
      found = static_cast<int>(i);
    }
  }
  return found;
}

struct Expected {
  std::int64_t calls = 0, self_ns = 0, total_ns = 0;
  std::vector<double> durations;
  std::set<std::uint32_t> shapes;
};

TEST(OperatorTable, AgreesWithASlowComputation) {
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    const RandomTrace random(seed);
    const std::vector<Known> operators = random.operators();
    std::vector<std::int64_t> self(operators.size());
    std::vector<int> parents(operators.size());
    for (std::size_t i = 0; i < operators.size(); ++i) {
      self[i] += operators[i].slice.duration_ns;
      parents[i] = around(operators, i);
      if (parents[i] >= 0) {
        self[static_cast<std::size_t>(parents[i])] -= operators[i].slice.duration_ns;
      }
    }
    // The only one inside one of the same name is the same call.
    std::vector<bool> again(operators.size());
    for (std::size_t i = 0; i < operators.size(); ++i) {
      again[i] =
          parents[i] >= 0 && std::ranges::count(parents, parents[i]) == 1 &&
          operators[static_cast<std::size_t>(parents[i])].slice.name == operators[i].slice.name;
    }
    std::map<std::uint32_t, Expected> by_name;
    std::map<base::Phase, std::int64_t> by_phase;
    for (std::size_t i = 0; i < operators.size(); ++i) {
      const Slice& slice = operators[i].slice;
      Expected& row = by_name[slice.name];
      if (!again[i]) ++row.calls;
      row.self_ns += self[i];
      bool repeated = false;
      for (int at = parents[i]; at >= 0; at = parents[static_cast<std::size_t>(at)]) {
        repeated |= operators[static_cast<std::size_t>(at)].slice.name == slice.name;
      }
      if (!repeated) row.total_ns += slice.duration_ns;
      if (!again[i]) {
        row.durations.push_back(static_cast<double>(slice.duration_ns));
        if (slice.detail != 0) row.shapes.insert(slice.detail);
      }
      by_phase[operators[i].phase] += self[i];
    }
    const OperatorTable table =
        operator_table(random.store, memory::AllocationLog(), random.strings, GroupBy::op);
    EXPECT_EQ(table.steps, 2);
    ASSERT_EQ(table.rows.size(), by_name.size());
    double shares = 0;
    std::int64_t sum = 0;
    std::int64_t counted = 0;
    for (const OperatorRow& row : table.rows) {
      Expected& expected = by_name.at(row.name);
      EXPECT_EQ(row.calls, expected.calls);
      EXPECT_EQ(row.self_ns, expected.self_ns);
      EXPECT_EQ(row.total_ns, expected.total_ns);
      EXPECT_EQ(row.shapes, static_cast<std::int64_t>(expected.shapes.size()));
      std::ranges::sort(expected.durations);
      const double mean =
          std::accumulate(expected.durations.begin(), expected.durations.end(), 0.0) /
          static_cast<double>(expected.durations.size());
      EXPECT_NEAR(row.average_ns, mean, 1e-6);
      EXPECT_GE(row.p50_ns, expected.durations.front());
      EXPECT_LE(row.p50_ns, row.p90_ns);
      EXPECT_LE(row.p90_ns, expected.durations.back());
      shares += row.share;
      sum += row.self_ns;
      counted += row.calls;
    }
    EXPECT_NEAR(shares, 1, 1e-9);
    EXPECT_EQ(sum, table.operators_ns);
    EXPECT_TRUE(std::ranges::is_sorted(table.rows, std::ranges::greater(),
                                       [](const OperatorRow& row) { return row.self_ns; }));
    ASSERT_EQ(table.phases.size(), by_phase.size());
    for (const ClassShares& phase : table.phases) {
      EXPECT_EQ(phase.total_ns, by_phase.at(phase.phase));
      EXPECT_EQ(std::accumulate(phase.self_ns.begin(), phase.self_ns.end(), std::int64_t{0}),
                phase.total_ns);
    }
    const OperatorTable modules =
        operator_table(random.store, memory::AllocationLog(), random.strings, GroupBy::module);
    ASSERT_EQ(modules.rows.size(), 2U);
    for (const OperatorRow& row : modules.rows) {
      const bool outer = random.strings.view(row.name) == "blocks";
      EXPECT_EQ(row.total_ns, outer ? modules.operators_ns : row.self_ns);
    }
    std::int64_t calls = 0;
    for (const OperatorRow& row : operator_table(random.store, memory::AllocationLog(),
                                                 random.strings, GroupBy::op_and_shape)
                                      .rows) {
      calls += row.calls;
    }
    EXPECT_EQ(calls, counted);
  }
}

// One forward phase of 100 ns from 10 on, and a thread for operators.
class HandMade {
 public:
  HandMade() {
    const auto phases = store.add_track({TrackKind::phases, "phases"});
    Slice forward;
    forward.begin_ns = 10;
    forward.duration_ns = 100;
    forward.slice_class = SliceClass::forward;
    store.append(phases, 1, forward);
    track_ = store.add_track({TrackKind::cpu_thread, "main"});
  }
  void op(std::uint16_t depth, std::string_view name, std::int64_t begin, std::int64_t length,
          std::string_view shapes, std::string_view module) {
    Slice slice;
    slice.begin_ns = begin;
    slice.duration_ns = length;
    slice.name = strings.intern(name);
    slice.module = strings.intern(module);
    slice.detail = strings.intern(shapes);
    slice.slice_class = SliceClass::matmul;
    store.append(track_, depth, slice);
  }
  void block(std::string_view name, std::int64_t time, std::int64_t size, std::int32_t step = 0) {
    memory::Record record;
    record.address = ++address_;
    record.size = size;
    record.time_ns = time;
    record.op = strings.intern(name);
    record.phase = base::Phase::forward;
    record.step = step;
    log.append(record);
  }
  [[nodiscard]] OperatorTable table(GroupBy group) const {
    return operator_table(store, log, strings, group);
  }
  // The row of a name, or of a stack.
  [[nodiscard]] OperatorRow row(GroupBy group, std::string_view name) const {
    for (const OperatorRow& one : table(group).rows) {
      if (strings.view(one.name) == name || one.stack == name) return one;
    }
    ADD_FAILURE() << "no row " << name;
    return {};
  }

  trace::TraceStore store;
  base::StringTable strings;
  memory::AllocationLog log;

 private:
  trace::TrackId track_ = 0;
  std::uint64_t address_ = 0;
};

// A linear layer in two layers of a list, each a call inside a call.
struct TwoLayers : HandMade {
  TwoLayers() {
    const char* const shapes = "[2, 4] fp32, [4, 8] bf16";
    op(0, "aten::linear", 20, 30, shapes, "blocks.0.up");
    op(1, "aten::mm", 25, 20, shapes, "blocks.0.up");
    op(0, "aten::linear", 60, 30, shapes, "blocks.1.up");
    op(1, "aten::mm", 65, 20, "[4, 4] fp32, [4, 8] bf16", "blocks.1.up");
    op(0, "aten::mm", 95, 10, shapes, "head");
  }
};

TEST(OperatorTable, BytesBelongToTheCallThatAllocatedThem) {
  TwoLayers made;
  made.block("aten::mm", 0, 7, -1);  // of set-up
  made.block("aten::mm", 30, 640);
  made.block("aten::mm", 55, 9000);  // while no such operator was going on
  made.block("aten::mm", 66, 320);
  EXPECT_EQ(made.row(GroupBy::op, "aten::mm").bytes_allocated, 960);
  EXPECT_EQ(made.row(GroupBy::op, "aten::linear").bytes_allocated, 0);
  EXPECT_EQ(made.row(GroupBy::module, "blocks.0.up").bytes_allocated, 640);
  EXPECT_EQ(made.row(GroupBy::module, "head").bytes_allocated, 0);
  EXPECT_EQ(made.table(GroupBy::phase).rows.at(0).bytes_allocated, 960);
  std::int64_t of_shapes = 0;
  for (const OperatorRow& row : made.table(GroupBy::op_and_shape).rows) {
    if (made.strings.view(row.shape) == "[4, 4] fp32, [4, 8] bf16") {
      EXPECT_EQ(row.bytes_allocated, 320);
    }
    of_shapes += row.bytes_allocated;
  }
  EXPECT_EQ(of_shapes, 960);
}

TEST(OperatorTable, ARangeHasTheCallsThatBeginInIt) {
  const TwoLayers made;
  const auto in_range = [&made](base::TimeRange range) {
    return operator_table(made.store, made.log, made.strings, GroupBy::op, range);
  };
  const OperatorTable second = in_range({60, 95});
  ASSERT_EQ(second.rows.size(), 2U);
  EXPECT_EQ(second.operators_ns, 30);
  for (const OperatorRow& row : second.rows) EXPECT_EQ(row.calls, 1);
  const OperatorTable inner = in_range({61, 96});
  ASSERT_EQ(inner.rows.size(), 1U) << "the call around the first product began before";
  EXPECT_EQ(inner.rows.front().calls, 2);
  EXPECT_EQ(inner.rows.front().total_ns, 20 + 10);
  EXPECT_TRUE(in_range({200, 300}).rows.empty());
}

TEST(OperatorTable, StacksTellOneOperatorByItsPlaces) {
  const TwoLayers made;
  const OperatorTable table = made.table(GroupBy::stack);
  EXPECT_EQ(table.rows.size(), 3U);
  const OperatorRow inner = made.row(GroupBy::stack, "blocks.*.up;aten::linear;aten::mm");
  EXPECT_EQ(inner.calls, 2) << "both layers are one place";
  EXPECT_EQ(inner.self_ns, 40);
  EXPECT_EQ(inner.phase, base::Phase::forward);
  EXPECT_EQ(made.row(GroupBy::stack, "blocks.*.up;aten::linear").self_ns, 20);
  EXPECT_EQ(made.row(GroupBy::stack, "head;aten::mm").calls, 1);
  std::int64_t self = 0;
  for (const OperatorRow& row : table.rows) self += row.self_ns;
  EXPECT_EQ(self, table.operators_ns);
}

TEST(OperatorTable, WorkAndBytesGivenCountOnce) {
  const TwoLayers made;
  // 2 x 2 x 4 x 8 and 2 x 4 x 4 x 8 FLOPs; 8 and 16 numbers of 4 bytes, 32 of 2 bytes.
  const OperatorRow products = made.row(GroupBy::op, "aten::mm");
  EXPECT_DOUBLE_EQ(products.flops, 128 + 256 + 128);
  EXPECT_DOUBLE_EQ(products.flops_per_s(), 512 / 50e-9);
  EXPECT_DOUBLE_EQ(products.bytes_given, 96 + 128 + 96);
  const OperatorRow linear = made.row(GroupBy::op, "aten::linear");
  EXPECT_DOUBLE_EQ(linear.flops, 0) << "it only calls the product";
  EXPECT_DOUBLE_EQ(linear.bytes_given, 192);
  const OperatorRow phase = made.table(GroupBy::phase).rows.at(0);
  EXPECT_DOUBLE_EQ(phase.flops, 512);
  EXPECT_DOUBLE_EQ(phase.bytes_given, 320) << "what linear hands on is counted once";
  EXPECT_EQ(phase.total_ns, 70);
  EXPECT_DOUBLE_EQ(phase.total_share, 1);
}

// Operators that call aten::empty, views and parts of themselves.
TEST(OperatorTable, InputsOfAModuleAreThoseOfTheOperatorsThatRead) {
  HandMade made;
  const char* const input = "[2, 8] fp32, [8] fp32";  // 64 and 32 bytes
  made.op(0, "aten::layer_norm", 20, 20, input, "norm");
  made.op(1, "aten::native_layer_norm", 22, 15, input, "norm");
  made.op(2, "aten::empty", 23, 2, "", "norm");
  made.op(2, "aten::view", 26, 2, "[2] fp32", "norm");
  made.op(0, "aten::linear", 50, 20, input, "up");
  made.op(1, "aten::t", 51, 2, "[8] fp32", "up");
  made.op(1, "aten::addmm", 55, 10, input, "up");
  made.op(0, "AddBackward", 80, 20, "[2] fp32", "up");  // takes its gradient and what was kept
  made.op(1, "aten::mm", 81, 5, "[4] fp32", "up");
  made.op(1, "aten::mm", 90, 5, "[2] fp32", "up");
  EXPECT_DOUBLE_EQ(made.row(GroupBy::module, "norm").bytes_given, 96);
  EXPECT_DOUBLE_EQ(made.row(GroupBy::module, "up").bytes_given, 96 + 16 + 8);
  EXPECT_DOUBLE_EQ(made.table(GroupBy::phase).rows.at(0).bytes_given, 96 + 96 + 16 + 8);
  EXPECT_DOUBLE_EQ(made.row(GroupBy::op, "aten::t").bytes_given, 32);
}

TEST(OperatorTable, SharesOfKernelsAreOfThoseOnStreams) {
  TwoLayers made;
  const auto stream = made.store.add_track({TrackKind::gpu_stream, "stream 7"});
  const auto kernel = [&](std::string_view name, std::int64_t begin, std::int64_t length,
                          SliceClass slice_class) {
    Slice slice;
    slice.begin_ns = begin;
    slice.duration_ns = length;
    slice.name = made.strings.intern(name);
    slice.detail = made.strings.intern("aten::mm, grid 4x1x1, block 128x1x1");
    slice.slice_class = slice_class;
    made.store.append(stream, 0, slice);
  };
  kernel("gemm", 20, 30, SliceClass::matmul);
  kernel("softmax", 60, 10, SliceClass::softmax);
  kernel("gemm", 80, 20, SliceClass::matmul);
  const std::vector<ClassShares> phases = kernel_shares(made.store);
  ASSERT_EQ(phases.size(), 1U);
  EXPECT_EQ(phases[0].total_ns, 60);
  EXPECT_EQ(phases[0].self_ns[static_cast<std::size_t>(SliceClass::matmul)], 50);
  EXPECT_EQ(phases[0].self_ns[static_cast<std::size_t>(SliceClass::softmax)], 10);
  EXPECT_EQ(made.row(GroupBy::op, "aten::mm").calls, 3) << "operators are as they were";
}

// Calls of 10 ns launch kernels of 500: the rate is that of the kernels.
TEST(OperatorTable, RatesAreOfTheKernelsThatWereLaunched) {
  trace::TraceStore store;
  base::StringTable strings;
  const auto add = [&](trace::TrackId track, std::uint16_t depth, std::int64_t begin,
                       std::int64_t duration, const char* name, std::uint32_t flow) {
    trace::Slice slice{.begin_ns = begin, .duration_ns = duration};
    slice.name = strings.intern(name);
    slice.slice_class = trace::SliceClass::matmul;
    if (flow == 0) slice.detail = strings.intern("[4, 8] fp32, [8, 2] fp32");
    slice.flow = flow;
    ASSERT_TRUE(store.append(track, depth, slice));
  };
  constexpr std::uint32_t kLaunch = 0x8000'0000U;
  const auto host = store.add_track({trace::TrackKind::cpu_thread, "main"});
  const auto calls = store.add_track({trace::TrackKind::cuda_api, "main"});
  const auto stream = store.add_track({trace::TrackKind::gpu_stream, "stream 7", 0});
  add(host, 0, 100, 20, "aten::matmul", 0);
  add(host, 1, 105, 10, "aten::mm", 0);
  add(host, 0, 200, 10, "aten::bmm", 0);
  add(calls, 0, 107, 2, "cudaLaunchKernel", kLaunch | 1);
  add(stream, 0, 300, 500, "gemm", kLaunch | 1);
  const OperatorTable table = operator_table(store, memory::AllocationLog(), strings, GroupBy::op);
  ASSERT_EQ(table.rows.size(), 3U);
  for (const OperatorRow& row : table.rows) {
    const bool launched = strings.view(row.name) != "aten::bmm";
    EXPECT_EQ(row.rate_ns, launched ? 500 : 0) << strings.view(row.name);
    EXPECT_EQ(row.flops_per_s() > 0, launched && row.flops > 0) << strings.view(row.name);
  }
}

TEST(OperatorTable, NothingRecordedGivesNothing) {
  const OperatorTable table = operator_table(trace::TraceStore(), memory::AllocationLog(),
                                             base::StringTable(), GroupBy::op);
  EXPECT_TRUE(table.rows.empty());
  EXPECT_EQ(table.operators_ns, 0);
}

}  // namespace
}  // namespace ts::stats
