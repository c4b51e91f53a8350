#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/check.h"

namespace ts::allocator {

// Free blocks in best-fit order: stream, then size, then address. Layers are alike, so hundreds of
// free blocks have a few dozen sizes: an array of sizes, and for each size its blocks, the lowest
// address last, because blocks are taken from the end. Neither searching nor moving accesses a
// block. A listed block must not change stream, size or address. Not thread safe.
template <typename Block>
class FreeList {
 public:
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] bool contains(const Block* block) const {
    const auto bucket = bucket_at(block->stream, block->size);
    if (bucket == buckets_.end() || !holds(*bucket, block)) return false;
    const auto at = place_in(bucket->entries, block->address);
    return at != bucket->entries.end() && at->block == block;
  }

  // The best fit of at least `size` on the stream; nullptr if there is none.
  [[nodiscard]] Block* best_fit(std::int64_t stream, std::int64_t size) const {
    const auto bucket = bucket_at(stream, size);
    if (bucket == buckets_.end() || bucket->stream != stream) return nullptr;
    return bucket->entries.back().block;
  }
  // The next in order on the stream of `block`, which is listed.
  [[nodiscard]] Block* after(const Block* block) const {
    auto bucket = bucket_at(block->stream, block->size);
    const auto at = place_in(bucket->entries, block->address);
    if (at != bucket->entries.begin()) return std::prev(at)->block;
    ++bucket;
    if (bucket == buckets_.end() || bucket->stream != block->stream) return nullptr;
    return bucket->entries.back().block;
  }
  // The last in order that is smaller than `size` on the stream.
  [[nodiscard]] Block* largest_below(std::int64_t stream, std::int64_t size) const {
    const auto bucket = bucket_at(stream, size);
    if (bucket == buckets_.begin() || std::prev(bucket)->stream != stream) return nullptr;
    return std::prev(bucket)->entries.front().block;
  }

  void insert(Block* block) {
    auto bucket = bucket_at(block->stream, block->size);
    if (bucket == buckets_.end() || !holds(*bucket, block)) {
      bucket = buckets_.insert(bucket, {block->stream, block->size, take_spare()});
    }
    std::vector<Entry>& entries = buckets_[index_of(bucket)].entries;
    entries.insert(place_in(entries, block->address), {block->address, block});
    ++count_;
  }
  void erase(const Block* block) {
    const auto bucket = bucket_at(block->stream, block->size);
    TS_CHECK(bucket != buckets_.end() && holds(*bucket, block));
    std::vector<Entry>& entries = buckets_[index_of(bucket)].entries;
    const auto at = place_in(entries, block->address);
    TS_CHECK(at != entries.end() && at->block == block);
    entries.erase(at);
    --count_;
    if (!entries.empty()) return;
    spares_.push_back(std::move(entries));
    buckets_.erase(bucket);
  }

  // All of them, in order. During the loop they may be erased and changed, and others inserted.
  [[nodiscard]] std::vector<Block*> all() const {
    std::vector<Block*> blocks;
    blocks.reserve(count_);
    for (const Bucket& bucket : buckets_) {
      for (auto entry = bucket.entries.rbegin(); entry != bucket.entries.rend(); ++entry)
        blocks.push_back(entry->block);
    }
    return blocks;
  }

 private:
  struct Entry {
    std::uint64_t address = 0;
    Block* block = nullptr;
  };
  struct Bucket {
    std::int64_t stream = 0;
    std::int64_t size = 0;
    std::vector<Entry> entries;  // never empty; by descending address
  };

  static bool holds(const Bucket& bucket, const Block* block) {
    return bucket.stream == block->stream && bucket.size == block->size;
  }
  // The bucket of that stream and size, or the next one after that position.
  [[nodiscard]] typename std::vector<Bucket>::const_iterator bucket_at(std::int64_t stream,
                                                                       std::int64_t size) const {
    return std::partition_point(buckets_.begin(), buckets_.end(), [=](const Bucket& bucket) {
      return bucket.stream != stream ? bucket.stream < stream : bucket.size < size;
    });
  }
  [[nodiscard]] static auto place_in(const std::vector<Entry>& entries, std::uint64_t address) {
    return std::partition_point(entries.begin(), entries.end(),
                                [address](const Entry& entry) { return entry.address > address; });
  }
  [[nodiscard]] std::size_t index_of(typename std::vector<Bucket>::const_iterator bucket) const {
    return static_cast<std::size_t>(bucket - buckets_.begin());
  }
  std::vector<Entry> take_spare() {
    if (spares_.empty()) return {};
    std::vector<Entry> spare = std::move(spares_.back());
    spares_.pop_back();
    return spare;
  }

  std::vector<Bucket> buckets_;
  std::vector<std::vector<Entry>> spares_;  // of removed buckets, for reuse
  std::size_t count_ = 0;
};

}  // namespace ts::allocator
