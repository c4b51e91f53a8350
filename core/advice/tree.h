#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/advice/tree_evidence.h"
#include "core/base/result.h"
#include "core/lessons/lesson.h"

// The decision trees of the material as data (assets/trees.json), and the walk through one of them
// with the evidence that there is. Plain data: nothing here runs anything.
namespace ts::advice {

// A word of the evidence that must be one of a list.
struct Condition {
  std::string word;  // "ab.b_backend"
  std::vector<std::string> is;
};

// A possible answer to a question: a number, a check, a word, or a number that is known without
// measuring. It counts where all of `when` hold.
struct Probe {
  std::optional<lessons::Expression> number;  // "ab.speedup_low"; {T} stands for that setting
  // "C-7", by its state in the first document that tells; "C-16 host_reads": the one of that id
  // whose reason is check.why.host_reads.
  std::string check;
  std::string word;              // "settings.dtype", "run.backend_ran"
  std::optional<double> stated;  // while there is evidence of the source `of`
  std::string of;
  lessons::Words because;  // with stated
  lessons::Words label;    // of a number: "headroom"; may be empty
  std::vector<Condition> when;
};

// The way from a question. A number takes the first branch whose bounds hold it, a word or the
// state of a check the first that lists it; one without a condition takes all that is left.
struct Branch {
  std::optional<double> at_least, below;
  std::vector<std::string> is;
  std::string answer;        // "yes", "no"; empty: what was found
  std::string to;            // the next node; empty: the way ends here
  std::optional<bool> good;  // of an item of a list: fulfilled, or worth a look
};

enum class NodeKind : std::uint8_t {
  ask,    // a question with evidence and branches
  all,    // a group: every child is visited
  end,    // a conclusion
  yours,  // a question that no measurement of this program answers
};

const char* to_string(NodeKind kind);  // ask all end yours

struct Node {
  std::string id;
  NodeKind kind = NodeKind::ask;
  lessons::Words text;              // the question, the heading of a group, or the conclusion
  lessons::Words source;            // of the threshold, and what the material says
  std::vector<std::string> errors;  // "E-25"
  lessons::Unit unit = lessons::Unit::number;  // of the bounds
  std::vector<Probe> evidence;                 // the first that there is answers
  std::vector<Branch> branches;
  std::vector<std::string> children;  // of a group
  lessons::Words missing;             // what has to be run where there is no evidence
  std::string run;                    // its command, without "tensorscope"
  std::vector<std::string> set;       // of a conclusion: "T=2048", what to change
};

struct Tree {
  std::string id;
  std::vector<std::string> rows;  // of the catalogue of labs
  lessons::Words title, about;
  std::vector<Node> nodes;  // the first is the root
  [[nodiscard]] const Node* node(std::string_view node_id) const;
  [[nodiscard]] std::size_t index(const Node& of) const {
    return static_cast<std::size_t>(&of - nodes.data());
  }
};

// assets/trees.json. The error is one sentence that names the tree and the node.
base::Result<std::vector<Tree>> read_trees(std::string_view json);
// The error names the nearest tree.
base::Result<const Tree*> tree_from(std::span<const Tree> trees, const std::string& id);

// The answer found for a question.
struct Reading {
  const Probe* probe = nullptr;
  std::optional<lessons::Number> number;
  std::string word;     // or the state of a check
  base::Message found;  // what a check found
  lessons::Nature nature = lessons::Nature::stated;
  std::string source;  // "run"
  std::string where;   // the device or card; empty: none is named
};

struct Visit {
  std::size_t node = 0;  // index into Tree::nodes
  std::size_t parent = 0;
  std::optional<Reading> reading;
  std::optional<std::size_t> branch;  // that was taken
  std::string command;                // what to run: for missing evidence, or as a conclusion
  std::vector<base::Message> apart;   // why evidence that there is does not count
};

// The visited nodes, each after the one that leads to it. A question without evidence ends its way:
// nothing is guessed.
struct Walk {
  const Tree* tree = nullptr;
  std::vector<Visit> visits;
  [[nodiscard]] const Visit* of(const Node& node) const;  // null: not visited
};
Walk walk(const Tree& tree, const Evidence& evidence);

// "0.97 x", "flash", "passed", in English; of a check what it found.
std::string text_of(const Reading& reading);
// The bounds of a branch as text, "≥ 1.1 ×"; the words that it lists where it has no answer. Empty
// for one that takes all that is left, and where `reading`, if there is one, has no use for them.
std::string bounds_of(const Node& node, const Branch& branch, const Reading* reading = nullptr);

}  // namespace ts::advice
