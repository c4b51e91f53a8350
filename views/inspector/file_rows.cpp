#include "views/inspector/file_rows.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <type_traits>

#include "core/allocator/snapshot_of_log.h"
#include "core/files/opened_file.h"
#include "core/files/replay_answer.h"
#include "core/files/reserved_table.h"
#include "core/text/joined.h"
#include "core/text/numbers.h"
#include "views/charts/run_time.h"
#include "views/common/exact_bytes.h"
#include "views/common/spec_text.h"

namespace ts::views {
namespace {

constexpr std::int64_t kNanosecondsInSecond = 1'000'000'000;

std::string utc(std::int64_t unix_ns) {
  const std::time_t seconds = unix_ns / kNanosecondsInSecond;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 40> text{};
  const std::size_t length =
      std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return {text.data(), length};
}

text::Quantity count_of(std::size_t number) {
  return {text::grouped(number), ""};
}

std::string value_as_text(const allocator::Snapshot& snapshot,
                          const allocator::SnapshotSetting& setting, const text::Texts& texts) {
  return std::visit(
      [&](const auto& value) -> std::string {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, bool>) {
          return texts(value ? "file.on" : "file.off");
        } else if constexpr (std::is_same_v<Value, std::int64_t>) {
          return text::grouped(value);
        } else if constexpr (std::is_same_v<Value, double>) {
          return text::decimal(value, 2);
        } else if constexpr (std::is_same_v<Value, base::StringId>) {
          const std::string_view words = snapshot.text(value);
          return words.empty() ? text::kNoNumber : std::string(words);
        } else {
          std::string words;  // those that are not off
          for (const auto& [key, divisions] : value) {
            if (divisions <= 1) continue;
            words += (words.empty() ? "" : ", ") + std::string(snapshot.text(key)) +
                     " MiB: " + std::to_string(divisions);
          }
          return words.empty() ? texts("file.off") : words;
        }
      },
      setting.value);
}

// True if only the beginning is shown: the rest is being read, or reading was stopped.
bool is_beginning(const base::Message& fault) {
  return std::ranges::any_of(fault.arguments, [](const base::Argument& one) {
    return one.key == "file_error.reason.goes_on" || one.key == "file_error.stopped";
  });
}

bool modelled(const ViewContext& context) {
  return has_modelled_segments(context.file->file.snapshot);
}

std::string peak_text(const ViewContext& context) {
  const std::string size = text::bytes(context.file_device->run.memory.peak_bytes()).joined();
  const auto device = files::device_of_file(context.file, context.file_device);
  if (!device) return context.texts("file.verdict.peak", {{"size", size}});
  return context.texts("file.verdict.peak_of_device",
                       {{"size", size}, {"number", std::to_string(*device)}});
}

}  // namespace

InspectorRow size_row(const text::Texts& texts, const FileSize& size, const base::Message& fault) {
  const auto unpacked = static_cast<std::int64_t>(size.bytes);
  const auto packed = static_cast<std::int64_t>(size.packed);
  text::Quantity words = text::bytes(unpacked);
  if (size.packed > 0) {
    const std::string told = text::bytes(packed).joined();
    words = {size.bytes == 0
                 ? texts("file.size_packed", {{"packed", told}})
                 : texts("file.size_both", {{"packed", told}, {"unpacked", words.joined()}}),
             ""};
  }
  if (is_beginning(fault))
    words = {texts("file.size_of_beginning", {{"size", words.joined()}}), ""};
  return {texts("file.size"), words, exact_bytes(texts, size.bytes == 0 ? packed : unpacked)};
}

std::vector<InspectorRow> file_rows(const ViewContext& context) {
  if (context.file == nullptr || context.file_device == nullptr) return {};
  const files::OpenedFile& opened = *context.file;
  const files::OpenedDevice& device = *context.file_device;
  const memory::AllocationLog& log = device.run.memory;
  const auto& texts = context.texts;
  std::vector<InspectorRow> rows;
  const auto add = [&](const char* key, text::Quantity value) {
    rows.push_back({texts(key), std::move(value)});
  };
  const auto add_size = [&](const char* key, std::int64_t bytes) {
    rows.push_back({texts(key), text::bytes(bytes), exact_bytes(texts, bytes)});
  };
  add("file.name", {opened.path.filename().string(), ""});
  add("file.folder", {opened.path.parent_path().string(), ""});
  rows.push_back(size_row(texts, {opened.file.bytes, opened.file.packed}, opened.file.fault));
  add("file.format", {opened.file.pickle_protocol == 0
                          ? std::string(texts("file.format_json"))
                          : texts("file.format_pickle",
                                  {{"protocol", std::to_string(opened.file.pickle_protocol)}}),
                      ""});
  // PyTorch does not write its version into snapshots. The row says so instead of being left out.
  add("file.version", {texts("file.version_unknown"), ""});
  const base::TimeRange range =
      has_clock(opened.file.snapshot) ? log.time_range() : base::TimeRange{};
  if (range.begin > 0) add("file.recorded", {utc(range.begin), ""});
  if (range.length() > 1) {
    add("file.span", text::duration_ns(static_cast<double>(range.length() - 1)));
  }
  add("file.device", {std::to_string(device.number), ""});
  add("file.events", count_of(device.trace_events));
  add("file.allocations", count_of(log.blocks().size()));
  if (device.blocks_before > 0) {
    add("file.before",
        {texts("file.before_value", {{"count", text::grouped(device.blocks_before)},
                                     {"size", text::bytes(device.bytes_before).joined()}}),
         ""});
  }
  add_size("file.peak_allocated", log.peak_bytes());
  add_size(modelled(context) ? "file.peak_reserved_modelled" : "file.peak_reserved",
           device.peak_reserved);
  add_size(modelled(context) ? "file.end_reserved_modelled" : "file.end_reserved",
           device.end_reserved);
  if (log.missed_frees() + log.unmatched_frees() > 0) {
    add("file.gaps", count_of(log.missed_frees() + log.unmatched_frees()));
  }
  if (!opened.file.ignored_keys.empty())
    add("file.ignored", {text::joined(opened.file.ignored_keys, ", "), ""});
  return rows;
}

std::vector<InspectorRow> file_settings(const ViewContext& context) {
  if (context.file == nullptr) return {};
  const allocator::Snapshot& snapshot = context.file->file.snapshot;
  std::vector<InspectorRow> rows;
  for (const allocator::SnapshotSetting& setting : snapshot.allocator_settings) {
    rows.push_back({std::string(snapshot.text(setting.name)),
                    {value_as_text(snapshot, setting, context.texts), ""}});
  }
  return rows;
}

std::vector<InspectorRow> replay_rows(const ViewContext& context) {
  if (context.replayed == nullptr || !context.replayed->problem.empty()) return {};
  const files::ReplayAnswer& answer = *context.replayed;
  const text::Texts& texts = context.texts;
  std::vector<InspectorRow> rows;
  rows.push_back({texts("file.replay.peak"), text::bytes(answer.simulated.peak_reserved),
                  exact_bytes(texts, answer.simulated.peak_reserved)});
  rows.push_back(
      {texts("file.replay.segments"), {text::grouped(answer.simulated.segment_allocs), ""}});
  rows.push_back({texts(modelled(context) ? "file.replay.against_file" : "file.replay.agreement"),
                  {!answer.difference.empty() ? message_text(texts, answer.difference)
                   : modelled(context)        ? std::string(texts("file.replay.same_model"))
                                              : std::string(texts("file.replay.exact")),
                   ""}});
  return rows;
}

std::string expandable_sentence(const ViewContext& context) {
  if (context.replayed == nullptr) return {};
  if (!context.replayed->problem.empty())
    return message_text(context.texts, context.replayed->problem);
  return files::expandable_sentence(context.replayed->expandable, context.texts);
}

std::string fragmentation_sentence(const ViewContext& context) {
  if (context.replayed == nullptr) return {};
  const auto& misfit = context.replayed->misfit;
  if (!misfit) return context.texts("file.misfit.none");
  return context.texts(misfit->refused ? "file.misfit.refused" : "file.misfit.taken",
                       {{"event", text::grouped(misfit->event)},
                        {"asked", text::bytes(misfit->requested).joined()},
                        {"free", text::bytes(misfit->free.free()).joined()},
                        {"pieces", text::grouped(misfit->free.pieces)},
                        {"largest", text::bytes(misfit->free.largest).joined()}});
}

std::vector<InspectorRow> trial_rows(const ViewContext& context) {
  if (context.replayed == nullptr || context.replayed->trials.empty()) return {};
  const text::Texts& texts = context.texts;
  const auto row = [&](const std::string& label, std::int64_t peak, std::int64_t refused) {
    const std::string about =
        refused > 0 ? texts("file.trial.refused", {{"count", text::grouped(refused)}}) : "";
    return InspectorRow{label, text::bytes(peak), about.empty() ? exact_bytes(texts, peak) : about};
  };
  const allocator::ExpandableAnswer& answer = context.replayed->expandable;
  // No setting can be judged: what is cached was left by what came before the recording.
  if (!answer.is_known()) return {};
  std::vector<InspectorRow> rows;
  if (answer.kind != allocator::ExpandableAnswer::Kind::already_on) {
    rows.push_back(
        row(texts("reserved.change.unchanged"), answer.without.peak_reserved, answer.refused));
    rows.push_back(row("expandable_segments:True", answer.with.peak_reserved, answer.refused_with));
  }
  for (const allocator::SettingTrial& trial : context.replayed->trials)
    rows.push_back(row(trial.setting, trial.peak_reserved, trial.refused));
  return rows;
}

FileVerdict file_verdict(const ViewContext& context) {
  FileVerdict verdict;
  const files::OpenedDevice& device = *context.file_device;
  const memory::AllocationLog& log = device.run.memory;
  const auto refused = log.out_of_memory();
  verdict.out_of_memory = refused.has_value();
  verdict.faulty = !context.file->file.fault.empty();
  verdict.sentence = refused
                         ? context.texts("file.verdict.oom",
                                         {{"asked", text::bytes(refused->bytes_asked).joined()}})
                         : peak_text(context);
  verdict.remark = verdict.faulty
                       ? message_text(context.texts, context.file->file.fault)
                       : context.texts(modelled(context) ? "file.verdict.reserved_modelled"
                                                         : "file.verdict.reserved",
                                       {{"size", text::bytes(device.peak_reserved).joined()}});
  return verdict;
}

}  // namespace ts::views
