// The pairs of an alignment in progress, and how many results of each content are still free.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_PAIRING_H_
#define ONNXCMP_COMPARE_ALIGNMENT_PAIRING_H_

#include <array>
#include <cstdint>
#include <vector>

#include "compare/alignment/alignment_index.h"
#include "compare/alignment/rules.h"
#include "record/base/per_side.h"

namespace onnxcmp {

class Pairing {
 public:
  explicit Pairing(const AlignmentIndex& index);

  const AlignmentIndex& index() const { return index_; }
  // The partner; kNone: free.
  int of_left(int l) const { return StreamIndex::At(left_, l); }
  int of_right(int r) const { return StreamIndex::At(right_, r); }
  bool left_free(int l) const { return of_left(l) == kNone; }
  bool right_free(int r) const { return of_right(r) == kNone; }
  // The rule that paired it; kNone: it is free.
  Rule rule_of_left(int l) const { return StreamIndex::At(rules_, l); }
  PairStage stage_of_left(int l) const { return RowOfRule(rule_of_left(l)).stage; }
  const std::vector<int>& left() const { return left_; }
  const std::vector<int>& right() const { return right_; }
  // By result of a side: the partner, kNone if it is free.
  const std::vector<int>& partners(SideId side) const {
    return side == SideId::kLeft ? left_ : right_;
  }
  bool is_free(SideId side, int r) const { return StreamIndex::At(partners(side), r) == kNone; }

  // Copies go with copies, until they may be mixed.
  bool Compatible(int l, int r) const {
    return copies_mixed_ || index_.left.is_copy(l) == index_.right.is_copy(r);
  }
  void MixCopies() { copies_mixed_ = true; }

  void Pair(int l, int r, Rule rule);
  void Unpair(int l, int r);

  // True if a result of this content is free that may be paired with the given one.
  bool RightHasFree(int content, int left) const {
    return HasFree(right_counts_, content, index_.left.is_copy(left));
  }
  bool LeftHasFree(int content, int right) const {
    return HasFree(left_counts_, content, index_.right.is_copy(right));
  }

  // The root in place of an unpaired copy.
  int StandInLeft(int l) const { return left_free(l) ? index_.left.root(l) : l; }
  int StandInRight(int r) const { return right_free(r) ? index_.right.root(r) : r; }

  int pairs() const { return pairs_; }
  // True if all results of the left or all of the right have a partner, output rows aside: then no
  // further pair is possible.
  bool one_side_is_paired() const { return left_to_pair_ == 0 || right_to_pair_ == 0; }

 private:
  using Counts = std::vector<std::array<int, 2>>;  // by content: originals, copies
  bool HasFree(const Counts& counts, int content, bool copy) const {
    const auto& count = counts[static_cast<size_t>(content)];
    return copies_mixed_ ? count[0] + count[1] > 0 : count[copy ? 1 : 0] > 0;
  }
  void Count(int l, int r, int step);

  const AlignmentIndex& index_;
  std::vector<int> left_;
  std::vector<int> right_;
  std::vector<Rule> rules_;
  Counts left_counts_;
  Counts right_counts_;
  bool copies_mixed_ = false;
  int pairs_ = 0;
  // Number of free results, output rows aside.
  int left_to_pair_ = 0;
  int right_to_pair_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_PAIRING_H_
