#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "core/base/message.h"
#include "core/io/text_table.h"
#include "core/text/text.h"

namespace ts::app {

// The document of gather_ranks() and write_ranks() for the window. `predicted`: the peak of each
// rank in bytes; empty: none.
io::TextTable table_of_ranks(const nlohmann::json& document,
                             std::span<const std::int64_t> predicted, const text::Texts& texts);
// Collectives of at least 1 KiB: smaller ones are those of the set-up.
io::TextTable table_of_collectives(const nlohmann::json& document, const text::Texts& texts);
// The throughput, the loss, and whether all issued the same collectives.
std::vector<base::Message> sentences_of_ranks(const nlohmann::json& document);

}  // namespace ts::app
