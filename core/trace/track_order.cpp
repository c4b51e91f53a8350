#include "core/trace/track_order.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace ts::trace {
namespace {

// Kernels are looked at first, and the stacks of threads may be deeper than the screen.
enum class Group : std::uint8_t { phases, gpu, host };

Group group_of(const Track& track) {
  switch (track.kind) {
    case TrackKind::phases:
      return Group::phases;
    case TrackKind::gpu_stream:
    case TrackKind::gpu_idle:
    case TrackKind::gpu_mark:
      return Group::gpu;
    case TrackKind::wait:
      return track.device >= 0 ? Group::gpu : Group::host;
    default:
      return Group::host;
  }
}

// Within its group: annotations and waits are above the streams, Python is above CUDA API.
int place_in_group(TrackKind kind) {
  constexpr std::array kOrder{
      TrackKind::gpu_mark, TrackKind::phases,   TrackKind::cpu_thread, TrackKind::autograd_thread,
      TrackKind::python,   TrackKind::cuda_api, TrackKind::wait,       TrackKind::gpu_stream,
      TrackKind::gpu_idle, TrackKind::overhead, TrackKind::other};
  return static_cast<int>(std::ranges::find(kOrder, kind) - kOrder.begin());
}

}  // namespace

std::vector<TrackId> tracks_in_order(const TraceStore& store) {
  const auto tracks = store.tracks();
  std::vector<TrackId> order;
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    const auto id = static_cast<TrackId>(i);
    if (store.depth_count(id) > 0) order.push_back(id);
  }
  // The rows of one rank stay together, and of these the rows of one GPU.
  const auto place_of = [&](TrackId id) {
    const Track& track = tracks[id];
    return std::tuple(track.rank, group_of(track), track.device, place_in_group(track.kind));
  };
  std::ranges::stable_sort(order, {}, place_of);
  return order;
}

}  // namespace ts::trace
