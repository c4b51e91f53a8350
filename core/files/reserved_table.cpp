#include "core/files/reserved_table.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/text/numbers.h"

namespace ts::files {
namespace {

using allocator::ExpandableAnswer;
using allocator::ReservedAnswer;
using allocator::ReservedPart;
using allocator::ReservedParts;
using allocator::WhatIf;

std::vector<ReservedPart> all_parts() {
  std::vector<ReservedPart> parts;
  for (int i = 0; i < allocator::kReservedParts; ++i) parts.push_back(static_cast<ReservedPart>(i));
  return parts;
}

std::string size_text(std::int64_t bytes, Numbers numbers) {
  return numbers == Numbers::exact ? std::to_string(bytes) : text::bytes(bytes).joined();
}

std::string share_text(std::int64_t bytes, std::int64_t of) {
  if (of == 0) return text::kNoNumber;
  return text::fixed(100.0 * static_cast<double>(bytes) / static_cast<double>(of), 1) + " %";
}

// `event`: below 0: before the first.
std::string refused_text(std::int64_t event, const text::Texts& texts) {
  if (event < 0) return texts("reserved.refused_before");
  return texts("reserved.refused", {{"event", text::grouped(event)}});
}

std::string result_text(const WhatIf& one, const text::Texts& texts) {
  if (one.played.refused) return refused_text(one.played.refused_event, texts);
  if (one.played.served == 0) return {};
  return texts("reserved.served", {{"count", text::grouped(one.played.served)}});
}

// The replay of the recording itself.
std::vector<std::string> row_of_now(const ReservedAnswer& answer, const text::Texts& texts,
                                    Numbers numbers) {
  std::string result;
  if (const auto& refused = answer.refused)
    result = refused_text(
        refused->before_recording ? -1 : static_cast<std::int64_t>(refused->event), texts);
  return {texts("reserved.change.now"), size_text(answer.parts.reserved, numbers), text::kNoNumber,
          size_text(answer.peak_reserved, numbers), result};
}

// The sentence for what cannot be told; empty: all can.
std::string unanswered_text(const ReservedAnswer& answer, const text::Texts& texts) {
  using Unanswered = ReservedAnswer::Unanswered;
  if (answer.unanswered == Unanswered::nothing) return {};
  return texts(answer.unanswered == Unanswered::too_short ? "reserved.untold_short"
                                                          : "reserved.untold_before");
}

std::string best_text(const WhatIf* best, const ReservedAnswer& answer, const text::Texts& texts) {
  if (best != nullptr) return change_name(*best, texts);
  const bool all_answered = answer.unanswered == ReservedAnswer::Unanswered::nothing;
  return texts(all_answered ? "reserved.no_change" : "reserved.not_known");
}

std::vector<std::string> row_of_change(const WhatIf& one, const ReservedAnswer& answer,
                                       const text::Texts& texts, Numbers numbers) {
  const WhatIf* unchanged = unchanged_of(answer.what_ifs);
  const bool from_now = unchanged == nullptr || one.kind == WhatIf::Kind::empty_cache;
  const ReservedParts& before = from_now ? answer.parts : unchanged->played.parts;
  const std::int64_t reserved = one.played.parts.reserved;
  return {change_name(one, texts), size_text(reserved, numbers),
          &one == unchanged ? text::kNoNumber : size_text(before.reserved - reserved, numbers),
          size_text(one.played.peak_reserved, numbers), result_text(one, texts)};
}

nlohmann::json parts_json(const ReservedParts& parts) {
  nlohmann::json json = nlohmann::json::object();
  for (const ReservedPart part : all_parts()) json[std::string(to_string(part))] = parts[part];
  return json;
}

nlohmann::json change_json(const WhatIf& one) {
  return {
      {"change", std::string(to_string(one.kind))},
      {"setting", one.setting},
      {"taken_away", one.taken_away},
      {"refused", one.played.refused},
      {"refused_event", one.played.refused_event < 0 ? nlohmann::json(nullptr)
                                                     : nlohmann::json(one.played.refused_event)},
      {"served", one.played.served},
      {"reserved", one.played.parts.reserved},
      {"peak_reserved", one.played.peak_reserved},
      {"parts", parts_json(one.played.parts)}};
}

// "Free pieces too small for 91.00 MiB".
std::string part_name(const ReservedAnswer& answer, ReservedPart part, const text::Texts& texts) {
  const std::string key = "reserved.part." + std::string(to_string(part));
  if (!answer.asked && part == ReservedPart::usable) return texts("reserved.part.between");
  const std::int64_t asked = answer.asked ? answer.asked->bytes : 0;
  return texts(key, {{"asked", text::bytes(asked).joined()}, {"setting", "max_split_size_mb"}});
}

}  // namespace

std::string change_name(const WhatIf& change, const text::Texts& texts) {
  if (change.setting.empty())
    return texts("reserved.change." + std::string(to_string(change.kind)));
  return texts(change.taken_away ? "reserved.change.without" : "reserved.change.with",
               {{"setting", change.setting}});
}

io::TextTable parts_table(const ReservedAnswer& answer, const text::Texts& texts, Numbers numbers) {
  io::TextTable table{.columns = {texts("reserved.column.part"), texts("reserved.column.bytes"),
                                  texts("reserved.column.share"), texts("reserved.column.best"),
                                  texts("reserved.column.then")},
                      .right = {false, true, true, false, true}};
  const std::int64_t gap = answer.parts.gap();
  for (const ReservedPart part : all_parts()) {
    const std::int64_t bytes = answer.parts[part];
    if (bytes == 0) continue;
    const WhatIf* best = best_for(answer.what_ifs, answer.parts, part);
    table.rows.push_back(
        {part_name(answer, part, texts), size_text(bytes, numbers), share_text(bytes, gap),
         best_text(best, answer, texts),
         best == nullptr ? text::kNoNumber : size_text(best->played.parts[part], numbers)});
  }
  const WhatIf* best = best_of(answer.what_ifs, answer.parts);
  table.rows.push_back(
      {texts("reserved.sum"), size_text(gap, numbers), share_text(gap, gap),
       best_text(best, answer, texts),
       best == nullptr ? text::kNoNumber : size_text(best->played.parts.gap(), numbers)});
  return table;
}

io::TextTable changes_table(const ReservedAnswer& answer, const text::Texts& texts,
                            Numbers numbers) {
  io::TextTable table{.columns = {texts("reserved.column.change"),
                                  texts("reserved.column.reserved"), texts("reserved.column.less"),
                                  texts("reserved.column.peak"), texts("reserved.column.result")},
                      .right = {false, true, true, true, false}};
  table.rows.push_back(row_of_now(answer, texts, numbers));
  // Changes of the moment itself stand above those that begin with an empty allocator.
  for (const bool from_now : {true, false}) {
    for (const WhatIf& one : answer.what_ifs) {
      if ((one.kind == WhatIf::Kind::empty_cache) == from_now)
        table.rows.push_back(row_of_change(one, answer, texts, numbers));
    }
  }
  return table;
}

std::string reserved_sentence(const ReservedAnswer& answer, const text::Texts& texts) {
  const ReservedParts& parts = answer.parts;
  const auto words = [](std::int64_t bytes) { return text::bytes(bytes).joined(); };
  std::string sentence = texts("reserved.sentence", {{"events", text::grouped(answer.position)},
                                                     {"reserved", words(parts.reserved)},
                                                     {"requested", words(parts.requested)},
                                                     {"gap", words(parts.gap())}});
  if (parts.gap() == 0) return sentence;
  const std::vector<ReservedPart> all = all_parts();
  const ReservedPart most =
      *std::ranges::max_element(all, {}, [&](ReservedPart part) { return parts[part]; });
  sentence += " " + texts("reserved.most", {{"bytes", words(parts[most])},
                                            {"part", part_name(answer, most, texts)}});
  if (const WhatIf* best = best_of(answer.what_ifs, answer.parts)) {
    sentence += " " + texts("reserved.least", {{"change", change_name(*best, texts)},
                                               {"reserved", words(best->played.parts.reserved)}});
  }
  const std::string unanswered = unanswered_text(answer, texts);
  return unanswered.empty() ? sentence : sentence + " " + unanswered;
}

std::string expandable_sentence(const ExpandableAnswer& answer, const text::Texts& texts) {
  using Kind = ExpandableAnswer::Kind;
  const bool same = answer.kind == Kind::reserves_no_less &&
                    answer.with.peak_reserved == answer.without.peak_reserved;
  const std::string kind = same ? "file.expandable.reserves_the_same"
                                : "file.expandable." + std::string(to_string(answer.kind));
  std::string sentence =
      texts(kind, {{"with", text::bytes(answer.with.peak_reserved).joined()},
                   {"without", text::bytes(answer.without.peak_reserved).joined()},
                   {"refused", text::grouped(answer.refused)},
                   {"refused_with", text::grouped(answer.refused_with)}});
  const bool compares_peaks =
      answer.kind == Kind::reserves_less || answer.kind == Kind::reserves_no_less;
  if (!compares_peaks || answer.without.peak_reserved == answer.replayed_peak) return sentence;
  return sentence + " " +
         texts("file.expandable.anew", {{"replayed", text::bytes(answer.replayed_peak).joined()}});
}

nlohmann::json to_json(const ReservedAnswer& answer) {
  nlohmann::json changes = nlohmann::json::array();
  for (const WhatIf& one : answer.what_ifs) changes.push_back(change_json(one));
  nlohmann::json asked = nullptr;
  if (answer.asked) {
    asked = {{"bytes", answer.asked->bytes},
             {"stream", answer.asked->stream},
             {"next", answer.asked_next}};
  }
  return {{"position", answer.position},
          {"asked", asked},
          {"reserved", answer.parts.reserved},
          {"allocated", answer.parts.allocated},
          {"requested", answer.parts.requested},
          {"gap", answer.parts.gap()},
          {"parts", parts_json(answer.parts)},
          {"peak_reserved", answer.peak_reserved},
          {"changes", changes}};
}

}  // namespace ts::files
