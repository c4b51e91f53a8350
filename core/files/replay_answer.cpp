#include "core/files/replay_answer.h"

#include <algorithm>
#include <utility>

#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::files {

ReplayAnswer replay_answer(const OpenedFile& file, std::int64_t device) {
  ReplayAnswer answer;
  // An incomplete trace would be replayed from a wrong start.
  if (!file.file.fault.empty()) {
    answer.problem = file.file.fault;
    return answer;
  }
  const auto index = static_cast<std::size_t>(device);
  const auto opened = std::ranges::find(file.devices, device, &OpenedDevice::number);
  if (opened != file.devices.end()) answer.misfit = blocks::worst_misfit(blocks_of(file, *opened));
  const auto result = allocator::replay(file.file.snapshot, index);
  if (!result) {
    answer.problem = result.error();
    return answer;
  }
  answer.recorded = result->recorded;
  answer.simulated = result->simulated;
  if (result->first_difference) {
    const auto event = static_cast<std::int64_t>(result->first_difference->event);
    answer.difference = text::message(
        "replay.difference",
        {{"event", text::grouped(event)}, text::argument("what", result->first_difference->what)});
  }
  const auto expandable =
      allocator::would_expandable_segments_help(file.file.snapshot, index, {}, *result);
  if (!expandable) {
    answer.problem = expandable.error();
  } else {
    answer.expandable = *expandable;
    if (auto trials = allocator::try_split_sizes(file.file.snapshot, index))
      answer.trials = std::move(*trials);
  }
  return answer;
}

ReservedMoment reserved_moment(const OpenedFile& file, std::int64_t device,
                               std::optional<std::size_t> position) {
  if (!file.file.fault.empty()) return {file.file.fault, std::nullopt};
  const auto index = static_cast<std::size_t>(device);
  auto answer = allocator::explain_reserved(file.file.snapshot, index, {}, position);
  if (!answer) return {answer.error(), std::nullopt};
  return {{}, std::move(*answer)};
}

}  // namespace ts::files
