#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace ts::io {

// Unknown values are negative, not finite or empty in our structs, and null in their JSON.
inline nlohmann::json known(double value) {
  if (value < 0 || !std::isfinite(value)) return nullptr;
  return value;
}
inline nlohmann::json known(std::int64_t value) {
  if (value < 0) return nullptr;
  return value;
}
// May be negative: null only if unset or not finite.
inline nlohmann::json known(const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return nullptr;
  return *value;
}
inline nlohmann::json text_or_null(const std::string& text) {
  if (text.empty()) return nullptr;
  return text;
}

// For a duration in nanoseconds.
template <class Number>
double milliseconds(Number nanoseconds) {
  return static_cast<double>(nanoseconds) * 1e-6;
}

// The inverse functions. They throw nlohmann::json::exception if the key is missing or of another
// type.
template <class Number = double>
Number known_from(const nlohmann::json& json, const char* key) {
  const nlohmann::json& value = json.at(key);
  return value.is_null() ? Number{-1} : value.get<Number>();
}
inline std::string text_from(const nlohmann::json& json, const char* key) {
  const nlohmann::json& value = json.at(key);
  return value.is_null() ? std::string() : value.get<std::string>();
}

}  // namespace ts::io
