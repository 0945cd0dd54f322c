// Results of both sides that share a key.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_RESULT_GROUPS_H_
#define ONNXCMP_COMPARE_ALIGNMENT_RESULT_GROUPS_H_

#include <array>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "record/base/per_side.h"

namespace onnxcmp {

using ResultGroup = PerSide<std::vector<int>>;

// In the order in which their keys first occur, so that results are deterministic.
class ResultGroups {
 public:
  using Key = std::array<int, 8>;

  void Add(const Key& key, SideId side, int result) {
    const auto [it, added] = ids_.try_emplace(key, groups_.size());
    if (added) groups_.emplace_back();
    groups_[it->second][side].push_back(result);
  }
  const std::vector<ResultGroup>& all() const { return groups_; }

 private:
  absl::flat_hash_map<Key, size_t> ids_;
  std::vector<ResultGroup> groups_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_RESULT_GROUPS_H_
