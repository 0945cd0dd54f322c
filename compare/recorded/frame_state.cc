#include "compare/recorded/frame_state.h"

#include "absl/container/flat_hash_set.h"

namespace onnxcmp {

std::vector<AddedPair> FoundPairs(absl::Span<const OpenResult> open,
                                  const absl::flat_hash_map<int, int>& settled, SideId recorded) {
  std::vector<AddedPair> pairs;
  absl::flat_hash_set<int> owned;
  for (const auto& [m, r] : settled) owned.insert(m);
  for (const bool shared : {false, true}) {
    for (const OpenResult& one : open) {
      if (one.found == kNone) continue;
      for (const int r : one.results) {
        const bool is_first = r == one.results.front() && !owned.contains(one.found);
        if (is_first == shared) continue;
        if (is_first) owned.insert(one.found);
        AddedPair& pair = pairs.emplace_back();
        OfSide(pair, recorded) = r;
        OfSide(pair, Other(recorded)) = one.found;
        pair.how = Mark::kRepaired;
        if (shared) pair.shared = Other(recorded);
      }
    }
  }
  return pairs;
}

}  // namespace onnxcmp
