#include "core/capture/decoder.h"

#include <gtest/gtest.h>

#include "tests/capture/raw_records.h"

namespace ts::capture {
namespace {

using testing::op;
using testing::slice;

class DecoderTest : public ::testing::Test {
 protected:
  Batch hand_over(bool all = true) {
    Batch batch;
    decoder.hand_over(all, batch);
    return batch;
  }

  base::StringTable strings;
  Decoder decoder{strings};
};

TEST_F(DecoderTest, tracks_are_steps_and_phases_then_one_for_each_thread) {
  EXPECT_TRUE(hand_over().empty());
  decoder.add_thread(trace::TrackKind::cpu_thread, "worker");
  decoder.add_thread(trace::TrackKind::autograd_thread, "autograd 0");
  const Batch batch = hand_over();
  ASSERT_EQ(batch.tracks.size(), 3U);
  for (trace::TrackId id = 0; id < 3; ++id) EXPECT_EQ(batch.tracks[id].id, id);
  EXPECT_EQ(batch.tracks[0].track.kind, trace::TrackKind::phases);
  EXPECT_EQ(batch.tracks[1].track.kind, trace::TrackKind::cpu_thread);
  EXPECT_EQ(batch.tracks[1].track.name, "worker");
  EXPECT_EQ(batch.tracks[2].track.kind, trace::TrackKind::autograd_thread);
  EXPECT_EQ(batch.tracks[2].track.name, "autograd 0");
  EXPECT_TRUE(hand_over().empty()) << "a track is told once";
}

TEST_F(DecoderTest, a_thread_of_phases_shares_their_track) {
  decoder.add_thread(trace::TrackKind::phases, "engine");
  decoder.add_thread(trace::TrackKind::cpu_thread, "worker");
  decoder.take(0, slice(RawKind::step, strings.intern("step 3"), 0, 9));
  decoder.take(1, op(strings.intern("aten::mm"), 1, 2));
  const Batch batch = hand_over();
  ASSERT_EQ(batch.tracks.size(), 2U);
  ASSERT_EQ(batch.slices.size(), 2U);
  EXPECT_EQ(batch.slices[0].track, 0);
  EXPECT_EQ(batch.slices[1].track, 1);
}

TEST_F(DecoderTest, kinds_give_track_and_class) {
  decoder.add_thread(trace::TrackKind::cpu_thread, "worker");
  const base::StringId name = strings.intern("aten::bmm");
  RawRecord phase = slice(RawKind::phase, strings.intern("backward"), 3, 8, 1);
  phase.phase = base::Phase::backward;
  RawRecord idle = slice(RawKind::phase, strings.intern("idle"), 8, 9, 1);
  idle.phase = base::Phase::idle;
  RawRecord matmul = op(name, 4, 6, 2);
  matmul.module = strings.intern("blocks.1.attn");
  matmul.shapes = testing::shapes({{{4, 8}, DType::bf16}});
  decoder.take(0, matmul);
  decoder.take(0, slice(RawKind::module, strings.intern("blocks.1"), 3, 7, 1));
  decoder.take(0, phase);
  decoder.take(0, idle);
  decoder.take(0, slice(RawKind::step, strings.intern("step 0"), 2, 9, 0));

  const Batch batch = hand_over();
  ASSERT_EQ(batch.slices.size(), 5U);
  EXPECT_EQ(batch.slices[0].slice.slice_class, trace::SliceClass::backward);
  EXPECT_EQ(batch.slices[0].track, 0);
  EXPECT_EQ(batch.slices[0].depth, 1);
  EXPECT_EQ(batch.slices[1].slice.slice_class, trace::SliceClass::other);
  EXPECT_EQ(batch.slices[2].slice.slice_class, trace::SliceClass::step);
  EXPECT_EQ(batch.slices[2].depth, 0);
  const Batch::Row& row = batch.slices[3];
  EXPECT_EQ(row.track, 1);
  EXPECT_EQ(row.depth, 2);
  EXPECT_EQ(row.slice.begin_ns, 4);
  EXPECT_EQ(row.slice.duration_ns, 2);
  EXPECT_EQ(row.slice.name, name);
  EXPECT_EQ(strings.view(row.slice.module), "blocks.1.attn");
  EXPECT_EQ(strings.view(row.slice.detail), "[4, 8] bf16");
  EXPECT_EQ(row.slice.slice_class, trace::SliceClass::matmul);
  EXPECT_EQ(batch.slices[4].slice.slice_class, trace::SliceClass::module);
  EXPECT_EQ(batch.slices[4].slice.detail, base::kNoString);
}

TEST_F(DecoderTest, a_clock_that_ran_back_gives_no_negative_duration) {
  decoder.add_thread(trace::TrackKind::cpu_thread, "worker");
  decoder.take(0, op(strings.intern("aten::mm"), 9, 7));
  EXPECT_EQ(hand_over().slices[0].slice.duration_ns, 0);
}

TEST_F(DecoderTest, forward_and_backward_share_a_flow) {
  decoder.add_thread(trace::TrackKind::cpu_thread, "worker");
  decoder.add_thread(trace::TrackKind::autograd_thread, "autograd 0");
  const base::StringId name = strings.intern("aten::mm");
  decoder.take(0, op(name, 1, 2, 1, 4));
  decoder.take(0, op(name, 3, 4, 1, 5));
  decoder.take(0, op(name, 0, 5, 0, 4));
  RawRecord node = op(strings.intern("MmBackward0"), 20, 30, 0, 5);
  node.backward = true;
  decoder.take(1, node);
  const Batch batch = hand_over();
  ASSERT_EQ(batch.slices.size(), 4U);
  EXPECT_EQ(batch.slices[0].slice.flow, flow_of(4));
  EXPECT_EQ(batch.slices[1].slice.flow, flow_of(5));
  EXPECT_EQ(batch.slices[2].slice.flow, 0U);
  EXPECT_EQ(batch.slices[3].slice.flow, flow_of(5));
}

TEST_F(DecoderTest, a_row_whose_flow_is_open_waits_while_its_thread_works) {
  decoder.add_thread(trace::TrackKind::cpu_thread, "worker");
  const base::StringId name = strings.intern("aten::mm");
  decoder.take(0, op(name, 1, 2, 0, 4));
  decoder.take(0, op(name, 3, 4, 0, 5));
  Batch batch = hand_over(false);
  ASSERT_EQ(batch.slices.size(), 1U);
  EXPECT_EQ(batch.slices[0].slice.flow, flow_of(4));

  decoder.take(0, op(name, 5, 6, 0, 5));  // began later with the same number: it makes the node
  decoder.take(0, op(name, 7, 8, 0, 6));
  batch = hand_over(false);
  ASSERT_EQ(batch.slices.size(), 2U);
  EXPECT_EQ(batch.slices[0].slice.flow, 0U);
  EXPECT_EQ(batch.slices[0].slice.begin_ns, 3);
  EXPECT_EQ(batch.slices[1].slice.flow, flow_of(5));

  batch = hand_over(false);
  ASSERT_EQ(batch.slices.size(), 1U) << "the thread has paused";
  EXPECT_EQ(batch.slices[0].slice.flow, flow_of(6));
}

}  // namespace
}  // namespace ts::capture
