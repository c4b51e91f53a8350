#include "core/exported/model_file.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

#include "core/exported/checkpointed.h"
#include "core/text/message.h"

namespace ts::exported {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kLargestGraph = 128 * kMiB;
constexpr std::string_view kGraph = "models/model.json";

// Sizes and strides as numbers; those of weights are.
std::vector<std::int64_t> shape_of(const TensorMeta& meta) {
  std::vector<std::int64_t> shape;
  for (const Size& size : meta.sizes) shape.push_back(size.number);
  for (const Size& stride : meta.strides) shape.push_back(stride.number);
  shape.push_back(meta.offset.number);
  return shape;
}

// Beyond 1 EiB sums of a few tensors would leave 64 bits.
std::optional<std::int64_t> numbers_of(const TensorMeta& meta) {
  constexpr std::int64_t kMost = std::int64_t{1} << 57U;
  std::int64_t count = 1;
  for (const Size& size : meta.sizes) {
    if (size.number < 0) return std::nullopt;
    if (size.number > 0 && count > kMost / size.number) return std::nullopt;
    count *= size.number;
  }
  return count;
}

// Operators that change the form of a tensor and not its numbers.
bool keeps_numbers(std::string_view target) {
  constexpr std::array kNames = {
      "view",    "reshape",   "slice",     "clone",           "contiguous", "to",     "_to_copy",
      "alias",   "unsqueeze", "squeeze",   "flatten",         "expand",     "select", "transpose",
      "permute", "detach",    "unflatten", "constant_pad_nd", "pad",        "narrow"};
  return std::ranges::find(kNames, aten_name(target)) != std::end(kNames);
}

std::int64_t size_at(const TensorMeta& meta, std::int64_t dimension) {
  const auto rank = static_cast<std::int64_t>(meta.sizes.size());
  if (dimension < 0) dimension += rank;
  if (dimension < 0 || dimension >= rank) return 0;
  return std::max<std::int64_t>(meta.sizes[static_cast<std::size_t>(dimension)].number, 0);
}

// How many values the numbers of `slot` may have where the node looks something up by them; 0: it
// does not.
std::int64_t bound_at(const Graph& graph, const Node& node, Slot slot) {
  const std::string& target = node.target;
  const auto meta = [&](const char* name) -> TensorMeta {
    const Slot of = tensor_of(argument_named(node, name));
    return of == kNone ? TensorMeta() : graph.metas[of];
  };
  if (target == "torch.ops.aten.embedding.default" &&
      tensor_of(argument_named(node, "indices")) == slot) {
    return size_at(meta("weight"), 0);
  }
  if (target == "torch.ops.aten.index.Tensor") {
    const auto* const list = std::get_if<TensorList>(argument_named(node, "indices"));
    if (list == nullptr) return 0;
    const auto at = std::find(list->slots.begin(), list->slots.end(), slot);
    return at == list->slots.end() ? 0 : size_at(meta("self"), at - list->slots.begin());
  }
  const bool selects =
      target == "torch.ops.aten.index_select.default" || target == "torch.ops.aten.gather.default";
  if (selects && tensor_of(argument_named(node, "index")) == slot) {
    const auto* const number = std::get_if<std::int64_t>(argument_named(node, "dim"));
    return number != nullptr ? size_at(meta("self"), *number) : 0;
  }
  const bool loss = target.starts_with("torch.ops.aten.cross_entropy_loss") ||
                    target.starts_with("torch.ops.aten.nll_loss");
  if (loss && tensor_of(argument_named(node, "target")) == slot) return size_at(meta("self"), 1);
  return 0;
}

// The words for a symbol by the size that is made of it: "x[1]", of 2 s "x[1] / 2", of 2 s + 1
// "(x[1] - 1) / 2"; where it is made in another way, the symbol "in" it.
std::string label_of(const Program& program, std::uint32_t expression, std::uint32_t symbol,
                     const std::string& size) {
  const auto at = [&](std::int64_t value) {
    std::vector<std::int64_t> values;
    for (const Symbol& one : program.symbols) values.push_back(one.example);
    values[symbol] = value;
    return program.expressions[expression].value(values);
  };
  const auto one = at(1), two = at(2), many = at(1001);
  const bool alone = program.expressions[expression].symbols().size() == 1;
  if (!alone || !one || !two || !many || (*two - *one) * 1000 != *many - *one || *one == *two)
    return "a symbol in " + size;
  const std::int64_t factor = *two - *one, rest = *one - factor;
  std::string words = size;
  if (rest != 0) words += (rest > 0 ? " - " : " + ") + std::to_string(std::abs(rest));
  if (factor == 1) return words;
  return (rest != 0 ? "(" + words + ")" : words) + " / " + std::to_string(factor);
}

}  // namespace

base::Result<std::shared_ptr<const ModelFile>> ModelFile::read(const std::filesystem::path& path) {
  return from(io::ZipArchive::open(path), path.string());
}

base::Result<std::shared_ptr<const ModelFile>> ModelFile::of_bytes(std::string content,
                                                                   const std::string& name) {
  return from(io::ZipArchive::of_bytes(std::move(content)), name);
}

base::Result<std::shared_ptr<const ModelFile>> ModelFile::from(base::Result<io::ZipArchive> archive,
                                                               const std::string& name) {
  const auto refused = [&name](base::Error reason) {
    // It says the name already.
    if (reason.key == "file_error.read") return tl::unexpected<base::Error>(std::move(reason));
    return text::fail("model_error.read",
                      {{"path", name}, text::argument("reason", std::move(reason))});
  };
  if (!archive) return refused(archive.error());
  std::shared_ptr<ModelFile> file(
      new ModelFile(std::make_shared<const io::ZipArchive>(std::move(*archive))));
  if (auto loaded = file->load(); !loaded) return refused(loaded.error());
  file->make_sample();
  return file;
}

base::Result<void> ModelFile::load() {
  const io::ZipArchive::Member* graph = nullptr;
  bool earlier = false;
  for (const io::ZipArchive::Member& member : archive_->members()) {
    const std::string_view name = member.name;
    earlier = earlier || name.ends_with("serialized_exported_program.json");
    // In one folder at the top.
    if (!name.ends_with(kGraph) || name.find('/') != name.size() - kGraph.size() - 1) continue;
    graph = &member;
    folder_ = name.substr(0, name.size() - kGraph.size());
  }
  if (graph == nullptr) return text::fail(earlier ? "model_error.earlier" : "model_error.no_graph");
  TS_TRY(const auto json, archive_->read(*graph, kLargestGraph));
  TS_TRY(program_, read_program(json));
  if (auto read = load_payloads("data/weights/", weights_, "model_weights_config.json"); !read) {
    return read;
  }
  if (auto read = load_payloads("data/constants/", constants_, "model_constants_config.json");
      !read) {
    return read;
  }
  for (const Input& input : program_.inputs) {
    if (input.kind == InputKind::user) continue;
    if (!numbers_of(program_.meta_of(input))) {
      return text::fail("model_error.size", {{"name", input.name}});
    }
  }
  look_through();
  return {};
}

void ModelFile::look_through() {
  find_dimensions();
  find_same();
  count_parameters();
  for (const Graph& part : program_.graphs) {
    for (const Node& node : part.nodes) {
      attends_ = attends_ || node.target == "torch.ops.aten.scaled_dot_product_attention.default";
    }
  }
}

void ModelFile::make_sample() {
  auto made = shorten(program_);
  if (!made) return;
  repetition_ = std::move(made->repetition);
  sample_ = with(std::move(made->program));
}

std::shared_ptr<ModelFile> ModelFile::with(Program program) const {
  std::shared_ptr<ModelFile> made(new ModelFile(archive_));
  made->folder_ = folder_;
  made->weights_ = weights_;
  made->constants_ = constants_;
  made->program_ = std::move(program);
  made->look_through();
  return made;
}

const std::shared_ptr<const ModelFile>& ModelFile::checkpointed() const {
  std::call_once(checkpointed_once_, [this] {
    auto whole = exported::checkpointed(program_);
    if (!whole) return;
    const std::shared_ptr<ModelFile> made = with(std::move(whole->program));
    made->plain_ = std::make_shared<const Program>(program_);
    const bool same = sample_ != nullptr && repetition_.prefix == whole->prefix;
    auto few = same ? exported::checkpointed(sample_->program_) : std::nullopt;
    if (few && few->prefix == whole->prefix) {
      made->sample_ = sample_->with(std::move(few->program));
      made->repetition_ = repetition_;
    }
    checkpointed_ = made;
  });
  return checkpointed_;
}

// Tensors that the file lacks have only a shape.
base::Result<void> ModelFile::load_payloads(const std::string& folder,
                                            std::map<std::string, Payload>& to,
                                            const std::string& config) {
  const io::ZipArchive::Member* const member = archive_->find(folder_ + folder + config);
  if (member == nullptr) return {};
  TS_TRY(const auto json, archive_->read(*member, kLargestGraph));
  TS_TRY(to, read_payloads(json));
  for (auto& [name, payload] : to) payload.member = folder_ + folder + payload.member;
  return {};
}

void ModelFile::find_dimensions() {
  std::vector<bool> seen(program_.symbols.size());
  std::vector<Dimension> others;
  bool first = true;
  std::optional<Dimension> batch, sequence;
  for (const Input& input : program_.inputs) {
    if (input.kind != InputKind::user) continue;
    const auto note = [&](std::uint32_t expression, const std::string& label, int position,
                          bool may_be_sequence) {
      if (expression == kNone) return;
      for (const std::uint32_t number : program_.expressions[expression].symbols()) {
        if (seen[number]) continue;
        seen[number] = true;
        const Symbol& symbol = program_.symbols[number];
        constexpr std::int64_t kMost = std::int64_t{1} << 20U;
        Dimension dimension;
        dimension.symbol = number;
        dimension.label = label_of(program_, expression, number, label);
        dimension.min = std::clamp<std::int64_t>(symbol.min, 1, kMost);
        dimension.max = std::clamp<std::int64_t>(symbol.max, dimension.min, kMost);
        dimension.example =
            std::clamp(symbol.example > 0 ? symbol.example : 2, dimension.min, dimension.max);
        if (position == 0 && !batch) {
          batch = std::move(dimension);
        } else if (position == 1 && may_be_sequence && !sequence) {
          sequence = std::move(dimension);
        } else {
          others.push_back(std::move(dimension));
        }
      }
    };
    if (!input.tensor) {
      note(input.expression, input.name, 2, false);
      continue;
    }
    const TensorMeta& meta = program_.meta_of(input);
    const bool sequences =
        meta.sizes.size() == 2 ? !is_floating(meta.type) : meta.sizes.size() == 3;
    for (std::size_t i = 0; i < meta.sizes.size(); ++i) {
      note(meta.sizes[i].expression, input.name + "[" + std::to_string(i) + "]",
           static_cast<int>(i), sequences);
    }
    if (first && !meta.sizes.empty())
      fixed_batch_ = std::max<std::int64_t>(meta.sizes[0].number, 1);
    if (first && sequences) fixed_sequence_ = std::max<std::int64_t>(meta.sizes[1].number, 1);
    first = false;
  }
  if (batch) {
    batch_ = dimensions_.size();
    dimensions_.push_back(std::move(*batch));
  }
  if (sequence) {
    sequence_ = dimensions_.size();
    dimensions_.push_back(std::move(*sequence));
  }
  for (Dimension& other : others) dimensions_.push_back(std::move(other));
}

// Tied weights are two names of one tensor. Where the file holds data they have one member and one
// shape. An export on "meta" gives all weights one empty member; there PyTorch has put every use on
// one of the names, so a parameter that nothing uses is the one of its shape that is used.
void ModelFile::find_same() {
  const std::size_t count = program_.inputs.size();
  std::vector<bool> used(count);
  {
    std::set<Slot> slots;
    for (const Node& node : program_.graphs.front().nodes) {
      for (const NamedArgument& input : node.inputs) {
        if (const auto* const one = std::get_if<TensorArgument>(&input.value)) {
          slots.insert(one->slot);
        } else if (const auto* const list = std::get_if<TensorList>(&input.value)) {
          slots.insert(list->slots.begin(), list->slots.end());
        }
      }
    }
    for (std::size_t i = 0; i < count; ++i) used[i] = slots.contains(program_.inputs[i].slot);
  }
  using Key = std::tuple<std::string, ElementType, std::vector<std::int64_t>>;
  std::map<Key, std::uint32_t> first_of, used_of;
  same_as_.resize(count);
  const auto key_of = [this](std::size_t i, std::string member) {
    const TensorMeta& meta = program_.meta_of(program_.inputs[i]);
    return Key(std::move(member), meta.type, shape_of(meta));
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    same_as_[i] = i;
    const Input& input = program_.inputs[i];
    if (input.kind != InputKind::parameter) continue;
    if (const auto* const member = stored(input)) {
      same_as_[i] = first_of.try_emplace(key_of(i, member->name), i).first->second;
    } else if (used[i]) {
      used_of.try_emplace(key_of(i, {}), i);
    }
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const Input& input = program_.inputs[i];
    if (input.kind != InputKind::parameter || used[i] || stored(input) != nullptr) continue;
    if (const auto found = used_of.find(key_of(i, {})); found != used_of.end()) {
      same_as_[i] = found->second;
    }
  }
}

void ModelFile::count_parameters() {
  std::map<ElementType, std::int64_t> by_type;
  for (std::uint32_t i = 0; i < program_.inputs.size(); ++i) {
    const Input& input = program_.inputs[i];
    if (input.kind != InputKind::parameter || same_as_[i] != i) continue;
    const TensorMeta& meta = program_.meta_of(input);
    const std::int64_t numbers = numbers_of(meta).value_or(0);
    parameter_count_ += numbers;
    by_type[meta.type] += numbers;
  }
  std::int64_t most = 0;
  for (const auto& [type, numbers] : by_type) {
    if (numbers <= most || !is_floating(type)) continue;
    most = numbers;
    main_type_ = type;
  }
}

const Payload* ModelFile::payload(const Input& input) const {
  for (const auto* const payloads : {&weights_, &constants_}) {
    const auto found = payloads->find(input.name);
    if (found != payloads->end()) return &found->second;
  }
  return nullptr;
}

const io::ZipArchive::Member* ModelFile::stored(const Input& input) const {
  const Payload* const found = payload(input);
  if (found == nullptr || found->pickled) return nullptr;
  const io::ZipArchive::Member* const member = archive_->find(found->member);
  return member != nullptr && member->size > 0 ? member : nullptr;
}

ModelFile::Holds ModelFile::holds() const {
  Holds found;
  for (std::uint32_t i = 0; i < program_.inputs.size(); ++i) {
    const Input& input = program_.inputs[i];
    if (input.kind == InputKind::user || same_as_[i] != i) continue;
    if (numbers_of(program_.meta_of(input)).value_or(0) == 0) continue;
    ++found.all;
    if (stored(input) == nullptr) ++found.without_numbers;
  }
  return found;
}

base::Result<void> ModelFile::read_stored(const io::ZipArchive::Member& member,
                                          std::span<char> to) const {
  return archive_->read_into(member, to);
}

std::int64_t ModelFile::bound_of(const Input& input) const {
  const Graph& graph = (plain_ ? *plain_ : program_).graphs.front();
  std::set<Slot> same = {input.slot};
  std::int64_t bound = 0;
  for (const Node& node : graph.nodes) {
    for (const Slot slot : std::set(same)) {
      const std::int64_t found = bound_at(graph, node, slot);
      if (found > 0 && (bound == 0 || found < bound)) bound = found;
    }
    const Slot self = node.inputs.empty() ? kNone : tensor_of(&node.inputs.front().value);
    if (!same.contains(self) || !keeps_numbers(node.target)) continue;
    for (const Output& output : node.outputs) same.insert(output.slots.begin(), output.slots.end());
  }
  return bound;
}

bool ModelFile::is_offsets(const Input& input) const {
  const auto is_offset = [&](const NamedArgument& argument) {
    return argument.name == "offsets" && tensor_of(&argument.value) == input.slot;
  };
  const Graph& graph = (plain_ ? *plain_ : program_).graphs.front();
  return std::ranges::any_of(
      graph.nodes, [&](const Node& node) { return std::ranges::any_of(node.inputs, is_offset); });
}

}  // namespace ts::exported
