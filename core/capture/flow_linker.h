#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ts::capture {

// The flow id of an autograd sequence number (sequence_of() in raw_record.h): number and thread in
// 31 bits, plus one; never 0, the highest bit never set. Numbers of one thread that differ by 2^26
// share an id, and so do threads that differ by 32.
std::uint32_t flow_of(std::int64_t sequence);

// Decides which operators of one thread carry the flow between forward and backward. While a graph
// is recorded, every operator carries the number of the next autograd node, so nested operators
// share a number with those that run before the node is created. The operator that creates the node
// is the one that begins last. An autograd node may be wrapped in another record with the same
// number: the inner one, which ends first, gets the flow.
//
// Feed it the operators of a thread in the order in which they end. One owner thread.
class FlowLinker {
 public:
  using Row = std::size_t;  // row number of the caller, increasing
  struct Link {
    Row row = 0;
    std::uint32_t flow = 0;
  };

  // Adds a forward operator. This may settle the link of an earlier one, which is appended to
  // `links`.
  void forward(Row row, std::int64_t sequence, std::int64_t begin_ns, std::vector<Link>& links);
  // Adds an autograd node and returns its flow, which is known at once; 0 for none.
  [[nodiscard]] std::uint32_t backward(std::int64_t sequence, std::int64_t begin_ns);
  // An outermost record of the thread ended: no operator that encloses earlier ones can follow.
  void outermost_ended();

  // The first row whose flow is not settled yet, if `pending()`.
  [[nodiscard]] bool pending() const { return candidate_sequence_ >= 0; }
  [[nodiscard]] Row pending_row() const { return candidate_row_; }
  // Settles the pending row in its current state.
  void settle(std::vector<Link>& links);
  // The caller restarts its row numbers: the former row `first` is row 0 now.
  void rebase(Row first) { candidate_row_ -= first; }

 private:
  std::int64_t candidate_sequence_ = -1;
  std::int64_t candidate_begin_ns_ = 0;
  Row candidate_row_ = 0;
  std::vector<std::int64_t> settled_;  // sequence numbers, ascending; enclosing operators may share
  std::int64_t backward_sequence_ = -1;
  std::int64_t backward_begin_ns_ = 0;
};

}  // namespace ts::capture
