#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/advice/tree.h"
#include "core/text/joined.h"
#include "core/text/message.h"

namespace ts::advice {
namespace {

using nlohmann::json;

bool holds(const Evidence& evidence, const std::vector<Condition>& when) {
  return std::ranges::all_of(when, [&](const Condition& one) {
    return std::ranges::find(one.is, word_of(evidence, one.word)) != one.is.end();
  });
}

// The checks of that name in a document.
std::vector<const json*> checks_of(const json& document, const std::string& name) {
  const std::size_t space = name.find(' ');
  const std::string why = space == name.npos ? "" : "check.why." + name.substr(space + 1);
  std::vector<const json*> found;
  const auto list = document.find("checks");
  if (list == document.end()) return found;
  for (const json& check : *list) {
    if (check.value("check", "") != name.substr(0, space)) continue;
    const bool said = why.empty() || text::message_from_json("", check.at("why_text")).key == why;
    if (said) found.push_back(&check);
  }
  return found;
}

constexpr std::array kReadingSources = {"run", "trace", "ab", "sweep"};

base::Message found_of(const json& check) {
  return text::message_from_json(check.value("found", ""), check.value("found_text", json()));
}

// If several checks have one name, the worst counts.
std::optional<Reading> read_check(const Evidence& evidence, const std::string& name) {
  constexpr std::array kStates = {"passed", "noted", "failed"};
  for (const char* const source : kReadingSources) {
    const auto document = evidence.documents.find(source);
    if (document == evidence.documents.end()) continue;
    std::optional<Reading> worst;
    std::ptrdiff_t rank = -1;
    for (const json* const check : checks_of(document->second, name)) {
      const std::string state = check->value("state", "");
      const auto here = std::ranges::find(kStates, state) - kStates.begin();
      if (here <= rank || here == std::ssize(kStates)) continue;
      rank = here;
      worst.emplace();
      worst->word = state;
      worst->nature = lessons::Nature::measured;
      worst->source = source;
      worst->found = found_of(*check);
    }
    if (worst) return worst;
  }
  return std::nullopt;
}

std::optional<Reading> read_number(const Evidence& evidence, const lessons::Expression& number) {
  Reading reading;
  lessons::visit_references(number, [&](const lessons::Reference& reference) {
    if (reading.source.empty()) reading.source = reference.of;
  });
  reading.number = lessons::evaluate(
      number, [&](const lessons::Reference& reference) { return number_of(evidence, reference); });
  if (!reading.number) return std::nullopt;
  reading.nature = reading.number->nature;
  return reading;
}

std::optional<Reading> read_probe(const Evidence& evidence, const Probe& probe) {
  if (!holds(evidence, probe.when)) return std::nullopt;
  std::optional<Reading> reading;
  if (probe.number) {
    reading = read_number(evidence, *probe.number);
  } else if (!probe.check.empty()) {
    reading = read_check(evidence, probe.check);
  } else if (probe.stated) {
    const bool there =
        probe.of == "settings" ? evidence.spec.has_value() : evidence.documents.contains(probe.of);
    if (!there) return std::nullopt;
    reading.emplace();
    reading->number = lessons::Number{*probe.stated};
    reading->source = probe.of;
  } else if (std::string word = word_of(evidence, probe.word); !word.empty()) {
    reading.emplace();
    reading->word = std::move(word);
    reading->source = probe.word.substr(0, probe.word.find('.'));
    // Why there is no prediction.
    const auto why = evidence.apart.find(reading->source);
    if (why != evidence.apart.end()) reading->found = why->second;
    if (reading->source != "settings") {
      const bool predicted = reading->source == "flash" || reading->source == "predict";
      reading->nature = predicted ? lessons::Nature::predicted : lessons::Nature::measured;
    }
  }
  if (!reading) return std::nullopt;
  reading->probe = &probe;
  reading->where = where_of(evidence, reading->source);
  return reading;
}

bool takes(const Branch& branch, const Reading& reading) {
  if (reading.number) {
    const double value = reading.number->value;
    return (!branch.at_least || value >= *branch.at_least) &&
           (!branch.below || value < *branch.below);
  }
  return branch.is.empty() || std::ranges::find(branch.is, reading.word) != branch.is.end();
}

// Why what there is does not answer a question: documents of other settings, and checks that do not
// tell.
std::vector<base::Message> apart_of(const Evidence& evidence, const Node& node) {
  std::vector<base::Message> said;
  for (const Probe& probe : node.evidence) {
    for (const char* const source : kReadingSources) {
      const auto document = evidence.documents.find(source);
      if (probe.check.empty() || document == evidence.documents.end()) continue;
      for (const json* const check : checks_of(document->second, probe.check))
        said.push_back(found_of(*check));
    }
  }
  for (const auto& [source, why] : evidence.apart) {
    const bool asked = std::ranges::any_of(node.evidence, [&](const Probe& probe) {
      bool uses = !probe.check.empty() && source == "run";
      uses = uses || (!probe.word.empty() && probe.word.starts_with(source + "."));
      if (!probe.number) return uses;
      lessons::visit_references(*probe.number, [&](const lessons::Reference& reference) {
        uses = uses || reference.of == source;
      });
      return uses;
    });
    if (asked) said.push_back(why);
  }
  return said;
}

std::string filled(std::string command, const Evidence& evidence) {
  constexpr std::string_view kWorkload = "{workload}";
  const std::size_t place = command.find(kWorkload);
  if (place != std::string::npos) command.replace(place, kWorkload.size(), evidence.command);
  return command;
}

struct Walker {
  const Evidence& evidence;
  Walk& walk;

  void visit(const std::string& id, std::size_t parent) {
    const Tree& tree = *walk.tree;
    const Node* const node = id.empty() ? nullptr : tree.node(id);
    if (node == nullptr) return;
    const std::size_t here = walk.visits.size();
    walk.visits.emplace_back();
    walk.visits.back().node = tree.index(*node);
    walk.visits.back().parent = parent;
    for (const std::string& child : node->children) visit(child, here);
    if (node->kind == NodeKind::end) walk.visits[here].command = filled(node->run, evidence);
    if (node->kind != NodeKind::ask) return;
    for (const Probe& probe : node->evidence) {
      auto reading = read_probe(evidence, probe);
      if (!reading) continue;
      // The computed number of a question has no unit of its own, or "times".
      const bool bare = reading->number && (reading->number->unit == lessons::Unit::number ||
                                            reading->number->unit == lessons::Unit::ratio);
      if (bare && node->unit != lessons::Unit::number) reading->number->unit = node->unit;
      const auto branch = std::ranges::find_if(
          node->branches, [&](const Branch& one) { return takes(one, *reading); });
      const auto taken = static_cast<std::size_t>(branch - node->branches.begin());
      walk.visits[here].reading = std::move(reading);
      walk.visits[here].branch = taken;
      visit(branch->to, here);
      return;
    }
    walk.visits[here].command = filled(node->run, evidence);
    walk.visits[here].apart = apart_of(evidence, *node);
  }
};

}  // namespace

const Visit* Walk::of(const Node& node) const {
  const auto found = std::ranges::find(visits, tree->index(node), &Visit::node);
  return found == visits.end() ? nullptr : &*found;
}

Walk walk(const Tree& tree, const Evidence& evidence) {
  Walk walk{&tree, {}};
  Walker{evidence, walk}.visit(tree.nodes.front().id, 0);
  return walk;
}

std::string text_of(const Reading& reading) {
  if (reading.number) return lessons::text_of(*reading.number);
  return reading.found.empty() ? reading.word : reading.found.sentence;
}

std::string bounds_of(const Node& node, const Branch& branch, const Reading* reading) {
  const bool counted = reading == nullptr || (reading->number && !reading->probe->stated);
  const auto as_text = [&](double bound) {
    lessons::Value shown;
    shown.decimals = bound == std::floor(bound) ? 0 : 1;
    return lessons::text_of({bound, node.unit}, &shown);
  };
  std::string words;
  if (counted && branch.at_least) words = "\xe2\x89\xa5 " + as_text(*branch.at_least);
  if (counted && branch.below) words += (words.empty() ? "< " : ", < ") + as_text(*branch.below);
  if (!words.empty() || !branch.answer.empty()) return words;
  return text::joined(branch.is, ", ");
}

}  // namespace ts::advice
