#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/allocator/range_keeper.h"
#include "core/base/file_range.h"
#include "core/snapshot/document.h"
#include "core/snapshot/pickle.h"

namespace ts::snapshot::pickle {

// Decides which events of a pickle are kept when a range of them is asked for. Private to the
// machine.
class EventFilter {
 public:
  using Value = Document::Value;

  EventFilter(Document& document, const base::FileRange& range)
      : document_(document), range_(range) {}

  // The next event of a trace: one in the form of events, which is not in the document, or as a
  // dictionary. Appends what is to stand in the list now.
  void take(Value list, const Document::Event& event, std::vector<Value>& to);
  void take(Value list, Value dict, std::vector<Value>& to);
  // Adds to each list what is kept behind its range.
  void finish();

  // Set after finish().
  [[nodiscard]] TraceStart start_of(Value list) const;

 private:
  // An event in one of its forms.
  struct Either {
    Value dict;  // none: the other
    Document::Event event;
  };
  struct Trace {
    Value list;
    allocator::RangeKeeper<Either> keeper = {};
    TraceStart start = {};
    std::uint64_t count = 0;
    std::uint64_t before = 0;  // of them before the range
    bool begun = false;        // the range has
  };
  struct Facts {
    allocator::TraceAction action = allocator::TraceAction::other;
    std::uint64_t address = 0;
    std::int64_t time_us = 0;
  };

  Trace& trace_of(Value list);
  [[nodiscard]] allocator::TraceAction action_of(Value text) const;
  [[nodiscard]] Facts facts_of(Value dict) const;
  void take(Trace& trace, const Facts& facts, const Either& event, std::vector<Value>& to);
  void add(const std::vector<Either>& kept, std::vector<Value>& to);

  Document& document_;
  base::FileRange range_;
  std::unordered_map<std::uint32_t, Trace> traces_;  // by the list's number
  Trace* last_ = nullptr;
  std::vector<Either> kept_;
};

}  // namespace ts::snapshot::pickle
