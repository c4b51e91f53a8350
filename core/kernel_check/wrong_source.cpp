#include "core/kernel_check/wrong_source.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <regex>
#include <sstream>
#include <vector>

#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::kernel_check {
namespace {

constexpr std::int64_t kMostStaticShared = std::int64_t{48} * 1024;

int line_at(const std::string& source, std::ptrdiff_t place) {
  return 1 + static_cast<int>(std::count(source.begin(), source.begin() + place, '\n'));
}

// One blank in place of every gap and comment.
std::string in_one_line(const std::string& words) {
  static const std::regex gap(R"((?:\s|//[^\n]*\n|/\*[^*]*\*/)+)");
  std::string line = std::regex_replace(words, gap, " ");
  if (line.starts_with(' ')) line.erase(0, 1);
  if (line.ends_with(' ')) line.pop_back();
  return line;
}

// The types of arguments, each as its words in order: "float const *x" and "const float* y" are the
// same.
std::vector<std::vector<std::string>> types_of(const std::string& arguments) {
  std::vector<std::vector<std::string>> types;
  std::istringstream all(in_one_line(arguments));
  static const std::regex token(R"([A-Za-z_][\w:]*|[*&])");
  for (std::string argument; std::getline(all, argument, ',');) {
    std::vector<std::string> words;
    for (std::sregex_iterator at(argument.begin(), argument.end(), token), end; at != end; ++at) {
      if (!at->str().starts_with("__restrict")) words.push_back(at->str());
    }
    // The name, where there is one.
    const auto is_type = [](const std::string& word) {
      constexpr std::array kTypes = {"*", "&", "float", "double", "int", "bool", "const"};
      return std::ranges::find(kTypes, word) != kTypes.end();
    };
    if (words.size() > 1 && !is_type(words.back())) words.pop_back();
    std::ranges::sort(words);
    types.push_back(std::move(words));
  }
  return types;
}

// "mine.cu:12:5: error: ..." of the line that the compiler wrote; no value: of another file.
std::optional<int> line_in(const std::string& file, const std::string& said) {
  if (!said.starts_with(file + ":")) return std::nullopt;
  int line = 0;
  std::from_chars(said.data() + file.size() + 1, said.data() + said.size(), line);
  return line > 0 ? std::optional(line) : std::nullopt;
}

constexpr const char* kError = "error: ";

// The first line that says what is wrong.
std::string first_error(const std::string& file, const std::string& log) {
  std::istringstream lines(log);
  std::string led_here;  // "mine.cu:5:19: "
  for (std::string line; std::getline(lines, line);) {
    const std::size_t required = line.find("   required from");
    if (required != std::string::npos && line_in(file, line))
      led_here = line.substr(0, required) + " ";
    const std::size_t error = line.find(kError);
    if (error != std::string::npos) {
      const bool ours = line.find("kernels/executor/") < error;
      return ours && !led_here.empty() ? led_here + line.substr(error) : line;
    }
    if (line.find("undefined reference") != std::string::npos) return line;
  }
  return log.substr(0, log.find('\n'));
}

// The executor has no such types and instructions. Operands of PTX are no registers of the host.
bool names_unknown_words(const std::string& reason) {
  static const std::regex words(
      R"(\b_*(nv_)?(half|bfloat16)2?\b|\b__(float2half|half2float|float2bfloat16|bfloat162float)|grid_group|this_grid|coalesced_(group|threads)|nvcuda|(in|out)put constraint|impossible constraint|\basm\b)");
  return std::regex_search(reason, words);
}

// A definition whose arguments have other types than those of the entry point.
struct OtherArguments {
  int first_line = 0, last_line = 0;  // of the arguments, from 1
  std::string found;                  // the arguments as they are written
};

// No value: there is no definition, or it has the same types.
std::optional<OtherArguments> other_arguments(const std::string& source, const EntryPoint& entry) {
  const std::regex definition("\\b" + std::string(entry.name) + R"(\s*\(([^(){};]*)\)\s*\{)");
  std::smatch found;
  if (!std::regex_search(source, found, definition)) return std::nullopt;
  if (types_of(found[1].str()) == types_of(entry.arguments)) return std::nullopt;
  return OtherArguments{line_at(source, found.position(0)),
                        line_at(source, found.position(1) + found.length(1)),
                        in_one_line(found[1].str())};
}

}  // namespace

base::Message other_arguments_message(const std::string& file, const std::string& source,
                                      const EntryPoint& entry) {
  const auto other = other_arguments(source, entry);
  if (!other) return {};
  return text::message("kernel_check.other_arguments",
                       {{"place", file + ":" + std::to_string(other->first_line)},
                        {"function", entry.name},
                        {"found", other->found},
                        {"expected", entry.arguments}});
}

base::Message why_not_compiled(const std::string& file, const std::string& source,
                               const std::string& log) {
  for (const EntryPoint& entry : {kForward, kBackward}) {
    const auto other = other_arguments(source, entry);
    if (!other) continue;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
      const auto at = line_in(file, line);
      const bool is_error = line.find(kError) != std::string::npos;
      if (is_error && at && *at >= other->first_line && *at <= other->last_line)
        return other_arguments_message(file, source, entry);
    }
  }
  const std::string reason = first_error(file, log);
  if (reason.find("undefined reference to `attention'") != std::string::npos) {
    base::Message wrong = other_arguments_message(file, source, kForward);
    if (!wrong.empty()) return wrong;
    return text::message(
        "kernel_check.no_attention",
        {{"function", std::string(kForward.name) + "(" + kForward.arguments + ")"}});
  }
  return text::message(
      names_unknown_words(reason) ? "kernel_check.unknown_words" : "kernel_check.not_compiled",
      {{"reason", reason}});
}

StaticShared static_shared(const std::string& symbols) {
  StaticShared bytes;
  static const std::regex row(R"((.*?)\s*\|[^|]*\|[^|]*\|\s*TLS\s*\|([0-9a-f]+)\|.*)");
  static const std::regex apart(R"(\(anonymous namespace\)::)");
  std::istringstream lines(symbols);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (!std::regex_match(line, found, row)) continue;
    // "forward<64>(float const*)::tile"; a variable of the file has no function.
    const std::string name = std::regex_replace(found[1].str(), apart, std::string());
    const std::size_t arguments = name.rfind(')');
    bytes[arguments == std::string::npos ? std::string() : name.substr(0, arguments + 1)] +=
        std::stoll(found[2].str(), nullptr, 16);
  }
  return bytes;
}

base::Message too_much(const StaticShared& shared) {
  for (const auto& [function, bytes] : shared) {
    if (bytes <= kMostStaticShared) continue;
    if (function.empty())
      return text::message("kernel_check.static_shared_file", {{"bytes", text::grouped(bytes)}});
    const std::string name = function.substr(0, function.find('('));
    return text::message("kernel_check.static_shared",
                         {{"function", name}, {"bytes", text::grouped(bytes)}});
  }
  return {};
}

}  // namespace ts::kernel_check
