#include "core/blocks/block_search.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/base/letters.h"
#include "core/text/joined.h"

namespace ts::blocks {
namespace {

struct Address {
  std::uint64_t value = 0;
  std::uint32_t digits = 0;
  [[nodiscard]] bool matches(const memory::Block& block) const {
    if (value >= block.address && value - block.address < static_cast<std::uint64_t>(block.size))
      return true;
    constexpr std::uint32_t kLeastDigits = 4;
    if (digits < kLeastDigits) return false;
    std::uint64_t shortened = block.address;
    while (shortened > value) shortened >>= 4U;
    return shortened == value && shortened != 0;
  }
};

std::optional<Address> address_of(std::string_view word) {
  if (!word.starts_with("0x") || word.size() < 3) return std::nullopt;
  Address address;
  const char* const end = word.data() + word.size();
  const auto parsed = std::from_chars(word.data() + 2, end, address.value, 16);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  address.digits = static_cast<std::uint32_t>(word.size() - 2);
  return address;
}

// Sizes from `least` to `most`, in bytes.
struct SizeRange {
  double least = 0;
  double most = 0;
  [[nodiscard]] bool matches(const memory::Block& block) const {
    const auto size = static_cast<double>(block.size);
    return size >= least && size <= most;
  }
};

std::optional<SizeRange> size_of(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, double>, 8> kUnits{{{"kib", 0x1p10},
                                                                       {"mib", 0x1p20},
                                                                       {"gib", 0x1p30},
                                                                       {"tib", 0x1p40},
                                                                       {"kb", 1e3},
                                                                       {"mb", 1e6},
                                                                       {"gb", 1e9},
                                                                       {"b", 1}}};
  constexpr double kEndless = 0x1p62;
  const std::size_t digits = std::min(word.find_first_not_of("<>="), word.size());
  const std::string_view sign = word.substr(0, digits);
  const std::string_view rest = word.substr(digits);
  double number = 0;
  const char* const end = rest.data() + rest.size();
  const auto parsed = std::from_chars(rest.data(), end, number);
  if (parsed.ec != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
  const std::string_view unit(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr));
  const auto* const known =
      std::ranges::find(kUnits, unit, [](const auto& pair) { return pair.first; });
  // A bare number may be a line or a layer, unless a sign says that it is a size.
  if (known == kUnits.end() && (!unit.empty() || sign.empty())) return std::nullopt;
  const double factor = known == kUnits.end() ? 1 : known->second;
  const double bytes = number * factor;
  if (sign == "=") return SizeRange{bytes, bytes};
  if (sign == "<") return SizeRange{0, bytes - 1};
  if (sign == "<=") return SizeRange{0, bytes};
  if (sign == ">") return SizeRange{bytes + 1, kEndless};
  if (sign == ">=") return SizeRange{bytes, kEndless};
  if (!sign.empty()) return std::nullopt;
  // Half of the last digit that was typed.
  const std::size_t point = rest.find('.');
  const auto decimals =
      point == std::string_view::npos
          ? 0
          : static_cast<int>(parsed.ptr - rest.data() - 1) - static_cast<int>(point);
  const double half = factor == 1 ? 0 : std::max(0.05, 0.5 * std::pow(10, -decimals)) * factor;
  return SizeRange{bytes - half, bytes + half};
}

// Which texts and which stacks contain a part, each looked at once.
class TextFinder {
 public:
  TextFinder(const allocator::Snapshot& snapshot, std::string part)
      : snapshot_(snapshot),
        part_(std::move(part)),
        texts_(snapshot.strings->size(), kUnknown),
        frames_(snapshot.stacks.frame_count(), kUnknown),
        stacks_(snapshot.stacks.stack_count(), kUnknown) {}

  bool in_text(base::StringId id) {
    return id < texts_.size() && known(texts_[id], [&] { return found_in(snapshot_.text(id)); });
  }
  bool in_stack(allocator::StackIndex stack) {
    if (stack >= stacks_.size()) return false;
    return known(stacks_[stack], [&] {
      return std::ranges::any_of(snapshot_.stacks.stack(stack),
                                 [&](allocator::FrameIndex frame) { return in_frame(frame); });
    });
  }
  [[nodiscard]] bool found_in(std::string_view text) const {
    return base::contains_letters(text, part_);
  }

 private:
  static constexpr std::int8_t kUnknown = -1;
  template <class Ask>
  static bool known(std::int8_t& answer, const Ask& ask) {
    if (answer == kUnknown) answer = ask() ? 1 : 0;
    return answer == 1;
  }
  bool in_frame(allocator::FrameIndex index) {
    return known(frames_[index], [&] {
      const allocator::Frame& frame = snapshot_.stacks.frame(index);
      return in_text(frame.name) || in_text(frame.filename);
    });
  }

  const allocator::Snapshot& snapshot_;
  std::string part_;
  std::vector<std::int8_t> texts_, frames_, stacks_;
};

void keep_matches(const BlockSource& source, const std::string& word,
                  std::vector<memory::BlockIndex>& blocks) {
  const auto all = source.log.blocks();
  if (const auto address = address_of(word)) {
    std::erase_if(blocks, [&](memory::BlockIndex i) { return !address->matches(all[i]); });
    return;
  }
  if (const auto size = size_of(word)) {
    std::erase_if(blocks, [&](memory::BlockIndex i) { return !size->matches(all[i]); });
    return;
  }
  TextFinder finder(source.snapshot, word);
  std::erase_if(blocks, [&](memory::BlockIndex i) {
    const memory::Block& block = all[i];
    return !finder.in_text(block.op) && !finder.in_text(block.module) &&
           !finder.in_stack(source.stack_of(i)) &&
           !finder.found_in(memory::category_name(block.category));
  });
}

}  // namespace

std::vector<memory::BlockIndex> find_blocks(const BlockSource& source, std::string_view text) {
  std::vector<memory::BlockIndex> blocks;
  const std::string lower = base::lower(text);
  const std::vector<std::string_view> words = text::words(lower);
  if (words.empty()) return blocks;
  blocks.resize(source.log.blocks().size());
  for (memory::BlockIndex i = 0; i < blocks.size(); ++i) blocks[i] = i;
  for (const std::string_view word : words) keep_matches(source, std::string(word), blocks);
  return blocks;
}

}  // namespace ts::blocks
