#include "kernels/ranks/power_sgd.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_qr.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace ts::kernels {
namespace {

using Future = c10::ivalue::Future;
using FuturePtr = c10::intrusive_ptr<Future>;

// powerSGD_hook's min_compression_rate.
constexpr std::int64_t kLeastRate = 2;
// Keeps a gradient of zeros from a division by zero.
constexpr double kEpsilon = 1e-8;

double squares_of(const at::Tensor& tensor) {
  const double norm = tensor.norm().item().toDouble();
  return norm * norm;
}

// Makes the columns orthonormal. One or two by Gram-Schmidt, as 16 bits, which QR does not know.
void orthogonalize(at::Tensor matrix) {
  const std::int64_t columns = matrix.size(1);
  if (columns > 2 && matrix.element_size() > 2) {
    matrix.copy_(std::get<0>(at::linalg_qr(matrix)));
    return;
  }
  for (std::int64_t i = 0; i < columns; ++i) {
    at::Tensor column = matrix.narrow(1, i, 1);
    column.div_(column.norm() + kEpsilon);
    if (i + 1 == columns) continue;
    at::Tensor rest = matrix.narrow(1, i + 1, columns - i - 1);
    rest.sub_((column * rest).sum(0, /*keepdim=*/true) * column);
  }
}

}  // namespace

// Used by the thread of the backward or one of Gloo's, by one at a time.
struct PowerSgd::State : std::enable_shared_from_this<PowerSgd::State> {
  // The work on one bucket.
  struct Exchange {
    struct Matrix {
      at::Tensor gradient;  // n x m
      at::Tensor p;         // n x r
      at::Tensor q;         // m x r
    };
    std::size_t bucket = 0;
    bool last = false;  // of a step
    at::Tensor whole;   // all gradients of the bucket, which these are views of
    std::vector<at::Tensor> gradients;
    std::vector<at::Tensor> small = {};  // not worth it
    at::Tensor of_small = {};
    std::vector<Matrix> matrices = {};
  };

  // The tensors that a bucket keeps from one exchange to the next.
  struct Kept {
    at::Tensor error, p, q;
  };

  State(c10::intrusive_ptr<c10d::ProcessGroup> group, std::int64_t most)
      : ranks(std::move(group)), rank(most) {}

  FuturePtr all_reduce(at::Tensor tensor) {
    std::vector<at::Tensor> tensors = {std::move(tensor)};
    return ranks->allreduce(tensors)->getFuture();
  }
  template <class Next>
  FuturePtr after(const FuturePtr& before, Next next) {
    return before->thenAsync(
        [state = shared_from_this(), next = std::move(next)](Future& done) {
          done.value();  // throws if it failed
          const at::NoGradGuard no_grad;
          return next(*state);
        },
        c10::AnyType::get());
  }
  static FuturePtr ended(c10::IValue tensor) {
    auto future = c10::make_intrusive<Future>(c10::AnyType::get());
    future->markCompleted(std::move(tensor));
    return future;
  }

  FuturePtr plain(const std::shared_ptr<Exchange>& one);
  FuturePtr compressed(const std::shared_ptr<Exchange>& one);
  void split(Exchange& one);
  void begin(Exchange& one);
  void make_qs(Exchange& one);
  void finish(Exchange& one);

  const c10::intrusive_ptr<c10d::ProcessGroup> ranks;
  const std::int64_t rank;
  FuturePtr newest;  // the exchange that began last; null: none
  std::int64_t exchanges = 0;
  std::uint64_t seeds = 0;
  std::map<std::size_t, Kept> kept;
  run::CompressionFacts facts;    // of the last whole exchange
  run::CompressionFacts current;  // of the one in progress
  double squares = 0;             // of its gradients
  double held = 0;                // of them: in the factors, or sent whole
};

FuturePtr PowerSgd::State::plain(const std::shared_ptr<Exchange>& one) {
  one->whole.div_(ranks->getSize());
  return after(all_reduce(one->whole), [one](State& state) {
    if (one->last) ++state.exchanges;
    return ended(one->whole);
  });
}

void PowerSgd::State::split(Exchange& one) {
  std::vector<at::Tensor> matrices;
  for (const at::Tensor& gradient : one.gradients) {
    const at::Tensor matrix = gradient.dim() > 0 ? gradient.view({gradient.size(0), -1}) : gradient;
    const std::int64_t n = matrix.size(0);
    const std::int64_t m = matrix.numel() / std::max<std::int64_t>(n, 1);
    const std::int64_t factors = (n + m) * std::min({n, m, rank});
    current.elements += n * m;
    const bool worth = factors * kLeastRate < n * m;
    current.sent += worth ? factors : n * m;
    (worth ? matrices : one.small).push_back(worth ? matrix : gradient);
  }
  // Matrices of one shape side by side, as powerSGD_hook has them in P and Q.
  const auto same = [](const at::Tensor& a, const at::Tensor& b) { return a.sizes() == b.sizes(); };
  while (!matrices.empty()) {
    const at::Tensor first = matrices.front();
    for (const at::Tensor& matrix : matrices)
      if (same(matrix, first)) one.matrices.push_back({matrix, {}, {}});
    std::erase_if(matrices, [&](const at::Tensor& matrix) { return same(matrix, first); });
  }
}

// Up to P = M Q.
void PowerSgd::State::begin(Exchange& one) {
  Kept& mine = kept[one.bucket];
  if (mine.error.defined()) {
    one.whole.add_(mine.error);
  } else {
    mine.error = at::zeros_like(one.whole);
  }
  mine.error.copy_(one.whole);
  squares += squares_of(one.whole);
  split(one);
  std::vector<at::Tensor> flat;
  for (const at::Tensor& gradient : one.small) flat.push_back(gradient.view({-1}));
  if (!flat.empty()) one.of_small = at::cat(flat);
  if (one.matrices.empty()) return;
  const auto columns = [this](const Exchange::Matrix& matrix) {
    return std::min({matrix.gradient.size(0), matrix.gradient.size(1), rank});
  };
  const bool fresh = !mine.p.defined();
  if (fresh) {
    std::int64_t ps = 0;
    std::int64_t qs = 0;
    for (const Exchange::Matrix& matrix : one.matrices) {
      ps += matrix.gradient.size(0) * columns(matrix);
      qs += matrix.gradient.size(1) * columns(matrix);
    }
    mine.p = at::empty({ps}, one.whole.options());
    mine.q = at::empty({qs}, one.whole.options());
  }
  auto random = at::detail::createCPUGenerator(fresh ? seeds++ : 0);
  std::int64_t p_at = 0;
  std::int64_t q_at = 0;
  for (Exchange::Matrix& matrix : one.matrices) {
    const auto part = [&](const at::Tensor& memory, std::int64_t& at, std::int64_t rows) {
      const std::int64_t size = rows * columns(matrix);
      at += size;
      return memory.narrow(0, at - size, size).view({rows, columns(matrix)});
    };
    matrix.p = part(mine.p, p_at, matrix.gradient.size(0));
    matrix.q = part(mine.q, q_at, matrix.gradient.size(1));
    if (fresh) matrix.q.copy_(at::randn(matrix.q.sizes(), random, matrix.q.options()));
    orthogonalize(matrix.q);
    at::mm_out(matrix.p, matrix.gradient, matrix.q);
  }
}

// Q = M^T P, with the columns of P orthonormal.
void PowerSgd::State::make_qs(Exchange& one) {
  for (Exchange::Matrix& matrix : one.matrices) {
    orthogonalize(matrix.p);
    at::mm_out(matrix.q, matrix.gradient.t(), matrix.p);
  }
  held += squares_of(kept[one.bucket].q);
}

// The gradients become what all ranks have: P Q^T.
void PowerSgd::State::finish(Exchange& one) {
  Kept& mine = kept[one.bucket];
  if (!one.matrices.empty()) mine.q.div_(ranks->getSize());
  for (Exchange::Matrix& matrix : one.matrices) at::mm_out(matrix.gradient, matrix.p, matrix.q.t());
  mine.error.sub_(one.whole);
  if (!one.last) return;
  ++exchanges;
  facts = std::exchange(current, {});
  facts.left_out = squares > 0 ? std::sqrt(std::max(0.0, 1 - held / squares)) : 0;
  squares = held = 0;
}

FuturePtr PowerSgd::State::compressed(const std::shared_ptr<Exchange>& one) {
  begin(*one);
  FuturePtr step = ended(one->whole);
  if (!one->small.empty()) {
    held += squares_of(one->of_small);
    step = after(all_reduce(one->of_small), [one](State& state) {
      one->of_small.div_(state.ranks->getSize());
      std::int64_t at = 0;
      for (at::Tensor& gradient : one->small) {
        gradient.view({-1}).copy_(one->of_small.narrow(0, at, gradient.numel()));
        at += gradient.numel();
      }
      return ended(one->whole);
    });
  }
  if (!one->matrices.empty()) {
    step = after(step, [one](State& state) { return state.all_reduce(state.kept[one->bucket].p); });
    step = after(step, [one](State& state) {
      state.make_qs(*one);
      return state.all_reduce(state.kept[one->bucket].q);
    });
  }
  return after(step, [one](State& state) {
    state.finish(*one);
    return ended(one->whole);
  });
}

PowerSgd::PowerSgd(c10::intrusive_ptr<c10d::ProcessGroup> ranks, std::int64_t rank)
    : state_(std::make_shared<State>(std::move(ranks), rank)) {}

PowerSgd::~PowerSgd() = default;

FuturePtr PowerSgd::runHook(c10d::GradBucket& bucket) {
  const auto one =
      std::make_shared<State::Exchange>(State::Exchange{.bucket = bucket.getIndex(),
                                                        .last = bucket.isLast(),
                                                        .whole = bucket.getBuffer(),
                                                        .gradients = bucket.getGradients()});
  const FuturePtr before = state_->newest != nullptr ? state_->newest : State::ended({});
  FuturePtr exchanged = state_->after(before, [one](State& state) {
    return state.exchanges < kPlainExchanges ? state.plain(one) : state.compressed(one);
  });
  // Without the tensor, which would live until the next exchange.
  state_->newest = state_->after(exchanged, [](State&) { return State::ended({}); });
  return exchanged;
}

at::Tensor PowerSgd::parseHookResult(const c10::IValue& result) {
  return c10d::detail::parseCppCommHookResult(result);
}

run::CompressionFacts PowerSgd::facts(const State& state) {
  return state.facts;
}

std::vector<at::Tensor> PowerSgd::kept(const State& state) {
  std::vector<at::Tensor> tensors;
  for (const auto& [bucket, mine] : state.kept)
    for (const at::Tensor& tensor : {mine.error, mine.p, mine.q})
      if (tensor.defined()) tensors.push_back(tensor);
  return tensors;
}

}  // namespace ts::kernels
