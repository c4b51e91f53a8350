#include "kernels/dry_run/lstm_blocks.h"

#include <ATen/Parallel.h>

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "kernels/dry_run/onednn.h"

namespace ts::kernels {
namespace {

using Dims = std::vector<std::int64_t>;

Dims dense_strides(const Dims& sizes) {
  Dims strides(sizes.size(), 1);
  for (std::size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
  return strides;
}

// A primitive as oneDNN describes it.
class Described {
 public:
  explicit Described(const OneDnn& onednn) : onednn_(onednn) {}
  ~Described() {
    if (primitive_ != nullptr) onednn_.primitive_destroy(primitive_);
  }
  Described(const Described&) = delete;
  Described& operator=(const Described&) = delete;

  dnnl_primitive_desc_t* address() { return &primitive_; }
  [[nodiscard]] dnnl_primitive_desc_t get() const { return primitive_; }
  [[nodiscard]] const_dnnl_memory_desc_t layout(dnnl_query_t what, int index) const {
    return onednn_.primitive_desc_of(primitive_, what, index);
  }
  [[nodiscard]] std::int64_t bytes(dnnl_query_t what, int index) const {
    const const_dnnl_memory_desc_t found = layout(what, index);
    return found == nullptr ? 0 : static_cast<std::int64_t>(onednn_.desc_size(found));
  }

 private:
  const OneDnn& onednn_;
  dnnl_primitive_desc_t primitive_ = nullptr;
};

// The operands of a layer (lstm.hpp of ideep): weights may lie as the primitive likes.
class LstmPrimitives {
 public:
  LstmPrimitives(const OneDnn& onednn, const LstmLayer& of, dnnl_data_type_t type)
      : onednn_(onednn),
        of_(of),
        type_(type),
        input_(dense({of.tokens, of.batch, of.input})),
        state_(dense({1, 1, of.batch, of.hidden})),
        output_(dense({of.tokens, of.batch, of.hidden})),
        bias_(dense({1, 1, kGates, of.hidden})),
        any_input_weight_(Layout::any(onednn, input_weight(), type)),
        any_state_weight_(Layout::any(onednn, state_weight(), type)) {}

  [[nodiscard]] std::optional<LstmBlocks> blocks() const {
    Described forward(onednn_), backward(onednn_);
    if (!describe_forward(forward)) return std::nullopt;
    LstmBlocks found;
    found.forward = run(forward);
    if (!of_.trains) return found;
    if (!describe_backward(forward, backward)) return std::nullopt;
    found.workspace = forward.bytes(dnnl_query_workspace_md, 0);
    found.backward = run(backward);
    found.to_input_weight = backward.bytes(dnnl_query_exec_arg_md, DNNL_ARG_DIFF_WEIGHTS_LAYER);
    found.to_state_weight = backward.bytes(dnnl_query_exec_arg_md, DNNL_ARG_DIFF_WEIGHTS_ITER);
    found.to_bias = backward.bytes(dnnl_query_exec_arg_md, DNNL_ARG_DIFF_BIAS);
    return found;
  }

 private:
  static constexpr std::int64_t kGates = 4;
  [[nodiscard]] Dims input_weight() const { return {1, 1, of_.input, kGates, of_.hidden}; }
  [[nodiscard]] Dims state_weight() const { return {1, 1, of_.hidden, kGates, of_.hidden}; }
  [[nodiscard]] Layout dense(const Dims& sizes) const {
    return Layout::plain(onednn_, sizes, dense_strides(sizes), type_);
  }
  [[nodiscard]] dnnl_rnn_direction_t direction() const {
    return of_.reverse ? dnnl_unidirectional_right2left : dnnl_unidirectional_left2right;
  }

  bool describe_forward(Described& made) const {
    return onednn_.lstm_forward(made.address(), onednn_.engine,
                                of_.trains ? dnnl_forward_training : dnnl_forward_inference,
                                direction(), input_.get(), state_.get(), state_.get(),
                                any_input_weight_.get(), any_state_weight_.get(), nullptr, nullptr,
                                bias_.get(), output_.get(), state_.get(), state_.get(),
                                dnnl_rnn_flags_undef, onednn_.attributes) == dnnl_success;
  }
  bool describe_backward(const Described& forward, Described& made) const {
    return onednn_.lstm_backward(made.address(), onednn_.engine, dnnl_backward, direction(),
                                 input_.get(), state_.get(), state_.get(), any_input_weight_.get(),
                                 any_state_weight_.get(), nullptr, nullptr, bias_.get(),
                                 output_.get(), state_.get(), state_.get(), input_.get(),
                                 state_.get(), state_.get(), any_input_weight_.get(),
                                 any_state_weight_.get(), nullptr, nullptr, bias_.get(),
                                 output_.get(), state_.get(), state_.get(), dnnl_rnn_flags_undef,
                                 forward.get(), onednn_.attributes) == dnnl_success;
  }

  // LibTorch's weight [4 hidden, in] lies with the numbers of one output side by side.
  [[nodiscard]] std::int64_t copy(const Described& of, int argument, const Dims& sizes) const {
    const std::int64_t in = sizes[2];
    const Layout given = Layout::plain(
        onednn_, sizes,
        {in * kGates * of_.hidden, in * kGates * of_.hidden, 1, in * of_.hidden, in}, type_);
    const const_dnnl_memory_desc_t wanted = of.layout(dnnl_query_exec_arg_md, argument);
    return onednn_.desc_equal(given.get(), wanted) != 0
               ? 0
               : of.bytes(dnnl_query_exec_arg_md, argument);
  }
  [[nodiscard]] LstmBlocks::Run run(const Described& of) const {
    return {copy(of, DNNL_ARG_WEIGHTS_LAYER, input_weight()),
            copy(of, DNNL_ARG_WEIGHTS_ITER, state_weight()), of.bytes(dnnl_query_scratchpad_md, 0)};
  }

  const OneDnn& onednn_;
  LstmLayer of_;
  dnnl_data_type_t type_;
  Layout input_, state_, output_, bias_, any_input_weight_, any_state_weight_;
};

}  // namespace

std::optional<LstmBlocks> lstm_blocks(const LstmLayer& of) {
  const auto type = onednn_type(of.type);
  const OneDnn* const onednn = OneDnn::find();
  if (onednn == nullptr || !type) return std::nullopt;
  static std::mutex mutex;
  static std::map<Dims, std::optional<LstmBlocks>> answers;
  Dims key = {at::get_num_threads(), *type,         of.tokens, of.batch, of.input, of.hidden,
              int{of.reverse},       int{of.trains}};
  const std::lock_guard lock(mutex);
  if (const auto found = answers.find(key); found != answers.end()) return found->second;
  return answers.emplace(std::move(key), LstmPrimitives(*onednn, of, *type).blocks()).first->second;
}

}  // namespace ts::kernels
