#include <algorithm>
#include <array>
#include <set>

#include "core/advice/tree.h"
#include "core/lessons/lesson_json.h"
#include "core/spec/spec_values.h"
#include "core/text/message.h"
#include "core/text/nearest.h"

namespace ts::advice {
namespace {

using lessons::ObjectReader;

constexpr std::array kKinds = {"ask", "all", "end", "yours"};

Probe read_probe(ObjectReader& reader) {
  reader.allow({"number", "check", "word", "stated", "of", "because", "when", "label"});
  Probe probe;
  probe.check = reader.text_or("check", "");
  probe.word = reader.text_or("word", "");
  probe.stated = reader.number("stated");
  probe.of = reader.text_or("of", probe.stated ? "" : "run");
  if (probe.stated) probe.because = reader.words("because");
  probe.label = reader.words_or_none("label");
  if (reader.has("number")) {
    auto expression = lessons::parse_expression(reader.text("number"));
    if (!expression) {
      reader.wrong(expression.error());
      return probe;
    }
    lessons::visit_references(*expression, [&](const lessons::Reference& reference) {
      if (auto known = check_number_name(reference); !known) reader.wrong(known.error());
    });
    probe.number = std::move(*expression);
  }
  const int kinds = static_cast<int>(probe.number.has_value()) +
                    static_cast<int>(!probe.check.empty()) + static_cast<int>(!probe.word.empty()) +
                    static_cast<int>(probe.stated.has_value());
  if (kinds != 1) reader.wrong(text::message("tree_file.one_kind"));
  const auto look_at = [&](const std::string& word) {
    if (word.empty()) return;
    if (auto known = check_word_name(word); !known) reader.wrong(known.error());
  };
  look_at(probe.word);
  for (ObjectReader& one : reader.objects("when")) {
    one.allow({"word", "is"});
    probe.when.push_back({one.text("word"), one.texts("is")});
    look_at(probe.when.back().word);
  }
  return probe;
}

Branch read_branch(ObjectReader& reader) {
  reader.allow({"at_least", "below", "is", "answer", "to", "good"});
  Branch branch;
  branch.at_least = reader.number("at_least");
  branch.below = reader.number("below");
  branch.is = reader.texts("is");
  branch.answer = reader.text_or("answer", "");
  branch.to = reader.text_or("to", "");
  if (reader.has("good")) branch.good = reader.raw("good") == true;
  if (!branch.answer.empty() && branch.answer != "yes" && branch.answer != "no")
    reader.wrong(text::message("tree_file.answers"));
  return branch;
}

// Every question must have an answer for all that its evidence can be.
void check_branches(ObjectReader& reader, const Node& node) {
  const bool counts = std::ranges::any_of(
      node.evidence, [](const Probe& probe) { return probe.number || probe.stated; });
  const bool names = std::ranges::any_of(
      node.evidence, [](const Probe& probe) { return !probe.number && !probe.stated; });
  const auto rest = [&](auto unconditional) {
    return !node.branches.empty() && unconditional(node.branches.back());
  };
  const bool all_numbers =
      rest([](const Branch& branch) { return !branch.at_least && !branch.below; });
  const bool all_words = rest([](const Branch& branch) { return branch.is.empty(); });
  if (node.evidence.empty() || (counts && !all_numbers) || (names && !all_words))
    reader.wrong(text::message("tree_file.no_rest"));
}

Node read_node(ObjectReader& reader) {
  reader.allow({"id", "kind", "text", "source", "errors", "evidence", "branches", "children",
                "missing", "run", "set", "unit"});
  Node node;
  node.id = reader.text("id");
  const std::string kind = reader.text_or("kind", "ask");
  const auto* const known = std::ranges::find(kKinds, kind);
  if (known == kKinds.end()) {
    reader.wrong(text::message("tree_file.no_kind", {{"name", kind}}));
    return node;
  }
  node.kind = static_cast<NodeKind>(known - kKinds.begin());
  node.text = reader.words("text");
  node.source = reader.words_or_none("source");
  node.errors = reader.texts("errors");
  node.children = reader.texts("children");
  node.missing = reader.words_or_none("missing");
  node.run = reader.text_or("run", "");
  node.set = reader.texts("set");
  const std::string unit = reader.text_or("unit", "number");
  const auto known_unit = lessons::unit_from(unit);
  if (!known_unit) reader.wrong(text::message("tree_file.no_unit", {{"name", unit}}));
  node.unit = known_unit.value_or(lessons::Unit::number);
  for (ObjectReader& one : reader.objects("evidence")) node.evidence.push_back(read_probe(one));
  for (ObjectReader& one : reader.objects("branches")) node.branches.push_back(read_branch(one));
  if (node.kind == NodeKind::ask) check_branches(reader, node);
  spec::WorkloadSpec tried;
  for (const std::string& one : node.set) {
    if (const auto set = spec::set_setting(tried, one); !set) reader.wrong(set.error());
  }
  return node;
}

// Each node is reached from the first one on exactly one way, so that it can be drawn once.
void check_ways(ObjectReader& reader, const Tree& tree) {
  std::set<std::string> reached;
  for (const Node& node : tree.nodes) {
    const auto look_at = [&](const std::string& to) {
      if (to.empty()) return;
      if (tree.node(to) == nullptr || tree.node(to) <= &node || !reached.insert(to).second)
        reader.wrong(text::message("tree_file.no_way", {{"from", node.id}, {"to", to}}));
    };
    for (const Branch& branch : node.branches) look_at(branch.to);
    for (const std::string& child : node.children) look_at(child);
  }
  if (tree.nodes.empty() || reached.size() + 1 != tree.nodes.size())
    reader.wrong(text::message("tree_file.not_reached"));
}

Tree read_tree(ObjectReader& reader) {
  reader.allow({"id", "rows", "title", "about", "nodes"});
  Tree tree;
  tree.id = reader.text("id");
  tree.rows = reader.texts("rows");
  tree.title = reader.words("title");
  tree.about = reader.words("about");
  std::set<std::string> seen;
  for (ObjectReader& one : reader.objects("nodes")) {
    tree.nodes.push_back(read_node(one));
    if (!seen.insert(tree.nodes.back().id).second) one.wrong(text::message("lesson_file.two_ids"));
  }
  if (reader.good()) check_ways(reader, tree);
  return tree;
}

}  // namespace

const char* to_string(NodeKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

const Node* Tree::node(std::string_view node_id) const {
  const auto found = std::ranges::find(nodes, node_id, &Node::id);
  return found == nodes.end() ? nullptr : &*found;
}

base::Result<std::vector<Tree>> read_trees(std::string_view json) {
  std::vector<Tree> trees;
  const auto read = lessons::read_object(json, "The list of trees", [&](ObjectReader& reader) {
    reader.allow({"trees"});
    for (ObjectReader& one : reader.objects("trees")) trees.push_back(read_tree(one));
  });
  if (!read) return tl::unexpected(read.error());
  return trees;
}

base::Result<const Tree*> tree_from(std::span<const Tree> trees, const std::string& id) {
  const auto found = std::ranges::find(trees, id, &Tree::id);
  if (found != trees.end()) return &*found;
  std::vector<std::string_view> ids;
  for (const Tree& tree : trees) ids.emplace_back(tree.id);
  const std::string_view near = text::nearest(id, ids);
  if (near.empty()) return text::fail("tree.none", {{"name", id}});
  return text::fail("tree.none_meant", {{"name", id}, {"meant", std::string(near)}});
}

}  // namespace ts::advice
