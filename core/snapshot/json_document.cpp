#include "core/snapshot/json_document.h"

#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/text/message.h"

namespace ts::snapshot {
namespace {

using Value = Document::Value;

constexpr std::size_t kMostLevels = 1000;
// An event or frame has more letters. "[],[],[]" packs to nothing and would take much memory.
constexpr std::size_t kLeastBytes = 24;
constexpr std::size_t kAlwaysRead = std::size_t{1} << 16U;

// Builds the document from the parser's events; returning false stops the parser.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::size_t bytes, Document& document, base::Progress* progress)
      : most_(kAlwaysRead + bytes / kLeastBytes), document_(document), progress_(progress) {}

  bool null() override { return add(Value()); }
  bool boolean(bool value) override { return add(Document::boolean(value)); }
  bool number_integer(number_integer_t value) override { return add(document_.integer(value)); }
  bool number_unsigned(number_unsigned_t value) override {
    return add(document_.unsigned_integer(value));
  }
  bool number_float(number_float_t value, const string_t& /*text*/) override {
    return add(document_.real(value));
  }
  bool string(string_t& value) override { return add(text(value)); }
  bool binary(binary_t& /*value*/) override { return false; }  // not in JSON text
  bool key(string_t& value) override { return add(text(value)); }
  bool start_object(std::size_t /*count*/) override { return open(document_.dict()); }
  bool start_array(std::size_t /*count*/) override { return open(document_.list()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    fault_ = text::message("file_error.reason.no_json",
                           {{"place", std::to_string(position == 0 ? 0 : position - 1)}});
    return false;
  }

  ParsedContent finish() {
    while (!open_.empty()) close();
    return {items_.empty() ? Value() : items_.front(), std::move(fault_)};
  }

 private:
  struct Open {
    Value container;
    std::size_t base = 0;  // index of its first item
  };

  bool add(Value value) {
    items_.push_back(value);
    return items_.size() <= most_ || too_many();
  }
  bool too_many() {
    fault_ = text::message("file_error.reason.many_values");
    return false;
  }
  Value text(const std::string& value) {
    if (const auto found = texts_.find(value); found != texts_.end()) return found->second;
    const Value kept = document_.text(value);
    texts_.emplace(*document_.as_text(kept), kept);
    return kept;
  }
  bool open(Value container) {
    if (progress_ != nullptr && progress_->cancelled()) {
      fault_ = text::message("file_error.stopped");
      return false;
    }
    if (++containers_ > most_) return too_many();
    if (open_.size() == kMostLevels) {
      fault_ = text::message("pickle_error.deep");
      return false;
    }
    open_.push_back({container, items_.size()});
    return true;
  }
  bool close() {
    const Open closing = open_.back();
    open_.pop_back();
    std::size_t count = items_.size() - closing.base;
    // The text was cut off after a key.
    if (Document::kind(closing.container) == Document::Kind::dict) count -= count % 2;
    document_.append(closing.container, std::span(items_).subspan(closing.base, count));
    items_.resize(closing.base);
    return add(closing.container);
  }

  std::size_t most_;            // values of what is open, and containers in all
  std::size_t containers_ = 0;  // so far
  Document& document_;
  base::Progress* progress_;
  std::vector<Value> items_;
  std::vector<Open> open_;
  std::unordered_map<std::string_view, Value> texts_;
  base::Message fault_;
};

}  // namespace

ParsedContent read_json(std::string_view json, Document& document, base::Progress* progress) {
  Builder builder(json.size(), document, progress);
  nlohmann::json::sax_parse(json.begin(), json.end(), &builder);
  return builder.finish();
}

}  // namespace ts::snapshot
