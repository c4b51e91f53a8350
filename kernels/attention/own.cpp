#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/attention/attend.h"
#include "kernels/observe/custom_node.h"
#include "kernels/operators/call.h"
#include "kernels/operators/on_cuda.h"
#include "kernels/own/attention_kernel.h"

namespace ts::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The kernels want the numbers of a row side by side.
at::Tensor with_dense_rows(const at::Tensor& x) {
  return x.size(3) == 1 || x.stride(3) == 1 ? x : x.contiguous();
}

// [B, heads, T, d] with the layout [B, T, heads, d], from which the heads of a token are joined
// without a copy.
at::Tensor empty_by_token(const at::Tensor& like) {
  return at::empty({like.size(0), like.size(2), like.size(1), like.size(3)}, like.options())
      .transpose(1, 2);
}

own::Matrix matrix_of(const at::Tensor& tensor, std::int64_t batch, std::int64_t head) {
  if (!tensor.defined()) return {};
  auto* const data = static_cast<char*>(tensor.data_ptr());
  const std::int64_t offset = batch * tensor.stride(0) + head * tensor.stride(1);
  return {data + offset * tensor.element_size(), tensor.stride(2)};
}

// One attention as the kernels see it. Gradients are undefined in the forward.
struct Problem {
  bool causal;
  OwnTiles tiles;
  at::Tensor q, k, v, o, log_sums;
  at::Tensor d_o = {}, d_q = {}, d_k = {}, d_v = {};

  [[nodiscard]] std::int64_t batch() const { return q.size(0); }
  [[nodiscard]] std::int64_t heads() const { return q.size(1); }
  [[nodiscard]] std::int64_t kv_heads() const { return k.size(1); }
  // Heads of queries that share keys and values.
  [[nodiscard]] std::int64_t group() const { return heads() / kv_heads(); }

  // Sizes without memory, for tensors without data too.
  [[nodiscard]] own::Head sizes() const {
    return {.element = element_of(q),
            .causal = causal,
            .queries = q.size(2),
            .keys = k.size(2),
            .d_head = q.size(3),
            .scale = 1 / std::sqrt(static_cast<double>(q.size(3))),
            .tile_queries = tiles.queries,
            .tile_keys = tiles.keys};
  }
  [[nodiscard]] own::Head head(std::int64_t b, std::int64_t h) const {
    own::Head head = sizes();
    const std::int64_t shared = h / group();
    head.q = matrix_of(q, b, h);
    head.k = matrix_of(k, b, shared);
    head.v = matrix_of(v, b, shared);
    head.o = matrix_of(o, b, h);
    head.d_o = matrix_of(d_o, b, h);
    head.d_q = matrix_of(d_q, b, h);
    head.d_k = matrix_of(d_k, b, shared);
    head.d_v = matrix_of(d_v, b, shared);
    head.log_sums = static_cast<double*>(log_sums.data_ptr()) + (b * heads() + h) * head.queries;
    return head;
  }
};

// Memory of each thread for its tiles, in one block.
class Scratch {
 public:
  Scratch(const at::Tensor& like, std::int64_t bytes)
      : of_a_thread_((bytes + kAlignment - 1) / kAlignment * kAlignment),
        block_(at::empty({at::get_num_threads() * of_a_thread_}, like.options().dtype(at::kByte))) {
  }
  [[nodiscard]] void* of_this_thread() const {
    return static_cast<char*>(block_.data_ptr()) + at::get_thread_num() * of_a_thread_;
  }

 private:
  static constexpr std::int64_t kAlignment = 64;  // also that of LibTorch's allocations on the CPU
  std::int64_t of_a_thread_;
  at::Tensor block_;
};

// Under a causal mask the last queries have the most work. Taken from both ends by turns, any
// consecutive tiles have about as much work as any others, and so has every thread.
std::int64_t from_both_ends(std::int64_t index, std::int64_t count) {
  return index % 2 == 0 ? index / 2 : count - 1 - index / 2;
}

void run_forward(const own::AttentionKernel& kernel, const Problem& problem) {
  const Scratch scratch(problem.q, kernel.forward_scratch(problem.sizes()));
  if (problem.q.is_meta()) return;
  const std::int64_t tile = problem.tiles.queries;
  const std::int64_t tiles = (problem.q.size(2) + tile - 1) / tile;
  share_among_threads(problem.batch() * problem.heads() * tiles, [&](std::int64_t task) {
    const std::int64_t head = task / tiles;
    kernel.forward(problem.head(head / problem.heads(), head % problem.heads()),
                   from_both_ends(task % tiles, tiles) * tile, scratch.of_this_thread());
  });
}

// Where few heads of keys would leave threads without work, the keys of each are cut into blocks,
// and each block has gradients of the queries of its own, which are added in order. By sizes alone,
// so that results are the same for any threads. Sums of 16 bits are rounded once more, so these are
// cut in two at most.
class KeyBlocks {
 public:
  explicit KeyBlocks(const Problem& problem) : problem_(problem) {
    constexpr std::int64_t kFewestTasks = 8, kFewestTiles = 4;
    const std::int64_t tasks = problem.batch() * problem.kv_heads();
    const std::int64_t keys = problem.k.size(2), tile = problem.tiles.keys;
    const std::int64_t tiles = (keys + tile - 1) / tile;
    const std::int64_t most = problem.q.element_size() == 2 ? 2 : 4;
    count = std::clamp<std::int64_t>(
        std::min((kFewestTasks + tasks - 1) / tasks, tiles / kFewestTiles), 1, most);
    for (std::int64_t block = 0; block <= count; ++block)
      first_key_.push_back(std::min(tiles * block / count * tile, keys));
    for (std::int64_t block = 1; block < count; ++block) {
      d_q_.push_back(empty_by_token(problem.q.narrow(2, first_query(block), queries(block))));
    }
  }

  // The head with the keys of a block alone. Queries before the first key see none of them, and
  // from there on the mask is the same again.
  [[nodiscard]] own::Head head(std::int64_t block, std::int64_t batch, std::int64_t h) const {
    own::Head head = problem_.head(batch, h);
    for (own::Matrix* const matrix : {&head.k, &head.v, &head.d_k, &head.d_v})
      skip(*matrix, first_key(block));
    head.keys = first_key(block + 1) - first_key(block);
    for (own::Matrix* const matrix : {&head.q, &head.o, &head.d_o, &head.d_q})
      skip(*matrix, first_query(block));
    head.queries = queries(block);
    head.log_sums += first_query(block);
    if (block > 0) head.d_q = matrix_of(d_q_[static_cast<std::size_t>(block - 1)], batch, h);
    return head;
  }

  void add_up() const {
    for (std::int64_t block = 1; block < count; ++block) {
      problem_.d_q.narrow(2, first_query(block), queries(block))
          .add_(d_q_[static_cast<std::size_t>(block - 1)]);
    }
  }

  std::int64_t count = 1;  // of each head

 private:
  [[nodiscard]] std::int64_t first_key(std::int64_t block) const {
    return first_key_[static_cast<std::size_t>(block)];
  }
  [[nodiscard]] std::int64_t first_query(std::int64_t block) const {
    return problem_.causal ? std::min(first_key(block), problem_.q.size(2)) : 0;
  }
  [[nodiscard]] std::int64_t queries(std::int64_t block) const {
    return problem_.q.size(2) - first_query(block);
  }
  void skip(own::Matrix& matrix, std::int64_t rows) const {
    matrix.data = static_cast<char*>(matrix.data) + rows * matrix.row * problem_.q.element_size();
  }

  const Problem& problem_;
  std::vector<std::int64_t> first_key_;
  std::vector<at::Tensor> d_q_;  // of all blocks but the first, whose place is the result
};

void run_backward(const own::AttentionKernel& kernel, const Problem& problem) {
  const std::int64_t group = problem.group();
  const Scratch scratch(problem.q, kernel.backward_scratch(problem.sizes(), group));
  const KeyBlocks blocks(problem);
  if (!problem.q.is_meta()) {
    share_among_threads(
        problem.batch() * problem.kv_heads() * blocks.count, [&](std::int64_t task) {
          const std::int64_t shared = task / blocks.count;
          const std::int64_t batch = shared / problem.kv_heads();
          const std::int64_t first = shared % problem.kv_heads() * group;
          const std::int64_t block = from_both_ends(task % blocks.count, blocks.count);
          std::vector<own::Head> heads;
          for (std::int64_t h = 0; h < group; ++h)
            heads.push_back(blocks.head(block, batch, first + h));
          kernel.backward(heads.data(), group, scratch.of_this_thread());
        });
  }
  blocks.add_up();
}

class OwnAttention : public torch::autograd::Function<OwnAttention> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& given_q,
                            const at::Tensor& given_k, const at::Tensor& given_v, bool causal,
                            OwnTiles tiles, const own::AttentionKernel* kernel) {
    const at::Tensor q = with_dense_rows(given_q), k = with_dense_rows(given_k);
    const at::Tensor v = with_dense_rows(given_v);
    const Problem problem{
        .causal = causal,
        .tiles = tiles,
        .q = q,
        .k = k,
        .v = v,
        .o = empty_by_token(q),
        .log_sums = at::empty({q.size(0), q.size(1), q.size(2)}, q.options().dtype(at::kDouble))};
    run_forward(*kernel, problem);
    context->save_for_backward({q, k, v, problem.o, problem.log_sums});
    context->saved_data["causal"] = causal;
    context->saved_data["tile_queries"] = tiles.queries;
    context->saved_data["tile_keys"] = tiles.keys;
    context->saved_data["kernel"] = reinterpret_cast<std::intptr_t>(kernel);
    return problem.o;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const auto* const kernel =
        reinterpret_cast<const own::AttentionKernel*>(context->saved_data["kernel"].toInt());
    const Problem problem{.causal = context->saved_data["causal"].toBool(),
                          .tiles = {.queries = context->saved_data["tile_queries"].toInt(),
                                    .keys = context->saved_data["tile_keys"].toInt()},
                          .q = saved[0],
                          .k = saved[1],
                          .v = saved[2],
                          .o = saved[3],
                          .log_sums = saved[4],
                          .d_o = with_dense_rows(gradients[0]),
                          .d_q = empty_by_token(saved[0]),
                          .d_k = empty_by_token(saved[1]),
                          .d_v = empty_by_token(saved[2])};
    run_backward(*kernel, problem);
    return {problem.d_q, problem.d_k, problem.d_v, at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor attend_own(bool causal, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                      const own::AttentionKernel* kernel, OwnTiles tiles) {
  note_custom_node(AttentionKernel::own);
  if (kernel == nullptr && runs_on_cuda(q)) return attend_own_on_cuda(causal, q, k, v);
  return OwnAttention::apply(q, k.to(q.scalar_type()), v.to(q.scalar_type()), causal, tiles,
                             kernel != nullptr ? kernel : &own::attention_kernel(element_of(q)));
}

}  // namespace ts::kernels
