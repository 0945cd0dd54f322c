// How much two contents speak for being the same quantity (V of docs/alignment.md), and which
// contents of the other side are near one: stage 1, near lists.
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
  int content = 0;  // of the other side
  double value = 0;
};

// Everything here depends on contents alone, so it is kept by content. Contents are those of
// AlignmentIndex; a content that occurs on one side only is asked for on that side only.
class ValueEvidence {
 public:
  explicit ValueEvidence(const AlignmentIndex& index);

  // Of results, output rows left out.
  double Value(int l, int r) const;
  // 0 for equal contents, 9 if they cannot be compared.
  double Distance(int l, int r) const;
  bool SameContent(int l, int r) const {
    return StreamIndex::At(index_.left.content, l) == StreamIndex::At(index_.right.content, r);
  }
  // The same elements in another order, as far as their moments tell.
  bool SameMoments(int l, int r) const;

  // Contents within weights::kNear that are not equal, the best first.
  absl::Span<const Nearness> NearOfLeft(int content) const { return near_left_[content]; }
  absl::Span<const Nearness> NearOfRight(int content) const { return near_right_[content]; }

  // The pair was found by its moments: it is worth at least as much as these tell.
  void RaiseToMoments(int l, int r);

 private:
  // The last right contents that a left one's value was asked for with, side by side: whoever asks
  // asks for neighbours, and all that were ever asked for are many times as many as the results.
  struct Asked {
    static constexpr size_t kMost = 16;
    std::array<int, kMost> rights;
    std::array<double, kMost> values;
    uint8_t next = 0;  // the oldest one's place
  };
  static constexpr size_t kAskedTogether = 32;  // of neighbouring contents
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
