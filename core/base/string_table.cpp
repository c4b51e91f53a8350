#include "core/base/string_table.h"

namespace ts::base {

StringTable::StringTable()
    : chunks_(std::make_unique<std::array<std::atomic<Chunk*>, kMaxChunks>>()) {
  for (auto& chunk : *chunks_) chunk.store(nullptr, std::memory_order_relaxed);
  intern("");
}

StringTable::~StringTable() {
  for (auto& chunk : *chunks_) delete chunk.load(std::memory_order_relaxed);
}

StringId StringTable::intern(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (const auto found = index_.find(text); found != index_.end()) return found->second;
  const StringId id = size_.load(std::memory_order_relaxed);
  const std::uint32_t chunk_index = id >> kChunkBits;
  if (chunk_index >= kMaxChunks) {
    overflowed_.fetch_add(1, std::memory_order_relaxed);
    return kNoString;
  }
  auto& slot = (*chunks_)[chunk_index];
  Chunk* chunk = slot.load(std::memory_order_relaxed);
  if (chunk == nullptr) {
    chunk = new Chunk;
    slot.store(chunk, std::memory_order_release);
  }
  std::string& stored = chunk->strings[id & (kChunkSize - 1)];
  stored.assign(text);
  index_.emplace(stored, id);
  size_.store(id + 1, std::memory_order_release);
  return id;
}

std::string_view StringTable::view(StringId id) const noexcept {
  if (id >= size_.load(std::memory_order_acquire)) return {};
  const Chunk* chunk = (*chunks_)[id >> kChunkBits].load(std::memory_order_acquire);
  return chunk->strings[id & (kChunkSize - 1)];
}

}  // namespace ts::base
