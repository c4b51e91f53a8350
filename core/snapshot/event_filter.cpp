#include "core/snapshot/event_filter.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace ts::snapshot::pickle {
namespace {

constexpr std::int64_t kNsInUs = 1000;
// Larger times of a file are cut, so that differences are numbers.
constexpr std::int64_t kMostUs = std::int64_t{1} << 52U;

std::int64_t since_ns(std::int64_t time_us, std::int64_t first_us) {
  return (std::clamp(time_us, -kMostUs, kMostUs) - std::clamp(first_us, -kMostUs, kMostUs)) *
         kNsInUs;
}

}  // namespace

EventFilter::Trace& EventFilter::trace_of(Value list) {
  if (last_ != nullptr && last_->list == list) return *last_;
  last_ = &traces_.try_emplace(Document::index(list), Trace{.list = list}).first->second;
  return *last_;
}

allocator::TraceAction EventFilter::action_of(Value text) const {
  using allocator::TraceAction;
  const auto name = document_.as_text(text);
  for (int i = 0; name && i < allocator::kTraceActionCount; ++i)
    if (*name == to_string(static_cast<TraceAction>(i))) return static_cast<TraceAction>(i);
  return TraceAction::other;
}

EventFilter::Facts EventFilter::facts_of(Value dict) const {
  Facts facts;
  document_.for_each_entry(dict, [&](Value key, Value value) {
    const auto name = document_.as_text(key);
    if (name == "action") facts.action = action_of(value);
    if (name == "addr") facts.address = document_.as_address(value).value_or(0);
    if (name == "time_us") facts.time_us = document_.as_integer(value).value_or(0);
    return true;
  });
  return facts;
}

void EventFilter::take(Value list, const Document::Event& event, std::vector<Value>& to) {
  const Document::EventRest& rest = document_.rest_at(event.rest);
  take(trace_of(list), {action_of(rest.action), event.address, event.time_us}, {{}, event}, to);
}

void EventFilter::take(Value list, Value dict, std::vector<Value>& to) {
  take(trace_of(list), facts_of(dict), {dict, {}}, to);
}

void EventFilter::take(Trace& trace, const Facts& facts, const Either& event,
                       std::vector<Value>& to) {
  using Place = base::FileRange::Place;
  if (!trace.start.time_us) trace.start.time_us = facts.time_us;
  const Place place = range_.place_of(trace.count++, since_ns(facts.time_us, *trace.start.time_us));
  if (place == Place::before) ++trace.before;
  kept_.clear();
  trace.keeper.take(place, facts.action, facts.address, event, kept_);
  if (place != Place::before && !trace.begun) {
    trace.begun = true;
    const std::size_t inside = place == Place::inside ? 1 : 0;
    trace.start.left_out = static_cast<std::size_t>(trace.before) - (kept_.size() - inside);
  }
  add(kept_, to);
}

void EventFilter::add(const std::vector<Either>& kept, std::vector<Value>& to) {
  for (const Either& one : kept)
    to.push_back(one.dict == Value() ? document_.event(one.event) : one.dict);
}

void EventFilter::finish() {
  std::vector<Value> values;
  for (auto& [number, trace] : traces_) {
    kept_.clear();
    values.clear();
    trace.keeper.finish(kept_);
    if (!trace.begun) trace.start.left_out = static_cast<std::size_t>(trace.before) - kept_.size();
    add(kept_, values);
    document_.append(trace.list, values);
  }
}

TraceStart EventFilter::start_of(Value list) const {
  const auto found = traces_.find(Document::index(list));
  return found == traces_.end() ? TraceStart{} : found->second.start;
}

}  // namespace ts::snapshot::pickle
