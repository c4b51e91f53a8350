#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/files/saved_session.h"
#include "core/io/zip_archive.h"
#include "core/io/zip_write.h"

namespace ts::files::testing {

// A session with something of everything.
inline SavedSession made_session() {
  SavedView view;
  view.visible = {-5, 1'000'000};
  view.marked = base::TimeRange{10, 20};
  view.cursor_ns = 15;
  view.selected_block = 4;
  view.axis = "event";
  view.colors = "stack";
  view.detail = 12;
  view.search = "aten::mm \xe6\xa0\x88";
  view.notes = {{.time_ns = 12, .block = std::nullopt, .text = "a moment"},
                {.time_ns = 14, .block = 7, .text = "a block\nof two lines"}};
  SavedSession session;
  session.program = "tensorscope 1.2.3";
  session.unix_ns = 1'700'000'000'000'000'000;
  session.page = "sweep";
  session.layout = {.left = 0.2, .right = std::nullopt, .below = 0.5, .enlarged = "memory"};
  session.spec.seq_len = 777;
  session.runs = {{std::make_shared<const std::string>("a recording"), view},
                  {std::make_shared<const std::string>(std::string(100'000, 'r')), {}}};
  session.shown_run = 1;
  session.files = {{.path = "/data/a.pickle",
                    .mark = {.bytes = 123, .crc = 0xFFFFFFFF},
                    .shown_device = 1,
                    .devices = {{.index = 1,
                                 .corrections = {{memory::Category::gradient, {1, 2, 3, 9, 8}}},
                                 .view = view}},
                    .range = {base::FileRange::Unit::seconds, 1.5, 4},
                    .part = {.stream = 7, .pool = allocator::PoolId{0, 3}},
                    .part_view = view}};
  session.shown_file = 0;
  session.sweep = SavedSweep{"/data/sweep-1",
                             "{\"a\": 1}\n",
                             {{"b.recording", std::make_shared<const std::string>("a point")}}};
  SavedHunt hunt{
      .x = {"T", 128, 8192}, .y = {"B", 1, 64}, .here = true, .compare = "flash", .runs = {}};
  hunt.runs.push_back({.spec = session.spec, .fits = false, .peak = 1 << 30, .device = "cuda"});
  session.hunt = std::move(hunt);
  run::Comparison comparison;
  for (std::size_t side = 0; side < 2; ++side) {
    run::ComparedSide& one = comparison.sides[side];
    one.spec = session.spec;
    one.spec.batch = static_cast<std::int64_t>(side) + 1;
    one.peak = 1000 + static_cast<std::int64_t>(side);
    for (std::int64_t i = 0; i < 20; ++i) {
      run::StepTimes step;
      step.forward_ns = (1000 + i) * (side == 0 ? 2 : 1);
      step.total_ns = step.forward_ns;
      step.loss = 0.5;
      one.timed_steps.push_back(step);
    }
    one.facts.backend_ran = "naive";
  }
  comparison.seconds = 1.5;
  run::judge(comparison);
  session.comparison = std::make_shared<const run::Comparison>(std::move(comparison));
  session.lesson = "/data/lesson-sums";
  return session;
}

using Parts = std::map<std::string, std::string>;

inline std::string archive_of(const Parts& parts) {
  std::string bytes;
  io::ZipMaker zip([&bytes](std::string_view piece) { bytes += piece; });
  for (const auto& [name, content] : parts) static_cast<void>(zip.add(name, content));
  zip.end();
  return bytes;
}

inline Parts parts_of(const std::string& bytes) {
  Parts parts;
  const auto archive = io::ZipArchive::of_bytes(bytes);
  for (const io::ZipArchive::Member& member : archive->members())
    parts[member.name] = archive->read(member, std::size_t{1} << 26).value();
  return parts;
}

}  // namespace ts::files::testing
