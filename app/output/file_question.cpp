#include "app/output/file_question.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

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

std::string joined(const std::set<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : " ") + name;
  return all;
}

// "a.pickle has the streams 0 7 and the pools 0,3 default, but none with what is asked for".
base::Error no_such_part(const files::OpenedFile& file) {
  std::set<std::string> streams;
  std::set<std::string> pools;
  for (const files::OpenedDevice& device : file.devices) {
    for (const std::int64_t stream : device.parts.streams) streams.insert(std::to_string(stream));
    for (const allocator::PoolId& pool : device.parts.pools) pools.insert(pool_name(pool));
  }
  if (streams.empty()) return {file.path.string() + " has nothing of any stream or pool"};
  return {"No device of " + file.path.string() + " has that stream and pool: it has the streams " +
          joined(streams) + " and the pools " + joined(pools)};
}

}  // namespace

void add_part_options(CLI::App& app, PartOptions& options) {
  app.add_option("--stream", options.stream,
                 "Of a snapshot: only what was allocated in this stream of CUDA")
      ->type_name("N");
  app.add_option("--pool", options.pool,
                 "Of a snapshot: only what is in this pool: default, or FIRST,SECOND of a private "
                 "one, such as 0,3 of a CUDA graph")
      ->type_name("NAME");
}

base::Result<FileQuestion> question_of(const PartOptions& options) {
  FileQuestion question;
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

std::string pool_name(const allocator::PoolId& pool) {
  if (pool == allocator::PoolId{}) return kDefaultPool;
  return std::to_string(pool.first) + "," + std::to_string(pool.second);
}

}  // namespace ts::app
