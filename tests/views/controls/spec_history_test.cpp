#include "views/controls/spec_history.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace ts::views {
namespace {

spec::WorkloadSpec with_t(std::int64_t seq_len) {
  spec::WorkloadSpec spec;
  spec.seq_len = seq_len;
  return spec;
}

TEST(SpecHistory, begins_with_nothing_to_undo) {
  SpecHistory history(with_t(512));
  EXPECT_EQ(history.spec().seq_len, 512);
  EXPECT_FALSE(history.can_undo());
  EXPECT_FALSE(history.can_redo());
  history.undo();
  history.redo();
  EXPECT_EQ(history.spec().seq_len, 512);
}

TEST(SpecHistory, problems_are_those_of_the_shown_settings) {
  SpecHistory history(with_t(512));
  EXPECT_TRUE(history.checked().problems().empty());
  history.preview(with_t(0));
  ASSERT_EQ(history.checked().problems().size(), 1U);
  EXPECT_EQ(history.checked().problems()[0].field, spec::Field::T);
  history.undo();
  EXPECT_TRUE(history.checked().problems().empty());
  history.redo();
  EXPECT_FALSE(history.checked().problems().empty());
}

TEST(SpecHistory, a_drag_is_one_step) {
  SpecHistory history(with_t(512));
  for (std::int64_t t = 513; t <= 700; ++t) history.preview(with_t(t));
  EXPECT_EQ(history.spec().seq_len, 700);
  history.commit();
  history.undo();
  EXPECT_EQ(history.spec().seq_len, 512);
  EXPECT_FALSE(history.can_undo());
  history.redo();
  EXPECT_EQ(history.spec().seq_len, 700);
}

TEST(SpecHistory, a_drag_that_comes_back_is_no_step) {
  SpecHistory history(with_t(512));
  history.preview(with_t(600));
  history.preview(with_t(512));
  history.commit();
  EXPECT_FALSE(history.can_undo());
}

TEST(SpecHistory, undo_in_the_middle_of_a_drag_goes_back_to_its_start) {
  SpecHistory history(with_t(512));
  history.preview(with_t(600));
  EXPECT_TRUE(history.can_undo());
  history.undo();
  EXPECT_EQ(history.spec().seq_len, 512);
  history.redo();
  EXPECT_EQ(history.spec().seq_len, 600);
}

TEST(SpecHistory, a_new_change_forgets_what_could_be_redone) {
  SpecHistory history(with_t(1));
  history.set(with_t(2));
  history.set(with_t(3));
  history.undo();
  history.set(with_t(4));
  EXPECT_FALSE(history.can_redo());
  history.undo();
  EXPECT_EQ(history.spec().seq_len, 2);
}

TEST(SpecHistory, keeps_the_newest_steps_when_there_are_too_many) {
  SpecHistory history(with_t(0));
  const auto count = static_cast<std::int64_t>(SpecHistory::kMaxSteps) + 20;
  for (std::int64_t t = 1; t <= count; ++t) history.set(with_t(t));
  while (history.can_undo()) history.undo();
  EXPECT_EQ(history.spec().seq_len, 20);
}

// Against the plainest model there is: a list of all states and a place in it.
TEST(SpecHistory, behaves_as_a_list_of_states_with_a_place_in_it) {
  std::mt19937 random(7);
  SpecHistory history(with_t(0));
  std::vector<std::int64_t> states = {0};
  std::size_t place = 0;
  for (int i = 0; i < 400; ++i) {
    switch (random() % 3) {
      case 0: {
        const auto value = static_cast<std::int64_t>(random() % 5);
        history.set(with_t(value));
        if (value != states[place]) {
          states.resize(place + 1);
          states.push_back(value);
          ++place;
        }
        break;
      }
      case 1:
        history.undo();
        if (place > 0) --place;
        break;
      default:
        history.redo();
        if (place + 1 < states.size()) ++place;
    }
    ASSERT_EQ(history.spec().seq_len, states[place]) << "action " << i;
    ASSERT_EQ(history.can_undo(), place > 0);
    ASSERT_EQ(history.can_redo(), place + 1 < states.size());
  }
}

}  // namespace
}  // namespace ts::views
