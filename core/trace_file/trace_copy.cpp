#include "core/trace_file/trace_copy.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/io/json_scanner.h"
#include "core/io/json_text.h"
#include "core/io/unpack.h"
#include "core/trace_file/rank_event.h"
#include "core/trace_file/trace_read.h"
#include "core/trace_file/trace_write.h"

namespace ts::trace_file {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

// Appends a value that a JsonScanner took, as JSON.
class Mender {
 public:
  Mender(std::string_view written, std::string& out) : written_(written), out_(out) {}

  void run() {
    while (at_ < written_.size()) {
      const char c = written_[at_];
      if (c == '"') {
        string();
      } else if (c == ',') {
        comma();
      } else if (is_blank(c) || c == '{' || c == '}' || c == '[' || c == ']' || c == ':') {
        out_ += c;
        ++at_;
      } else {
        word();
      }
    }
  }

 private:
  void string() {
    std::size_t end = at_ + 1;
    bool plain = true;
    for (; end < written_.size() && written_[end] != '"'; ++end) {
      const auto byte = static_cast<unsigned char>(written_[end]);
      constexpr unsigned char kFirstPrinted = 0x20;
      constexpr unsigned char kFirstBeyondAscii = 0x80;
      plain = plain && byte >= kFirstPrinted && byte < kFirstBeyondAscii && byte != '\\';
      if (byte == '\\') ++end;
    }
    const std::string_view inside =
        written_.substr(at_ + 1, std::min(end, written_.size()) - at_ - 1);
    at_ = std::min(end + 1, written_.size());
    if (plain) {
      out_.append(1, '"').append(inside).append(1, '"');
    } else {
      io::append_json_string(out_, io::unescaped(inside));
    }
  }

  void comma() {
    std::size_t next = at_ + 1;
    while (next < written_.size() && is_blank(written_[next])) ++next;
    const bool trails = next < written_.size() && (written_[next] == '}' || written_[next] == ']');
    if (!trails) out_ += ',';
    ++at_;
  }

  // A number or literal.
  void word() {
    std::size_t end = at_;
    const auto goes_on = [](char c) {
      return !is_blank(c) && c != ',' && c != '}' && c != ']' && c != '"' && c != ':';
    };
    while (end < written_.size() && goes_on(written_[end])) ++end;
    const std::string_view word = written_.substr(at_, end - at_);
    at_ = end;
    if (word == "true" || word == "false" || word == "null" || is_number(word)) {
      out_ += word;
    } else {
      io::append_json_string(out_, word);
    }
  }

  static bool is_number(std::string_view word) {
    const auto digits = [&word] {
      const std::size_t count = std::min(word.find_first_not_of("0123456789"), word.size());
      word.remove_prefix(count);
      return count;
    };
    if (word.starts_with('-')) word.remove_prefix(1);
    const bool zero = word.starts_with('0');
    const std::size_t whole = digits();
    if (whole == 0 || (zero && whole > 1)) return false;
    if (word.starts_with('.')) {
      word.remove_prefix(1);
      if (digits() == 0) return false;
    }
    if (word.starts_with('e') || word.starts_with('E')) {
      word.remove_prefix(1);
      if (word.starts_with('+') || word.starts_with('-')) word.remove_prefix(1);
      if (digits() == 0) return false;
    }
    return word.empty();
  }

  std::string_view written_;
  std::string& out_;
  std::size_t at_ = 0;
};

class Copy : public RawCopy {
 public:
  explicit Copy(const io::WritePiece& write) : write_(write) {}

  void begin(bool is_list) override {
    is_list_ = is_list;
    if (!is_list) out_ += '{';
  }
  void entry(std::string_view key, std::string_view value) override {
    begin_entry(key);
    mend(value);
  }
  void begin_events() override {
    if (!is_list_) begin_entry("traceEvents");
    out_ += '[';
    first_event_ = in_events_ = true;
  }
  void event(std::string_view written) override {
    out_ += std::exchange(first_event_, false) ? "\n" : ",\n";
    mend(written);
  }
  void end_events() override {
    out_ += "\n]";
    in_events_ = false;
  }
  void end() override {
    if (in_events_) end_events();
    out_ += is_list_ ? "\n" : "}\n";
    write_(std::exchange(out_, {}));
  }

 protected:
  void begin_entry(std::string_view key) {
    if (!std::exchange(first_entry_, false)) out_ += ",\n";
    io::append_json_string(out_, io::unescaped(key));
    out_ += ':';
  }
  void mend(std::string_view written) {
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    if (out_.size() >= kPiece) {
      write_(out_);
      out_.clear();
    }
    Mender(written, out_).run();
  }

 private:
  const io::WritePiece& write_;
  std::string out_;
  bool is_list_ = false;
  bool first_entry_ = true;
  bool first_event_ = true;
  bool in_events_ = false;
};

// One object with the events of all ranks, rank by rank, and the entries of the first.
class CopyOfRanks : public Copy {
 public:
  CopyOfRanks(const io::WritePiece& write, RankNumbers& numbers) : Copy(write), numbers_(numbers) {
    Copy::begin(false);
    if (numbers_.base_time_ns() > 0)
      Copy::entry("baseTimeNanoseconds", std::to_string(numbers_.base_time_ns()));
  }
  void next_rank() { ++rank_; }
  void finish() {
    if (begun_) Copy::end_events();
    for (const auto& [key, value] : entries_) Copy::entry(key, value);
    if (!devices_.empty()) Copy::entry("deviceProperties", devices_.dump());
    Copy::end();
  }

  void begin(bool /*is_list*/) override {}
  void entry(std::string_view key, std::string_view value) override {
    if (key == "baseTimeNanoseconds") return;
    if (key == "deviceProperties") return add_devices(value);
    if (rank_ > 0) return;
    std::string kept(value);
    if (auto info = key == "distributedInfo" ? parsed(value) : nlohmann::json(); info.is_object()) {
      info.erase("rank");  // all of them are here
      kept = info.dump();
    }
    if (begun_) {
      entries_.emplace_back(key, std::move(kept));
    } else {
      Copy::entry(key, kept);
    }
  }
  void begin_events() override {
    if (!std::exchange(begun_, true)) Copy::begin_events();
    add_names(numbers_.tracks(rank_));
  }
  void event(std::string_view written) override {
    io::JsonScanner scanner(written);
    RawEvent raw;
    read_event(scanner, raw);
    const auto [process, fresh] = numbers_.process(rank_, raw.process);
    if (fresh) {  // of counters or instants alone
      add_names({{std::to_string(process), std::string(raw.thread),
                  numbers_.thread_name(rank_, io::unescaped(raw.process), "")}});
    }
    text_.clear();
    append_event_of_rank(text_, written, raw, numbers_, rank_);
    Copy::event(text_);
  }
  void end_events() override {}
  void end() override {}

 private:
  void add_names(const std::vector<Track>& tracks) {
    for (const std::string& each : name_events(tracks)) Copy::event(each);
  }
  // Null where it is too deep.
  static nlohmann::json parsed(std::string_view written) {
    std::string mended;
    Mender(written, mended).run();
    auto json = io::parse_json(mended);
    return json ? std::move(*json) : nlohmann::json();
  }
  void add_devices(std::string_view written) {
    auto list = parsed(written);
    if (!list.is_array()) return;
    for (nlohmann::json& device : list) {
      const std::int32_t id =
          device.is_object() ? small_number(device.value("id", nlohmann::json()).dump()) : -1;
      if (id >= 0) device["id"] = numbers_.device(rank_, id);
      devices_.push_back(std::move(device));
    }
  }

  RankNumbers& numbers_;
  std::size_t rank_ = 0;
  bool begun_ = false;
  std::vector<std::pair<std::string, std::string>> entries_;  // that follow the events
  nlohmann::json devices_ = nlohmann::json::array();
  std::string text_;
};

}  // namespace

base::Result<base::Message> copy_trace(const std::filesystem::path& from, io::Input& input,
                                       const base::FileRange& range,
                                       const std::filesystem::path& to) {
  base::Message fault;
  const auto written =
      io::write_as_named_unless(to, [&](const io::WritePiece& write) -> base::Result<void> {
        Copy copy(write);
        TS_TRY(auto file, read_trace(from, input, range, &copy));
        fault = std::move(file.fault);
        return {};
      });
  if (!written) return tl::unexpected(written.error());
  return fault;
}

base::Result<base::Message> copy_ranks(const std::vector<std::filesystem::path>& files,
                                       RankNumbers numbers, const std::filesystem::path& to) {
  base::Message fault;
  const auto written =
      io::write_as_named_unless(to, [&](const io::WritePiece& write) -> base::Result<void> {
        CopyOfRanks copy(write, numbers);
        for (const std::filesystem::path& path : files) {
          TS_TRY(auto input, io::Input::open(path));
          TS_TRY(auto file, read_trace(path, input, {}, &copy));
          if (fault.empty()) fault = std::move(file.fault);
          copy.next_rank();
        }
        copy.finish();
        return {};
      });
  if (!written) return tl::unexpected(written.error());
  return fault;
}

}  // namespace ts::trace_file
