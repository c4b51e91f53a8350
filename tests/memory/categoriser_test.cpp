#include "core/memory/categoriser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace ts::memory {
namespace {

using base::Phase;

class CategoriserTest : public ::testing::Test {
 protected:
  BlockIndex born(Phase phase, bool graph_kept) {
    categoriser.born(count, phase, graph_kept);
    return count++;
  }
  BlockIndex born_in_forward() { return born(Phase::forward, true); }
  void owned(BlockIndex block, Category category) { categoriser.owned(block, category, changes); }
  void freed(BlockIndex block) { categoriser.freed(block, changes); }
  void operator_ended() { categoriser.operator_ended(changes); }
  void phase_ended(Phase phase) { categoriser.phase_ended(phase, changes); }
  Category category(BlockIndex block) const { return categoriser.category(block); }

  Categoriser categoriser;
  Categoriser::Changes changes;
  BlockIndex count = 0;
};

TEST_F(CategoriserTest, a_forward_ramp_is_activations_from_the_end_of_each_operator_on) {
  for (int layer = 0; layer < 3; ++layer) {
    const BlockIndex output = born_in_forward();
    EXPECT_EQ(category(output), Category::unknown) << "its operator still runs";
    operator_ended();
    EXPECT_EQ(category(output), Category::activation);
  }
  phase_ended(Phase::forward);
  for (BlockIndex block = 0; block < 3; ++block) EXPECT_EQ(category(block), Category::activation);
  // The backward frees them one by one: they were activations.
  for (BlockIndex block = 0; block < 3; ++block) freed(block);
  for (BlockIndex block = 0; block < 3; ++block) EXPECT_EQ(category(block), Category::activation);
}

TEST_F(CategoriserTest, what_dies_inside_its_operator_is_a_temporary) {
  const BlockIndex workspace = born_in_forward();
  const BlockIndex output = born_in_forward();
  freed(workspace);
  operator_ended();
  EXPECT_EQ(category(workspace), Category::temporary);
  EXPECT_EQ(category(output), Category::activation);
}

TEST_F(CategoriserTest, what_outlives_its_operator_but_not_the_forward_is_a_temporary) {
  const BlockIndex unsaved = born_in_forward();
  operator_ended();
  EXPECT_EQ(category(unsaved), Category::activation) << "until the contrary is known";
  freed(unsaved);
  EXPECT_EQ(category(unsaved), Category::temporary);
}

TEST_F(CategoriserTest, what_lives_when_the_forward_ends_stays_an_activation) {
  const BlockIndex saved = born_in_forward();  // no operator end in between
  phase_ended(Phase::forward);
  EXPECT_EQ(category(saved), Category::activation);
  freed(saved);
  EXPECT_EQ(category(saved), Category::activation);
}

TEST_F(CategoriserTest, the_loss_is_like_the_forward) {
  const BlockIndex logits = born_in_forward();
  operator_ended();
  phase_ended(Phase::forward);
  const BlockIndex log_probabilities = born(Phase::loss, true);
  const BlockIndex scratch = born(Phase::loss, true);
  operator_ended();
  freed(scratch);
  phase_ended(Phase::loss);
  EXPECT_EQ(category(logits), Category::activation);
  EXPECT_EQ(category(log_probabilities), Category::activation);
  EXPECT_EQ(category(scratch), Category::temporary);
}

TEST_F(CategoriserTest, a_forward_without_graph_makes_temporaries) {
  const BlockIndex freed_early = born(Phase::forward, false);
  const BlockIndex output = born(Phase::forward, false);
  operator_ended();
  EXPECT_EQ(category(output), Category::unknown);
  freed(freed_early);
  EXPECT_EQ(category(freed_early), Category::temporary);
  phase_ended(Phase::forward);
  EXPECT_EQ(category(output), Category::temporary);
}

TEST_F(CategoriserTest, gradients_tagged_after_the_backward_are_gradients) {
  const BlockIndex gradient = born(Phase::backward, false);
  const BlockIndex scratch = born(Phase::backward, false);
  operator_ended();
  freed(scratch);
  phase_ended(Phase::backward);
  EXPECT_EQ(category(scratch), Category::temporary);
  EXPECT_EQ(category(gradient), Category::temporary) << "nobody has claimed it yet";
  owned(gradient, Category::gradient);
  EXPECT_EQ(category(gradient), Category::gradient);
  freed(gradient);
  EXPECT_EQ(category(gradient), Category::gradient);
}

TEST_F(CategoriserTest, gradients_tagged_inside_the_backward_outlive_its_end) {
  const BlockIndex gradient = born(Phase::backward, false);
  owned(gradient, Category::gradient);
  phase_ended(Phase::backward);
  EXPECT_EQ(category(gradient), Category::gradient);
}

TEST_F(CategoriserTest, optimizer_state_is_what_is_claimed_in_the_optimizer) {
  const BlockIndex moment = born(Phase::optimizer, false);
  const BlockIndex scratch = born(Phase::optimizer, false);
  owned(moment, Category::optimizer_state);
  freed(scratch);
  phase_ended(Phase::optimizer);
  EXPECT_EQ(category(moment), Category::optimizer_state);
  EXPECT_EQ(category(scratch), Category::temporary);
}

TEST_F(CategoriserTest, set_up_blocks_are_unknown_unless_owned_or_freed_before_it_ends) {
  const BlockIndex parameter = born(Phase::setup, false);
  const BlockIndex table = born(Phase::setup, true);
  const BlockIndex scratch = born(Phase::setup, false);
  owned(parameter, Category::parameter);
  freed(scratch);
  operator_ended();
  EXPECT_EQ(category(scratch), Category::unknown) << "a file may have no phases";
  phase_ended(Phase::setup);
  EXPECT_EQ(category(parameter), Category::parameter);
  EXPECT_EQ(category(table), Category::unknown);
  EXPECT_EQ(category(scratch), Category::temporary);
  freed(table);
  EXPECT_EQ(category(table), Category::unknown);
}

TEST_F(CategoriserTest, inputs_made_in_the_forward_are_inputs) {
  const BlockIndex tokens = born_in_forward();
  owned(tokens, Category::input);
  operator_ended();
  phase_ended(Phase::forward);
  EXPECT_EQ(category(tokens), Category::input);
}

TEST_F(CategoriserTest, a_cancelled_forward_that_ends_its_phase_first_keeps_its_activations) {
  const BlockIndex saved = born_in_forward();
  operator_ended();
  phase_ended(Phase::forward);
  freed(saved);
  EXPECT_EQ(category(saved), Category::activation);
}

TEST_F(CategoriserTest, a_cancelled_forward_that_only_unwinds_leaves_temporaries) {
  const BlockIndex saved = born_in_forward();
  operator_ended();
  const BlockIndex running = born_in_forward();
  freed(running);
  freed(saved);
  phase_ended(Phase::forward);
  EXPECT_EQ(category(saved), Category::temporary);
  EXPECT_EQ(category(running), Category::temporary);
}

TEST_F(CategoriserTest, what_a_refused_forward_held_were_activations) {
  const BlockIndex saved = born_in_forward();
  operator_ended();
  const BlockIndex workspace = born_in_forward();  // of the operator that is refused
  categoriser.refused();
  freed(workspace);
  freed(saved);
  phase_ended(Phase::forward);
  EXPECT_EQ(category(saved), Category::activation);
  EXPECT_EQ(category(workspace), Category::temporary);
}

TEST_F(CategoriserTest, the_end_of_one_phase_decides_nothing_about_another) {
  const BlockIndex forward = born(Phase::forward, false);
  const BlockIndex backward = born(Phase::backward, false);
  phase_ended(Phase::backward);
  EXPECT_EQ(category(forward), Category::unknown);
  EXPECT_EQ(category(backward), Category::temporary);
  phase_ended(Phase::forward);
  EXPECT_EQ(category(forward), Category::temporary);
}

TEST_F(CategoriserTest, only_changes_are_told) {
  const BlockIndex block = born_in_forward();
  EXPECT_TRUE(changes.empty());
  operator_ended();
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].block, block);
  EXPECT_EQ(changes[0].category, Category::activation);
  changes.clear();
  operator_ended();
  phase_ended(Phase::forward);
  freed(block);
  EXPECT_TRUE(changes.empty());
}

}  // namespace
}  // namespace ts::memory
