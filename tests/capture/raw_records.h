#pragma once

#include <initializer_list>
#include <vector>

#include "core/capture/collector.h"
#include "core/capture/raw_record.h"

// Short ways to write raw records in tests, and a sink that keeps everything.
namespace ts::capture::testing {

inline RawRecord slice(RawKind kind, base::StringId name, std::int64_t begin_ns,
                       std::int64_t end_ns, std::uint8_t depth = 0) {
  RawRecord record;
  record.kind = kind;
  record.name = name;
  record.begin_ns = begin_ns;
  record.end_ns = end_ns;
  record.depth = depth;
  return record;
}

inline RawRecord op(base::StringId name, std::int64_t begin_ns, std::int64_t end_ns,
                    std::uint8_t depth = 0, std::int64_t sequence = -1) {
  RawRecord record = slice(RawKind::op, name, begin_ns, end_ns, depth);
  record.sequence = sequence;
  return record;
}

inline memory::Record memory(memory::Action action, std::int64_t time_ns, std::uint64_t address) {
  memory::Record record;
  record.time_ns = time_ns;
  record.address = address;
  record.action = action;
  return record;
}

inline RawRecord raw(const memory::Record& memory_record) {
  RawRecord record;
  record.kind = RawKind::memory;
  record.memory = memory_record;
  return record;
}

struct Tensor {
  std::vector<std::int32_t> dims;
  DType dtype = DType::fp32;
};

inline Shapes shapes(std::initializer_list<Tensor> tensors) {
  Shapes out;
  std::size_t dim = 0;
  for (const Tensor& tensor : tensors) {
    out.rank[out.tensors] = static_cast<std::uint8_t>(tensor.dims.size());
    out.dtype[out.tensors] = static_cast<std::uint8_t>(tensor.dtype);
    for (const std::int32_t size : tensor.dims) out.dims[dim++] = size;
    ++out.tensors;
  }
  return out;
}

// The records of a sink in one piece. To be read after flush() or the end of the Collector.
struct Collected {
  std::vector<Batch::NewTrack> tracks;
  std::vector<Batch::Row> slices;
  std::vector<memory::Record> memory;
  std::uint64_t dropped = 0;
  std::size_t batches = 0;
  void add(Batch&& batch) {
    tracks.insert(tracks.end(), batch.tracks.begin(), batch.tracks.end());
    slices.insert(slices.end(), batch.slices.begin(), batch.slices.end());
    memory.insert(memory.end(), batch.memory.begin(), batch.memory.end());
    dropped = batch.dropped;
    ++batches;
  }
  Collector::Sink sink() {
    return [this](Batch&& batch) { add(std::move(batch)); };
  }
};

}  // namespace ts::capture::testing
