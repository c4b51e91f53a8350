// guess_share TRUTH FOREIGN: two snapshots of the same allocations, of which the first tells the
// categories. Prints the share of bytes that is guessed right in the second, over all allocations
// and at the peak, and what was taken for what at the peak in MiB.
#include <cstdio>
#include <map>
#include <utility>

#include "core/files/opened_file.h"
#include "tests/allocator/share_right.h"

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const auto truth = ts::files::open_file(arguments[1]);
  const auto foreign = ts::files::open_file(arguments[2]);
  if (!truth || !foreign) return 2;
  const auto& told = (*truth)->devices.at(0).run.memory;
  const auto& guessed = (*foreign)->devices.at(0).run.memory;
  const auto share = ts::testing::share_right(told, guessed);
  if (!share) return 2;
  double peak_right = 0;
  std::map<std::pair<ts::memory::Category, ts::memory::Category>, double> taken;
  for (const auto index : told.live_after(told.peak_event())) {
    const auto& block = told.blocks()[index];
    const auto category = guessed.blocks()[index].category;
    const auto size = static_cast<double>(block.size);
    if (block.category == category) peak_right += size;
    taken[{block.category, category}] += size;
  }
  const auto peak = static_cast<double>(told.peak_bytes());
  std::printf("allocated %.2f %%, at the peak %.2f %%\n", 100 * *share, 100 * peak_right / peak);
  for (const auto& [pair, bytes] : taken) {
    std::printf("%10.1f  %s as %s\n", bytes / 1048576, ts::memory::category_name(pair.first).data(),
                ts::memory::category_name(pair.second).data());
  }
  return 0;
}
