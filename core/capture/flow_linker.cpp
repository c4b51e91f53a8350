#include "core/capture/flow_linker.h"

#include <algorithm>

#include "core/capture/raw_record.h"

namespace ts::capture {

std::uint32_t flow_of(std::int64_t sequence) {
  constexpr unsigned kNumberBits = 26;
  const auto bits = static_cast<std::uint64_t>(sequence);
  const std::uint64_t number = bits & ((1U << kNumberBits) - 1);
  const std::uint64_t thread = (bits >> kSequenceBits) & 31U;
  const auto flow = static_cast<std::uint32_t>((thread << kNumberBits | number) + 1);
  return flow >> 31U == 0 ? flow : 1;
}

void FlowLinker::forward(Row row, std::int64_t sequence, std::int64_t begin_ns,
                         std::vector<Link>& links) {
  if (sequence < 0) return;
  if (sequence == candidate_sequence_) {
    if (begin_ns < candidate_begin_ns_) return;  // encloses the candidate
    candidate_begin_ns_ = begin_ns;
    candidate_row_ = row;
    return;
  }
  if (std::binary_search(settled_.begin(), settled_.end(), sequence)) return;
  if (sequence < candidate_sequence_) {
    // It encloses operators with later numbers; no operator inside it has its own number.
    settled_.insert(std::upper_bound(settled_.begin(), settled_.end(), sequence), sequence);
    links.push_back({row, flow_of(sequence)});
    return;
  }
  settle(links);
  candidate_sequence_ = sequence;
  candidate_begin_ns_ = begin_ns;
  candidate_row_ = row;
}

std::uint32_t FlowLinker::backward(std::int64_t sequence, std::int64_t begin_ns) {
  if (sequence < 0) return 0;
  if (sequence == backward_sequence_ && begin_ns <= backward_begin_ns_) return 0;
  backward_sequence_ = sequence;
  backward_begin_ns_ = begin_ns;
  return flow_of(sequence);
}

void FlowLinker::outermost_ended() {
  // The last one stays: operators that create no node may still follow with its number.
  if (settled_.size() > 1) settled_.erase(settled_.begin(), settled_.end() - 1);
}

void FlowLinker::settle(std::vector<Link>& links) {
  if (!pending()) return;
  links.push_back({candidate_row_, flow_of(candidate_sequence_)});
  settled_.insert(std::ranges::upper_bound(settled_, candidate_sequence_), candidate_sequence_);
  candidate_sequence_ = -1;
}

}  // namespace ts::capture
