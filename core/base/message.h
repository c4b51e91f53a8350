#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ts::base {

// The value for a placeholder of a text.
struct Argument {
  Argument(std::string placeholder, std::string shown)
      : name(std::move(placeholder)), value(std::move(shown)) {}
  friend bool operator==(const Argument&, const Argument&) = default;

  std::string name;
  std::string value;  // when there is a key: its English text
  // Set when the value is itself a text, such as the reason inside an error.
  std::string key;
  std::vector<Argument> arguments;
};

// A message for the user: a text of assets/locale and the values of its placeholders. The command
// line and JSON use the sentence; the window uses the key, in the language that it shows.
struct Message {
  friend bool operator==(const Message&, const Message&) = default;
  [[nodiscard]] bool empty() const { return sentence.empty(); }

  std::string sentence = {};  // in English
  std::string key = {};       // empty: only the sentence exists; it comes from outside the program
  std::vector<Argument> arguments = {};
};

}  // namespace ts::base
