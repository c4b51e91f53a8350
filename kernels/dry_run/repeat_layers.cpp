#include "kernels/dry_run/repeat_layers.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <unordered_map>

#include "core/memory/address_map.h"

namespace ts::kernels {
namespace {

using memory::Action;
using memory::Record;

constexpr int kNoLayer = -1;
constexpr std::uint32_t kNothing = 0xFFFFFFFFU;
constexpr int kLast = static_cast<int>(kSampleLayers) - 1;

// A block of the sample, identified in any run by its ordinal among those born in its phase and
// layer.
struct Birth {
  std::uint32_t region = 0;
  std::uint32_t ordinal = 0;
  int layer = kNoLayer;
  std::uint32_t in_two = kNothing;  // the corresponding block of layer 2
  std::uint32_t addresses = 0;      // index of the first of its copies' addresses
  std::int64_t size = 0;            // with all layers; 0: as in the sample
};

// A module of the sample, shared by all of its records.
struct Module {
  base::StringId name = base::kNoString;
  int layer = kNoLayer;
  std::uint32_t rest = 0;     // number of the part after "blocks.N"
  std::uint32_t shifted = 0;  // index of the first of its names in the copies
};

// A record of the sample with its block and module.
struct Placed {
  std::uint32_t block = kNothing;  // born, freed or owned
  std::uint32_t module = 0;        // among the modules of the sample
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
  Repeater(std::span<const Record> sample, const std::string& prefix, std::int64_t layers,
           base::StringTable& strings, std::vector<Record>& out)
      : sample_(sample),
        prefix_(prefix),
        layers_(static_cast<int>(layers)),
        copies_(static_cast<std::uint32_t>(layers - kSampleLayers + 1)),
        strings_(strings),
        out_(out) {}

  bool run() { return place() && find_lists() && cut() && compare() && emit_all(); }

 private:
  // The number of a module in modules_.
  std::uint32_t number_of(base::StringId module) {
    if (module >= module_number_.size()) module_number_.resize(module + 1, kNothing);
    std::uint32_t& number = module_number_[module];
    if (number != kNothing) return number;
    number = static_cast<std::uint32_t>(modules_.size());
    Module made;
    made.name = module;
    std::string_view path = strings_.view(module);
    if (path.starts_with(prefix_)) {
      path.remove_prefix(prefix_.size());
      const auto read = std::from_chars(path.data(), path.data() + path.size(), made.layer);
      path.remove_prefix(static_cast<std::size_t>(read.ptr - path.data()));
    }
    made.rest = rests_.try_emplace(path, static_cast<std::uint32_t>(rests_.size())).first->second;
    modules_.push_back(made);
    return number;
  }

  // Finds the block of every record, and its layer.
  bool place() {
    memory::AddressMap<std::uint32_t> live;
    std::vector<int> owner_layer;  // by block; of parameters
    placed_.resize(sample_.size());
    for (std::size_t i = 0; i < sample_.size(); ++i) {
      const Record& record = sample_[i];
      Placed& placed = placed_[i];
      placed.module = number_of(record.module);
      if (record.action == Action::alloc) {
        placed.block = static_cast<std::uint32_t>(owner_layer.size());
        owner_layer.push_back(kUnknown);
        live[record.address] = placed.block;
      } else if (record.action == Action::free_completed || record.action == Action::owner) {
        const std::uint32_t* const found = live.find(record.address);
        if (found == nullptr) return false;
        placed.block = *found;
        if (record.action == Action::free_completed) live.erase(record.address);
        if (record.action == Action::owner && record.module != base::kNoString) {
          owner_layer[placed.block] = modules_[placed.module].layer;
          parameter_layers_.push_back(modules_[placed.module].layer);
        }
      }
    }
    births_.resize(owner_layer.size());
    list_layer_.assign(owner_layer.size(), kUnknown);
    owner_layer_ = std::move(owner_layer);
    return true;
  }

  // An operator on a list of all parameters does the same for each, in their order and without a
  // module: those blocks belong to the layers of the parameters. What joins such a list in one
  // block grows with it. False for lists that are not of all parameters.
  bool find_lists() {
    const std::size_t all = parameter_layers_.size();
    for (std::size_t i = 0; i < sample_.size();) {
      List list = list_at(i);
      if (list.count == 0) {
        ++i;
        continue;
      }
      if (all == 0) return false;
      const std::size_t end = i + list.period * list.count;
      if (list.period == 1 && list.count % all == 1 &&
          is_of_no_parameter(end, Action::free_completed) &&
          placed_[end].block == placed_[i].block) {
        ++i;  // the parts of the norms that follow
        --list.count;
      }
      if (list.count % all != 0) return false;
      for (std::size_t k = i; k < end; ++k) {
        if (sample_[k].action == Action::alloc)
          list_layer_[placed_[k].block] = parameter_layers_[(k - i) / list.period % all];
      }
      if (list.period == 1) join(end - all, end);
      i = end;
    }
    assign_layers(owner_layer_);
    return true;
  }

  [[nodiscard]] bool of_no_parameter(std::size_t i) const {
    const Record& record = sample_[i];
    return record.phase == base::Phase::optimizer && record.module == base::kNoString &&
           (record.action == Action::alloc || record.action == Action::free_completed);
  }

  // So many times the same `period` records.
  struct List {
    std::size_t period = 0, count = 0;
  };
  // The list whose first block is born here; none if nothing is repeated as often as layers are.
  [[nodiscard]] List list_at(std::size_t i) const {
    constexpr std::size_t kLongest = 8;  // records for one parameter
    if (!of_no_parameter(i) || sample_[i].action != Action::alloc) return {};
    for (std::size_t period = 1; period <= kLongest; ++period) {
      std::size_t end = i + 1;
      const auto same = [&](std::size_t at) {
        return at < sample_.size() && of_no_parameter(at) &&
               (at < i + period || (sample_[at].op == sample_[at - period].op &&
                                    sample_[at].action == sample_[at - period].action));
      };
      while (same(end)) ++end;
      const std::size_t count = (end - i) / period;
      if (count >= kSampleLayers) return {period, count};
    }
    return {};
  }

  [[nodiscard]] bool is_of_no_parameter(std::size_t i, Action action) const {
    return i < sample_.size() && of_no_parameter(i) && sample_[i].action == action;
  }

  // The block after a list has its bytes. One before it, of norms on cuda, has as many numbers for
  // each of its blocks, and is freed after it.
  void join(std::size_t begin, std::size_t end) {
    std::int64_t bytes = 0, repeated = 0, blocks = 0;
    for (std::size_t i = begin; i < end; ++i) {
      bytes += sample_[i].size;
      if (list_layer_[placed_[i].block] != 2) continue;
      repeated += sample_[i].size;
      ++blocks;
    }
    const auto count = static_cast<std::int64_t>(end - begin);
    if (is_of_no_parameter(end, Action::free_completed) && begin > 0 &&
        is_of_no_parameter(begin - 1, Action::alloc) &&
        placed_[begin - 1].block == placed_[end].block) {
      const std::int64_t parts = sample_[begin - 1].size;
      if (parts % count != 0) return;
      joined_[placed_[end].block] = parts + parts / count * blocks * (copies_ - 1);
      ++end;
    }
    if (!is_of_no_parameter(end, Action::alloc)) return;
    if (sample_[end].size == bytes && strings_.view(sample_[end].op) == "aten::cat")
      joined_[placed_[end].block] = bytes + repeated * (copies_ - 1);
  }

  void assign_layers(const std::vector<int>& owner_layer) {
    std::uint32_t region = 0;
    int running = kNoLayer;
    std::vector<std::uint32_t> born(1);  // so many per layer + 1, in this region
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      Placed& placed = placed_[i];
      const Record& record = sample_[i];
      if (record.action == Action::phase_begin || record.action == Action::phase_end) {
        ++region;
        running = kNoLayer;
        std::fill(born.begin(), born.end(), 0);
        continue;
      }
      const bool idle = record.phase == base::Phase::idle;
      const bool of_list = placed.block != kNothing && list_layer_[placed.block] != kUnknown;
      // Made by the optimizer for one parameter, and freed with those of all.
      const bool freed_late = record.phase == base::Phase::optimizer &&
                              record.action == Action::free_completed &&
                              record.module == base::kNoString && births_[placed.block].layer >= 0;
      // Let go of by the backward of a checkpoint, as part of the model that holds the layers.
      const bool freed_between = record.phase == base::Phase::backward && running >= 0 &&
                                 record.action == Action::free_completed &&
                                 record.module != base::kNoString &&
                                 modules_[placed.module].layer == kNoLayer;
      if (record.action == Action::owner || (record.action == Action::free_completed && idle)) {
        placed.layer = births_[placed.block].layer;
      } else if (of_list) {
        placed.layer = list_layer_[placed.block];
      } else if (freed_late) {
        placed.layer = births_[placed.block].layer;
      } else if (freed_between) {
        placed.layer = running;
      } else if (record.module != base::kNoString) {
        placed.layer = modules_[placed.module].layer;
      } else if (record.action == Action::alloc && owner_layer[placed.block] != kUnknown) {
        placed.layer = owner_layer[placed.block];
      } else if (record.action == Action::alloc && record.phase == base::Phase::optimizer) {
        placed.layer = kNoLayer;  // of no parameter: the counter of steps
      } else {
        placed.layer = running;
      }
      running = placed.layer;
      if (record.action != Action::alloc) continue;
      const auto slot = static_cast<std::size_t>(placed.layer + 1);
      if (slot >= born.size()) born.resize(slot + 1);
      births_[placed.block] = {
          .region = region, .ordinal = born[slot]++, .layer = placed.layer, .in_two = kNothing};
      if (const auto joined = joined_.find(placed.block); joined != joined_.end())
        births_[placed.block].size = joined->second;
    }
  }

  // Consecutive records of one layer; phase marks stand alone.
  bool cut() {
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      const Action action = sample_[i].action;
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
      if (segment.layer > kLast) return false;
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

  bool alike(std::size_t a, std::size_t b) const {
    const Record &x = sample_[a], &y = sample_[b];
    const Placed &m = placed_[a], &n = placed_[b];
    if (x.action != y.action || x.size != y.size || x.op != y.op || x.step != y.step ||
        x.phase != y.phase || x.category != y.category || x.graph_kept != y.graph_kept ||
        modules_[m.module].rest != modules_[n.module].rest ||
        (m.block == kNothing) != (n.block == kNothing)) {
      return false;
    }
    if (m.block == kNothing) return true;
    const Birth &p = births_[m.block], &q = births_[n.block];
    return p.layer != kNoLayer && q.layer != kNoLayer && p.region == q.region &&
           p.ordinal == q.ordinal && p.layer - m.layer == q.layer - n.layer &&
           std::abs(p.layer - m.layer) <= 1;
  }

  bool compare() const {
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      if (!segments_[i].repeats) continue;
      const Segment& two = segments_[i];
      const Segment& one = segments_[two.descending ? i + 1 : i - 1];
      if (one.end - one.begin != two.end - two.begin) return false;
      for (std::size_t k = 0; k < two.end - two.begin; ++k) {
        if (!alike(two.begin + k, one.begin + k)) return false;
      }
    }
    return true;
  }

  // Assigns addresses: blocks of layer 2 have one in each copy, all others have one. Each block of
  // layers 1 and 3 gets the corresponding block of layer 2.
  void number_copies() {
    std::unordered_map<std::uint64_t, std::uint32_t> of_two;  // by region and ordinal
    const auto place_of = [](const Birth& birth) {
      return std::uint64_t{birth.region} << 32U | birth.ordinal;
    };
    std::uint32_t addresses = 0;
    for (std::uint32_t block = 0; block < births_.size(); ++block) {
      Birth& birth = births_[block];
      birth.addresses = addresses;
      addresses += birth.layer == 2 ? copies_ : 1;
      if (birth.layer == 2) of_two.emplace(place_of(birth), block);
    }
    for (Birth& birth : births_) {
      if (birth.layer != 1 && birth.layer != kLast) continue;
      const auto found = of_two.find(place_of(birth));
      if (found != of_two.end()) birth.in_two = found->second;
    }
    addresses_.assign(addresses, 0);
    std::uint32_t names = 0;
    for (Module& module : modules_) {
      module.shifted = names;
      if (module.layer > 0) names += copies_;
    }
    shifted_.assign(names, base::kNoString);
  }

  bool emit_all() {
    number_copies();
    const std::uint32_t more = copies_ - 1;
    out_.clear();
    out_.reserve(sample_.size() * static_cast<std::size_t>(layers_) / kSampleLayers + 64);
    for (const Segment& segment : segments_) {
      if (!segment.repeats) {
        if (!emit(segment, segment.layer == kLast ? more : 0)) return false;
        continue;
      }
      for (std::uint32_t i = 0; i < copies_; ++i) {
        if (!emit(segment, segment.descending ? more - i : i)) return false;
      }
    }
    return true;
  }

  bool emit(const Segment& segment, std::uint32_t shift) {
    for (std::size_t i = segment.begin; i < segment.end; ++i) {
      const Placed& placed = placed_[i];
      Record& record = out_.emplace_back(sample_[i]);
      if (shift != 0) record.module = shifted(placed.module, shift);
      if (placed.block == kNothing) continue;
      if (births_[placed.block].size > 0) record.size = births_[placed.block].size;
      const std::uint32_t at = address_of(births_[placed.block], placed.layer, shift);
      if (at == kNothing) return false;
      if (record.action == Action::alloc) addresses_[at] = ++last_address_;
      record.address = addresses_[at];
      if (record.address == 0) return false;  // not born yet
    }
    return true;
  }

  // The address of a record of `layer`, in the copy that lies `shift` layers higher.
  [[nodiscard]] std::uint32_t address_of(const Birth& birth, int layer, std::uint32_t shift) const {
    if (birth.layer == kNoLayer || birth.layer == 0) {
      return birth.layer == 0 && layer > 1 ? kNothing : birth.addresses;
    }
    // Blocks in between are found only from a neighbouring layer, which moves along.
    if (layer < 0) return birth.layer == 2 ? kNothing : birth.addresses;
    if (std::abs(birth.layer - layer) > 1) return kNothing;
    const std::uint32_t there = static_cast<std::uint32_t>(birth.layer) + shift;
    const auto last = static_cast<std::uint32_t>(kLast) + copies_ - 1;
    if (birth.layer == 2) return birth.addresses + shift;
    if (there == 1 || there == last) return birth.addresses;
    return birth.in_two == kNothing ? kNothing : births_[birth.in_two].addresses + there - 2;
  }

  base::StringId shifted(std::uint32_t number, std::uint32_t shift) {
    const Module& module = modules_[number];
    if (module.layer <= 0) return module.name;
    base::StringId& name = shifted_[module.shifted + shift];
    if (name == base::kNoString) {
      std::string_view rest = strings_.view(module.name).substr(prefix_.size());
      rest.remove_prefix(std::min(rest.find_first_not_of("0123456789"), rest.size()));
      const auto layer = static_cast<std::uint32_t>(module.layer) + shift;
      name = strings_.intern(prefix_ + std::to_string(layer) + std::string(rest));
    }
    return name;
  }

  static constexpr int kUnknown = -3;
  static constexpr int kMark = -2;

  std::span<const Record> sample_;
  const std::string& prefix_;
  const int layers_;
  const std::uint32_t copies_;  // that layer 2 becomes
  base::StringTable& strings_;
  std::vector<Record>& out_;
  std::vector<std::uint32_t> module_number_;  // by the string table's number
  std::vector<Module> modules_;
  std::unordered_map<std::string_view, std::uint32_t> rests_;
  std::vector<Placed> placed_;
  std::vector<int> owner_layer_;                            // by block; of parameters
  std::vector<int> parameter_layers_;                       // in the order of the parameters
  std::vector<int> list_layer_;                             // by block; of lists of all parameters
  std::unordered_map<std::uint32_t, std::int64_t> joined_;  // bytes with all layers, by block
  std::vector<Birth> births_;                               // by block
  std::vector<Segment> segments_;
  std::vector<base::StringId> shifted_;   // names of modules in the copies
  std::vector<std::uint64_t> addresses_;  // of blocks in the copies; 0: not born yet
  std::uint64_t last_address_ = 0;
};

}  // namespace

bool repeat_layers(std::span<const Record> sample, const std::string& prefix, std::int64_t layers,
                   base::StringTable& strings, std::vector<Record>& out) {
  return Repeater(sample, prefix, layers, strings, out).run();
}

}  // namespace ts::kernels
