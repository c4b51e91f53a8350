#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/exported/expression.h"

// A program of torch.export (schema 8, torch/_export/serde/schema.py) as plain data: what a .pt2
// file says, checked and with numbers in place of names. Nothing here knows LibTorch.
namespace ts::exported {

// A value of a graph (a tensor or a number), by its number in that graph.
using Slot = std::uint32_t;
inline constexpr std::uint32_t kNone = 0xFFFFFFFFU;

// Element types by their number in the file; others are refused where a tensor has them.
enum class ElementType : std::uint8_t {
  unknown = 0,
  uint8 = 1,
  int8 = 2,
  int16 = 3,
  int32 = 4,
  int64 = 5,
  fp16 = 6,
  fp32 = 7,
  fp64 = 8,
  boolean = 12,
  bf16 = 13,
};
std::int64_t element_bytes(ElementType type);  // 0 for unknown
constexpr bool is_floating(ElementType type) {
  return type == ElementType::fp16 || type == ElementType::fp32 || type == ElementType::fp64 ||
         type == ElementType::bf16;
}

// A size of a tensor: a number, or an expression of the symbols.
struct Size {
  std::int64_t number = 0;           // in the example that was exported; -1: not known
  std::uint32_t expression = kNone;  // into Program::expressions
  friend bool operator==(const Size&, const Size&) = default;
};

struct TensorMeta {
  ElementType type = ElementType::unknown;
  std::vector<Size> sizes;
  std::vector<Size> strides;
  Size offset;  // into its storage, in elements
  bool requires_grad = false;
  friend bool operator==(const TensorMeta&, const TensorMeta&) = default;
};

// Arguments of nodes.
struct TensorArgument {
  Slot slot = kNone;
  friend bool operator==(const TensorArgument&, const TensorArgument&) = default;
};
struct TensorList {
  std::vector<Slot> slots;  // kNone: no tensor
  bool optional = false;
  friend bool operator==(const TensorList&, const TensorList&) = default;
};
// A number that the graph computes.
struct NumberArgument {
  Slot slot = kNone;
  friend bool operator==(const NumberArgument&, const NumberArgument&) = default;
};
struct IntOrSlot {
  std::int64_t number = 0;
  Slot slot = kNone;
  friend bool operator==(const IntOrSlot&, const IntOrSlot&) = default;
};
struct IntList {
  std::vector<IntOrSlot> items;
  friend bool operator==(const IntList&, const IntList&) = default;
};
struct MemoryFormat {
  int number = 0;  // 1 contiguous, 2 channels last, 3 channels last 3d, 4 preserve
  friend bool operator==(const MemoryFormat&, const MemoryFormat&) = default;
};
struct Layout {
  int number = 0;  // 7 strided
  friend bool operator==(const Layout&, const Layout&) = default;
};
// The device of the run takes its place.
struct DeviceArgument {
  friend bool operator==(const DeviceArgument&, const DeviceArgument&) = default;
};
struct GraphArgument {
  std::uint32_t graph = kNone;
  friend bool operator==(const GraphArgument&, const GraphArgument&) = default;
};
// Something that no operator of ours takes, such as a custom object.
struct OtherArgument {
  std::string kind;
  friend bool operator==(const OtherArgument&, const OtherArgument&) = default;
};
using Argument = std::variant<std::monostate, TensorArgument, TensorList, NumberArgument, IntList,
                              std::int64_t, double, bool, std::string, std::vector<double>,
                              std::vector<bool>, std::vector<std::string>, ElementType,
                              MemoryFormat, Layout, DeviceArgument, GraphArgument, OtherArgument>;

// Calls `visit` with every slot in an argument, which it may change where that is not const.
template <class AnyArgument, class Visit>
void visit_slots(AnyArgument& argument, const Visit& visit) {
  if (auto* const tensor = std::get_if<TensorArgument>(&argument)) visit(tensor->slot);
  if (auto* const number = std::get_if<NumberArgument>(&argument)) visit(number->slot);
  if (auto* const list = std::get_if<TensorList>(&argument)) {
    for (auto& slot : list->slots) visit(slot);
  }
  if (auto* const list = std::get_if<IntList>(&argument)) {
    for (auto& item : list->items) visit(item.slot);
  }
}

struct NamedArgument {
  std::string name;  // as in the operator's schema; empty for sub-graphs' operands
  Argument value;
};

// The slots of a node's output: one slot, those of a list of tensors, or none.
struct Output {
  std::vector<Slot> slots;
  bool list = false;
  friend bool operator==(const Output&, const Output&) = default;
};

struct Node {
  std::string target;  // "torch.ops.aten.linear.default"
  std::vector<NamedArgument> inputs;
  std::vector<Output> outputs;
  std::uint32_t place = 0;      // into Program::places
  std::vector<Slot> last_uses;  // values that nothing needs after this node
};

// The argument of that name in the operator's schema; null: the node has none.
const Argument* argument_named(const Node& node, std::string_view name);
// The slot of an argument that is a tensor, else kNone.
Slot tensor_of(const Argument* argument);
// "linear" of "torch.ops.aten.linear.default"; empty for operators that are not ATen's.
std::string_view aten_name(std::string_view target);

struct Graph {
  std::vector<Slot> inputs;
  std::vector<Argument> outputs;
  std::vector<Node> nodes;
  std::vector<TensorMeta> metas;  // by slot; of numbers empty
};

// A module at work: "layers.0.attn", "__main__.Attention".
struct Module {
  std::string path;
  std::string class_name;
};

// Where a node was written: the modules around it, outermost first, and a line of a source file of
// which only the name is kept.
struct Place {
  std::vector<std::uint32_t> modules;  // into Program::modules
  std::string source;                  // "model.py:61", empty where it is not known
  std::string function;
};

struct Symbol {
  std::string name;  // "s27"
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::int64_t example = 0;  // in the inputs that it was exported with; 0: not known
};

enum class InputKind : std::uint8_t { parameter, buffer, constant, user };
struct Input {
  InputKind kind = InputKind::user;
  std::string name;  // "layers.0.attn.q.weight", or the argument of the forward
  Slot slot = kNone;
  bool tensor = true;                // else a whole number
  std::uint32_t expression = kNone;  // of a whole number
};

// A buffer that the program changes: what it holds after a forward.
struct Mutation {
  Slot value = kNone;
  std::uint32_t input = kNone;  // into Program::inputs
};

struct Program {
  std::vector<Graph> graphs;  // the first is the program, others are parts of nodes
  std::vector<Input> inputs;  // of the first graph, in its order
  std::vector<Slot> outputs;  // tensors that the forward returns
  std::vector<Mutation> mutations;
  std::vector<Place> places;
  std::vector<Module> modules;
  std::vector<Symbol> symbols;
  std::vector<Expression> expressions;
  std::string torch_version;
  std::string class_name;  // of the module that was exported

  // The size for these values of the symbols, -1 where it cannot be said.
  [[nodiscard]] std::int64_t size_of(const Size& size,
                                     const std::vector<std::int64_t>& symbols) const;
  [[nodiscard]] const TensorMeta& meta_of(const Input& input) const {
    return graphs.front().metas[input.slot];
  }
};

// Notes with every node the values that nothing needs after it: a value goes after the last node
// that uses it, what nothing uses after the node that made it.
void find_last_uses(Program& program);

}  // namespace ts::exported
