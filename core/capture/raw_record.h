#pragma once

#include <array>
#include <cstdint>

#include "core/base/phase.h"
#include "core/base/string_table.h"
#include "core/memory/record.h"

namespace ts::capture {

// Autograd numbers the nodes of every thread separately: the number is only unique together with
// the thread that ran the forward (a small number, by LibTorch's count). On CUDA two threads create
// nodes when the backward runs parts of the forward again.
constexpr int kSequenceBits = 40;
constexpr std::int64_t sequence_of(std::uint64_t thread, std::int64_t number) {
  if (number < 0) return -1;
  return static_cast<std::int64_t>(thread << kSequenceBits) | number;
}

enum class RawKind : std::uint8_t { op, module, phase, step, memory };

// Sizes and dtypes of the first inputs of an operator, as plain numbers; the collector converts
// them to text. At most 4 tensors, 14 dimensions together; more are cut off.
struct Shapes {
  static constexpr int kMaxTensors = 4;
  static constexpr int kMaxDims = 14;
  std::uint8_t tensors = 0;
  std::array<std::uint8_t, kMaxTensors> rank{};
  std::array<std::uint8_t, kMaxTensors> dtype{};  // DType below
  std::array<std::int32_t, kMaxDims> dims{};      // all tensors one after the other
};

// dtype codes used in Shapes.
enum class DType : std::uint8_t {
  none,
  fp64,
  fp32,
  fp16,
  bf16,
  int64,
  int32,
  uint8,
  boolean,
  other
};

// One plain record in a thread's ring. Slices (op, module, phase, step) are written when they end.
struct RawRecord {
  RawKind kind = RawKind::op;
  std::uint8_t depth = 0;  // nesting on its thread
  bool backward = false;   // op: an autograd node or inside one
  base::Phase phase = base::Phase::setup;
  std::int32_t step = -1;
  base::StringId name = base::kNoString;
  base::StringId module = base::kNoString;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t sequence = -1;  // sequence_of() an autograd node, -1 none
  union {
    Shapes shapes;          // op
    memory::Record memory;  // memory
  };
  RawRecord() : shapes{} {}
};

}  // namespace ts::capture
