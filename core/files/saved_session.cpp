#include "core/files/saved_session.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/result_files.h"
#include "core/files/saved_comparison.h"
#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/io/zip_archive.h"
#include "core/io/zip_write.h"
#include "core/run/recording.h"
#include "core/text/message.h"

namespace ts::files {
namespace {

using Json = nlohmann::json;

constexpr const char* kFormat = "tensorscope session";
constexpr const char* kDocument = "session.json";
// Sessions without a comparison, and those of older versions, have no such part.
constexpr const char* kComparison = "comparison.json";
// A recording's records, and its header with names and steps.
constexpr std::size_t kMostRecording = 2 * run::kMostRecordingBytes;
constexpr std::size_t kMostBlocks = std::size_t{1} << 26;  // in the corrections of a device

std::string recording_name(std::size_t run) {
  return "runs/" + std::to_string(run) + ".recording";
}

std::string point_name(const std::string& name) {
  return "points/" + name;
}

Json sweep_json(const SavedSweep& sweep) {
  Json names = Json::array();
  for (const SavedPoint& point : sweep.points) names.push_back(point.name);
  return {{"folder", sweep.folder.string()}, {"points", std::move(names)}};
}

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json range_json(const base::TimeRange& range) {
  return {range.begin, range.end};
}

Json notes_json(const std::vector<Note>& notes) {
  Json all = Json::array();
  for (const Note& note : notes) all.push_back({note.time_ns, or_null(note.block), note.text});
  return all;
}

Json view_json(const SavedView& view) {
  return {{"visible", range_json(view.visible)},
          {"marked", view.marked ? range_json(*view.marked) : Json()},
          {"cursor_ns", or_null(view.cursor_ns)},
          {"selected_block", or_null(view.selected_block)},
          {"axis", view.axis},
          {"colors", view.colors},
          {"detail", view.detail},
          {"search", view.search},
          {"notes", notes_json(view.notes)}};
}

// Blocks as first and count of each run of neighbours: a stack's blocks are often many.
Json blocks_json(const std::vector<memory::BlockIndex>& blocks) {
  Json pairs = Json::array();
  for (std::size_t i = 0; i < blocks.size();) {
    std::size_t end = i + 1;
    while (end < blocks.size() && blocks[end] == blocks[end - 1] + 1) ++end;
    pairs.push_back(blocks[i]);
    pairs.push_back(end - i);
    i = end;
  }
  return pairs;
}

Json device_json(const SavedDevice& device) {
  Json corrections = Json::array();
  for (const Correction& one : device.corrections) {
    corrections.push_back(
        {{"category", memory::category_name(one.category)}, {"blocks", blocks_json(one.blocks)}});
  }
  return {{"index", device.index},
          {"corrections", std::move(corrections)},
          {"view", view_json(device.view)}};
}

Json part_json(const SavedFile& file) {
  if (file.part.is_all()) return {};
  const auto& pool = file.part.pool;
  return {{"stream", or_null(file.part.stream)},
          {"pool", pool ? Json({pool->first, pool->second}) : Json()},
          {"view", view_json(file.part_view)}};
}

Json file_range_json(const base::FileRange& range) {
  if (range.is_all()) return {};
  return {{"seconds", range.unit == base::FileRange::Unit::seconds},
          {"from", range.from},
          {"to", std::isinf(range.to) ? Json() : Json(range.to)}};
}

Json file_json(const SavedFile& file) {
  Json devices = Json::array();
  for (const SavedDevice& device : file.devices) devices.push_back(device_json(device));
  return {{"part", part_json(file)},      {"range", file_range_json(file.range)},
          {"path", file.path.string()},   {"bytes", file.mark.bytes},
          {"crc32", file.mark.crc},       {"shown_device", file.shown_device},
          {"devices", std::move(devices)}};
}

Json axis_json(const SavedHunt::Axis& axis) {
  return {axis.field, axis.low, axis.high};
}

Json hunt_json(const SavedHunt& hunt) {
  Json runs = Json::array();
  for (const SavedHunt::Run& run : hunt.runs) {
    runs.push_back({{"spec", to_json(run.spec)},
                    {"fits", run.fits},
                    {"peak", run.peak},
                    {"device", run.device}});
  }
  return {{"x", axis_json(hunt.x)},
          {"y", axis_json(hunt.y)},
          {"here", hunt.here},
          {"compare", hunt.compare},
          {"runs", std::move(runs)}};
}

Json document_of(const SavedSession& session) {
  Json runs = Json::array();
  for (const SavedRun& run : session.runs) runs.push_back(view_json(run.view));
  Json files = Json::array();
  for (const SavedFile& file : session.files) files.push_back(file_json(file));
  return {{"format", kFormat},
          {"version", kSessionVersion},
          {"program", session.program},
          {"unix_ns", session.unix_ns},
          {"page", session.page},
          {"layout",
           {{"left", or_null(session.layout.left)},
            {"right", or_null(session.layout.right)},
            {"below", or_null(session.layout.below)},
            {"enlarged", session.layout.enlarged}}},
          {"spec", to_json(session.spec)},
          {"runs", std::move(runs)},
          {"shown_run", or_null(session.shown_run)},
          {"files", std::move(files)},
          {"shown_file", or_null(session.shown_file)},
          {"sweep", session.sweep ? sweep_json(*session.sweep) : Json()},
          {"hunt", session.hunt ? hunt_json(*session.hunt) : Json()},
          {"lesson", session.lesson.string()}};
}

// The inverse functions throw nlohmann::json::exception, or Impossible for a value that cannot be.
struct Impossible {
  const char* key;
};

template <class Value>
std::optional<Value> maybe(const Json& json, const char* key) {
  const Json& value = json.at(key);
  return value.is_null() ? std::nullopt : std::optional(value.get<Value>());
}

// A whole number of at least 0: nlohmann would take a negative or a broken one, too.
std::uint64_t count_from(const Json& value, const char* key,
                         std::uint64_t most = std::numeric_limits<std::int64_t>::max()) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most) throw Impossible{key};
  return value.get<std::uint64_t>();
}

std::optional<std::size_t> index_from(const Json& json, const char* key, std::size_t count) {
  const Json& value = json.at(key);
  if (value.is_null()) return std::nullopt;
  if (count == 0) throw Impossible{key};
  return count_from(value, key, count - 1);
}

std::int64_t time_from(const Json& value) {
  if (!value.is_number_integer()) throw Impossible{"time"};
  if (value.is_number_unsigned()) return static_cast<std::int64_t>(count_from(value, "time"));
  return value.get<std::int64_t>();
}

std::optional<memory::BlockIndex> block_from(const Json& value) {
  if (value.is_null()) return std::nullopt;
  return static_cast<memory::BlockIndex>(count_from(value, "block", memory::kNone - 1));
}

base::TimeRange range_from(const Json& json) {
  return {time_from(json.at(0)), time_from(json.at(1))};
}

std::vector<Note> notes_from(const Json& json) {
  if (!json.is_array() || json.size() > Notes::kMost) throw Impossible{"notes"};
  std::vector<Note> notes;
  for (const Json& one : json) {
    notes.push_back({time_from(one.at(0)), block_from(one.at(1)), one.at(2).get<std::string>()});
  }
  return notes;
}

SavedView view_from(const Json& json) {
  SavedView view;
  view.visible = range_from(json.at("visible"));
  if (!json.at("marked").is_null()) view.marked = range_from(json.at("marked"));
  if (!json.at("cursor_ns").is_null()) view.cursor_ns = time_from(json.at("cursor_ns"));
  view.selected_block = block_from(json.at("selected_block"));
  view.axis = json.at("axis").get<std::string>();
  view.colors = json.at("colors").get<std::string>();
  view.detail = static_cast<std::uint32_t>(count_from(json.at("detail"), "detail", UINT32_MAX));
  view.search = json.at("search").get<std::string>();
  view.notes = notes_from(json.at("notes"));
  return view;
}

memory::Category category_from(const std::string& name) {
  const auto found = std::ranges::find(memory::kCategoryNames, name);
  if (found == memory::kCategoryNames.end()) throw Impossible{"category"};
  return static_cast<memory::Category>(found - memory::kCategoryNames.begin());
}

// `room`: blocks that all corrections together may still name.
std::vector<memory::BlockIndex> blocks_from(const Json& pairs, std::size_t& room) {
  std::vector<memory::BlockIndex> blocks;
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    const auto first = count_from(pairs.at(i), "blocks", memory::kNone - 1);
    const auto count = count_from(pairs.at(i + 1), "blocks", room);
    if (first + count > memory::kNone) throw Impossible{"blocks"};
    room -= count;
    for (std::uint64_t j = 0; j < count; ++j)
      blocks.push_back(static_cast<memory::BlockIndex>(first + j));
  }
  return blocks;
}

SavedDevice device_from(const Json& json, std::size_t& room) {
  SavedDevice device;
  device.index = count_from(json.at("index"), "index", INT16_MAX);
  for (const Json& one : json.at("corrections")) {
    device.corrections.push_back({category_from(one.at("category").get<std::string>()),
                                  blocks_from(one.at("blocks"), room)});
  }
  device.view = view_from(json.at("view"));
  return device;
}

void part_from(const Json& json, SavedFile& file) {
  if (!json.at("stream").is_null()) file.part.stream = time_from(json.at("stream"));
  if (const Json& pool = json.at("pool"); !pool.is_null())
    file.part.pool = {time_from(pool.at(0)), time_from(pool.at(1))};
  file.part_view = view_from(json.at("view"));
}

base::FileRange file_range_from(const Json& json) {
  base::FileRange range;
  if (json.is_null()) return range;
  if (json.at("seconds").get<bool>()) range.unit = base::FileRange::Unit::seconds;
  range.from = json.at("from").get<double>();
  if (!json.at("to").is_null()) range.to = json.at("to").get<double>();
  if (!(range.from >= 0) || range.is_empty()) throw Impossible{"range"};
  return range;
}

SavedFile file_from(const Json& json, std::size_t& room) {
  SavedFile file;
  file.path = json.at("path").get<std::string>();
  if (!file.path.is_absolute()) throw Impossible{"path"};
  file.mark.bytes = count_from(json.at("bytes"), "bytes");
  file.mark.crc = static_cast<std::uint32_t>(count_from(json.at("crc32"), "crc32", UINT32_MAX));
  file.shown_device = count_from(json.at("shown_device"), "shown_device", INT16_MAX);
  for (const Json& one : json.at("devices")) file.devices.push_back(device_from(one, room));
  // Older sessions have neither.
  file.range = file_range_from(json.value("range", Json()));
  if (const Json part = json.value("part", Json()); !part.is_null()) part_from(part, file);
  return file;
}

SavedHunt::Axis axis_from(const Json& json) {
  SavedHunt::Axis axis{json.at(0).get<std::string>(), time_from(json.at(1)), time_from(json.at(2))};
  if (axis.low < 1 || axis.high < axis.low) throw Impossible{"axis"};
  return axis;
}

base::Result<SavedHunt> hunt_from(const Json& json) {
  SavedHunt hunt;
  hunt.x = axis_from(json.at("x"));
  hunt.y = axis_from(json.at("y"));
  hunt.here = json.at("here").get<bool>();
  hunt.compare = json.at("compare").get<std::string>();
  for (const Json& one : json.at("runs")) {
    TS_TRY(auto spec, spec::spec_from_json(one.at("spec")));
    hunt.runs.push_back({std::move(spec), one.at("fits").get<bool>(),
                         static_cast<std::int64_t>(count_from(one.at("peak"), "peak")),
                         one.at("device").get<std::string>()});
  }
  return hunt;
}

std::optional<double> part_from(const Json& json, const char* key) {
  const auto part = maybe<double>(json, key);
  if (part && !(*part > 0 && *part < 1)) throw Impossible{key};
  return part;
}

base::Result<SavedSession> session_from(const Json& json, const io::ZipArchive& archive) {
  SavedSession session;
  session.program = json.at("program").get<std::string>();
  session.unix_ns = time_from(json.at("unix_ns"));
  session.page = json.at("page").get<std::string>();
  const Json& layout = json.at("layout");
  session.layout = {part_from(layout, "left"), part_from(layout, "right"),
                    part_from(layout, "below"), layout.at("enlarged").get<std::string>()};
  TS_TRY(session.spec, spec::spec_from_json(json.at("spec")));
  std::size_t left = kMostSessionBytes;
  const auto part = [&](const std::string& name, std::size_t most) -> base::Result<std::string> {
    const io::ZipArchive::Member* const member = archive.find(name);
    if (member == nullptr) return text::fail("session_error.part", {{"name", name}});
    auto read = archive.read(*member, std::min(most, left));
    if (read) left -= read->size();
    return read;
  };
  if (json.at("runs").size() > kMostSavedRuns) throw Impossible{"runs"};
  for (const Json& view : json.at("runs")) {
    TS_TRY(auto recording, part(recording_name(session.runs.size()), kMostRecording));
    session.runs.push_back(
        {std::make_shared<const std::string>(std::move(recording)), view_from(view)});
  }
  session.shown_run = index_from(json, "shown_run", session.runs.size());
  if (json.at("files").size() > kMostSavedFiles) throw Impossible{"files"};
  std::size_t room = kMostBlocks;
  for (const Json& file : json.at("files")) session.files.push_back(file_from(file, room));
  session.shown_file = index_from(json, "shown_file", session.files.size());
  if (const Json& sweep = json.at("sweep"); !sweep.is_null()) {
    TS_TRY(auto journal, part(base::kSweepJournal, kMostSessionText));
    session.sweep = SavedSweep{sweep.at("folder").get<std::string>(), std::move(journal)};
    const Json names = sweep.value("points", Json::array());  // older sessions have none
    if (names.size() > kMostSavedPoints) throw Impossible{"points"};
    for (const Json& name : names) {
      SavedPoint& point = session.sweep->points.emplace_back();
      point.name = name.get<std::string>();
      if (!is_point_name(point.name)) throw Impossible{"points"};
      TS_TRY(auto content, part(point_name(point.name), kMostRecording));
      point.content = std::make_shared<const std::string>(std::move(content));
    }
  }
  if (const Json& hunt = json.at("hunt"); !hunt.is_null()) {
    TS_TRY(session.hunt, hunt_from(hunt));
  }
  if (archive.find(kComparison) != nullptr) {
    TS_TRY(const auto content, part(kComparison, kMostSessionText));
    TS_TRY(auto read, comparison_from(content));
    session.comparison = std::make_shared<const run::Comparison>(std::move(read));
  }
  session.lesson = json.at("lesson").get<std::string>();
  return session;
}

base::Result<SavedSession> read_archive(base::Result<io::ZipArchive> archive) {
  if (!archive) return tl::unexpected(archive.error());
  const io::ZipArchive::Member* const document = archive->find(kDocument);
  if (document == nullptr) return text::fail("session_error.no_session");
  TS_TRY(const auto content, archive->read(*document, kMostSessionText));
  const auto json = io::parse_json(content);
  if (!json) {
    return text::fail("session_error.document", {text::argument("reason", json.error())});
  }
  try {
    if (!json->is_object() || json->value("format", "") != kFormat)
      return text::fail("session_error.no_session");
    const Json& version = json->at("version");
    if (!version.is_number_integer() || version.get<std::int64_t>() < 1)
      throw Impossible{"version"};
    if (version.get<std::int64_t>() > kSessionVersion) {
      return text::fail("session_error.newer",
                        {{"version", version.dump()}, {"ours", std::to_string(kSessionVersion)}});
    }
    return session_from(*json, *archive);
  } catch (const Json::exception& error) {
    return text::fail("session_error.content", {{"reason", error.what()}});
  } catch (const Impossible& wrong) {
    return text::fail("session_error.value", {{"key", wrong.key}});
  }
}

}  // namespace

bool is_point_name(std::string_view name) {
  constexpr std::size_t kMost = 255;  // of a file's name
  return !name.empty() && name.size() <= kMost && name.front() != '.' &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

base::Result<std::string> session_bytes(const SavedSession& session) {
  std::string bytes;
  io::ZipMaker zip([&bytes](std::string_view piece) { bytes += piece; });
  const std::string comparison =
      session.comparison != nullptr ? comparison_text(*session.comparison) : "";
  std::size_t sum = comparison.size() + (session.sweep ? session.sweep->journal.size() : 0);
  for (const SavedRun& run : session.runs) sum += run.recording->size();
  const std::vector<SavedPoint> no_points;
  const std::vector<SavedPoint>& points = session.sweep ? session.sweep->points : no_points;
  for (const SavedPoint& point : points) sum += point.content->size();
  bool fits = sum <= kMostSessionBytes && session.runs.size() <= kMostSavedRuns &&
              session.files.size() <= kMostSavedFiles && points.size() <= kMostSavedPoints &&
              zip.add(kDocument, io::json_text(document_of(session)));
  for (std::size_t i = 0; i < session.runs.size() && fits; ++i)
    fits = zip.add(recording_name(i), *session.runs[i].recording);
  if (session.sweep && fits) fits = zip.add(base::kSweepJournal, session.sweep->journal);
  for (std::size_t i = 0; i < points.size() && fits; ++i)
    fits = zip.add(point_name(points[i].name), *points[i].content);
  if (!comparison.empty() && fits) fits = zip.add(kComparison, comparison);
  if (!fits) return text::fail("session_error.too_large");
  zip.end();
  return bytes;
}

base::Result<SavedSession> parse_session(std::string content) {
  return read_archive(io::ZipArchive::of_bytes(std::move(content)));
}

base::Result<SavedSession> read_session(const std::filesystem::path& path) {
  auto session = read_archive(io::ZipArchive::open(path));
  if (session) return session;
  return text::fail("session_error.not_opened",
                    {{"path", path.string()}, text::argument("reason", session.error())});
}

}  // namespace ts::files
