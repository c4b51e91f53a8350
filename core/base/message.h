#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ts::base {

// What stands at a placeholder of a text.
struct Argument {
  Argument(std::string placeholder, std::string shown)
      : name(std::move(placeholder)), value(std::move(shown)) {}
  friend bool operator==(const Argument&, const Argument&) = default;

  std::string name;
  std::string value;  // where there is a key: its English
  // A value that is a text itself, such as the reason inside an error.
  std::string key;
  std::vector<Argument> arguments;
};

// Something that is told to the user: a text of assets/locale and what stands at its placeholders.
// The command line and JSON use the sentence, the window the key in the language that it shows.
struct Message {
  friend bool operator==(const Message&, const Message&) = default;
  [[nodiscard]] bool empty() const { return sentence.empty(); }

  std::string sentence = {};  // in English
  std::string key = {};       // empty: there is only the sentence, which somebody else wrote
  std::vector<Argument> arguments = {};
};

}  // namespace ts::base
