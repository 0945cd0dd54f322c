#include "feed/limit_midpoints.h"

#include <algorithm>
#include <cstddef>

namespace onnxcmp {
namespace {

// The limits of one side that the other does not have, each once, in order of size.
std::vector<double> LimitsOfOneSide(const std::vector<double>& own,
                                    const std::vector<double>& others) {
  std::vector<double> alone;
  for (const double limit : own) {
    const bool known = std::find(others.begin(), others.end(), limit) != others.end() ||
                       std::find(alone.begin(), alone.end(), limit) != alone.end();
    if (!known) alone.push_back(limit);
  }
  std::sort(alone.begin(), alone.end());
  return alone;
}

}  // namespace

std::vector<double> MidpointsOfLimits(const InputMapping& mapping,
                                      const PerSide<const Graph*>& graphs, PurposeCache* purposes) {
  constexpr size_t kMost = 4;
  if (graphs.left == nullptr || graphs.right == nullptr) return {};
  const InputPurposes& ours = purposes->Of(*graphs.left);
  const InputPurposes& theirs = purposes->Of(*graphs.right);
  std::vector<double> between;
  for (const MappedInput& pair : mapping.pairs) {
    const auto left = ours.find(pair.left);
    const auto right = theirs.find(pair.right);
    if (left == ours.end() || right == theirs.end()) continue;
    const std::vector<double> a = LimitsOfOneSide(left->second.landmarks, right->second.landmarks);
    const std::vector<double> b = LimitsOfOneSide(right->second.landmarks, left->second.landmarks);
    if (a.size() != b.size()) continue;
    for (size_t i = 0; i < a.size(); ++i) between.push_back(0.5 * (a[i] + b[i]));
  }
  if (between.size() > kMost) between.clear();
  return between;
}

}  // namespace onnxcmp
