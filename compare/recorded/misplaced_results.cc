#include "compare/recorded/misplaced_results.h"

#include <cstddef>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "compare/alignment/recorded_reach.h"
#include "compare/recorded/frame_candidates.h"
#include "record/base/work_bounds.h"
#include "record/streams/hash128.h"

namespace onnxcmp {
namespace {

// By result of a model: true if something near what was recorded, by other results than `but`, is
// computed from it. A wrong value would have gone on.
std::vector<bool> BeforeWhatIsRight(const ResultStream& model,
                                    const std::vector<std::pair<int, int>>& near, int but) {
  std::vector<bool> before(model.results.size());
  for (const auto& [r, m] : near) {
    if (r != but) before[Index(m)] = true;
  }
  for (auto node = model.nodes.rbegin(); node != model.nodes.rend(); ++node) {
    const auto is_before = [&](int output) { return output != kNone && before[Index(output)]; };
    if (absl::c_none_of(node->outputs, is_before)) continue;
    for (const FewResults* reads : {&node->inputs, &node->captures}) {
      for (const int read : *reads) {
        if (read != kNone) before[Index(read)] = true;
      }
    }
  }
  return before;
}

std::vector<int> FreePlaces(const StreamResult& recorded, const ResultStream& model,
                            const absl::flat_hash_map<int, int>& settled,
                            const std::vector<bool>& is_right, int after) {
  std::vector<int> places;
  for (size_t m = 0; m < model.results.size() && places.size() < kSeveralAlike; ++m) {
    const StreamResult& result = model.results[m];
    const auto number = static_cast<int>(m);
    if (number > after && !is_right[m] && result.kind == ResultKind::kResult &&
        result.node != kNone && result.depth == 0 && !settled.contains(number) &&
        result.shape.has_value() && result.fingerprint.kind == recorded.fingerprint.kind &&
        result.fingerprint.size == recorded.fingerprint.size &&
        HaveSameRows(*recorded.shape, *result.shape)) {
      places.push_back(number);
    }
  }
  return places;
}

}  // namespace

absl::flat_hash_map<int, std::vector<int>> MisplacedResults(
    const ResultStream& recording, const ResultStream& model,
    const std::vector<std::pair<int, int>>& near, const absl::flat_hash_map<int, int>& settled,
    int open) {
  absl::flat_hash_map<int, std::vector<int>> misplaced;
  absl::flat_hash_set<Hash128> seen;
  absl::flat_hash_map<Hash128, int> count;  // of recorded results by content
  for (const auto& [r, m] : near) ++count[recording.results[Index(r)].fingerprint.content];
  int before = kNone;  // partner of the recorded result before
  for (size_t i = 0; i < near.size() && misplaced.size() < work_bounds::kTrials; ++i) {
    const auto [r, m] = near[i];
    const StreamResult& result = recording.results[Index(r)];
    const bool is_copy = !seen.insert(result.fingerprint.content).second;
    const bool is_last = r < open && (i + 1 == near.size() || near[i + 1].first > open);
    const bool is_ahead = i + 1 < near.size() && m > near[i + 1].second;
    const int after = before;
    // A result ahead says nothing of where the next one is.
    if (!is_ahead) before = m;
    // Later ones of several with one value are suspected.
    const bool is_first = !is_copy && count[result.fingerprint.content] > 1;
    if (!result.fingerprint.rich || is_first) continue;
    if (!is_copy && !is_last && !is_ahead && m >= after) continue;
    std::vector<int> places =
        FreePlaces(result, model, settled, BeforeWhatIsRight(model, near, r), after);
    if (!places.empty()) misplaced.emplace(r, std::move(places));
  }
  return misplaced;
}

}  // namespace onnxcmp
