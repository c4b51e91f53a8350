#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ts::snapshot {

// Current position of a reader in a snapshot, for its messages: device_traces[0][17].size.
class SnapshotPlace {
 public:
  // Enters a list; leaves it when the guard is destroyed. A list in a list has no name.
  class Guard {
   public:
    explicit Guard(std::vector<std::size_t>& indices, std::vector<std::string_view>& names)
        : indices_(indices), names_(names) {}
    ~Guard() {
      indices_.pop_back();
      names_.pop_back();
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    std::vector<std::size_t>& indices_;
    std::vector<std::string_view>& names_;
  };
  [[nodiscard]] Guard enter(std::string_view name) {
    indices_.push_back(0);
    names_.push_back(name);
    return Guard(indices_, names_);
  }
  void next() { ++indices_.back(); }  // to the next item of the list
  [[nodiscard]] std::size_t index() const { return indices_.back(); }

  // Text of the position: the item, and a field of it.
  [[nodiscard]] std::string text() const {
    std::string text;
    for (std::size_t i = 0; i < indices_.size(); ++i) {
      text += fmt::format("{}{}[{}]", text.empty() || names_[i].empty() ? "" : ".", names_[i],
                          indices_[i]);
    }
    return text;
  }
  [[nodiscard]] std::string with(std::string_view field) const {
    const std::string item = text();
    return item + (item.empty() || field.empty() ? "" : ".") + std::string(field);
  }

 private:
  std::vector<std::size_t> indices_;
  std::vector<std::string_view> names_;
};

}  // namespace ts::snapshot
