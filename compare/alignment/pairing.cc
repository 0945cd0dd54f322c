#include "compare/alignment/pairing.h"

namespace onnxcmp {
namespace {

size_t PairedContent(const StreamIndex& side, int r) {
  return static_cast<size_t>(StreamIndex::At(side.content, r));
}

}  // namespace

Pairing::Pairing(const AlignmentIndex& index)
    : index_(index),
      left_(static_cast<size_t>(index.left.size()), kNone),
      right_(static_cast<size_t>(index.right.size()), kNone),
      rules_(static_cast<size_t>(index.left.size()), Rule::kNone),
      left_counts_(static_cast<size_t>(index.contents), {0, 0}),
      right_counts_(static_cast<size_t>(index.contents), {0, 0}) {
  const auto count = [](const StreamIndex& side, Counts& counts, int& free) {
    for (int r = 0; r < side.size(); ++r) {
      if (side.is_output_row(r)) continue;
      ++counts[PairedContent(side, r)][side.is_copy(r) ? 1 : 0];
      ++free;
    }
  };
  count(index.left, left_counts_, left_to_pair_);
  count(index.right, right_counts_, right_to_pair_);
}

void Pairing::Count(int l, int r, int step) {
  if (index_.left.is_output_row(l)) return;
  left_counts_[PairedContent(index_.left, l)][index_.left.is_copy(l) ? 1 : 0] += step;
  right_counts_[PairedContent(index_.right, r)][index_.right.is_copy(r) ? 1 : 0] += step;
  left_to_pair_ += step;
  right_to_pair_ += step;
}

void Pairing::Pair(int l, int r, Rule rule) {
  left_[Index(l)] = r;
  right_[Index(r)] = l;
  rules_[Index(l)] = rule;
  Count(l, r, -1);
  ++pairs_;
}

void Pairing::Unpair(int l, int r) {
  left_[Index(l)] = kNone;
  right_[Index(r)] = kNone;
  rules_[Index(l)] = Rule::kNone;
  Count(l, r, 1);
  --pairs_;
}

}  // namespace onnxcmp
