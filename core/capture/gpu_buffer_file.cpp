#include "core/capture/gpu_buffer_file.h"

#include <optional>

namespace ts::capture {
namespace {

constexpr std::string_view kMark{"TSGPU\0\0\0", 8};
constexpr std::size_t kAlignment = 8;

void put(std::string& out, std::uint64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>((number >> (8 * i)) & 0xFFU);
}

// Reads bytes from the front; missing bytes give nothing.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }
  [[nodiscard]] std::size_t at() const { return at_; }
  std::optional<std::string_view> take(std::size_t count) {
    if (bytes_.size() - at_ < count) return std::nullopt;
    const std::string_view taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }
  std::optional<std::uint64_t> number(std::size_t count) {
    const auto taken = take(count);
    if (!taken) return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      value |= std::uint64_t{static_cast<unsigned char>((*taken)[i])} << (8 * i);
    }
    return value;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace

void GpuBufferFile::add_record(const void* record, std::size_t bytes) {
  if (bytes == 0 || bytes > kMostRecordBytes || bytes % kAlignment != 0) return;
  if (buffers_.empty()) begin_buffer();
  Buffer& buffer = buffers_.back();
  const auto* const first = static_cast<const std::uint8_t*>(record);
  buffer.bytes.insert(buffer.bytes.end(), first, first + bytes);
  buffer.ends.push_back(buffer.bytes.size());
}

void GpuBufferFile::add_text(const char* text) {
  if (text == nullptr) return;
  const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(text));
  texts_.try_emplace(address, text, strnlen(text, kMostTextBytes));
}

GpuBufferFile::Record GpuBufferFile::record(std::size_t buffer, std::size_t index) const {
  const Buffer& from = buffers_[buffer];
  const std::size_t begin = index == 0 ? 0 : from.ends[index - 1];
  return Record(from.bytes).subspan(begin, from.ends[index] - begin);
}

const char* GpuBufferFile::text(const void* address) const {
  const auto found =
      texts_.find(static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address)));
  return found != texts_.end() ? found->second.c_str() : nullptr;
}

std::string GpuBufferFile::bytes() const {
  std::string out(kMark);
  put(out, kVersion, 4);
  put(out, cupti_version, 4);
  for (const auto& [address, text] : texts_) {
    out += 'T';
    put(out, address, 8);
    put(out, text.size(), 4);
    out += text;
  }
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    out += 'B';
    put(out, record_count(i), 4);
    for (std::size_t r = 0; r < record_count(i); ++r) {
      const Record from = record(i, r);
      put(out, from.size(), 4);
      out.append(reinterpret_cast<const char*>(from.data()), from.size());
    }
  }
  return out;
}

base::Result<GpuBufferFile> GpuBufferFile::parse(std::string_view bytes) {
  Cursor cursor(bytes);
  if (cursor.take(kMark.size()) != kMark) return base::fail("This is no file of GPU records");
  const auto version = cursor.number(4);
  const auto cupti = cursor.number(4);
  if (!version || !cupti) return base::fail("The file of GPU records ends in its first line");
  if (*version != kVersion) {
    return base::fail("The file of GPU records has version " + std::to_string(*version) +
                      "; this program reads " + std::to_string(kVersion));
  }
  const auto wrong = [&](const char* what) {
    return base::fail(std::string("The file of GPU records ") + what + " at byte " +
                      std::to_string(cursor.at()));
  };
  GpuBufferFile file;
  file.cupti_version = static_cast<std::uint32_t>(*cupti);
  while (!cursor.at_end()) {
    const char piece = cursor.take(1)->front();
    if (piece == 'T') {
      const auto address = cursor.number(8);
      const auto length = cursor.number(4);
      if (!address || !length) return wrong("ends within a text");
      if (*length > kMostTextBytes) return wrong("has a text that is too long");
      const auto text = cursor.take(*length);
      if (!text) return wrong("ends within a text");
      file.texts_.emplace(*address, *text);
    } else if (piece == 'B') {
      const auto count = cursor.number(4);
      if (!count) return wrong("ends within a buffer");
      file.begin_buffer();
      for (std::uint64_t i = 0; i < *count; ++i) {
        const auto length = cursor.number(4);
        if (!length) return wrong("ends within a buffer");
        if (*length == 0 || *length > kMostRecordBytes || *length % kAlignment != 0)
          return wrong("has a record of an impossible length");
        const auto record = cursor.take(*length);
        if (!record) return wrong("ends within a record");
        file.add_record(record->data(), record->size());
      }
    } else {
      return wrong("has a piece of an unknown kind");
    }
  }
  return file;
}

}  // namespace ts::capture
