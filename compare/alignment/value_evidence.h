// Scores how strongly two contents suggest the same quantity (V of docs/alignment.md), and finds
// the near contents of the other side: stage 1, near lists.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_VALUE_EVIDENCE_H_
#define ONNXCMP_COMPARE_ALIGNMENT_VALUE_EVIDENCE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "compare/alignment/alignment_index.h"

namespace onnxcmp {

struct Nearness {
  int content = 0;  // the other side's
  double value = 0;
};

// All of this depends on contents alone, so it is stored by content. Contents are those of
// AlignmentIndex; a content that occurs on one side only may be passed for that side only.
class ValueEvidence {
 public:
  explicit ValueEvidence(const AlignmentIndex& index);

  // For any results except output rows.
  double Value(int l, int r) const;
  // 0 for equal contents, 9 if they cannot be compared.
  double Distance(int l, int r) const;
  bool SameContent(int l, int r) const {
    return StreamIndex::At(index_.left.content, l) == StreamIndex::At(index_.right.content, r);
  }
  // True for the same elements in another order, as far as their moments tell.
  bool SameMoments(int l, int r) const;

  // Unequal contents within weights::kNear, the best first.
  absl::Span<const Nearness> NearOfLeft(int content) const { return near_left_[content]; }
  absl::Span<const Nearness> NearOfRight(int content) const { return near_right_[content]; }

  // The pair was found by its moments: raises its value to at least that of equal moments.
  void RaiseToMoments(int l, int r);

 private:
  // Cache of the last right contents scored with a left one: callers ask for neighbours, and all
  // pairs ever scored are many times as many as the results.
  struct Asked {
    static constexpr size_t kMostKept = 16;
    std::array<int, kMostKept> rights;
    std::array<double, kMostKept> values;
    uint8_t next = 0;  // index of the oldest entry
  };
  static constexpr size_t kAskedTogether = 32;  // number of neighbouring contents
  using AskedBlock = std::array<Asked, kAskedTogether>;

  double ComputeValue(int l, int r) const;
  Asked& AskedOf(int content) const;
  static void Remember(int right, double value, Asked* asked);
  uint64_t KeyOf(int l, int r) const;
  void FindNear();

  const AlignmentIndex& index_;
  mutable std::vector<std::unique_ptr<AskedBlock>> asked_;  // by left content
  absl::flat_hash_map<uint64_t, double> raised_;
  Csr<Nearness> near_left_;   // by left content
  Csr<Nearness> near_right_;  // by right content
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_VALUE_EVIDENCE_H_
