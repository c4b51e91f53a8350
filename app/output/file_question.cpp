#include "app/output/file_question.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/files/saved_session.h"
#include "core/text/joined.h"

namespace ts::app {
namespace {

constexpr const char* kDefaultPool = "default";

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<allocator::PoolId> pool_named(const std::string& name) {
  if (name == kDefaultPool) return allocator::PoolId{};
  const std::size_t comma = name.find(',');
  if (comma == std::string::npos) return std::nullopt;
  const auto first = whole_number(std::string_view(name).substr(0, comma));
  const auto second = whole_number(std::string_view(name).substr(comma + 1));
  if (!first || !second) return std::nullopt;
  return allocator::PoolId{*first, *second};
}

// "1000", "2.5s", "0.5ms" or "20us"; a time is in seconds.
struct Mark {
  double number = 0;
  bool seconds = false;
};
// Takes the unit off the text; its length in seconds, unset for a number of events.
std::optional<double> take_unit(std::string_view& text) {
  using Unit = std::pair<std::string_view, double>;
  for (const auto& [name, seconds] : {Unit{"ms", 1e-3}, Unit{"us", 1e-6}, Unit{"s", 1.0}}) {
    if (!text.ends_with(name)) continue;
    text.remove_suffix(name.size());
    return seconds;
  }
  return std::nullopt;
}
std::optional<Mark> mark_named(std::string_view text) {
  Mark mark;
  const auto unit = take_unit(text);
  mark.seconds = unit.has_value();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mark.number);
  const bool good = error == std::errc() && end == text.data() + text.size() &&
                    std::isfinite(mark.number) && mark.number >= 0;
  mark.number *= unit.value_or(1);
  return good ? std::optional(mark) : std::nullopt;
}

base::Result<base::FileRange> range_of(const PartOptions& options) {
  base::FileRange range;
  std::optional<bool> seconds;
  const auto take = [&](const std::string& text, double& to) {
    if (text.empty()) return true;
    const auto mark = mark_named(text);
    if (!mark || (seconds && *seconds != mark->seconds)) return false;
    seconds = mark->seconds;
    to = mark->number;
    return true;
  };
  if (!take(options.from, range.from) || !take(options.to, range.to)) {
    return base::fail(
        "--from and --to are both numbers of events, such as 1000, or both times in s, ms or us, "
        "such as 2.5s or 500ms");
  }
  if (range.is_empty()) return base::fail("--from is not before --to: no event lies between");
  if (seconds.value_or(false)) range.unit = base::FileRange::Unit::seconds;
  return range;
}

// "No device of a.pickle has that stream and pool. Its streams: 0 7; its pools: 0,3 default".
base::Error no_such_part(const files::OpenedFile& file) {
  std::set<std::string> streams;
  std::set<std::string> pools;
  for (const files::OpenedDevice& device : file.devices) {
    for (const std::int64_t stream : device.parts.streams) streams.insert(std::to_string(stream));
    for (const allocator::PoolId& pool : device.parts.pools) pools.insert(pool_name(pool));
  }
  if (streams.empty()) return {file.path.string() + " has nothing of any stream or pool"};
  return {"No device of " + file.path.string() + " has that stream and pool. Its streams: " +
          text::joined(streams, " ") + "; its pools: " + text::joined(pools, " ")};
}

}  // namespace

base::Result<FileQuestion> question_of(const PartOptions& options) {
  FileQuestion question;
  TS_TRY(question.range, range_of(options));
  question.part.stream = options.stream;
  if (!options.pool) return question;
  question.part.pool = pool_named(*options.pool);
  if (question.part.pool) return question;
  return base::fail("There is no pool " + *options.pool +
                    ": a pool is default, or two numbers such as 0,3");
}

void add_part(nlohmann::json& json, const FileQuestion& question) {
  if (question.part.stream) json["stream"] = *question.part.stream;
  if (question.part.pool) json["pool"] = pool_name(*question.part.pool);
  if (question.range.is_all()) return;
  const bool seconds = question.range.unit == base::FileRange::Unit::seconds;
  const auto number = [](double value) {
    return std::isinf(value) ? nlohmann::json() : nlohmann::json(value);
  };
  json["range"] = {{"unit", seconds ? "seconds" : "events"},
                   {"from", number(question.range.from)},
                   {"to", number(question.range.to)}};
}

base::Result<std::unique_ptr<files::OpenedFile>> asked_part(
    std::unique_ptr<files::OpenedFile> whole, const FileQuestion& question) {
  if (question.part.is_all()) return whole;
  std::vector<files::OpenedDevice>& devices = whole->devices;
  const auto has = [&](const files::OpenedDevice& device) {
    return files::has_part(device.parts, question.part);
  };
  if (std::ranges::none_of(devices, has)) return tl::unexpected(no_such_part(*whole));
  std::erase_if(devices, [&](const files::OpenedDevice& device) { return !has(device); });
  return files::narrowed(*whole, devices, question.part);
}

tl::unexpected<base::Error> only_of_snapshots(const std::filesystem::path& path) {
  return base::fail(path.string() + " is no memory snapshot: --stream and --pool need one");
}

tl::unexpected<base::Error> only_of_events(const std::filesystem::path& path) {
  return base::fail(path.string() +
                    " is neither a memory snapshot nor a trace: --from and --to need one");
}

std::optional<base::Error> file_of_other_commands(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  const std::string name = path.string();
  const std::string ending = path.extension().string();
  if (ending == ".pt2") {
    return base::Error{.sentence = name + " is a program of torch.export: tensorscope predict " +
                                   "--model " + name + " says what it needs, run --model " +
                                   "measures it, shot --model draws it"};
  }
  if (ending == ".py") {
    return base::Error{.sentence = name + " is a Python program: tensorscope predict " + name +
                                   " and run " + name + " call its build(), and python -m " +
                                   "tensorscope record " + name +
                                   " records it as a file that is read here"};
  }
  if (ending == files::kSessionEnding)
    return base::Error{.sentence =
                           name + " is the session of a window: tensorscope " + name + " opens it"};
  return std::nullopt;
}

std::string pool_name(const allocator::PoolId& pool) {
  if (pool == allocator::PoolId{}) return kDefaultPool;
  return std::to_string(pool.first) + "," + std::to_string(pool.second);
}

}  // namespace ts::app
