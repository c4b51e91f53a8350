#include "core/advice/file_parts.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>

#include "core/exported/model_file.h"
#include "core/spec/backend_traits.h"
#include "core/spec/own_model.h"
#include "core/spec/workload_math.h"

namespace ts::advice {
namespace {

using spec::StepPart;

// The two factors of a product, by their names in the operator's schema.
struct ProductOperator {
  std::string_view name, first, second;
};
constexpr auto kProducts = std::to_array<ProductOperator>({{"linear", "input", "weight"},
                                                           {"mm", "self", "mat2"},
                                                           {"bmm", "self", "mat2"},
                                                           {"addmm", "mat1", "mat2"},
                                                           {"baddbmm", "batch1", "batch2"},
                                                           {"matmul", "self", "other"},
                                                           {"conv1d", "input", "weight"},
                                                           {"conv2d", "input", "weight"},
                                                           {"conv3d", "input", "weight"},
                                                           {"conv_transpose1d", "input", "weight"},
                                                           {"conv_transpose2d", "input", "weight"},
                                                           {"conv_transpose3d", "input", "weight"},
                                                           {"convolution", "input", "weight"}});

exported::Slot result_of(const exported::Node& node) {
  const bool none = node.outputs.empty() || node.outputs.front().slots.empty();
  return none ? exported::kNone : node.outputs.front().slots.front();
}

bool is_true(const exported::Argument* argument) {
  const auto* const truth = std::get_if<bool>(argument);
  return truth != nullptr && *truth;
}

class GraphWalk {
 public:
  GraphWalk(const spec::WorkloadSpec& spec, spec::AttentionBackend backend,
            const exported::Program& program, std::vector<std::int64_t> symbols)
      : program_(program),
        symbols_(std::move(symbols)),
        traits_(spec::traits_of(backend)),
        trains_(spec::has_backward(spec.pass)) {}

  std::vector<StepPart> take() {
    std::vector<bool> trained;
    for (const exported::Input& input : program_.inputs) {
      trained.push_back(trains_ && input.kind == exported::InputKind::parameter &&
                        program_.meta_of(input).requires_grad);
    }
    walk(program_.graphs.front(), trained, 1);
    return std::move(parts_);
  }

 private:
  // Slots that need a gradient.
  using Needs = std::vector<bool>;

  [[nodiscard]] double size(const exported::Size& size) const {
    return static_cast<double>(std::max<std::int64_t>(0, program_.size_of(size, symbols_)));
  }
  // In memory: what is expanded is there once.
  [[nodiscard]] double stored(const exported::TensorMeta& meta) const {
    double numbers = 1;
    for (std::size_t i = 0; i < meta.sizes.size(); ++i) {
      const bool expanded = i < meta.strides.size() && size(meta.strides[i]) == 0;
      if (!expanded) numbers *= size(meta.sizes[i]);
    }
    return numbers;
  }
  [[nodiscard]] double numbers(const exported::TensorMeta& meta) const {
    double all = 1;
    for (const exported::Size& one : meta.sizes) all *= size(one);
    return all;
  }
  [[nodiscard]] double last(const exported::TensorMeta& meta, std::size_t from_end = 1) const {
    return meta.sizes.size() < from_end ? 1 : size(meta.sizes[meta.sizes.size() - from_end]);
  }

  void walk(const exported::Graph& graph, const std::vector<bool>& inputs, double forwards) {
    Needs needs(graph.metas.size());
    // An input of another kind, or a result that nothing uses, has no slot.
    const auto set = [&](exported::Slot slot, bool gradient) {
      if (slot != exported::kNone)
        needs[slot] = gradient && exported::is_floating(graph.metas[slot].type);
    };
    for (std::size_t i = 0; i < std::min(inputs.size(), graph.inputs.size()); ++i)
      set(graph.inputs[i], inputs[i]);
    for (const exported::Node& node : graph.nodes) {
      const bool gradients = look_at(graph, node, needs, forwards);
      for (const exported::Output& output : node.outputs)
        for (const exported::Slot slot : output.slots) set(slot, gradients);
    }
  }

  // Whether the results of the node need gradients.
  bool look_at(const exported::Graph& graph, const exported::Node& node, const Needs& needs,
               double forwards) {
    bool any = false;
    for (const exported::NamedArgument& one : node.inputs) {
      exported::visit_slots(one.value, [&](exported::Slot slot) {
        any = any || (slot != exported::kNone && needs[slot]);
      });
    }
    const std::string_view name = exported::aten_name(node.target);
    if (name == "scaled_dot_product_attention") {
      add_attention(graph, node, needs, forwards);
    } else if (name == "einsum") {
      add_einsum(graph, node, needs, forwards);
    } else if (!name.empty()) {
      const auto product = std::ranges::find(kProducts, name, &ProductOperator::name);
      if (product != kProducts.end()) add_product(graph, node, *product, needs, forwards);
    } else {
      return look_inside(node, needs, any, forwards);
    }
    return any && name != "detach";
  }

  bool look_inside(const exported::Node& node, const Needs& needs, bool any, double forwards) {
    // One that says whether gradients are on has that as its first argument.
    const auto* const enabled =
        node.inputs.empty() ? nullptr : std::get_if<bool>(&node.inputs.front().value);
    const bool off = enabled != nullptr && !*enabled &&
                     node.target.find("set_grad_enabled") != std::string::npos;
    const bool again = trains_ && any && node.target.find("checkpoint") != std::string::npos;
    const exported::Graph* inside = nullptr;
    std::vector<bool> operands;
    for (const exported::NamedArgument& one : node.inputs) {
      if (const auto* const graph = std::get_if<exported::GraphArgument>(&one.value)) {
        if (inside == nullptr) inside = &program_.graphs[graph->graph];
      } else if (inside != nullptr) {
        exported::visit_slots(one.value, [&](exported::Slot slot) {
          operands.push_back(!off && slot != exported::kNone && needs[slot]);
        });
      }
    }
    if (inside != nullptr) walk(*inside, operands, again ? forwards + 1 : forwards);
    return any && !off;
  }

  void add(double flops, double moved, double times) {
    parts_.push_back({StepPart::Kind::products, times * flops, times * moved});
  }

  void add_product(const exported::Graph& graph, const exported::Node& node,
                   const ProductOperator& product, const Needs& needs, double forwards) {
    const exported::Slot first = exported::tensor_of(exported::argument_named(node, product.first));
    const exported::Slot second =
        exported::tensor_of(exported::argument_named(node, product.second));
    const exported::Slot result = result_of(node);
    if (first == exported::kNone || second == exported::kNone || result == exported::kNone) return;
    const exported::TensorMeta &a = graph.metas[first], &b = graph.metas[second];
    const exported::TensorMeta& made = graph.metas[result];
    double flops = 2 * numbers(made) * last(a);
    if (product.name.starts_with("conv")) {
      // Every number of the result, or of the input, meets all weights of its channel.
      const bool transposed = product.name.starts_with("conv_transpose") ||
                              is_true(exported::argument_named(node, "transposed"));
      const double channels = b.sizes.empty() ? 1 : std::max(1.0, size(b.sizes.front()));
      flops = 2 * numbers(transposed ? a : made) * numbers(b) / channels;
    }
    const int backward = (needs[first] ? 1 : 0) + (needs[second] ? 1 : 0);
    add(flops, stored(a) + stored(b) + stored(made), forwards + backward);
  }

  // Its FLOPs, of two factors, are twice the product of all sizes that its letters stand for.
  void add_einsum(const exported::Graph& graph, const exported::Node& node, const Needs& needs,
                  double forwards) {
    const auto* const equation =
        std::get_if<std::string>(exported::argument_named(node, "equation"));
    const auto* const tensors =
        std::get_if<exported::TensorList>(exported::argument_named(node, "tensors"));
    const exported::Slot result = result_of(node);
    if (equation == nullptr || tensors == nullptr || tensors->slots.size() != 2 ||
        std::ranges::count(tensors->slots, exported::kNone) > 0 || result == exported::kNone)
      return;
    std::map<char, double> sizes;
    double moved = stored(graph.metas[result]);
    int backward = 0;
    std::string_view rest = *equation;
    for (const exported::Slot slot : tensors->slots) {
      const exported::TensorMeta& meta = graph.metas[slot];
      std::string letters;
      for (const char one : rest.substr(0, rest.find_first_of(",-")))
        if (std::isalpha(static_cast<unsigned char>(one)) != 0) letters += one;
      rest.remove_prefix(std::min(rest.size(), rest.find_first_of(",-") + 1));
      if (letters.size() != meta.sizes.size()) return;  // with an ellipsis
      for (std::size_t i = 0; i < letters.size(); ++i)
        sizes[letters[i]] = std::max(sizes[letters[i]], size(meta.sizes[i]));
      moved += stored(meta);
      backward += needs[slot] ? 1 : 0;
    }
    double flops = 2;
    for (const auto& [letter, number] : sizes) flops *= number;
    add(flops, moved, forwards + backward);
  }

  void add_attention(const exported::Graph& graph, const exported::Node& node, const Needs& needs,
                     double forwards) {
    std::array<exported::Slot, 3> slots{};
    bool trains = false;
    double moved = 0;
    constexpr std::array<std::string_view, 3> kNames = {"query", "key", "value"};
    for (std::size_t i = 0; i < slots.size(); ++i) {
      slots[i] = exported::tensor_of(exported::argument_named(node, kNames[i]));
      if (slots[i] == exported::kNone) return;
      trains = trains || needs[slots[i]];
      moved += stored(graph.metas[slots[i]]);
    }
    const exported::TensorMeta &query = graph.metas[slots[0]], &value = graph.metas[slots[2]];
    const double queries = last(query, 2), keys = last(value, 2);
    const double rows = numbers(query) / std::max(1.0, last(query));
    moved += rows * last(value);
    const bool skips = is_true(exported::argument_named(node, "is_causal")) &&
                       traits_.masked != spec::MaskedPairs::computed && queries > 0;
    const double share = skips ? (queries + 1) / (2 * queries) : 1;
    const double flops = 2 * rows * keys * (last(query) + last(value)) * share;
    // As spec::step_traffic() counts scores that are stored.
    const double square = traits_.stores_scores ? rows * keys : 0;
    parts_.push_back(
        {StepPart::Kind::attention, forwards * flops, forwards * (moved + 4 * square)});
    if (!trains) return;
    parts_.push_back({StepPart::Kind::attention, (traits_.recomputes_scores ? 2.5 : 2) * flops,
                      2 * moved + 7 * square});
  }

  const exported::Program& program_;
  const std::vector<std::int64_t> symbols_;
  const spec::BackendTraits& traits_;
  const bool trains_;
  std::vector<StepPart> parts_;
};

}  // namespace

std::vector<StepPart> parts_of_file(const spec::WorkloadSpec& spec,
                                    spec::AttentionBackend backend_ran) {
  const auto model = spec::model_to_run(spec);
  if (!model) return {};
  std::vector<StepPart> parts =
      GraphWalk(spec, backend_ran, model->program(), spec::symbol_values(spec, *model)).take();
  const auto micro = static_cast<double>(spec::micro_batches(spec));
  const auto element = static_cast<double>(spec::bytes_of(spec::compute_type(spec)));
  for (StepPart& part : parts) {
    part.flops *= micro;
    part.bytes *= micro * element;
  }
  return parts;
}

}  // namespace ts::advice
