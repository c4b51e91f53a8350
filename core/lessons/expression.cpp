#include "core/lessons/expression.h"

#include <cctype>
#include <cmath>

#include "core/spec/spec_values.h"
#include "core/text/message.h"
#include "core/text/typed_numbers.h"

namespace ts::lessons {
namespace {

constexpr int kMostLevels = 32;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  base::Result<Expression> whole() {
    auto parsed = sum();
    if (!parsed) return parsed;
    skip_blanks();
    if (at_ < text_.size()) return wrong(text::message("lesson_file.after_end"));
    parsed->text = text_;
    return parsed;
  }

 private:
  [[nodiscard]] tl::unexpected<base::Error> wrong(base::Message what) const {
    return text::fail("lesson_file.expression_at", {{"place", std::to_string(at_ + 1)},
                                                    text::argument("reason", std::move(what))});
  }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char letter) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != letter) return false;
    ++at_;
    return true;
  }

  static Expression operation(Expression::Kind kind, Expression left, Expression right) {
    Expression made;
    made.kind = kind;
    made.of.push_back(std::move(left));
    made.of.push_back(std::move(right));
    return made;
  }

  using Rule = base::Result<Expression> (Parser::*)();
  base::Result<Expression> chain(Rule part, char first, Expression::Kind first_kind, char second,
                                 Expression::Kind second_kind) {
    auto left = (this->*part)();
    while (left) {
      const bool is_first = take(first);
      if (!is_first && !take(second)) break;
      // A long chain nests as deep as parentheses do, and is also walked by recursion.
      if (++operations_ > kMostOperations) return wrong(text::message("lesson_file.too_long"));
      auto right = (this->*part)();
      if (!right) return right;
      left = operation(is_first ? first_kind : second_kind, std::move(*left), std::move(*right));
    }
    return left;
  }
  base::Result<Expression> sum() {
    return chain(&Parser::product, '+', Expression::Kind::add, '-', Expression::Kind::subtract);
  }
  base::Result<Expression> product() {
    return chain(&Parser::factor, '*', Expression::Kind::multiply, '/', Expression::Kind::divide);
  }

  base::Result<Expression> factor() {
    if (take('(')) {
      if (++level_ > kMostLevels) return wrong(text::message("lesson_file.too_deep"));
      auto inside = sum();
      if (inside && !take(')')) return wrong(text::message("lesson_file.no_bracket"));
      --level_;
      return inside;
    }
    skip_blanks();
    const std::size_t begin = at_;
    const auto part_of_word = [](char letter) {
      return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' ||
             letter == '.';
    };
    while (at_ < text_.size() && part_of_word(text_[at_])) ++at_;
    const std::string word(text_.substr(begin, at_ - begin));
    if (word.empty()) return wrong(text::message("lesson_file.no_operand"));
    Expression made;
    if (std::isdigit(static_cast<unsigned char>(word.front())) != 0) {
      const auto number = text::parse_real(word);
      if (!number) return wrong(text::message("lesson_file.bad_number", {{"word", word}}));
      made.constant = *number;
      return made;
    }
    return reference(word);
  }

  base::Result<Expression> reference(const std::string& word) {
    const std::size_t dot = word.find('.');
    if (dot == word.npos || dot + 1 == word.size() || word.find('.', dot + 1) != word.npos) {
      return wrong(text::message("lesson_file.bad_name", {{"word", word}}));
    }
    Expression made;
    made.kind = Expression::Kind::reference;
    made.reference.of = word.substr(0, dot);
    made.reference.name = word.substr(dot + 1);
    if (at_ >= text_.size() || text_[at_] != '(') return made;
    int open = 0;
    const std::size_t begin = at_ + 1;
    for (; at_ < text_.size(); ++at_) {
      open += text_[at_] == '(' ? 1 : text_[at_] == ')' ? -1 : 0;
      if (open > 0) continue;
      made.reference.argument = text_.substr(begin, at_ - begin);
      ++at_;
      return made;
    }
    return wrong(text::message("lesson_file.no_bracket"));
  }

  static constexpr int kMostOperations = 100;
  std::string_view text_;
  std::size_t at_ = 0;
  int level_ = 0;
  int operations_ = 0;
};

Nature nature_of(const Number& left, const Number& right) {
  if (left.nature == Nature::stated) return right.nature;
  if (right.nature == Nature::stated || left.nature == right.nature) return left.nature;
  return Nature::compared;
}

bool bare(Unit unit) {
  return unit == Unit::number || unit == Unit::count || unit == Unit::ratio;
}

Unit unit_of(Expression::Kind kind, Unit left, Unit right) {
  switch (kind) {
    case Expression::Kind::add:
    case Expression::Kind::subtract:
      return left == right ? left : Unit::number;
    case Expression::Kind::multiply:
      if (bare(left) && bare(right)) return left == right ? left : Unit::number;
      if (bare(left)) return right;
      return bare(right) ? left : Unit::number;
    default:
      if (left == right) return left == Unit::number ? left : Unit::ratio;
      return bare(right) && !bare(left) ? left : Unit::number;
  }
}

std::optional<double> computed(Expression::Kind kind, double left, double right) {
  switch (kind) {
    case Expression::Kind::add:
      return left + right;
    case Expression::Kind::subtract:
      return left - right;
    case Expression::Kind::multiply:
      return left * right;
    default:
      if (right == 0) return std::nullopt;
      return left / right;
  }
}

}  // namespace

base::Result<Expression> parse_expression(std::string_view text) {
  return Parser(text).whole();
}

void visit_references(const Expression& expression,
                      const std::function<void(const Reference&)>& visit) {
  if (expression.kind == Expression::Kind::reference) visit(expression.reference);
  for (const Expression& part : expression.of) visit_references(part, visit);
}

std::optional<Number> evaluate(
    const Expression& expression,
    const std::function<std::optional<Number>(const Reference&)>& number_of) {
  if (expression.kind == Expression::Kind::constant) return Number{expression.constant};
  if (expression.kind == Expression::Kind::reference) return number_of(expression.reference);
  const auto left = evaluate(expression.of[0], number_of);
  const auto right = evaluate(expression.of[1], number_of);
  if (!left || !right) return std::nullopt;
  const auto value = computed(expression.kind, left->value, right->value);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return Number{.value = *value,
                .unit = unit_of(expression.kind, left->unit, right->unit),
                .nature = nature_of(*left, *right)};
}

}  // namespace ts::lessons
