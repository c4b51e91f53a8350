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

// CUPTI's recorded data, byte for byte, for reading on a machine without a GPU: its buffers, record
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
  // CUPTI's records are far smaller; a larger size is not a valid record.
  static constexpr std::size_t kMostRecordBytes = 4096;
  static constexpr std::size_t kMostTextBytes = std::size_t{1} << 16U;

  std::uint32_t cupti_version = 0;

  void begin_buffer() { buffers_.emplace_back(); }
  // Adds to the buffer that was begun last. Data longer than the largest record is left out.
  void add_record(const void* record, std::size_t bytes);
  void add_text(const char* text);

  // Every record is aligned to 8 bytes.
  using Record = std::span<const std::uint8_t>;
  [[nodiscard]] std::size_t buffer_count() const { return buffers_.size(); }
  [[nodiscard]] std::size_t record_count(std::size_t buffer) const {
    return buffers_[buffer].ends.size();
  }
  [[nodiscard]] Record record(std::size_t buffer, std::size_t index) const;
  // The text that was at an address, null if there is none.
  [[nodiscard]] const char* text(const void* address) const;

  [[nodiscard]] std::string bytes() const;
  // The error gives the fault and its byte offset.
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
