#include "core/calculate/expression.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>
#include <vector>

namespace ts::calculate {
namespace {

constexpr int kDeepest = 200;  // brackets in each other

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Recursive descent, one function for each level of precedence. After an error every function
// returns 0, and the error stays the first one.
class Parser {
 public:
  Parser(std::string_view expression, const ValueOf& value_of)
      : left_(expression), whole_(expression), value_of_(&value_of) {}

  base::Result<double> parse() {
    const double value = comparison();
    if (error_.empty() && !peek().empty()) fail("an operator is missing");
    if (!error_.empty()) return base::fail(error_);
    return value;
  }

 private:
  void fail(const std::string& what) {
    if (!error_.empty()) return;
    const std::size_t at = whole_.size() - left_.size();
    error_ =
        what + " at character " + std::to_string(at + 1) + " of \"" + std::string(whole_) + '"';
  }

  // The rest of the text, without leading spaces.
  std::string_view peek() {
    while (left_.starts_with(' ')) left_.remove_prefix(1);
    return left_;
  }

  bool take(std::string_view sign) {
    if (!error_.empty() || !peek().starts_with(sign)) return false;
    left_.remove_prefix(sign.size());
    return true;
  }

  double comparison() {
    const double value = sum();
    if (!take("<=")) return value;
    return value <= sum() ? 1 : 0;
  }

  double sum() {
    double value = product();
    while (error_.empty()) {
      if (take("+")) {
        value += product();
      } else if (take("-")) {
        value -= product();
      } else {
        break;
      }
    }
    return value;
  }

  double product() {
    double value = signed_power();
    while (error_.empty()) {
      if (take("*")) {
        value *= signed_power();
      } else if (take("/")) {
        value /= signed_power();
      } else {
        break;
      }
    }
    return value;
  }

  double signed_power() {
    const Deeper deeper(*this);
    if (take("-")) return -signed_power();
    const double base = operand();
    return take("^") ? std::pow(base, signed_power()) : base;
  }

  double operand() {
    if (!error_.empty()) return 0;
    if (take("(")) {
      const double value = comparison();
      if (!take(")")) fail("a closing bracket is missing");
      return value;
    }
    if (peek().empty()) {
      fail("a number or a name is missing");
    } else if (is_digit(left_.front()) || left_.front() == '.') {
      return number();
    } else if (is_letter(left_.front())) {
      return name();
    } else {
      fail("a number or a name is missing");
    }
    return 0;
  }

  double number() {
    double value = 0;
    const auto [end, problem] = std::from_chars(left_.data(), left_.data() + left_.size(), value);
    if (problem != std::errc()) {
      fail("this is no number");
      return 0;
    }
    left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
    return value;
  }

  double name() {
    std::size_t length = 0;
    while (length < left_.size() && (is_letter(left_[length]) || is_digit(left_[length]))) ++length;
    const std::string_view name = left_.substr(0, length);
    const auto known = *value_of_ ? (*value_of_)(name) : std::nullopt;
    if (known) {
      left_.remove_prefix(length);
      return *known;
    }
    const std::string_view behind = left_.substr(length);
    if (!behind.starts_with('(')) {
      fail('"' + std::string(name) + "\" is not known");
      return 0;
    }
    left_.remove_prefix(length + 1);
    return function(name);
  }

  double function(std::string_view name) {
    std::vector<double> arguments;
    do {
      arguments.push_back(comparison());
    } while (take(","));
    if (!take(")")) fail("a closing bracket is missing");
    if (!error_.empty()) return 0;
    const std::size_t count = arguments.size();
    if (name == "ceil" && count == 1) return std::ceil(arguments[0]);
    if (name == "floor" && count == 1) return std::floor(arguments[0]);
    if (name == "min" && count == 2) return std::min(arguments[0], arguments[1]);
    if (name == "max" && count == 2) return std::max(arguments[0], arguments[1]);
    if (name == "if" && count == 3) return arguments[0] != 0 ? arguments[1] : arguments[2];
    fail("there is no function " + std::string(name) + " of " + std::to_string(count) +
         (count == 1 ? " value" : " values"));
    return 0;
  }

  // A level of recursion.
  class Deeper {
   public:
    explicit Deeper(Parser& parser) : parser_(&parser) {
      if (++parser.depth_ > kDeepest) parser.fail("too many brackets in each other");
    }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    ~Deeper() { --parser_->depth_; }

   private:
    Parser* parser_;
  };

  std::string_view left_;
  std::string_view whole_;
  const ValueOf* value_of_;
  std::string error_;
  int depth_ = 0;
};

}  // namespace

base::Result<double> evaluate(std::string_view expression, const ValueOf& value_of) {
  return Parser(expression, value_of).parse();
}

}  // namespace ts::calculate
