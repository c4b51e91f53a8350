#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace ts::fuzz {

// Damages the meaning of JSON texts and leaves them JSON: values become others that a reader might
// not expect, keys go missing, lists grow and shrink. The same seed gives the same damage.
class JsonMutator {
 public:
  explicit JsonMutator(std::uint64_t seed) : random_(seed) {}

  void change(nlohmann::json& json) {
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      std::vector<nlohmann::json*> all;
      collect(json, all);
      change_one(*all[below(all.size())]);
    }
  }
  // Changes a text that is JSON.
  std::string changed(const std::string& text) {
    auto json = nlohmann::json::parse(text);
    change(json);
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

 private:
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }

  static void collect(nlohmann::json& json, std::vector<nlohmann::json*>& all) {
    all.push_back(&json);
    if (!json.is_structured()) return;
    for (nlohmann::json& item : json) collect(item, all);
  }

  nlohmann::json odd_value() {
    switch (below(14)) {
      case 0:
        return nullptr;
      case 1:
        return -1;
      case 2:
        return 0;
      case 3:
        return std::numeric_limits<std::int64_t>::max();
      case 4:
        return std::numeric_limits<std::int64_t>::min();
      case 5:
        return std::numeric_limits<std::uint64_t>::max();
      case 6:
        return 1e308;
      case 7:
        return -0.5;
      case 8:
        return "";
      case 9:
        return std::string(1 + below(200), static_cast<char>('a' + below(26)));
      case 10:
        return "T=1:1000000000000:+1";
      case 11:
        return nlohmann::json::array();
      case 12:
        return nlohmann::json::object();
      default:
        return static_cast<std::int64_t>(random_()) >> below(63);
    }
  }

  void change_one(nlohmann::json& json) {
    const std::size_t kind = below(4);
    if (kind == 0 && json.is_object() && !json.empty()) {
      json.erase(std::next(json.begin(), static_cast<std::ptrdiff_t>(below(json.size()))));
    } else if (kind == 0 && json.is_array() && !json.empty()) {
      json.erase(below(json.size()));
    } else if (kind == 1 && json.is_array() && !json.empty()) {
      const nlohmann::json again = json[below(json.size())];
      json.push_back(again);
    } else if (kind == 1 && json.is_object()) {
      json[std::string(1, static_cast<char>('a' + below(26)))] = odd_value();
    } else if (kind == 2 && json.is_number()) {
      json = json.get<double>() * (below(2) == 0 ? -1 : 1e9);
    } else {
      json = odd_value();
    }
  }

  std::mt19937_64 random_;
};

}  // namespace ts::fuzz
