#include "core/snapshot/pickle.h"

#include <algorithm>
#include <utility>

#include "core/snapshot/pickle_machine.h"
#include "core/snapshot/pickle_opcodes.h"
#include "core/text/message.h"

namespace ts::snapshot {
namespace pickle {

void Machine::step() {
  if (!need(1)) return;
  opcode_at_ = position();
  const auto opcode = static_cast<std::uint8_t>(*at_++);
  switch (opcode) {
    case kBinget:
      get_all<1>(opcode);
      break;
    case kLongBinget:
      get_all<4>(opcode);
      break;
    case kBinput:
      if (const auto id = number<1>()) put(*id);
      break;
    case kLongBinput:
      if (const auto id = number<4>()) put(*id);
      break;
    case kMemoize:
      put(memo_.size());
      break;
    case kMark:
      if (marks_.size() == kMostMarks) return fault("deep");
      marks_.push_back(stack_.size());
      note_mark();
      break;
    case kEmptyDict:
      if (trace_depth_ != 0 && marks_.size() == trace_depth_ && form_ == EventForm::events &&
          event())
        break;
      stack_.push_back(document_.dict());
      break;
    case kEmptyList:
    case kEmptyTuple:
    case kEmptySet:
      stack_.push_back(document_.list());
      break;
    case kSetitems:
      add_marked(Document::Kind::dict);
      break;
    case kAppends:
    case kAdditems:
      add_marked(Document::Kind::list);
      break;
    case kSetitem:
      add_unmarked(Document::Kind::dict, 2);
      break;
    case kAppend:
      add_unmarked(Document::Kind::list, 1);
      break;
    case kNone:
      stack_.emplace_back();
      break;
    case kNewtrue:
    case kNewfalse:
      stack_.push_back(Document::boolean(opcode == kNewtrue));
      break;
    case kStop:
      if (!marks_.empty() || stack_.size() != 1) return fault("early_stop");
      stopped_ = true;
      break;
    default:
      step_text_or_number(opcode);
  }
}

void Machine::step_text_or_number(std::uint8_t opcode) {
  switch (opcode) {
    case kBinint1:
    case kBinint2:
      if (const auto value = opcode == kBinint1 ? number<1>() : number<2>()) {
        stack_.push_back(document_.integer(static_cast<std::int64_t>(*value)));
      }
      break;
    case kBinint:
      if (const auto value = number<4>()) {
        const auto bits = static_cast<std::uint32_t>(*value);
        stack_.push_back(document_.integer(static_cast<std::int32_t>(bits)));
      }
      break;
    case kLong1:
      if (const auto bytes = number<1>()) long_integer(*bytes);
      break;
    case kLong4:
      if (const auto bytes = number<4>()) long_integer(*bytes);
      break;
    case kBinfloat:
      real();
      break;
    case kShortBinunicode:
    case kShortBinstring:
    case kShortBinbytes:
      text<1>();
      break;
    case kBinunicode:
    case kBinstring:
    case kBinbytes:
      text<4>();
      break;
    case kBinunicode8:
    case kBinbytes8:
    case kBytearray8:
      text<8>();
      break;
    default:
      step_rare(opcode);
  }
}

void Machine::step_rare(std::uint8_t opcode) {
  switch (opcode) {
    case kTuple:
    case kList:
    case kFrozenset:
      new_marked(document_.list());
      break;
    case kDict:
      new_marked(document_.dict());
      break;
    case kTuple1:
    case kTuple2:
    case kTuple3:
      new_tuple(static_cast<std::size_t>(opcode - kTuple1) + 1);
      break;
    case kPop:
      if (stack_.size() <= floor()) return fault("nothing_to_drop");
      stack_.pop_back();
      break;
    case kPopMark:
      if (marks_.empty()) return fault("pop_without_mark");
      stack_.resize(marks_.back());
      marks_.pop_back();
      break;
    case kDup:
      if (stack_.size() <= floor()) return fault("nothing_to_repeat");
      stack_.push_back(stack_.back());
      break;
    case kFrame:
      // Frames only help readers of streams, so skip their length.
      if (need(8)) at_ += 8;
      break;
    case kProto:
      if (const auto version = number<1>(); version && (*version < 2 || *version > 5)) {
        fault("protocol", {{"version", std::to_string(*version)}});
      }
      break;
    default:
      refuse(opcode);
  }
}

}  // namespace pickle

base::Result<ParsedContent> read_pickle(io::Input& input, Document& document, EventForm form,
                                        const base::FileRange& range) {
  const std::string_view text = input.text();
  if (text.size() < 2 || static_cast<std::uint8_t>(text[0]) != pickle::kProto) {
    return text::fail("pickle_error.no_pickle");
  }
  // About the size that PyTorch's files need. Untouched pages cost nothing; moving costs time.
  document.reserve(static_cast<std::size_t>(std::min(input.expected(), pickle::kMostExpected) / 3));
  return pickle::Machine(input, document, form, range).run();
}

base::Result<ParsedContent> read_pickle(std::string content, Document& document, EventForm form) {
  io::Input input = io::Input::of(std::move(content));
  return read_pickle(input, document, form);
}

}  // namespace ts::snapshot
