#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace ts::app {

// The parts of what is saved. The result itself, such as run.json, is always saved.
enum class SavePart : std::uint8_t { snapshot, trace, tables, pictures, report };
inline constexpr std::array kSaveParts = {SavePart::snapshot, SavePart::trace, SavePart::tables,
                                          SavePart::pictures, SavePart::report};
// The parts of a sweep or a hunt, which record no step as a whole.
inline constexpr std::array kPartsOfMany = {SavePart::tables, SavePart::pictures, SavePart::report};
// The parts of an A/B comparison from the command line, which has no window to draw.
inline constexpr std::array kPartsOfPair = {SavePart::tables, SavePart::report};
const char* to_string(SavePart part);  // snapshot trace tables pictures report

// A choice of them; all at first.
class SaveParts {
 public:
  SaveParts() : SaveParts(kSaveParts) {}
  explicit SaveParts(std::span<const SavePart> parts) {
    for (const SavePart part : parts) set(part, true);
  }
  // "snapshot,tables"; "none" for the result alone. The error lists the names of `known`.
  static base::Result<SaveParts> parse(std::string_view names,
                                       std::span<const SavePart> known = kSaveParts);
  [[nodiscard]] bool has(SavePart part) const { return (bits_ & bit(part)) != 0; }
  void set(SavePart part, bool on) { bits_ = on ? bits_ | bit(part) : bits_ & ~bit(part); }
  [[nodiscard]] std::string names() const;  // as parse() reads them
  friend bool operator==(const SaveParts&, const SaveParts&) = default;

 private:
  static std::uint32_t bit(SavePart part) { return 1U << static_cast<std::uint32_t>(part); }
  std::uint32_t bits_ = 0;
};

}  // namespace ts::app
