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

TEST(OperatorTable, CountsTheBytesOfSteps) {
  base::StringTable strings;
  trace::TraceStore store;
  const auto phases = store.add_track({TrackKind::phases, "phases"});
  Slice forward;
  forward.begin_ns = 10;
  forward.duration_ns = 100;
  forward.slice_class = SliceClass::forward;
  store.append(phases, 1, forward);
  const auto track = store.add_track({TrackKind::cpu_thread, "main"});
  Slice slice;
  slice.begin_ns = 20;
  slice.duration_ns = 30;
  slice.name = strings.intern("aten::mm");
  slice.module = strings.intern("mlp");
  slice.slice_class = SliceClass::matmul;
  store.append(track, 0, slice);
  memory::AllocationLog log;
  memory::Record record;
  record.address = 1;
  record.size = 640;
  record.op = slice.name;
  record.module = slice.module;
  record.phase = base::Phase::forward;
  log.append(record);  // of set-up: step -1
  record.step = 0;
  record.address = 2;
  log.append(record);
  record.address = 3;
  log.append(record);
  for (const GroupBy group : {GroupBy::op, GroupBy::module, GroupBy::phase}) {
    const OperatorTable table = operator_table(store, log, strings, group);
    ASSERT_EQ(table.rows.size(), 1U);
    EXPECT_EQ(table.rows[0].bytes_allocated, 1280);
    EXPECT_EQ(table.rows[0].self_ns, 30);
    EXPECT_DOUBLE_EQ(table.rows[0].share, 1);
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
