#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ts::capture {

// What CUPTI recorded, byte for byte, to be read again where there is no GPU: its buffers, record
// by record, and the texts that records point to by address. One owner thread.
//
// The file, numbers little-endian: "TSGPU" and three bytes 0, then the version of this layout and
// that of CUPTI, 4 bytes each. Then pieces until the end:
//   'T', address (8), length (4), bytes       a text
//   'B', number of records (4)                a buffer, whose records follow:
//        length (4), bytes                    a record, its length a multiple of 8
class GpuBufferFile {
 public:
  static constexpr std::uint32_t kVersion = 1;
  // No record of CUPTI comes near; what claims more is no record.
  static constexpr std::size_t kMostRecordBytes = 4096;
  static constexpr std::size_t kMostTextBytes = std::size_t{1} << 16U;

  std::uint32_t cupti_version = 0;

  void begin_buffer() { buffers_.emplace_back(); }
  // Of the buffer that was begun last. What is longer than a record can be is left out.
  void add_record(const void* record, std::size_t bytes);
  void add_text(const char* text);

  // Every record lies at a multiple of 8.
  using Record = std::span<const std::uint8_t>;
  [[nodiscard]] std::size_t buffer_count() const { return buffers_.size(); }
  [[nodiscard]] std::size_t record_count(std::size_t buffer) const {
    return buffers_[buffer].ends.size();
  }
  [[nodiscard]] Record record(std::size_t buffer, std::size_t index) const;
  // The text that was at an address, null where none is known.
  [[nodiscard]] const char* text(const void* address) const;

  [[nodiscard]] std::string bytes() const;
  // The error says what is wrong, and at which byte.
  static base::Result<GpuBufferFile> parse(std::string_view bytes);

 private:
  struct Buffer {
    std::vector<std::uint8_t> bytes;
    std::vector<std::size_t> ends;
  };
  std::vector<Buffer> buffers_;
  std::map<std::uint64_t, std::string> texts_;
};

}  // namespace ts::capture
