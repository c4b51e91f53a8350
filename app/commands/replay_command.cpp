#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/session/catalogue.h"
#include "app/session/languages.h"
#include "core/allocator/expandable_answer.h"
#include "core/allocator/replay.h"
#include "core/allocator/snapshot_figures.h"
#include "core/allocator/stack_origin.h"
#include "core/files/reserved_table.h"
#include "core/predict/prediction.h"
#include "core/snapshot/snapshot_read.h"
#include "core/text/numbers.h"

namespace ts::app {
namespace {

struct ReplayCommand {
  std::filesystem::path snapshot;
  std::optional<int> device;              // unset: the first one with a trace
  std::optional<std::string> gpu;         // unset: as much memory as needed
  std::optional<std::string> alloc_conf;  // unset: the settings of the recording
  std::optional<std::size_t> at;          // events; unset: a refusal, else the peak
  bool json = false;
};

using allocator::ExpandableAnswer;
using allocator::ReplayFigures;
using allocator::ReplayResult;

struct Report {
  const ReplayCommand& command;
  std::optional<std::string> card;  // its name in the catalogue
  std::size_t device = 0;
  const ReplayResult& result;
  const ExpandableAnswer& expandable;
  bool modelled = false;  // the segments of the file are modelled, not recorded
  allocator::PeakAndEnd allocated;
  std::string asked_by;  // operator and line of the first refused request; empty: not known
  allocator::ReservedAnswer between;  // reserved and requested, at one moment
  std::vector<std::size_t> others;    // devices with a trace, without this one
};

std::string settings_as_text(const allocator::AllocatorSettings& settings) {
  const std::string words = settings.to_string();
  return words.empty() ? "default settings" : words;
}

std::string sentence(const ExpandableAnswer& answer) {
  return files::expandable_sentence(answer, built_in_texts());
}

nlohmann::json to_json(const ReplayFigures& figures) {
  return {{"segment_allocs", figures.segment_allocs},
          {"peak_reserved", figures.peak_reserved},
          {"end_reserved", figures.end_reserved}};
}

nlohmann::json to_json(const allocator::SimulatedRefusal& refusal) {
  return {{"event", refusal.event},
          {"before_recording", refusal.before_recording},
          {"as_recorded", refusal.as_recorded},
          {"asked", refusal.bytes},
          {"free", refusal.free.bytes},
          {"pieces", refusal.free.pieces},
          {"largest_free", refusal.free.largest},
          {"free_outside_segments", refusal.free.outside}};
}

nlohmann::json to_json(const allocator::ReplayRefusal& refusal) {
  return {{"event", refusal.event}, {"bytes", refusal.bytes}, {"free", refusal.free}};
}

template <class Value>
nlohmann::json or_null(const std::optional<Value>& value) {
  if (!value) return nullptr;
  if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, std::string>) {
    return *value;
  } else {
    return to_json(*value);
  }
}

nlohmann::json to_json(const Report& report) {
  const ReplayResult& result = report.result;
  nlohmann::json difference = nullptr;
  if (result.first_difference) {
    difference = {{"event", result.first_difference->event},
                  {"what", result.first_difference->what.sentence}};
  }
  auto recorded_ooms = nlohmann::json::array();
  for (const auto& refusal : result.recorded_ooms) recorded_ooms.push_back(to_json(refusal));
  nlohmann::json oom = or_null(result.simulated_oom);
  if (!report.asked_by.empty()) oom["asked_by"] = report.asked_by;
  nlohmann::json between = files::to_json(report.between);
  between["sentence"] = files::reserved_sentence(report.between, built_in_texts());
  const bool known = report.expandable.is_known();
  nlohmann::json expandable = {
      {"helps", known ? nlohmann::json(report.expandable.helps()) : nullptr},
      {"sentence", sentence(report.expandable)},
      {"already_on", result.settings.expandable_segments},
      {"simulated", to_json(report.expandable.with)},
      {"refused", report.expandable.refused_with}};
  return {{"file", report.command.snapshot.string()},
          {"device", report.device},
          {"other_devices", report.others},
          {"events", result.events},
          {"gpu", or_null(report.card)},
          {"capacity", or_null(result.capacity)},
          {"alloc_conf", result.settings.to_string()},
          {"as_recorded", result.as_recorded},
          {"segments", report.modelled ? "modelled" : "recorded"},
          {"start_reserved", result.start_reserved},
          {"peak_allocated", report.allocated.peak},
          {"simulated_peak_allocated", result.simulated_peak_requested},
          {"recorded", to_json(result.recorded)},
          {"simulated", to_json(result.simulated)},
          {"first_difference", difference},
          {"other_addresses", result.other_addresses},
          {"recorded_ooms", recorded_ooms},
          {"ooms_that_fit", result.ooms_that_fit},
          {"fits", result.simulated_ooms == 0},
          {"simulated_oom", oom},
          {"simulated_ooms", result.simulated_ooms},
          {"stopped", result.stopped},
          {"private_bytes", result.private_bytes},
          {"odd_events", result.odd_events},
          {"expandable_segments", expandable},
          {"reserved_parts", between}};
}

void print_both(const char* title, const std::string& recorded, const std::string& simulated) {
  std::printf("  %-24s %16s %16s\n", title, recorded.c_str(), simulated.c_str());
}

std::string difference_as_text(const ReplayResult& result, bool modelled) {
  if (!result.first_difference && result.stopped && result.simulated_oom) {
    if (result.simulated_oom->before_recording || result.simulated_oom->event == 0)
      return "Not known: nothing was replayed.";
    return "None before event " + text::grouped(result.simulated_oom->event) +
           ", where the replay ends.";
  }
  if (!result.first_difference && modelled) return "None: both are of the same model.";
  if (!result.first_difference) return "None: the same bytes are reserved after every event.";
  return "At event " + text::grouped(result.first_difference->event) + ": " +
         result.first_difference->what.sentence + ".";
}

std::string refusal_as_text(const Report& report) {
  const allocator::SimulatedRefusal& refusal = *report.result.simulated_oom;
  const allocator::FreeSpace& free = refusal.free;
  std::string words = refusal.as_recorded ? "Refused in the recording: " : "Does not fit: ";
  if (refusal.before_recording) {
    words += "a block of " + size_as_text(refusal.bytes) + " that lived before the recording";
  } else {
    words += size_as_text(refusal.bytes) + " asked at event " + text::grouped(refusal.event);
    if (!report.asked_by.empty()) words += " by " + report.asked_by;
  }
  words += "; " + size_as_text(free.bytes) + " free in " + text::counted(free.pieces, "piece") +
           ", the largest " + size_as_text(free.largest) + ".";
  if (free.outside > 0)
    words += " Of the free memory " + size_as_text(free.outside) + " is not reserved.";
  if (report.result.stopped) words += " What comes after it is not simulated.";
  return words;
}

// The operator and the source line of the request, as far as its stack contains them.
std::string asked_by(const allocator::Snapshot& snapshot, std::size_t device,
                     const ReplayResult& result) {
  if (!result.simulated_oom || result.simulated_oom->before_recording) return {};
  allocator::StackOrigins origins(snapshot);
  const auto& entry = snapshot.device_traces[device][result.simulated_oom->event];
  const allocator::StackOrigin& origin = origins.of(entry.stack);
  std::string words;
  for (const base::StringId part : {origin.op, origin.module}) {
    if (part == base::kNoString) continue;
    if (!words.empty()) words += " in ";
    words += snapshot.text(part);
  }
  return words;
}

std::size_t letters_of(std::string_view words) {
  const auto begins = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; };
  return static_cast<std::size_t>(std::ranges::count_if(words, begins));
}

// A table with two spaces between its columns.
void print_table(const io::TextTable& table) {
  std::vector<std::size_t> widths(table.columns.size());
  const auto measure = [&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], letters_of(row[i]));
  };
  const auto print_row = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string gap(widths[i] - letters_of(row[i]), ' ');
      line += "  " + (table.is_right(i) ? gap + row[i] : row[i] + gap);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    std::printf("%s\n", line.c_str());
  };
  measure(table.columns);
  for (const auto& row : table.rows) measure(row);
  print_row(table.columns);
  for (const auto& row : table.rows) print_row(row);
}

void print_between(const allocator::ReservedAnswer& answer) {
  const text::Texts texts = built_in_texts();
  std::printf("\n%s\n", files::reserved_sentence(answer, texts).c_str());
  print_table(files::parts_table(answer, texts, files::Numbers::rounded));
  std::printf("What would be reserved at that moment\n");
  print_table(files::changes_table(answer, texts, files::Numbers::rounded));
}

void print(const Report& report) {
  const ReplayResult& result = report.result;
  std::printf("%s, device %zu: %s, %s", report.command.snapshot.string().c_str(), report.device,
              text::counted(result.events, "event").c_str(),
              settings_as_text(result.settings).c_str());
  if (report.card) {
    std::printf(", on %s (%s beside the CUDA context)", report.card->c_str(),
                size_as_text(*result.capacity).c_str());
  }
  std::printf("\n");
  if (report.modelled) {
    std::printf("No allocator had these segments: they are the model's, as the file has them.\n");
  }
  if (!report.others.empty()) {
    std::string numbers;
    for (const std::size_t other : report.others)
      numbers += (numbers.empty() ? "" : ", ") + std::to_string(other);
    std::printf("Also recorded: %s %s; --device chooses.\n",
                report.others.size() == 1 ? "device" : "devices", numbers.c_str());
  }
  print_both("", report.modelled ? "modelled" : "recorded", "simulated");
  print_both(result.settings.expandable_segments ? "Mappings (segment_map)" : "Segments allocated",
             text::grouped(result.recorded.segment_allocs),
             text::grouped(result.simulated.segment_allocs));
  print_both("Peak requested", size_as_text(report.allocated.peak),
             size_as_text(result.simulated_peak_requested));
  print_both("Peak reserved", size_as_text(result.recorded.peak_reserved),
             size_as_text(result.simulated.peak_reserved));
  print_both("Reserved at the end", size_as_text(result.recorded.end_reserved),
             size_as_text(result.simulated.end_reserved));
  print_both("Out of memory", text::grouped(result.recorded_ooms.size()),
             text::grouped(result.simulated_ooms));
  if (result.simulated_oom) std::printf("%s\n", refusal_as_text(report).c_str());
  std::printf("First difference: %s\n", difference_as_text(result, report.modelled).c_str());
  std::printf("Would expandable segments have helped? %s\n", sentence(report.expandable).c_str());
  if (result.private_bytes > 0) {
    std::printf("Private pools (CUDA graphs, MemPool) held up to %s; counted as in the file.\n",
                size_as_text(result.private_bytes).c_str());
  }
  if (result.odd_events > 0) {
    std::printf("%s events fit no block and were passed over.\n",
                text::grouped(result.odd_events).c_str());
  }
  print_between(report.between);
}

// `card` gets the name of the one that is asked for.
base::Result<allocator::ReplayOptions> options_from(const ReplayCommand& command,
                                                    std::optional<std::string>& card) {
  allocator::ReplayOptions options;
  if (command.alloc_conf) {
    const auto settings = allocator::AllocatorSettings::parse(*command.alloc_conf);
    if (!settings) return base::fail("--alloc-conf: " + settings.error().sentence);
    options.settings = *settings;
  }
  if (command.gpu) {
    const spec::GpuCatalogue catalogue = built_in_gpus();
    const auto gpu = catalogue.require(*command.gpu);
    if (!gpu) return base::fail("--gpu: " + gpu.error().sentence);
    // CUDA itself uses some memory, which the allocator cannot give out.
    options.capacity = predict::target_of(**gpu).capacity();
    card = (*gpu)->name;
  }
  return options;
}

std::vector<std::size_t> recorded_devices(const allocator::Snapshot& snapshot) {
  std::vector<std::size_t> devices;
  for (std::size_t i = 0; i < snapshot.device_traces.size(); ++i) {
    if (!snapshot.device_traces[i].empty()) devices.push_back(i);
  }
  return devices;
}

// The requested device, else the first one that has a trace.
base::Result<std::size_t> device_to_replay(const ReplayCommand& command,
                                           const allocator::Snapshot& snapshot) {
  if (command.device) return static_cast<std::size_t>(*command.device);
  if (const auto devices = recorded_devices(snapshot); !devices.empty()) return devices.front();
  if (snapshot.segments.empty()) return base::fail("the snapshot has neither segments nor events");
  return base::fail(
      "the snapshot has segments but no trace of events, so there is nothing to replay; record "
      "with torch.cuda.memory._record_memory_history()");
}

// Replays the allocations and frees of a memory snapshot through the model of PyTorch's caching
// allocator and reports recorded against simulated. Also returns 2 for a file that cannot be read
// or replayed.
Exit replay_snapshot(const ReplayCommand& command) {
  // Options first: they are cheaper to check than the file.
  std::optional<std::string> card;
  TS_TRY(const auto options, options_from(command, card));
  TS_TRY(const auto file, snapshot::read_snapshot(command.snapshot));
  // An incomplete trace would be replayed from a wrong start.
  if (!file.fault.empty())
    return base::fail(file.fault.sentence + " A part of a file is not replayed.");
  const auto in_file = [&](auto result) {
    return std::move(result).map_error([&](const base::Error& why) {
      return base::Error{command.snapshot.string() + ": " + why.sentence};
    });
  };
  TS_TRY(const auto device, in_file(device_to_replay(command, file.snapshot)));
  TS_TRY(const auto result, in_file(allocator::replay(file.snapshot, device, options)));
  TS_TRY(const auto expandable, in_file(allocator::would_expandable_segments_help(
                                    file.snapshot, device, options, result)));
  if (command.at > result.events) {
    const auto events = static_cast<std::int64_t>(result.events);
    return base::fail(command.snapshot.string() + ": --at: there " +
                      (events == 1 ? "is " : "are ") + text::counted(events, "event"));
  }
  TS_TRY(const auto between,
         in_file(allocator::explain_reserved(file.snapshot, device, options, command.at)));
  std::vector<std::size_t> others = recorded_devices(file.snapshot);
  std::erase(others, device);
  const Report report{.command = command,
                      .card = std::move(card),
                      .device = device,
                      .result = result,
                      .expandable = expandable,
                      .modelled = allocator::has_modelled_segments(file.snapshot),
                      .allocated = allocator::allocated_bytes(file.snapshot, device),
                      .asked_by = asked_by(file.snapshot, device, result),
                      .between = between,
                      .others = std::move(others)};
  if (command.json) {
    print_json(to_json(report));
  } else {
    print(report);
  }
  return 0;
}

}  // namespace

ParsedCommand replay_command(CLI::App& app) {
  const auto options = std::make_shared<ReplayCommand>();
  app.add_option("SNAPSHOT", options->snapshot, "Memory snapshot of PyTorch")
      ->option_text(" ")
      ->required();
  app.add_option("--gpu", options->gpu, "On this card, instead of with unlimited memory")
      ->type_name("NAME");
  app.add_option("--alloc-conf", options->alloc_conf,
                 "With these settings, written as in PYTORCH_CUDA_ALLOC_CONF")
      ->type_name("STRING");
  app.add_option("--device", options->device, "Device; default: the first with a trace")
      ->check(CLI::Range(0, 1023));
  app.add_option(
         "--at", options->at,
         "Explain what is reserved after so many events; default: at the first refusal, else "
         "at the peak")
      ->type_name("EVENT");
  add_json(app, options->json);
  return parsed_command(options, replay_snapshot);
}

}  // namespace ts::app
