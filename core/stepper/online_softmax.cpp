#include "core/stepper/online_softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/stepper/seeded.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::stepper {
namespace {

constexpr double kLowestScore = -std::numeric_limits<double>::infinity();
constexpr double kSpread = 2;  // of the scores: a row in which the maximum moves

// The begins of the blocks, in the order in which they are taken.
std::vector<std::int64_t> block_order(std::int64_t blocks, std::int64_t order) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(blocks));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  if (order == 0) return all;
  std::vector<std::pair<float, std::int64_t>> keyed;
  keyed.reserve(all.size());
  for (const std::int64_t one : all)
    keyed.emplace_back(seeded_number(order, 9, static_cast<std::size_t>(one)), one);
  std::ranges::sort(keyed);
  std::ranges::transform(keyed, all.begin(), [](const auto& pair) { return pair.second; });
  return all;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace

OnlineSoftmax::OnlineSoftmax(const calculate::Chosen& chosen)
    : keys_(chosen.number("keys")), block_(chosen.number("block_k")), visible_(keys_) {
  if (chosen.number("causal") != 0) visible_ = std::min(keys_, chosen.number("query") + 1);
  const std::int64_t seed = chosen.number("seed");
  const auto count = static_cast<std::size_t>(keys_);
  for (std::size_t i = 0; i < count; ++i)
    scores_.push_back(kSpread * double{seeded_number(seed, 3, i)});
  for (std::size_t i = 0; i < count * kWidth; ++i)
    values_.push_back(double{seeded_number(seed, 4, i)});
  State begin;
  begin.m = kLowestScore;
  begin.acc.assign(kWidth, 0);
  begin.seen.assign(count, false);
  begin.weights.assign(count, 0);
  begin.error_all = largest_difference(begin.acc, direct(std::vector<bool>(count, true)));
  states_.push_back(std::move(begin));
  // The published code drops the tail: it divides and rounds down.
  const bool drop = chosen.number("drop_tail") != 0;
  const std::int64_t blocks = drop ? keys_ / block_ : (keys_ + block_ - 1) / block_;
  for (const std::int64_t one : block_order(blocks, chosen.number("order"))) {
    if (one * block_ < visible_) add_block(one * block_);  // else all of it is masked: skipped
  }
  State end = states_.back();
  end.first = end.count = 0;
  end.divided = true;
  if (end.l > 0) {
    for (double& one : end.acc) one /= end.l;
  }
  states_.push_back(std::move(end));
}

// Softmax over these keys of those that the row sees, at once.
std::vector<double> OnlineSoftmax::direct(const std::vector<bool>& of) const {
  double most = kLowestScore, sum = 0;
  std::vector<double> out(kWidth, 0);
  const auto visible = static_cast<std::size_t>(visible_);
  for (std::size_t i = 0; i < visible; ++i)
    if (of[i]) most = std::max(most, scores_[i]);
  for (std::size_t i = 0; i < visible; ++i) {
    if (!of[i]) continue;
    const double weight = std::exp(scores_[i] - most);
    sum += weight;
    for (std::size_t n = 0; n < kWidth; ++n) out[n] += weight * values_[i * kWidth + n];
  }
  if (sum > 0) {
    for (double& one : out) one /= sum;
  }
  return out;
}

void OnlineSoftmax::add_block(std::int64_t first) {
  State now = states_.back();
  now.first = first;
  now.count = std::min(block_, keys_ - first);
  const auto begin = static_cast<std::size_t>(first);
  const auto end = static_cast<std::size_t>(std::min(first + now.count, visible_));
  double largest = now.m;
  for (std::size_t i = begin; i < end; ++i) largest = std::max(largest, scores_[i]);
  now.shrink = std::exp(now.m - largest);
  now.m = largest;
  now.l *= now.shrink;
  for (double& one : now.acc) one *= now.shrink;
  for (double& one : now.weights) one *= now.shrink;
  for (std::size_t i = begin; i < end; ++i) {
    const double weight = std::exp(scores_[i] - largest);
    now.seen[i] = true;
    now.weights[i] = weight;
    now.l += weight;
    for (std::size_t n = 0; n < kWidth; ++n) now.acc[n] += weight * values_[i * kWidth + n];
  }
  std::vector<double> output = now.acc;
  for (double& one : output) one /= now.l;
  now.error_seen = largest_difference(output, direct(now.seen));
  now.error_all =
      largest_difference(output, direct(std::vector<bool>(static_cast<std::size_t>(keys_), true)));
  states_.push_back(std::move(now));
}

std::vector<double> OnlineSoftmax::row(std::size_t step) const {
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  const State& now = states_[step];
  const bool block = now.count > 0;
  std::vector<double> numbers = {block ? static_cast<double>(now.first) : kNothing,
                                 block ? static_cast<double>(now.count) : kNothing, now.m, now.l,
                                 block ? now.shrink : kNothing};
  numbers.insert(numbers.end(), now.acc.begin(), now.acc.end());
  numbers.push_back(step == 0 ? kNothing : now.error_seen);
  numbers.push_back(step == 0 ? kNothing : now.error_all);
  return numbers;
}

base::Message OnlineSoftmax::said(std::size_t step) const {
  const State& now = states_[step];
  if (step == 0) return text::message("stepper.said.softmax_begin");
  if (now.divided)
    return text::message("stepper.said.softmax_end", {{"sum", text::decimal(now.l, 4)}});
  const std::string keys =
      std::to_string(now.first) + " \xe2\x80\xa6 " + std::to_string(now.first + now.count - 1);
  if (step == 1)
    return text::message("stepper.said.softmax_first",
                         {{"keys", keys}, {"most", text::decimal(now.m, 4)}});
  const bool moved = now.shrink < 1;
  return text::message(moved ? "stepper.said.softmax_moved" : "stepper.said.softmax_kept",
                       {{"keys", keys},
                        {"most", text::decimal(now.m, 4)},
                        {"factor", text::decimal(now.shrink, 4)}});
}

std::vector<calculate::Figure> OnlineSoftmax::figures() const {
  const State& end = states_.back();
  double partial = 0, rescaled = 0;
  for (const State& one : states_) {
    partial = std::max(partial, one.error_seen);
    if (one.count > 0 && one.shrink > 0 && one.shrink < 1) rescaled += 1;
  }
  const auto taken = static_cast<double>(std::ranges::count(end.seen, true));
  return {{"blocks", static_cast<double>(states_.size() - 2)},
          {"keys_seen", static_cast<double>(visible_)},
          {"keys_taken", taken},
          {"rescaled", rescaled},
          {"maximum", end.m},
          {"sum", end.l},
          {"largest_error", end.error_all},
          {"partial_error", partial}};
}

}  // namespace ts::stepper
