#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

// Numbers as people type them.
namespace ts::text {

// A whole number with an optional k, M, G (1000) or Ki, Mi, Gi (1024): "512", "2Ki", "1.5k".
std::optional<std::int64_t> parse_count(std::string_view text);
// Bytes with an optional binary or decimal unit: "2GiB", "512 MiB", "1.5GB", "4096", rounded to
// whole bytes; "auto" is 0.
std::optional<std::int64_t> parse_bytes(std::string_view text);

// A finite number: "0.1", "3e-4".
std::optional<double> parse_real(std::string_view text);

}  // namespace ts::text
