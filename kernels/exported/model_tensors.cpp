#include "kernels/exported/model_tensors.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/ones.h>

#include <cstdint>
#include <optional>

#include "core/spec/own_model.h"
#include "core/text/message.h"
#include "kernels/device/precision.h"
#include "kernels/observe/cancellation.h"
#include "kernels/observe/failure.h"
#include "kernels/observe/module_scope.h"

namespace ts::kernels {
namespace {

using exported::ElementType;
using exported::Input;
using exported::InputKind;

std::vector<std::int64_t> numbers_of(const std::vector<exported::Size>& sizes) {
  std::vector<std::int64_t> numbers;
  for (const exported::Size& size : sizes) numbers.push_back(size.number);
  return numbers;
}

class TensorMaker {
 public:
  TensorMaker(Builder& builder, const spec::WorkloadSpec& spec, const exported::ModelFile& model)
      : builder_(builder), model_(model), generator_(builder.fork_generator()) {
    if (model.main_type() != ElementType::fp64) type_ = scalar_type(spec.dtype);
  }

  at::Tensor make(const Input& input) {
    check_cancelled();
    // A dry run of a few layers knows by it whose the block is.
    const std::string module = module_of(input.name);
    const PlaceScope place(module);
    const exported::TensorMeta& meta = model_.program().meta_of(input);
    const auto sizes = numbers_of(meta.sizes), strides = numbers_of(meta.strides);
    at::Tensor tensor = at::empty_strided(sizes, strides, options_of(meta.type));
    if (tensor.is_meta()) return tensor;
    if (const auto* const member = model_.stored(input)) {
      read(input, *member, meta, tensor);
    } else {
      initialise(input, tensor);
    }
    return tensor;
  }

  [[nodiscard]] at::TensorOptions options_of(ElementType type) const {
    const bool main = type_ && type == model_.main_type();
    return builder_.options().dtype(main ? *type_ : scalar_type_of(type));
  }

 private:
  void read(const Input& input, const io::ZipArchive::Member& member,
            const exported::TensorMeta& meta, at::Tensor& tensor) const {
    const at::ScalarType stored = scalar_type_of(meta.type);
    // Everything that the strides reach lies in the member.
    __extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using)
    Wide end = meta.offset.number;
    bool sound = meta.offset.number >= 0;
    for (std::size_t i = 0; i < meta.sizes.size(); ++i) {
      sound = sound && meta.strides[i].number >= 0 && meta.sizes[i].number >= 0;
      end += Wide{meta.sizes[i].number - 1} * meta.strides[i].number;
    }
    if (tensor.numel() == 0) return;
    const Wide bytes = (end + 1) * exported::element_bytes(meta.type);
    if (!sound || bytes > Wide{static_cast<std::int64_t>(member.size)}) {
      throw BadInput(text::message("model_error.size", {{"name", input.name}}));
    }
    std::vector<char> content(member.size);
    if (auto done = model_.read_stored(member, content); !done) throw BadInput(done.error());
    const at::Tensor view = at::from_blob(
        content.data() + meta.offset.number * exported::element_bytes(meta.type),
        numbers_of(meta.sizes), numbers_of(meta.strides), at::TensorOptions().dtype(stored));
    tensor.copy_(view);
  }

  void initialise(const Input& input, at::Tensor& tensor) {
    constexpr double kDeviation = 0.02;
    if (input.kind == InputKind::parameter && tensor.dim() >= 2 && tensor.is_floating_point()) {
      tensor.normal_(0, kDeviation, generator_);
    } else if (input.kind == InputKind::parameter && input.name.ends_with("weight")) {
      tensor.fill_(1);
    } else {
      tensor.zero_();
    }
  }

  Builder& builder_;
  const exported::ModelFile& model_;
  at::Generator generator_;
  std::optional<at::ScalarType> type_;
};

at::Tensor user_tensor(Builder& builder, const TensorMaker& maker, const at::Generator& generator,
                       const exported::ModelFile& model, const Input& input,
                       const std::vector<std::int64_t>& symbols) {
  const exported::TensorMeta& meta = model.program().meta_of(input);
  std::vector<std::int64_t> sizes;
  for (const exported::Size& size : meta.sizes) {
    sizes.push_back(model.program().size_of(size, symbols));
    if (sizes.back() < 0) {
      throw BadInput(text::message("model_error.input_size", {{"name", input.name}}));
    }
  }
  at::Tensor tensor = at::empty(sizes, maker.options_of(meta.type));
  if (tensor.is_meta()) return builder.keep_input(tensor);
  if (tensor.is_floating_point()) {
    tensor.normal_(0, 1, generator);
  } else if (model.is_offsets(input)) {
    tensor.zero_();
  } else if (const std::int64_t bound = model.bound_of(input); bound > 0) {
    tensor.random_(0, bound, generator);
  } else {
    tensor.fill_(1);
  }
  return builder.keep_input(tensor);
}

}  // namespace

at::ScalarType scalar_type_of(ElementType type) {
  switch (type) {
    case ElementType::uint8:
      return at::kByte;
    case ElementType::int8:
      return at::kChar;
    case ElementType::int16:
      return at::kShort;
    case ElementType::int32:
      return at::kInt;
    case ElementType::int64:
      return at::kLong;
    case ElementType::fp16:
      return at::kHalf;
    case ElementType::fp32:
      return at::kFloat;
    case ElementType::fp64:
      return at::kDouble;
    case ElementType::boolean:
      return at::kBool;
    case ElementType::bf16:
      return at::kBFloat16;
    case ElementType::unknown:
      break;
  }
  throw BadInput(text::message("model_error.unknown_type"));
}

std::vector<at::Tensor> make_model_tensors(Builder& builder, const spec::WorkloadSpec& spec,
                                           const exported::ModelFile& model) {
  TensorMaker maker(builder, spec, model);
  const auto& inputs = model.program().inputs;
  std::vector<at::Tensor> tensors(inputs.size());
  // The first of tied weights may be made for a later input.
  const auto make = [&](std::uint32_t i) {
    const Input& input = inputs[i];
    at::Tensor tensor = maker.make(input);
    if (input.kind != InputKind::parameter) {
      tensors[i] = builder.keep_input(tensor);
      return;
    }
    builder.freeze(!model.program().meta_of(input).requires_grad || !tensor.is_floating_point());
    tensors[i] = builder.keep_parameter(input.name, tensor);
    builder.freeze(false);
  };
  for (std::uint32_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].kind == InputKind::user) continue;
    const std::uint32_t same = model.same_as(i);
    if (!tensors[same].defined()) make(same);
    tensors[i] = tensors[same];
  }
  return tensors;
}

std::vector<c10::IValue> make_user_inputs(Builder& builder, const spec::WorkloadSpec& spec,
                                          const exported::ModelFile& model) {
  const TensorMaker maker(builder, spec, model);
  const at::Generator generator = builder.fork_generator();
  const exported::Program& program = model.program();
  const std::vector<std::int64_t> symbols = spec::symbol_values(spec, model);
  std::vector<c10::IValue> values(program.inputs.size());
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    const Input& input = program.inputs[i];
    if (input.kind != InputKind::user) continue;
    if (input.tensor) {
      values[i] = user_tensor(builder, maker, generator, model, input, symbols);
    } else {
      values[i] = program.size_of({-1, input.expression}, symbols);
    }
  }
  return values;
}

}  // namespace ts::kernels
