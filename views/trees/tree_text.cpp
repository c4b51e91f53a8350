#include "views/trees/tree_text.h"

#include "views/common/spec_text.h"

namespace ts::views {

std::string found_text(const text::Texts& texts, const advice::Reading& reading) {
  if (reading.probe->stated) return reading.probe->because.in(texts.language());
  if (!reading.found.empty()) return message_text(texts, reading.found);
  if (reading.word == "yes" || reading.word == "no") return texts("tree." + reading.word);
  const std::string& label = reading.probe->label.in(texts.language());
  return (label.empty() ? "" : label + " ") + advice::text_of(reading);
}

std::string nature_text(const text::Texts& texts, const advice::Reading& reading) {
  std::string words = texts(std::string("tree.nature.") + to_string(reading.nature));
  if (!reading.where.empty()) words += ", " + limit_text(texts, reading.where);
  return words;
}

std::string answer_text(const text::Texts& texts, const advice::Node& node,
                        const advice::Visit& visit) {
  if (!visit.branch) return {};
  const advice::Branch& branch = node.branches[*visit.branch];
  const std::string bounds = advice::bounds_of(node, branch, &*visit.reading);
  std::string words = branch.answer.empty() ? "" : texts("tree." + branch.answer);
  if (!bounds.empty()) words += (words.empty() ? "" : ": ") + bounds;
  return words;
}

}  // namespace ts::views
