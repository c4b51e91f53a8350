#include "core/predict/cuda_scratch.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/io/json_parse.h"

namespace ts::predict {

namespace {

using Json = nlohmann::json;

base::Result<double> bound(const Json& row, const char* key) {
  const auto found = row.find(key);
  if (found == row.end()) return 0.0;
  const double value = found->is_number() ? found->get<double>() : std::nan("");
  constexpr double kMost = 1e15;
  if (!(value >= 0 && value <= kMost)) return base::fail(fmt::format("has no size \"{}\"", key));
  return value;
}

base::Result<ScratchRow> read_row(const Json& row) {
  if (!row.is_object()) return base::fail("is not an object");
  ScratchRow out;
  for (const auto& [key, place] :
       {std::pair{"operator", &out.op}, std::pair{"source", &out.source}}) {
    const auto found = row.find(key);
    if (found == row.end() || !found->is_string() || found->get_ref<const std::string&>().empty()) {
      return base::fail(fmt::format("has no text \"{}\"", key));
    }
    *place = found->get<std::string>();
  }
  const auto fixed_low = bound(row, "fixed_low"), fixed_high = bound(row, "fixed_high");
  const auto per_low = bound(row, "per_byte_low"), per_high = bound(row, "per_byte_high");
  for (const auto* number : {&fixed_low, &fixed_high, &per_low, &per_high}) {
    if (!*number) return tl::unexpected(number->error());
  }
  if (*fixed_low > *fixed_high || *per_low > *per_high) {
    return base::fail("has a lower bound above its upper bound");
  }
  out.fixed_low = static_cast<std::int64_t>(*fixed_low);
  out.fixed_high = static_cast<std::int64_t>(*fixed_high);
  out.per_byte_low = *per_low;
  out.per_byte_high = *per_high;
  return out;
}

}  // namespace

base::Result<CudaScratch> CudaScratch::parse(std::string_view json) {
  const auto document = io::parse_json(json);
  if (!document || !document->is_array()) {
    return base::fail("The table of scratch is not a JSON array");
  }
  CudaScratch scratch;
  for (std::size_t i = 0; i < document->size(); ++i) {
    auto row = read_row((*document)[i]);
    if (!row) {
      return base::fail(
          fmt::format("Row {} of the table of scratch {}", i + 1, row.error().sentence));
    }
    scratch.rows_.push_back(std::move(*row));
  }
  return scratch;
}

}  // namespace ts::predict
