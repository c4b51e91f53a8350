#include "core/trace_file/rank_event.h"

#include <algorithm>
#include <array>

#include "core/io/json_text.h"

namespace ts::trace_file {
namespace {

using io::JsonScanner;

// Arguments whose numbers are unique within a rank. Kineto's wait for a stream names the call that
// recorded the event.
constexpr std::array<std::string_view, 4> kNumbers = {"correlation", "External id", "external id",
                                                      "wait_on_cuda_event_record_corr_id"};

// Visits the entries of an object as they are written.
template <class Visit>
void each_entry(std::string_view object, const Visit& visit) {
  JsonScanner scanner(object);
  scanner.object([&](const JsonScanner::String& key) {
    std::string_view value;
    if (!scanner.raw(value)) return false;
    visit(key.raw, value);
    return true;
  });
}

// A text without its quotes.
std::string_view plain(std::string_view value) {
  return value.starts_with('"') ? value.substr(1, value.size() - 2) : value;
}

class EventOfRank {
 public:
  EventOfRank(std::string& out, const RawEvent& raw, RankNumbers& numbers, std::size_t rank)
      : out_(out), raw_(raw), numbers_(numbers), rank_(rank) {}

  void append(std::string_view written) {
    const EventKind kind = kind_of(raw_.category.raw, raw_.process);
    on_device_ = is_on_device(kind) && (raw_.phase == 'X' || raw_.phase == 'B');
    const bool categorised = raw_.category.raw.empty() && kind != EventKind::other;
    bool has_arguments = false;
    out_ += R"({"pid":)";
    io::append_integer(out_, numbers_.process(rank_, raw_.process).first);
    if (categorised) out_.append(R"(,"cat":")").append(to_string(kind)).append(1, '"');
    each_entry(written, [&](std::string_view key, std::string_view value) {
      if (key == "pid" || (categorised && key == "cat")) return;
      out_.append(",\"").append(key).append("\":");
      if (key == "ts") return time(value);
      if (key == "id") return number(flow_id_of(plain(value)), value);
      if (key != "args" || !value.starts_with('{')) return text(value);
      has_arguments = true;
      arguments(value);
    });
    if (on_device_ && !has_arguments) {
      out_ += R"(,"args":)";
      arguments("{}");
    }
    out_ += '}';
  }

 private:
  void text(std::string_view value) { out_ += value; }

  // Decimals beyond nanoseconds stay.
  void time(std::string_view value) {
    const std::string_view written = plain(value);
    const std::int64_t shift = numbers_.shift_ns(rank_);
    const bool is_number = !written.empty() && std::string_view("-0123456789").find(written[0]) !=
                                                   std::string_view::npos;
    if (shift == 0 || !is_number) return text(value);
    const std::int64_t shifted = nanoseconds(written) + shift;
    io::append_microseconds(out_, shifted);
    constexpr std::size_t kDecimals = 3;
    const std::size_t point = written.find('.');
    if (point == std::string_view::npos || written.size() - point <= kDecimals + 1) return;
    const bool plain_number = written.find_first_not_of("0123456789.") == std::string_view::npos;
    if (plain_number && shifted >= 0) out_ += written.substr(point + 1 + kDecimals);
  }

  void number(std::int64_t number, std::string_view value) {
    if (number == kNoNumber) return text(value);
    io::append_integer(out_, RankNumbers::id(rank_, number));
  }

  void device(std::int32_t device, std::string_view value) {
    if (device < 0) return text(value);
    io::append_integer(out_, numbers_.device(rank_, device));
  }

  void arguments(std::string_view written) {
    out_ += '{';
    if (on_device_) {
      out_ += R"("device":)";
      device(device_of(raw_), "-1");
    }
    each_entry(written, [&](std::string_view key, std::string_view value) {
      if (on_device_ && key == "device") return;
      if (out_.back() != '{') out_ += ',';
      out_.append(1, '"').append(key).append("\":");
      argument(key, value);
    });
    out_ += '}';
  }

  void argument(std::string_view key, std::string_view value) {
    if (std::ranges::find(kNumbers, key) != kNumbers.end())
      return number(integer(plain(value)), value);
    if (key == "device") return device(small_number(plain(value)), value);
    if (key == "Device Id") return device(memory_device_of(raw_), value);
    const bool named = raw_.phase == 'M' && key == "name";
    if (named && raw_.name.raw == "process_name")
      return io::append_json_string(out_, numbers_.name(rank_));
    if (named && raw_.name.raw == "thread_name") {
      const std::string name = io::unescaped(plain(value));
      return io::append_json_string(out_, numbers_.thread_name(rank_, name, raw_.thread));
    }
    text(value);
  }

  std::string& out_;
  const RawEvent& raw_;
  RankNumbers& numbers_;
  std::size_t rank_;
  bool on_device_ = false;
};

}  // namespace

void append_event_of_rank(std::string& out, std::string_view written, const RawEvent& raw,
                          RankNumbers& numbers, std::size_t rank) {
  EventOfRank(out, raw, numbers, rank).append(written);
}

}  // namespace ts::trace_file
