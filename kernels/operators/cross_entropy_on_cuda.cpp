#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <optional>

#include "kernels/operators/on_cuda.h"
#include "kernels/own_cuda/cross_entropy.h"

namespace ts::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// As many classes as make the logits of a chunk no larger than x; fewer would be slow products.
std::int64_t columns_by_size(const at::Tensor& x, std::int64_t classes) {
  constexpr std::int64_t kFewest = 2048;
  return std::min(std::max(x.size(1), kFewest), classes);
}

// The classes in chunks, whose logits come one after the other into the same memory.
class ClassChunks {
 public:
  ClassChunks(const at::Tensor& x, const at::Tensor& weight, std::int64_t columns)
      : x_(x), weight_(weight), columns_(columns) {}

  // Calls what(logits [rows, count], weight [count, width], problem) for each chunk.
  template <class What>
  void each(own_cuda::CrossEntropy<void> problem, const What& what) const {
    const std::int64_t rows = x_.size(0), classes = weight_.size(0);
    at::Tensor memory;
    for (std::int64_t first = 0; first < classes; first += columns_) {
      const std::int64_t count = std::min(columns_, classes - first);
      const at::Tensor weight = weight_.narrow(0, first, count);
      at::Tensor logits;
      if (first == 0) {
        logits = at::mm(x_, weight.t());
        memory = logits.view({-1});  // no chunk is larger
      } else {
        logits = memory.narrow(0, 0, rows * count).view({rows, count});
        at::mm_out(logits, x_, weight.t());
      }
      problem.logits = logits.data_ptr();
      problem.width = static_cast<int>(count);
      problem.first = static_cast<int>(first);
      problem.begins = first == 0 ? 1 : 0;
      problem.ends = first + count == classes ? 1 : 0;
      what(logits, weight, problem);
    }
  }
  [[nodiscard]] bool several() const { return columns_ < weight_.size(0); }

 private:
  const at::Tensor &x_, &weight_;
  std::int64_t columns_;
};

// dX = the sum of the chunks' products. Those of 16 bits are added up in fp32, and rounded once.
class SumOfProducts {
 public:
  SumOfProducts(const at::Tensor& x, bool several)
      : d_x_(at::empty_like(x)), wide_(several && x.scalar_type() != at::kFloat) {
    if (wide_) sum_ = at::empty(x.sizes(), x.options().dtype(at::kFloat));
  }

  void add(const at::Tensor& logits, const at::Tensor& weight,
           own_cuda::CrossEntropy<void> problem) {
    if (problem.begins != 0 || wide_) {
      at::mm_out(d_x_, logits, weight);
    } else {
      at::addmm_out(d_x_, d_x_, logits, weight);
    }
    if (!wide_) return;
    problem.d_x = d_x_.data_ptr();
    problem.d_x_sum = floats_of(sum_);
    problem.width = static_cast<int>(d_x_.size(1));
    launch_rows("cross_entropy_add", report::RowLaunch::numbers, d_x_, {d_x_.size(0), d_x_.size(1)},
                &problem);
  }
  [[nodiscard]] const at::Tensor& all() const { return d_x_; }

 private:
  at::Tensor d_x_, sum_;
  bool wide_;
};

class CrossEntropyOnCuda : public torch::autograd::Function<CrossEntropyOnCuda> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& targets, std::int64_t columns) {
    const std::int64_t rows = x.size(0);
    const auto floats = x.options().dtype(at::kFloat);
    const at::Tensor state = at::empty({2, rows}, floats), losses = at::empty({rows}, floats);
    own_cuda::CrossEntropy<void> problem{};
    problem.targets = static_cast<const std::int64_t*>(targets.data_ptr());
    problem.largest = floats_of(state);
    problem.sums = problem.largest + rows;
    problem.losses = floats_of(losses);
    problem.rows = static_cast<int>(rows);
    ClassChunks(x, weight, columns)
        .each(problem, [&](const at::Tensor&, const at::Tensor&, const auto& chunk) {
          launch_rows("cross_entropy_forward", report::RowLaunch::rows, x, {rows, chunk.width},
                      &chunk);
        });
    at::Tensor mean = at::empty({}, floats);
    problem.mean = floats_of(mean);
    launch_rows("cross_entropy_mean", report::RowLaunch::one, x, {rows, 1}, &problem);
    context->save_for_backward({x, weight, targets, state});
    context->saved_data["columns"] = columns;
    return mean;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &targets = saved[2];
    const ClassChunks chunks(x, weight, context->saved_data["columns"].toInt());
    const bool of_x = context->needs_input_grad(0), of_weight = context->needs_input_grad(1);
    std::optional<SumOfProducts> d_x;
    if (of_x) d_x.emplace(x, chunks.several());
    const at::Tensor d_weight = of_weight ? at::empty_like(weight) : at::Tensor();
    own_cuda::CrossEntropy<void> problem{};
    problem.targets = static_cast<const std::int64_t*>(targets.data_ptr());
    problem.largest = floats_of(saved[3]);
    problem.sums = problem.largest + x.size(0);
    problem.d_mean = floats_of(gradients[0]);
    problem.rows = static_cast<int>(x.size(0));
    chunks.each(problem, [&](const at::Tensor& logits, const at::Tensor& some, const auto& chunk) {
      launch_rows("cross_entropy_backward", report::RowLaunch::rows, x, {x.size(0), chunk.width},
                  &chunk);
      if (of_x) d_x->add(logits, some, chunk);
      if (!of_weight) return;
      at::Tensor rows = d_weight.narrow(0, chunk.first, chunk.width);
      at::mm_out(rows, logits.t(), x);
    });
    return {of_x ? d_x->all() : at::Tensor(), d_weight, at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor cross_entropy_on_cuda(const at::Tensor& x, const at::Tensor& weight,
                                 const at::Tensor& targets, std::int64_t columns) {
  if (columns == 0) columns = columns_by_size(x, weight.size(0));
  return CrossEntropyOnCuda::apply(x.contiguous(), weight.contiguous(), targets.contiguous(),
                                   columns);
}

}  // namespace ts::kernels
