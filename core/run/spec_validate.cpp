#include <cstdlib>

#include "core/run/spec_fields.h"
#include "core/run/workload_math.h"
#include "core/run/workload_spec.h"
#include "core/text/numbers.h"

namespace ts::run {

namespace {

class Problems {
 public:
  void add(Field field, std::string key, std::string_view english,
           std::vector<text::Argument> arguments = {}) {
    std::string sentence = text::fill(english, arguments);
    found_.push_back(
        {field, std::move(sentence), "spec.error." + std::move(key), std::move(arguments)});
  }
  [[nodiscard]] bool empty() const { return found_.empty(); }
  std::vector<SpecProblem> take() { return std::move(found_); }

 private:
  std::vector<SpecProblem> found_;
};

void check_ranges(const WorkloadSpec& spec, Problems& problems) {
  for (const FieldRow& row : field_rows()) {
    const auto* number = std::get_if<NumberField>(&row.kind);
    if (number == nullptr) continue;
    const std::int64_t value = spec.*number->member;
    if (value >= number->range.min && value <= number->range.max) continue;
    problems.add(row.field, "range", "{field} must be between {min} and {max}, not {value}",
                 {{"field", row.name},
                  {"min", text::grouped(number->range.min)},
                  {"max", text::grouped(number->range.max)},
                  {"value", text::grouped(value)}});
  }
}

void check_memory_limit(const WorkloadSpec& spec, Problems& problems) {
  const auto [least, most] = field_as<BytesField>(Field::memory_limit)->range;
  if (spec.memory_limit == 0) return;
  if (spec.memory_limit >= least && spec.memory_limit <= most) return;
  problems.add(Field::memory_limit, "memory_limit",
               "memory_limit must be 0 (automatic) or between {min} and {max}, not {value}",
               {{"min", text::bytes(least).joined()},
                {"max", text::bytes(most).joined()},
                {"value", text::bytes(spec.memory_limit).joined()}});
}

// Printable UTF-8 of a sensible length: anything else cannot be written to JSON or drawn.
bool is_plain_text(std::string_view text) {
  constexpr std::size_t kLongestName = 100;
  if (text.size() > kLongestName) return false;
  std::size_t i = 0;
  while (i < text.size()) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x20 || lead == 0x7F) return false;
    std::size_t more = 0;
    if (lead >= 0xF0 && lead <= 0xF4) {
      more = 3;
    } else if (lead >= 0xE0 && lead < 0xF0) {
      more = 2;
    } else if (lead >= 0xC2 && lead < 0xE0) {
      more = 1;
    } else if (lead >= 0x80) {
      return false;
    }
    if (i + more >= text.size()) return false;
    for (std::size_t k = 1; k <= more; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0U) != 0x80U) return false;
    }
    const auto second = more > 0 ? static_cast<unsigned char>(text[i + 1]) : 0U;
    // Overlong forms, surrogates and code points past U+10FFFF.
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second >= 0xA0) ||
        (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second >= 0x90)) {
      return false;
    }
    i += more + 1;
  }
  return true;
}

void check_target(const WorkloadSpec& spec, Problems& problems) {
  if (is_plain_text(spec.target_gpu)) return;
  problems.add(Field::target_gpu, "target_name",
               "target_gpu must be the name of a card in plain UTF-8 of at most 100 bytes");
}

// The divisor of `whole` closest to `near`; the smaller one of two.
std::int64_t nearest_divisor(std::int64_t whole, std::int64_t near) {
  for (std::int64_t distance = 0;; ++distance) {
    if (near - distance >= 1 && whole % (near - distance) == 0) return near - distance;
    if (near + distance <= whole && whole % (near + distance) == 0) return near + distance;
  }
}

void check_heads(const WorkloadSpec& spec, Problems& problems) {
  if (spec.workload != WorkloadKind::block && spec.workload != WorkloadKind::lm) return;
  if (spec.d_model % spec.heads != 0) {
    problems.add(Field::heads, "heads_divide",
                 "heads = {heads} does not divide d_model = {d_model}: the nearest number that "
                 "does is {nearest}",
                 {{"heads", std::to_string(spec.heads)},
                  {"d_model", std::to_string(spec.d_model)},
                  {"nearest", std::to_string(nearest_divisor(spec.d_model, spec.heads))}});
    return;
  }
  if (head_size(spec) % 2 != 0) {
    problems.add(Field::heads, "rope_odd",
                 "d_model / heads must be even, not {d_head}: rotary positions turn pairs of "
                 "numbers",
                 {{"d_head", std::to_string(head_size(spec))}});
  }
}

void check_combinations(const WorkloadSpec& spec, Problems& problems) {
  if (spec.workload == WorkloadKind::attention && spec.pass == Pass::full_step) {
    problems.add(Field::pass, "pass_no_parameters",
                 "pass full_step has nothing to update, attention alone has no parameters: "
                 "choose forward or forward+backward");
  }
  const bool forced_cuda_flash = field_applies(spec, Field::backend) &&
                                 spec.backend == AttentionBackend::flash &&
                                 spec.device == DeviceKind::cuda;
  if (!forced_cuda_flash) return;
  if (spec.dtype != DataType::bf16) {
    problems.add(Field::backend, "flash_dtype",
                 "backend flash on cuda needs dtype bf16: its kernels do not exist for {dtype}",
                 {{"dtype", to_string(spec.dtype)}});
  }
  constexpr std::int64_t kLargestFlashHead = 256;
  if (head_size(spec) > kLargestFlashHead) {
    problems.add(
        Field::backend, "flash_head",
        "backend flash on cuda takes d_head up to {max}, not {d_head}",
        {{"max", std::to_string(kLargestFlashHead)}, {"d_head", std::to_string(head_size(spec))}});
  }
}

struct Tensor {
  Field field;  // the one to lower first
  const char* shape;
  const char* lower;
  long double elements;
};

std::vector<Tensor> largest_tensors(const WorkloadSpec& spec) {
  const auto size = [](std::int64_t value) { return static_cast<long double>(value); };
  const long double tokens = size(spec.batch) * size(spec.seq_len);
  std::vector<Tensor> tensors;
  if (spec.workload != WorkloadKind::mlp) {
    const long double head_tokens = tokens * size(spec.heads);
    tensors.push_back({Field::T, "B x T x heads x d_head", "B, T, heads or d_head",
                       head_tokens * size(head_size(spec))});
    if (spec.backend != AttentionBackend::flash) {
      tensors.push_back(
          {Field::T, "B x heads x T x T", "T, B or heads", head_tokens * size(spec.seq_len)});
    }
  }
  if (spec.workload != WorkloadKind::attention) {
    tensors.push_back({Field::T, "B x T x d_ff", "B, T or d_ff", tokens * size(spec.d_ff)});
  }
  if (spec.workload == WorkloadKind::lm) {
    tensors.push_back({Field::T, "B x T x vocab", "B, T or vocab", tokens * size(spec.vocab)});
  }
  return tensors;
}

// Beyond 1 EiB sums of a few tensors would leave int64, and no address space holds one anyway.
void check_sizes(const WorkloadSpec& spec, Problems& problems) {
  constexpr long double kExbibyte = 1152921504606846976.0L;
  constexpr long double kElementBytes = 4;  // also for bf16: scores and logits may be kept in fp32
  for (const Tensor& tensor : largest_tensors(spec)) {
    if (tensor.elements * kElementBytes <= kExbibyte) continue;
    problems.add(tensor.field, "too_large",
                 "A tensor of {shape} numbers would be larger than 1 EiB: lower {fields}",
                 {{"shape", tensor.shape}, {"fields", tensor.lower}});
    return;
  }
}

}  // namespace

std::vector<SpecProblem> validate(const WorkloadSpec& spec) {
  Problems problems;
  check_ranges(spec, problems);
  check_memory_limit(spec, problems);
  check_target(spec, problems);
  // How values go together means nothing while one of them is not a size at all.
  if (problems.empty()) {
    check_heads(spec, problems);
    check_combinations(spec, problems);
    check_sizes(spec, problems);
  }
  return problems.take();
}

}  // namespace ts::run
