#include "core/capture/flow_linker.h"

#include <gtest/gtest.h>

#include <map>

#include "core/capture/raw_record.h"

namespace ts::capture {
namespace {

class FlowLinkerTest : public ::testing::Test {
 protected:
  // Operators end in this order; returns the row.
  std::size_t forward(std::int64_t sequence, std::int64_t begin_ns) {
    linker.forward(rows, sequence, begin_ns, links);
    return rows++;
  }
  std::map<std::size_t, std::uint32_t> settled() {
    linker.settle(links);
    std::map<std::size_t, std::uint32_t> flows;
    for (const FlowLinker::Link& link : links) {
      EXPECT_TRUE(flows.emplace(link.row, link.flow).second) << "two flows for one row";
    }
    return flows;
  }

  FlowLinker linker;
  std::vector<FlowLinker::Link> links;
  std::size_t rows = 0;
};

using Flows = std::map<std::size_t, std::uint32_t>;

TEST(FlowOf, is_the_number_plus_one_and_never_zero) {
  EXPECT_EQ(flow_of(0), 1U);
  EXPECT_EQ(flow_of(41), 42U);
  EXPECT_EQ(flow_of(0x3FFFFFE), 0x3FFFFFFU);
  EXPECT_EQ(flow_of(0x4000000), 1U) << "numbers repeat after 2^26";
  EXPECT_NE(flow_of(sequence_of(1, 41)), flow_of(sequence_of(2, 41)));
  EXPECT_EQ(flow_of(sequence_of(31, 0x3FFFFFF)), 1U) << "the highest bit is a launch's";
  EXPECT_EQ(sequence_of(3, -1), -1);
}

TEST_F(FlowLinkerTest, one_operator_a_node) {
  forward(5, 10);
  forward(6, 20);
  forward(7, 30);
  EXPECT_EQ(settled(), (Flows{{0, 6}, {1, 7}, {2, 8}}));
}

TEST_F(FlowLinkerTest, of_nested_operators_the_innermost) {
  // linear(10) { t(10), addmm(11) }
  forward(10, 1);   // t
  forward(11, 5);   // addmm
  forward(10, 0);   // linear
  forward(12, 20);  // the next
  EXPECT_EQ(settled(), (Flows{{0, 11}, {1, 12}, {3, 13}}));
}

TEST_F(FlowLinkerTest, of_a_row_of_operators_with_one_number_the_last) {
  // A mask is made without a graph, then the product makes node 10.
  forward(10, 0);
  forward(10, 5);
  forward(10, 9);
  forward(11, 20);
  EXPECT_EQ(settled(), (Flows{{2, 11}, {3, 12}}));
}

TEST_F(FlowLinkerTest, an_operator_around_later_numbers_keeps_its_own) {
  // A function makes node 20 and then runs an operator that makes node 21.
  forward(21, 5);
  forward(20, 0);
  forward(22, 9);
  EXPECT_EQ(settled(), (Flows{{0, 22}, {1, 21}, {2, 23}}));
}

TEST_F(FlowLinkerTest, no_number_no_flow) {
  forward(-1, 0);
  EXPECT_FALSE(linker.pending());
  EXPECT_EQ(settled(), (Flows{}));
}

TEST_F(FlowLinkerTest, a_number_settled_too_early_is_not_given_twice) {
  forward(10, 0);
  linker.settle(links);
  linker.outermost_ended();
  forward(10, 5);
  forward(11, 9);
  EXPECT_EQ(settled(), (Flows{{0, 11}, {2, 12}}));
}

TEST_F(FlowLinkerTest, waits_for_the_row_it_may_still_change) {
  forward(10, 0);
  EXPECT_TRUE(linker.pending());
  EXPECT_EQ(linker.pending_row(), 0U);
  forward(10, 5);
  EXPECT_EQ(linker.pending_row(), 1U);
  forward(10, 4);  // around the second
  EXPECT_EQ(linker.pending_row(), 1U);
  linker.rebase(1);
  EXPECT_EQ(linker.pending_row(), 0U);
}

TEST_F(FlowLinkerTest, of_an_autograd_node_and_its_wrapper_the_node) {
  EXPECT_EQ(linker.backward(7, 11), 8U);
  EXPECT_EQ(linker.backward(7, 10), 0U);  // the wrapper ends later, began earlier
  EXPECT_EQ(linker.backward(6, 20), 7U);
  EXPECT_EQ(linker.backward(-1, 25), 0U);
  EXPECT_EQ(linker.backward(6, 30), 7U) << "the same graph is walked again";
}

TEST_F(FlowLinkerTest, operators_inside_a_node_do_not_hide_it) {
  EXPECT_EQ(linker.backward(-1, 12), 0U);
  EXPECT_EQ(linker.backward(50, 13), 51U);  // create_graph: a node of the second backward
  EXPECT_EQ(linker.backward(7, 11), 8U);
  EXPECT_EQ(linker.backward(7, 10), 0U);
}

}  // namespace
}  // namespace ts::capture
