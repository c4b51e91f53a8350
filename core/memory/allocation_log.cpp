#include "core/memory/allocation_log.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/huge_page_allocator.h"
#include "core/memory/address_map.h"
#include "core/memory/categoriser.h"
#include "core/memory/live_checkpoints.h"

namespace ts::memory {

struct AllocationLog::Impl {
  base::HugeVector<Event> events;
  base::HugeVector<Block> blocks;
  std::vector<PhaseSpan> phases;
  std::vector<RecomputeSpan> recomputations;
  std::vector<Reserved> reserved;
  std::int64_t peak_reserved = 0;
  AddressMap<BlockIndex> live_by_address;
  LiveCheckpoints checkpoints;
  Categoriser categoriser;
  Categoriser::Changes changes;  // kept to spare an allocation per record
  std::optional<OutOfMemory> out_of_memory;
  std::uint64_t version = 0;
  std::uint64_t unmatched_frees = 0;
  std::uint64_t missed_frees = 0;
  std::uint64_t unmatched_owners = 0;
  std::int64_t current = 0;
  std::int64_t peak = 0;
  EventIndex peak_event = kNone;

  void append(const Record& record);
  void add_event(std::int64_t time_ns, Action action, BlockIndex block);
  void alloc(const Record& record);
  void free(const Record& record);
  void free_live(std::int64_t time_ns, BlockIndex block);
  void refuse(const Record& record);
  void set_owner(const Record& record);
  void begin_phase(const Record& record);
  void end_phase(const Record& record);
  void close_phase(std::int64_t time_ns);
  void follow_recomputation(const Record& record) {
    const bool again = record.phase == base::Phase::backward && record.graph_kept;
    const bool open = !recomputations.empty() && recomputations.back().end_event == kNone;
    if (again || open) [[unlikely]]
      open_or_close_recomputation(record);
  }
  void open_or_close_recomputation(const Record& record);
  void apply_changes() {
    if (!changes.empty()) [[unlikely]]
      apply_all_changes();
  }
  void apply_all_changes();
  [[nodiscard]] std::int64_t held() const { return reserved.empty() ? 0 : reserved.back().bytes; }
  void reserve(std::int64_t time_ns, std::int64_t bytes);
};

void AllocationLog::Impl::append(const Record& record) {
  follow_recomputation(record);
  switch (record.action) {
    case Action::alloc:
      alloc(record);
      break;
    case Action::free_completed:
      free(record);
      break;
    case Action::oom:
      refuse(record);
      break;
    case Action::owner:
      set_owner(record);
      break;
    case Action::operator_end:
      categoriser.operator_ended(changes);
      break;
    case Action::phase_begin:
      begin_phase(record);
      break;
    case Action::phase_end:
      end_phase(record);
      break;
    case Action::segment_alloc:
    case Action::segment_map:
      reserve(record.time_ns, held() + record.size);
      break;
    case Action::segment_free:
    case Action::segment_unmap:
      reserve(record.time_ns, held() - record.size);
      break;
    case Action::snapshot:
      reserve(record.time_ns, record.size);
      break;
    case Action::free_requested:
      break;
  }
  apply_changes();
}

// Memory used before the first record is unknown, so the held bytes are kept at 0 or above.
void AllocationLog::Impl::reserve(std::int64_t time_ns, std::int64_t bytes) {
  if (!reserved.empty()) time_ns = std::max(time_ns, reserved.back().time_ns);
  reserved.push_back({time_ns, std::max<std::int64_t>(bytes, 0)});
  peak_reserved = std::max(peak_reserved, reserved.back().bytes);
  ++version;
}

void AllocationLog::Impl::add_event(std::int64_t time_ns, Action action, BlockIndex block) {
  TS_CHECK(events.size() < kNone);
  if (!events.empty()) time_ns = std::max(time_ns, events.back().time_ns);
  const auto index = static_cast<EventIndex>(events.size());
  events.push_back({time_ns, current, block, action});
  if (peak_event == kNone || current > peak) {
    peak = current;
    peak_event = index;
  }
  if (checkpoints.due(index)) [[unlikely]]
    checkpoints.take(index, blocks);
  ++version;
}

void AllocationLog::Impl::alloc(const Record& record) {
  TS_CHECK(record.size >= 0 && blocks.size() < kNone);
  const auto block_index = static_cast<BlockIndex>(blocks.size());
  const std::optional<BlockIndex> before = live_by_address.exchange(record.address, block_index);
  if (before) {
    ++missed_frees;
    free_live(record.time_ns, *before);
  }
  Block block;
  block.address = record.address;
  block.size = record.size;
  block.alloc_event = static_cast<EventIndex>(events.size());
  block.op = record.op;
  block.module = record.module;
  block.shape = record.shape;
  block.step = record.step;
  block.phase = record.phase;
  blocks.push_back(block);
  categoriser.born(block_index, record.phase, record.graph_kept);
  current += record.size;
  add_event(record.time_ns, Action::alloc, block_index);
}

void AllocationLog::Impl::free(const Record& record) {
  const std::optional<BlockIndex> found = live_by_address.take(record.address);
  if (!found) {
    ++unmatched_frees;
    add_event(record.time_ns, Action::free_completed, kNone);
    return;
  }
  free_live(record.time_ns, *found);
}

void AllocationLog::Impl::free_live(std::int64_t time_ns, BlockIndex block) {
  blocks[block].free_event = static_cast<EventIndex>(events.size());
  categoriser.freed(block, changes);
  current -= blocks[block].size;
  add_event(time_ns, Action::free_completed, block);
}

void AllocationLog::Impl::refuse(const Record& record) {
  categoriser.refused();
  if (!out_of_memory) {
    out_of_memory =
        OutOfMemory{static_cast<EventIndex>(events.size()), record.size, record.op, record.module};
  }
  add_event(record.time_ns, Action::oom, kNone);
}

void AllocationLog::Impl::set_owner(const Record& record) {
  const BlockIndex* const found = live_by_address.find(record.address);
  if (found == nullptr) {
    ++unmatched_owners;
    ++version;
    return;
  }
  // The name of an owner describes the block better than the module that allocated it.
  if (record.module != base::kNoString) blocks[*found].module = record.module;
  categoriser.owned(*found, record.category, changes);
}

void AllocationLog::Impl::open_or_close_recomputation(const Record& record) {
  const bool block = record.action == Action::alloc || record.action == Action::free_completed;
  const bool mark = record.action == Action::phase_begin || record.action == Action::phase_end;
  if (!block && !mark) return;
  const bool again = block && record.phase == base::Phase::backward && record.graph_kept;
  const bool open = !recomputations.empty() && recomputations.back().end_event == kNone;
  if (open && !again) {
    RecomputeSpan& span = recomputations.back();
    span.end_event = static_cast<EventIndex>(events.size());
    span.end_ns = std::max(record.time_ns, span.begin_ns);
    ++version;
  }
  if (!again) return;
  if (!open) {
    RecomputeSpan span;
    span.first_event = static_cast<EventIndex>(events.size());
    span.begin_ns = record.time_ns;
    recomputations.push_back(span);
  }
  if (record.action != Action::alloc || record.module == base::kNoString) return;
  RecomputeSpan& span = recomputations.back();
  if (span.first_module == base::kNoString) span.first_module = record.module;
  span.last_module = record.module;
}

void AllocationLog::Impl::begin_phase(const Record& record) {
  // Phases do not nest: the end of the previous one was lost.
  close_phase(record.time_ns);
  PhaseSpan span;
  span.phase = record.phase;
  span.step = record.step;
  span.first_event = static_cast<EventIndex>(events.size());
  span.begin_ns = record.time_ns;
  phases.push_back(span);
  ++version;
}

void AllocationLog::Impl::end_phase(const Record& record) {
  if (!phases.empty() && phases.back().phase == record.phase) close_phase(record.time_ns);
  // Decide the blocks of the phase even if its beginning was lost.
  categoriser.phase_ended(record.phase, changes);
}

void AllocationLog::Impl::close_phase(std::int64_t time_ns) {
  if (phases.empty() || phases.back().end_event != kNone) return;
  PhaseSpan& span = phases.back();
  span.end_event = static_cast<EventIndex>(events.size());
  span.end_ns = std::max(time_ns, span.begin_ns);
  categoriser.phase_ended(span.phase, changes);
  ++version;
}

void AllocationLog::Impl::apply_all_changes() {
  for (const CategoryChange& change : changes) blocks[change.block].category = change.category;
  changes.clear();
  ++version;
}

AllocationLog::AllocationLog() : impl_(std::make_unique<Impl>()) {}
AllocationLog::~AllocationLog() = default;
AllocationLog::AllocationLog(AllocationLog&&) noexcept = default;
AllocationLog& AllocationLog::operator=(AllocationLog&&) noexcept = default;

void AllocationLog::append(const Record& record) {
  impl_->append(record);
}

void AllocationLog::reserve(std::size_t allocations) {
  impl_->blocks.reserve(impl_->blocks.size() + allocations);
  // At most one free per allocation: blocks without one live until the end.
  impl_->events.reserve(impl_->events.size() + 2 * allocations);
  impl_->categoriser.reserve(allocations);
}

void AllocationLog::decide(std::span<const Category> categories, std::vector<PhaseSpan> phases) {
  auto& blocks = impl_->blocks;
  TS_CHECK(categories.size() == blocks.size());
  std::size_t span = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Block& block = blocks[i];
    block.category = categories[i];
    while (span < phases.size() && phases[span].end_event <= block.alloc_event) ++span;
    if (span == phases.size() || block.alloc_event < phases[span].first_event) continue;
    if (block.phase == base::Phase::idle) block.phase = phases[span].phase;
    if (block.step < 0) block.step = phases[span].step;
  }
  impl_->phases = std::move(phases);
  ++impl_->version;
}

std::span<const Event> AllocationLog::events() const {
  return impl_->events;
}
std::span<const Block> AllocationLog::blocks() const {
  return impl_->blocks;
}
std::span<const PhaseSpan> AllocationLog::phases() const {
  return impl_->phases;
}
std::span<const RecomputeSpan> AllocationLog::recomputations() const {
  return impl_->recomputations;
}
std::optional<OutOfMemory> AllocationLog::out_of_memory() const {
  return impl_->out_of_memory;
}
std::uint64_t AllocationLog::version() const {
  return impl_->version;
}
std::uint64_t AllocationLog::unmatched_frees() const {
  return impl_->unmatched_frees;
}
std::uint64_t AllocationLog::missed_frees() const {
  return impl_->missed_frees;
}
std::uint64_t AllocationLog::unmatched_owners() const {
  return impl_->unmatched_owners;
}
std::int64_t AllocationLog::current_bytes() const {
  return impl_->current;
}
std::int64_t AllocationLog::peak_bytes() const {
  return impl_->peak;
}
EventIndex AllocationLog::peak_event() const {
  return impl_->peak_event;
}

std::span<const Reserved> AllocationLog::reserved() const {
  return impl_->reserved;
}
std::int64_t AllocationLog::peak_reserved() const {
  return impl_->peak_reserved;
}

std::vector<BlockIndex> AllocationLog::live_after(EventIndex event) const {
  TS_CHECK(event == kNone || event < impl_->events.size());
  return impl_->checkpoints.live_after(event, impl_->blocks);
}

CategoryBytes AllocationLog::by_category_after(EventIndex event) const {
  CategoryBytes sum{};
  for (const BlockIndex index : live_after(event)) {
    const Block& block = impl_->blocks[index];
    sum[static_cast<std::size_t>(block.category)] += block.size;
  }
  return sum;
}

EventIndex AllocationLog::event_at(std::int64_t time_ns) const {
  const auto after = std::upper_bound(
      impl_->events.begin(), impl_->events.end(), time_ns,
      [](std::int64_t wanted, const Event& event) { return wanted < event.time_ns; });
  if (after == impl_->events.begin()) return kNone;
  return static_cast<EventIndex>(after - impl_->events.begin() - 1);
}

base::TimeRange AllocationLog::time_range() const {
  if (impl_->events.empty()) return {};
  return {impl_->events.front().time_ns, impl_->events.back().time_ns + 1};
}

std::size_t AllocationLog::bytes() const {
  return impl_->events.capacity() * sizeof(Event) + impl_->blocks.capacity() * sizeof(Block) +
         impl_->phases.capacity() * sizeof(PhaseSpan) +
         impl_->recomputations.capacity() * sizeof(RecomputeSpan) +
         impl_->reserved.capacity() * sizeof(Reserved) + impl_->live_by_address.bytes() +
         impl_->checkpoints.bytes() + impl_->categoriser.bytes();
}

}  // namespace ts::memory
