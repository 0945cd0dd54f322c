#include "compare/recorded/sequence.h"

#include <cstddef>
#include <limits>

#include "absl/algorithm/container.h"
#include "compare/alignment/weights.h"
#include "record/streams/downstream.h"

namespace onnxcmp {

RecordedSequence::RecordedSequence(const ResultStream& model,
                                   const absl::flat_hash_map<int, int>& settled)
    : model_(model), recorded_of_(settled) {
  for (const auto& [result, recorded] : settled) settled_.emplace_back(recorded, result);
  absl::c_sort(settled_);
  int rising = 0;
  for (size_t i = 1; i < settled_.size(); ++i) {
    if (settled_[i].second > settled_[i - 1].second) ++rising;
  }
  in_order_ =
      settled_.size() > 2 && rising >= weights::kMostly * static_cast<double>(settled_.size() - 1);
}

bool RecordedSequence::IsPast(int result, int recorded) {
  const auto own = recorded_of_.find(result);
  if (!in_order_ || own == recorded_of_.end()) return false;
  const auto [it, added] = first_after_.try_emplace(result, std::numeric_limits<int>::max());
  if (added) {
    const std::vector<bool> behind = Behind({result}, model_);
    const auto first = absl::c_find_if(settled_, [&](const auto& pair) {
      return pair.first > own->second && behind[Index(pair.second)];
    });
    if (first != settled_.end()) it->second = first->first;
  }
  return recorded > it->second;
}

}  // namespace onnxcmp
