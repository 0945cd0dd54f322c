#include "compare/recorded/frame_candidates.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "compare/alignment/recorded_reach.h"
#include "record/base/work_bounds.h"

namespace onnxcmp {
std::vector<FrameCandidate> Promising(absl::Span<const FrameCandidate> candidates) {
  absl::flat_hash_map<size_t, std::vector<double>> of_open;
  for (const FrameCandidate& candidate : candidates) {
    of_open[candidate.open].push_back(candidate.likeness);
  }
  for (auto& [open, all] : of_open) absl::c_sort(all, std::greater<>());
  std::vector<FrameCandidate> chosen;
  for (const FrameCandidate& candidate : candidates) {
    const std::vector<double>& all = of_open[candidate.open];
    const double least = all[std::min<size_t>(kSeveralAlike, all.size()) - 1];
    if (candidate.likeness < std::max(kHalfAlike * all.front(), least)) continue;
    chosen.push_back(candidate);
    chosen.back().best = all.front();
    if (chosen.size() >= work_bounds::kFewTrials) break;
  }
  return chosen;
}

bool HaveSameRows(absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  const auto without_ones = [](absl::Span<const int64_t> shape) {
    std::vector<int64_t> rest;
    absl::c_copy_if(shape, std::back_inserter(rest), [](int64_t size) { return size != 1; });
    return rest;
  };
  return (!a.empty() && !b.empty() && a.back() == b.back()) || without_ones(a) == without_ones(b);
}

}  // namespace onnxcmp
