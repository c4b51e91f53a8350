#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/allocator/expandable_answer.h"
#include "core/allocator/what_if.h"
#include "core/io/text_table.h"
#include "core/text/text.h"

// Reserved minus asked for, as tables, sentences and JSON. Bytes are exact in files and on the
// clipboard, and rounded where they are shown.
namespace ts::files {

enum class Numbers : std::uint8_t { rounded, exact };

// A row for each part that has bytes, and one for their sum; with each the change that makes it
// smallest, and what is left of it then.
io::TextTable parts_table(const allocator::ReservedAnswer& answer, const text::Texts& texts,
                          Numbers numbers);
// A row for the moment itself and one for each change: what is reserved then, how much less that
// is, and at most up to then. empty_cache() is measured against the moment, all else against the
// row of the empty allocator.
io::TextTable changes_table(const allocator::ReservedAnswer& answer, const text::Texts& texts,
                            Numbers numbers);

// The answer to "Would expandable segments have helped?".
std::string expandable_sentence(const allocator::ExpandableAnswer& answer,
                                const text::Texts& texts);

// "After event 12 ... are reserved ...": the largest part, and the change that reserves least.
std::string reserved_sentence(const allocator::ReservedAnswer& answer, const text::Texts& texts);
std::string change_name(const allocator::WhatIf& change, const text::Texts& texts);

// {position, asked (or null) {bytes, stream, next}, reserved, allocated, requested, gap, parts
//  {NAME: bytes}, peak_reserved, changes [{change, setting, taken_away, refused, refused_event (or
//  null), served, reserved, peak_reserved, parts}]}
nlohmann::json to_json(const allocator::ReservedAnswer& answer);

}  // namespace ts::files
