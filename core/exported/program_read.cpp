#include "core/exported/program_read.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/io/json_parse.h"
#include "core/text/joined.h"
#include "core/text/message.h"
#include "core/text/printable.h"

namespace ts::exported {
namespace {

using Json = nlohmann::json;

// Ends the reading with a sentence; never leaves this file.
struct Fault {
  base::Error error;
};
[[noreturn]] void fault(const std::string& key, std::vector<base::Argument> arguments = {}) {
  throw Fault{text::message("model_error." + key, std::move(arguments))};
}
[[noreturn]] void not_exported(const std::string& reason) {
  fault("graph", {{"reason", text::printable(reason)}});
}

constexpr std::size_t kMostDimensions = 64;
constexpr int kSchema = 8;

std::int64_t whole(const Json& json) {
  const bool fits = json.is_number_integer() &&
                    (!json.is_number_unsigned() ||
                     json.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max());
  if (!fits) not_exported("a number is not whole");
  return json.get<std::int64_t>();
}

// Infinity and NaN are written as text.
double real(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const std::string& word = json.get_ref<const std::string&>();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (word == "Infinity" || word == "inf") return kInfinity;
  if (word == "-Infinity" || word == "-inf") return -kInfinity;
  if (word == "NaN" || word == "nan") return std::numeric_limits<double>::quiet_NaN();
  not_exported("a number is " + word);
}

ElementType element_type(const Json& json) {
  const std::int64_t number = whole(json);
  const auto type = static_cast<ElementType>(number);
  const bool known = number >= 0 && number < 256 && element_bytes(type) > 0;
  return known ? type : ElementType::unknown;
}

// The one entry of a union.
std::pair<const std::string&, const Json&> only_entry(const Json& json) {
  if (!json.is_object() || json.size() != 1) not_exported("a union has not one entry");
  return {json.begin().key(), json.begin().value()};
}

const std::string& text_of(const Json& json) {
  return json.get_ref<const std::string&>();
}

// "FILE", line N, in FUNCTION of Python's last frame that is not PyTorch's own.
struct Frame {
  std::string_view file;
  std::int64_t line = 0;
  std::string_view function;
};

Frame own_frame(std::string_view trace) {
  Frame last, own;
  constexpr std::string_view kFile = "File \"", kLine = "\", line ", kIn = ", in ";
  for (std::size_t at = trace.find(kFile); at != std::string_view::npos;
       at = trace.find(kFile, at + 1)) {
    const std::string_view rest = trace.substr(at + kFile.size());
    const std::size_t end = rest.find(kLine);
    if (end == std::string_view::npos) break;
    Frame frame;
    frame.file = rest.substr(0, end);
    const std::string_view after = rest.substr(end + kLine.size());
    std::from_chars(after.data(), after.data() + after.size(), frame.line);
    if (const std::size_t in = after.find(kIn); in != std::string_view::npos) {
      frame.function = after.substr(in + kIn.size());
      frame.function = frame.function.substr(0, frame.function.find('\n'));
    }
    last = frame;
    if (frame.file.find("/torch/") == std::string_view::npos) own = frame;
  }
  return own.line > 0 ? own : last;
}

class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {}

  Program run() {
    if (const std::int64_t major = whole(json_.at("schema_version").at("major"));
        major != kSchema) {
      fault("schema", {{"version", std::to_string(major)}, {"known", std::to_string(kSchema)}});
    }
    program_.torch_version = text::printable(json_.value("torch_version", std::string()));
    read_symbols();
    program_.graphs.emplace_back();
    const Json& module = json_.at("graph_module");
    Values values;
    program_.graphs.front() = read_graph(module.at("graph"), values);
    read_signature(module.at("signature"), values);
    check_ranges();
    find_last_uses(program_);
    name_class();
    return std::move(program_);
  }

 private:
  // Values of a graph by their name.
  using Values = std::unordered_map<std::string, Slot>;

  void read_symbols() {
    // Keys are symbols; expressions of them have a range, too, which follows.
    for (const auto& [name, range] : json_.at("range_constraints").items()) {
      if (!is_symbol(name)) continue;
      Symbol symbol;
      symbol.name = name;
      symbol.min = bound(range, "min_val", 0);
      symbol.max = bound(range, "max_val", std::numeric_limits<std::int64_t>::max());
      if (symbol.max < symbol.min) not_exported("the range of " + name + " is empty");
      symbol_numbers_.emplace(name, static_cast<std::uint32_t>(program_.symbols.size()));
      program_.symbols.push_back(std::move(symbol));
    }
  }
  // A size of an input is 1 or more.
  void check_ranges() const {
    for (const Input& input : program_.inputs) {
      if (!input.tensor) continue;
      for (const Size& size : program_.meta_of(input).sizes) {
        if (size.expression == kNone) continue;
        for (const std::uint32_t number : program_.expressions[size.expression].symbols()) {
          const Symbol& symbol = program_.symbols[number];
          if (symbol.max < 1) not_exported("the range of " + symbol.name + " has no size");
        }
      }
    }
  }
  static bool is_symbol(const std::string& name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
  }
  static std::int64_t bound(const Json& range, const char* key, std::int64_t open) {
    const auto found = range.find(key);
    if (found == range.end() || found->is_null()) return open;
    return whole(*found);
  }

  // An expression with its value in the example, which gives a lone symbol its example.
  Size symbolic(const Json& expression) {
    Size size;
    size.number = -1;
    if (const auto hint = expression.find("hint"); hint != expression.end() && hint->is_object()) {
      if (const auto number = hint->find("as_int"); number != hint->end()) {
        size.number = whole(*number);
      }
    }
    const std::string& text = text_of(expression.at("expr_str"));
    if (const auto known = expression_numbers_.find(text); known != expression_numbers_.end()) {
      size.expression = known->second;
      return size;
    }
    const auto parsed =
        Expression::parse(text, [this](std::string_view name) -> std::optional<std::uint32_t> {
          const auto found = symbol_numbers_.find(std::string(name));
          if (found == symbol_numbers_.end()) return std::nullopt;
          return found->second;
        });
    // A size that cannot be computed keeps the value of the example, as if it were fixed.
    if (!parsed) return size;
    size.expression = static_cast<std::uint32_t>(program_.expressions.size());
    expression_numbers_.emplace(text, size.expression);
    if (const auto symbol = parsed->symbol(); symbol && size.number > 0) {
      program_.symbols[*symbol].example = size.number;
    }
    program_.expressions.push_back(*parsed);
    return size;
  }

  Size size_of(const Json& json) {
    const auto [kind, value] = only_entry(json);
    if (kind == "as_int") return {whole(value), kNone};
    if (kind == "as_expr") return symbolic(value);
    not_exported("a size is " + kind);
  }

  std::vector<Size> sizes_of(const Json& json) {
    if (!json.is_array() || json.size() > kMostDimensions) {
      not_exported("a tensor has too many dimensions");
    }
    std::vector<Size> sizes;
    for (const Json& size : json) sizes.push_back(size_of(size));
    return sizes;
  }

 public:
  TensorMeta meta_of(const Json& json) {
    TensorMeta meta;
    meta.type = element_type(json.at("dtype"));
    meta.sizes = sizes_of(json.at("sizes"));
    meta.strides = sizes_of(json.at("strides"));
    if (meta.strides.size() != meta.sizes.size()) not_exported("strides do not match sizes");
    meta.offset = size_of(json.at("storage_offset"));
    meta.requires_grad = json.value("requires_grad", false);
    return meta;
  }

 private:
  static Slot define(Values& values, Graph& graph, const std::string& name) {
    const auto slot = static_cast<Slot>(graph.metas.size());
    if (!values.emplace(name, slot).second) {
      fault("defined_twice", {{"name", text::printable(name)}});
    }
    graph.metas.emplace_back();
    return slot;
  }
  static Slot use(const Values& values, const std::string& name) {
    const auto found = values.find(name);
    if (found == values.end()) fault("not_computed", {{"name", text::printable(name)}});
    return found->second;
  }

  Graph read_graph(const Json& json, Values& values) {
    Graph graph;
    for (const Json& input : json.at("inputs")) {
      const auto [kind, value] = only_entry(input);
      if (kind == "as_tensor") {
        graph.inputs.push_back(define(values, graph, text_of(value.at("name"))));
      } else if (kind == "as_sym_int" || kind == "as_sym_float" || kind == "as_sym_bool") {
        const auto [form, name] = only_entry(value);
        graph.inputs.push_back(form == "as_name" ? define(values, graph, text_of(name)) : kNone);
      } else if (kind == "as_custom_obj") {
        fault("custom_object", {{"name", text::printable(text_of(value.at("class_fqn")))}});
      } else {
        graph.inputs.push_back(kNone);  // a constant that the graph does not use
      }
    }
    for (const Json& node : json.at("nodes")) graph.nodes.push_back(read_node(node, values, graph));
    for (const auto& [name, meta] : json.at("tensor_values").items()) {
      const auto found = values.find(name);
      if (found != values.end()) graph.metas[found->second] = meta_of(meta);
    }
    for (const Json& output : json.at("outputs")) {
      graph.outputs.push_back(argument_of(output, values));
    }
    return graph;
  }

  Node read_node(const Json& json, Values& values, Graph& graph) {
    Node node;
    node.target = text::printable(text_of(json.at("target")));
    for (const Json& input : json.at("inputs")) {
      node.inputs.push_back({text_of(input.at("name")), argument_of(input.at("arg"), values)});
    }
    for (const Json& output : json.at("outputs")) {
      node.outputs.push_back(output_of(output, values, graph));
    }
    node.place = place_of(json.at("metadata"));
    return node;
  }

  static Output output_of(const Json& json, Values& values, Graph& graph) {
    const auto [kind, value] = only_entry(json);
    Output output;
    if (kind == "as_tensor") {
      output.slots.push_back(define(values, graph, text_of(value.at("name"))));
    } else if (kind == "as_tensors") {
      output.list = true;
      for (const Json& one : value) {
        output.slots.push_back(define(values, graph, text_of(one.at("name"))));
      }
    } else if (kind == "as_sym_int" || kind == "as_sym_bool" || kind == "as_sym_float") {
      const auto [form, name] = only_entry(value);
      if (form == "as_name") output.slots.push_back(define(values, graph, text_of(name)));
    } else if (kind == "as_optional_tensor") {
      const auto [form, one] = only_entry(value);
      if (form == "as_tensor") {
        output.slots.push_back(define(values, graph, text_of(one.at("name"))));
      }
    }
    return output;
  }

  Argument argument_of(const Json& json, const Values& values) {
    const auto [kind, value] = only_entry(json);
    if (kind == "as_none") return std::monostate();
    if (kind == "as_tensor") return TensorArgument{use(values, text_of(value.at("name")))};
    if (kind == "as_int") return whole(value);
    if (kind == "as_float") return real(value);
    if (kind == "as_bool") return value.get<bool>();
    if (kind == "as_string" || kind == "as_operator") return text_of(value);
    if (kind == "as_scalar_type") return element_type(value);
    if (kind == "as_memory_format") return MemoryFormat{static_cast<int>(whole(value))};
    if (kind == "as_layout") return Layout{static_cast<int>(whole(value))};
    if (kind == "as_device") return DeviceArgument{};
    if (kind == "as_floats") return reals_of(value);
    if (kind == "as_bools") return value.get<std::vector<bool>>();
    if (kind == "as_strings") return value.get<std::vector<std::string>>();
    if (kind == "as_graph") return graph_of(value);
    if (kind == "as_optional_tensor") return optional_tensor(value, values);
    if (kind == "as_tensors" || kind == "as_optional_tensors") {
      return tensors_of(value, values, kind == "as_optional_tensors");
    }
    if (kind == "as_ints" || kind == "as_sym_ints") return ints_of(value, values);
    if (kind == "as_sym_int" || kind == "as_sym_float" || kind == "as_sym_bool") {
      return number_of(value, values);
    }
    return OtherArgument{text::printable(kind)};
  }

  static std::vector<double> reals_of(const Json& json) {
    std::vector<double> reals;
    for (const Json& one : json) reals.push_back(real(one));
    return reals;
  }
  static Argument optional_tensor(const Json& json, const Values& values) {
    const auto [form, one] = only_entry(json);
    if (form != "as_tensor") return std::monostate();
    return TensorArgument{use(values, text_of(one.at("name")))};
  }
  static TensorList tensors_of(const Json& json, const Values& values, bool optional) {
    TensorList list;
    list.optional = optional;
    for (const Json& one : json) {
      if (!optional) {
        list.slots.push_back(use(values, text_of(one.at("name"))));
        continue;
      }
      const auto [form, tensor] = only_entry(one);
      list.slots.push_back(form == "as_tensor" ? use(values, text_of(tensor.at("name"))) : kNone);
    }
    return list;
  }
  static IntOrSlot int_of(const Json& json, const Values& values) {
    if (!json.is_object()) return {whole(json), kNone};
    const auto [form, value] = only_entry(json);
    if (form == "as_name") return {0, use(values, text_of(value))};
    return {whole(value), kNone};
  }
  static IntList ints_of(const Json& json, const Values& values) {
    IntList list;
    for (const Json& one : json) list.items.push_back(int_of(one, values));
    return list;
  }
  static Argument number_of(const Json& json, const Values& values) {
    const auto [form, value] = only_entry(json);
    if (form == "as_name") return NumberArgument{use(values, text_of(value))};
    if (form == "as_bool") return value.get<bool>();
    if (form == "as_float") return real(value);
    return whole(value);
  }
  GraphArgument graph_of(const Json& json) {
    Values values;
    Graph graph = read_graph(json.at("graph"), values);
    program_.graphs.push_back(std::move(graph));
    return {static_cast<std::uint32_t>(program_.graphs.size() - 1)};
  }

  std::uint32_t place_of(const Json& metadata) {
    const std::string stack = metadata.value("nn_module_stack", std::string());
    const std::string trace = metadata.value("stack_trace", std::string());
    const auto [known, first_time] = place_numbers_.try_emplace(
        stack + '\n' + trace, static_cast<std::uint32_t>(program_.places.size()));
    if (!first_time) return known->second;
    Place place;
    place.modules = modules_of(stack);
    if (const Frame frame = own_frame(trace); frame.line > 0) {
      const std::string_view name = frame.file.substr(frame.file.rfind('/') + 1);
      place.source = text::printable(name) + ":" + std::to_string(frame.line);
      place.function = text::printable(frame.function);
    }
    program_.places.push_back(std::move(place));
    return known->second;
  }

  // "KEY,PATH,CLASS;KEY,PATH,CLASS", outermost first; the path of the outermost is empty.
  std::vector<std::uint32_t> modules_of(std::string_view stack) {
    std::vector<std::uint32_t> modules;
    for (const std::string_view entry : text::pieces(stack, ';')) {
      const std::size_t first = entry.find(','), last = entry.rfind(',');
      if (first == std::string_view::npos || first == last) continue;
      const std::string path(entry.substr(first + 1, last - first - 1));
      const std::string class_name(entry.substr(last + 1));
      std::string key = path;
      key.append("\n").append(class_name);
      const auto [known, first_time] = module_numbers_.try_emplace(
          std::move(key), static_cast<std::uint32_t>(program_.modules.size()));
      if (first_time) {
        program_.modules.push_back({text::printable(path), text::printable(class_name)});
      }
      modules.push_back(known->second);
    }
    return modules;
  }

  void read_signature(const Json& json, const Values& values) {
    const Graph& graph = program_.graphs.front();
    const Json& inputs = json.at("input_specs");
    if (inputs.size() != graph.inputs.size()) not_exported("inputs do not match the signature");
    std::size_t position = 0;
    for (const Json& spec : inputs) {
      const auto [kind, value] = only_entry(spec);
      read_input(kind, value, graph.inputs[position++]);
    }
    for (const Json& spec : json.at("output_specs")) {
      const auto [kind, value] = only_entry(spec);
      if (kind == "buffer_mutation") {
        const Slot slot = use(values, text_of(value.at("arg").at("name")));
        program_.mutations.push_back({slot, input_named(text_of(value.at("buffer_name")))});
      } else if (kind == "user_output" || kind == "loss_output") {
        const Json& argument = value.at("arg");
        // A loss is a tensor by itself.
        const Json* const tensor = kind == "loss_output"            ? &argument
                                   : argument.contains("as_tensor") ? &argument.at("as_tensor")
                                                                    : nullptr;
        if (tensor != nullptr) {
          program_.outputs.push_back(use(values, text_of(tensor->at("name"))));
        }
      }
    }
    if (program_.outputs.empty()) fault("no_output");
  }

  void read_input(const std::string& kind, const Json& value, Slot slot) {
    Input input;
    input.slot = slot;
    if (kind == "parameter") {
      input.kind = InputKind::parameter;
      input.name = text_of(value.at("parameter_name"));
    } else if (kind == "buffer") {
      input.kind = InputKind::buffer;
      input.name = text_of(value.at("buffer_name"));
    } else if (kind == "tensor_constant") {
      input.kind = InputKind::constant;
      input.name = text_of(value.at("tensor_constant_name"));
    } else if (kind == "user_input") {
      const auto [form, argument] = only_entry(value.at("arg"));
      if (form == "as_tensor") {
        input.name = text_of(argument.at("name"));
      } else if (form == "as_sym_int" && argument.contains("as_name")) {
        input.name = text_of(argument.at("as_name"));
        input.tensor = false;
        const Json& numbers = json_.at("graph_module").at("graph").at("sym_int_values");
        input.expression = size_of(numbers.at(input.name)).expression;
      } else {
        return;
      }
    } else if (kind == "constant_input") {
      return;
    } else {
      fault("custom_object", {{"name", text::printable(kind)}});
    }
    if (slot == kNone) not_exported("an input has no value");
    input.name = text::printable(input.name);
    if (input.tensor && program_.meta_of(input).type == ElementType::unknown) {
      fault("type", {{"name", input.name}});
    }
    program_.inputs.push_back(std::move(input));
  }

  std::uint32_t input_named(const std::string& name) const {
    const auto found = std::ranges::find(program_.inputs, name, &Input::name);
    if (found == program_.inputs.end()) fault("not_computed", {{"name", text::printable(name)}});
    return static_cast<std::uint32_t>(found - program_.inputs.begin());
  }

  void name_class() {
    for (const Module& module : program_.modules) {
      if (!module.path.empty()) continue;
      program_.class_name = module.class_name.substr(module.class_name.rfind('.') + 1);
      return;
    }
  }

  const Json& json_;
  Program program_;
  std::unordered_map<std::string, std::uint32_t> symbol_numbers_;
  std::unordered_map<std::string, std::uint32_t> expression_numbers_;
  std::unordered_map<std::string, std::uint32_t> place_numbers_;
  std::unordered_map<std::string, std::uint32_t> module_numbers_;
};

// Runs a reader; what it throws becomes an error.
template <class Read>
auto guarded(std::string_view text, const Read& read)
    -> base::Result<decltype(read(std::declval<const Json&>()))> {
  const auto json = io::parse_json(text);
  if (!json)
    return tl::unexpected(
        text::message("model_error.json", {text::argument("reason", json.error())}));
  try {
    return read(*json);
  } catch (const Fault& found) {
    return tl::unexpected(found.error);
  } catch (const Json::exception& error) {
    // "[json.exception.out_of_range.403] key 'nodes' not found"
    const std::string_view what = error.what();
    return text::fail("model_error.graph",
                      {{"reason", text::printable(what.substr(what.find("] ") + 2))}});
  }
}

}  // namespace

base::Result<Program> read_program(std::string_view text) {
  return guarded(text, [](const Json& json) { return Reader(json).run(); });
}

base::Result<std::map<std::string, Payload>> read_payloads(std::string_view text) {
  return guarded(text, [](const Json& json) {
    std::map<std::string, Payload> payloads;
    const Json none = Json::object();
    Reader reader(none);
    for (const auto& [name, entry] : json.at("config").items()) {
      Payload payload;
      payload.member = text_of(entry.at("path_name"));
      payload.pickled = entry.value("use_pickle", false);
      if (const auto meta = entry.find("tensor_meta"); meta != entry.end() && !meta->is_null()) {
        payload.meta = reader.meta_of(*meta);
      }
      payloads.emplace(text::printable(name), std::move(payload));
    }
    return payloads;
  });
}

}  // namespace ts::exported
