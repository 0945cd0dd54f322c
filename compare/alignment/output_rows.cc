// Stage 3, output rows.
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "compare/alignment/alignment_stages.h"
#include "compare/alignment/weights.h"
#include "record/base/work_bounds.h"

namespace onnxcmp {
namespace {

class OutputRows {
 public:
  OutputRows(Pairing& pairing, const ValueEvidence& evidence)
      : pairing_(pairing), evidence_(evidence), index_(pairing.index()) {
    for (int l = 0; l < index_.left.size(); ++l) {
      if (index_.left.is_output_row(l)) lefts_.push_back(l);
    }
    for (int r = 0; r < index_.right.size(); ++r) {
      if (!index_.right.is_output_row(r)) continue;
      rights_.push_back(r);
      by_name_.try_emplace(index_.right.result(r).name, r);
      by_content_[StreamIndex::At(index_.right.content, r)].push_back(r);
    }
  }

  void Pair() {
    PairNamesakes([&](int l, int r) { return evidence_.SameContent(l, r); });
    PairNamesakes([&](int l, int r) { return evidence_.Distance(l, r) <= weights::kNearOutput; });
    for (int l : lefts_) {
      const auto equals = by_content_.find(StreamIndex::At(index_.left.content, l));
      if (equals == by_content_.end()) continue;
      // Each right row is skipped once: taken rows stay taken.
      std::vector<int>& rights = equals->second;
      while (!rights.empty() && !pairing_.right_free(rights.front())) rights.erase(rights.begin());
      if (!rights.empty()) TryPair(l, rights.front());
    }
    PairNearest();
    PairNamesakes([](int, int) { return true; });
    PairInOrder();
  }

 private:
  bool TryPair(int l, int r) {
    if (!pairing_.left_free(l) || !pairing_.right_free(r)) return false;
    pairing_.Pair(l, r, Rule::kOutputRows);
    return true;
  }

  template <typename Condition>
  void PairNamesakes(Condition&& condition) {
    for (int l : lefts_) {
      const auto it = by_name_.find(index_.left.result(l).name);
      if (it != by_name_.end() && pairing_.left_free(l) && condition(l, it->second)) {
        TryPair(l, it->second);
      }
    }
  }

  void PairNearest() {
    if (lefts_.size() > work_bounds::kManyCandidates ||
        rights_.size() > work_bounds::kManyCandidates)
      return;
    for (;;) {
      double nearest = weights::kNearOutput;
      std::pair<int, int> best{kNone, kNone};
      for (int l : lefts_) {
        if (!pairing_.left_free(l)) continue;
        for (int r : rights_) {
          if (!pairing_.right_free(r)) continue;
          const double d = evidence_.Distance(l, r);
          if (d < nearest) {
            nearest = d;
            best = {l, r};
          }
        }
      }
      if (best.first == kNone) return;
      TryPair(best.first, best.second);
    }
  }

  void PairInOrder() {
    std::vector<int> left_rest;
    std::vector<int> right_rest;
    for (int l : lefts_) {
      if (pairing_.left_free(l)) left_rest.push_back(l);
    }
    for (int r : rights_) {
      if (pairing_.right_free(r)) right_rest.push_back(r);
    }
    if (left_rest.size() != right_rest.size()) return;
    for (size_t i = 0; i < left_rest.size(); ++i) TryPair(left_rest[i], right_rest[i]);
  }

  Pairing& pairing_;
  const ValueEvidence& evidence_;
  const AlignmentIndex& index_;
  std::vector<int> lefts_;
  std::vector<int> rights_;
  absl::flat_hash_map<absl::string_view, int> by_name_;
  absl::flat_hash_map<int, std::vector<int>> by_content_;
};

}  // namespace

void PairOutputRows(Pairing& pairing, const ValueEvidence& evidence) {
  OutputRows(pairing, evidence).Pair();
}

}  // namespace onnxcmp
