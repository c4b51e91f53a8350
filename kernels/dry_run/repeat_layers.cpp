#include "kernels/dry_run/repeat_layers.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "core/memory/address_map.h"

namespace ts::kernels {
namespace {

using memory::Action;
using memory::Record;

constexpr int kNoLayer = -1;
constexpr std::string_view kPrefix = "blocks.";
constexpr std::size_t kNoBlock = SIZE_MAX;

// A block of the sample by what it is in any run: the ordinal among those born in its phase and
// layer.
struct Birth {
  std::size_t region = 0;
  int layer = kNoLayer;
  std::size_t ordinal = 0;
};

// A record of the sample with its place.
struct Placed {
  const Record* record = nullptr;
  std::size_t block = kNoBlock;  // born, freed or owned
  int layer = kNoLayer;
};

struct Segment {
  std::size_t begin = 0;
  std::size_t end = 0;
  int layer = kNoLayer;
  bool repeats = false;
  bool descending = false;
};

class Repeater {
 public:
  Repeater(std::span<const Record> sample, std::int64_t layers, base::StringTable& strings)
      : sample_(sample), layers_(static_cast<int>(layers)), strings_(strings) {}

  std::vector<Record> run() {
    if (!place() || !cut() || !compare()) return {};
    if (!emit_all()) return {};
    return std::move(out_);
  }

 private:
  int layer_of_module(base::StringId module) {
    if (module >= layer_of_.size()) layer_of_.resize(module + 1, kUnknown);
    int& known = layer_of_[module];
    if (known != kUnknown) return known;
    known = kNoLayer;
    const std::string_view path = strings_.view(module);
    if (path.starts_with(kPrefix)) {
      std::from_chars(path.data() + kPrefix.size(), path.data() + path.size(), known);
    }
    return known;
  }

  // The module behind "blocks.N".
  std::string_view rest_of(base::StringId module) const {
    std::string_view path = strings_.view(module);
    if (!path.starts_with(kPrefix)) return path;
    path.remove_prefix(kPrefix.size());
    return path.substr(std::min(path.find('.'), path.size()));
  }

  // Finds the block of every record, and its layer.
  bool place() {
    memory::AddressMap<std::size_t> live;
    std::vector<int> owner_layer;  // by block; of parameters
    placed_.resize(sample_.size());
    for (std::size_t i = 0; i < sample_.size(); ++i) {
      const Record& record = sample_[i];
      Placed& placed = placed_[i];
      placed.record = &record;
      if (record.action == Action::alloc) {
        placed.block = owner_layer.size();
        owner_layer.push_back(kUnknown);
        live[record.address] = placed.block;
      } else if (record.action == Action::free_completed || record.action == Action::owner) {
        const std::size_t* const found = live.find(record.address);
        if (found == nullptr) return false;
        placed.block = *found;
        if (record.action == Action::free_completed) live.erase(record.address);
        if (record.action == Action::owner && record.module != base::kNoString) {
          owner_layer[placed.block] = layer_of_module(record.module);
          parameters_.push_back(owner_layer[placed.block]);
        }
      }
    }
    births_.resize(owner_layer.size());
    assign_layers(owner_layer);
    return true;
  }

  void assign_layers(const std::vector<int>& owner_layer) {
    std::size_t region = 0;
    int running = kNoLayer;
    std::vector<std::vector<std::size_t>> born(1);  // per layer + 1, in this region
    const auto state_blocks = unnamed_optimizer_blocks();
    std::size_t state_block = 0;
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      Placed& placed = placed_[i];
      const Record& record = *placed.record;
      if (record.action == Action::phase_begin || record.action == Action::phase_end) {
        ++region;
        running = kNoLayer;
        born.clear();
        continue;
      }
      const bool idle = record.phase == base::Phase::idle;
      if (record.action == Action::owner || (record.action == Action::free_completed && idle)) {
        placed.layer = births_[placed.block].layer;
      } else if (record.module != base::kNoString) {
        placed.layer = layer_of_module(record.module);
      } else if (record.action == Action::alloc && owner_layer[placed.block] != kUnknown) {
        placed.layer = owner_layer[placed.block];
      } else if (record.action == Action::alloc && record.phase == base::Phase::optimizer) {
        const std::size_t each = parameters_.empty() ? 0 : state_blocks / parameters_.size();
        const std::size_t parameter = each > 0 ? state_block / each : parameters_.size();
        placed.layer = parameter < parameters_.size() ? parameters_[parameter] : kNoLayer;
        ++state_block;
      } else {
        placed.layer = running;
      }
      running = placed.layer;
      if (record.action != Action::alloc) continue;
      const auto slot = static_cast<std::size_t>(placed.layer + 1);
      if (slot >= born.size()) born.resize(slot + 1);
      births_[placed.block] = {region, placed.layer, born[slot].size()};
      born[slot].push_back(placed.block);
    }
    region_count_ = region + 1;
  }

  std::size_t unnamed_optimizer_blocks() const {
    return static_cast<std::size_t>(
        std::count_if(sample_.begin(), sample_.end(), [](const Record& record) {
          return record.action == Action::alloc && record.phase == base::Phase::optimizer &&
                 record.module == base::kNoString;
        }));
  }

  // Consecutive records of one layer; phase marks stand alone.
  bool cut() {
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      const Action action = placed_[i].record->action;
      const bool mark = action == Action::phase_begin || action == Action::phase_end;
      const bool joins = !segments_.empty() && !mark && segments_.back().layer != kMark &&
                         segments_.back().layer == placed_[i].layer;
      if (joins) {
        segments_.back().end = i + 1;
      } else {
        segments_.push_back({i, i + 1, mark ? kMark : placed_[i].layer});
      }
    }
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      Segment& segment = segments_[i];
      if (segment.layer >= static_cast<int>(kSampleLayers)) return false;
      if (segment.layer != 1 && segment.layer != 2) continue;
      // 1, 2 or 2, 1 in a row, nothing else.
      if (i + 1 == segments_.size() || segment.layer + segments_[i + 1].layer != 3) return false;
      const bool descending = segment.layer == 2;
      Segment& two = descending ? segment : segments_[i + 1];
      two.repeats = true;
      two.descending = descending;
      ++i;
    }
    return true;
  }

  bool alike(const Placed& a, const Placed& b) const {
    const Record &x = *a.record, &y = *b.record;
    if (x.action != y.action || x.size != y.size || x.op != y.op || x.step != y.step ||
        x.phase != y.phase || x.category != y.category || x.graph_kept != y.graph_kept ||
        rest_of(x.module) != rest_of(y.module) || (a.block == kNoBlock) != (b.block == kNoBlock)) {
      return false;
    }
    if (a.block == kNoBlock) return true;
    const Birth &p = births_[a.block], &q = births_[b.block];
    return p.layer != kNoLayer && q.layer != kNoLayer && p.region == q.region &&
           p.ordinal == q.ordinal && p.layer - a.layer == q.layer - b.layer &&
           std::abs(p.layer - a.layer) <= 1;
  }

  bool compare() const {
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      if (!segments_[i].repeats) continue;
      const Segment& two = segments_[i];
      const Segment& one = segments_[two.descending ? i + 1 : i - 1];
      if (one.end - one.begin != two.end - two.begin) return false;
      for (std::size_t k = 0; k < two.end - two.begin; ++k) {
        if (!alike(placed_[two.begin + k], placed_[one.begin + k])) return false;
      }
    }
    return true;
  }

  bool emit_all() {
    const auto slots = static_cast<std::size_t>(layers_ + 1);
    addresses_.assign(region_count_, std::vector<std::vector<std::uint64_t>>(slots));
    const int more = layers_ - static_cast<int>(kSampleLayers);
    out_.reserve(sample_.size() * static_cast<std::size_t>(layers_) / kSampleLayers + 64);
    for (const Segment& segment : segments_) {
      if (segment.layer == kMark) ++region_;
      if (!segment.repeats) {
        if (!emit(segment, segment.layer >= 3 ? more : 0)) return false;
        continue;
      }
      for (int i = 0; i <= more; ++i) {
        if (!emit(segment, segment.descending ? more - i : i)) return false;
      }
    }
    return true;
  }

  bool emit(const Segment& segment, int shift) {
    for (std::size_t i = segment.begin; i < segment.end; ++i) {
      const Placed& placed = placed_[i];
      Record record = *placed.record;
      if (shift != 0) record.module = shifted(record.module, shift);
      if (record.action == Action::alloc) {
        record.address = ++last_address_;
        addresses_[region_][static_cast<std::size_t>(actual(placed.layer, shift) + 1)].push_back(
            record.address);
      } else if (placed.block != kNoBlock) {
        const std::optional<std::uint64_t> address =
            address_of(births_[placed.block], placed.layer, shift);
        if (!address) return false;
        record.address = *address;
      }
      out_.push_back(record);
    }
    return true;
  }

  static int actual(int layer, int shift) { return layer < 0 ? kNoLayer : layer + shift; }

  std::optional<std::uint64_t> address_of(const Birth& birth, int layer, int shift) const {
    int there = birth.layer;
    if (layer >= 0) {
      // Neighbours move along; what is further away has a place only from the ends.
      if (there >= 0 && std::abs(there - layer) > 1) return std::nullopt;
      there = actual(there, shift);
    } else if (there == 2) {
      return std::nullopt;
    } else if (there >= 3) {
      there += layers_ - static_cast<int>(kSampleLayers);
    }
    const auto& born = addresses_[birth.region][static_cast<std::size_t>(there + 1)];
    if (birth.ordinal >= born.size()) return std::nullopt;
    return born[birth.ordinal];
  }

  base::StringId shifted(base::StringId module, int shift) {
    const int layer = layer_of_module(module);
    if (layer < 0) return module;
    const auto place = static_cast<std::size_t>(layer + shift);
    if (module >= shifted_.size()) shifted_.resize(module + 1);
    auto& names = shifted_[module];
    if (names.size() <= place) names.resize(static_cast<std::size_t>(layers_), base::kNoString);
    if (names[place] == base::kNoString) {
      names[place] = strings_.intern(std::string(kPrefix) + std::to_string(place) +
                                     std::string(rest_of(module)));
    }
    return names[place];
  }

  static constexpr int kUnknown = -3;
  static constexpr int kMark = -2;

  std::span<const Record> sample_;
  const int layers_;
  base::StringTable& strings_;
  std::vector<int> layer_of_;  // by module
  std::vector<Placed> placed_;
  std::vector<Birth> births_;    // by block
  std::vector<int> parameters_;  // layers, in order
  std::size_t region_count_ = 1;
  std::vector<Segment> segments_;
  std::vector<std::vector<base::StringId>> shifted_;                // by module, then by layer
  std::vector<std::vector<std::vector<std::uint64_t>>> addresses_;  // region, layer + 1, ordinal
  std::size_t region_ = 0;
  std::uint64_t last_address_ = 0;
  std::vector<Record> out_;
};

}  // namespace

std::vector<Record> repeat_layers(std::span<const Record> sample, std::int64_t layers,
                                  base::StringTable& strings) {
  return Repeater(sample, layers, strings).run();
}

}  // namespace ts::kernels
