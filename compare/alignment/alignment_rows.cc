#include "compare/alignment/alignment_rows.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "compare/alignment/weights.h"

namespace onnxcmp {
namespace {

constexpr int kHeadKinds = 4;

Marks operator|(Marks marks, Mark mark) {
  return static_cast<Marks>(marks | static_cast<Marks>(mark));
}

Marks MarksOfValues(const PairedStreams& streams, int l, int r) {
  const StreamIndex& left = streams.pairing.index().left;
  const StreamIndex& right = streams.pairing.index().right;
  Marks marks = 0;
  if (left.is_output_row(l)) return marks;
  const StreamResult& a = left.result(l);
  const StreamResult& b = right.result(r);
  if (a.dtype != b.dtype && a.shape && b.shape) marks = marks | Mark::kCast;
  const bool same_bits = StreamIndex::At(left.bits, l) == StreamIndex::At(right.bits, r);
  const bool same_elements =
      StreamIndex::At(left.elements, l) == StreamIndex::At(right.elements, r);
  const bool other_shape = StreamIndex::At(left.shape, l) != StreamIndex::At(right.shape, r);
  const bool same_size = a.fingerprint.size == b.fingerprint.size;
  // Booleans and the like in a tensor of the same shape are the same elements by chance.
  if (same_size && !streams.evidence.SameContent(l, r)) {
    const bool in_order = same_bits || streams.evidence.Distance(l, r) <= weights::kNear;
    if (other_shape && in_order) {
      marks = marks | Mark::kReshaped;
    } else if (!in_order && (other_shape || (a.fingerprint.rich && b.fingerprint.rich)) &&
               (same_elements || (streams.evidence.Distance(l, r) > weights::kOutOfSight &&
                                  streams.evidence.SameMoments(l, r)))) {
      marks = marks | Mark::kTransposed;
    }
  }
  const auto computed = [](const StreamIndex& side, int x) {
    return StreamIndex::At(side.made_by, x) != kNone && !side.is_leaf(x);
  };
  if ((left.is_leaf(l) && computed(right, r)) || (right.is_leaf(r) && computed(left, l))) {
    marks = marks | Mark::kFolded;
  }
  return marks;
}

class RowMaker {
 public:
  RowMaker(const PairedStreams& streams, bool mirrored)
      : streams_(streams),
        mirrored_(mirrored),
        left_(mirrored ? streams.pairing.index().right : streams.pairing.index().left),
        right_(mirrored ? streams.pairing.index().left : streams.pairing.index().right),
        left_partner_(mirrored ? streams.pairing.right() : streams.pairing.left()),
        right_partner_(mirrored ? streams.pairing.left() : streams.pairing.right()),
        left_shared_(mirrored ? streams.shared.of_right : streams.shared.of_left),
        right_shared_(mirrored ? streams.shared.of_left : streams.shared.of_right),
        left_owner_(mirrored ? streams.regions.right_owner : streams.regions.left_owner),
        right_owner_(mirrored ? streams.regions.left_owner : streams.regions.right_owner) {}

  Alignment Make() {
    Alignment alignment;
    alignment.reordered = streams_.moves.reordered;
    alignment.left_to_right = Partners(left_partner_, left_shared_);
    alignment.right_to_left = Partners(right_partner_, right_shared_);
    FindAbsorbed();
    HangRightRows();
    // Rows of the right that come before all others of their kind.
    int kind = 0;
    for (int l = 0; l < left_.size(); ++l) {
      for (; kind <= KindOf(left_, l); ++kind) AddRightRows(alignment, HeadOfKind(kind));
      if (StreamIndex::At(left_owner_, l) != kNone) continue;
      AddLeftRow(alignment, l);
      AddRightRows(alignment, behind_[Index(l)]);
    }
    for (; kind < kHeadKinds; ++kind) AddRightRows(alignment, HeadOfKind(kind));
    return alignment;
  }

 private:
  static int KindOf(const StreamIndex& side, int r) {
    return static_cast<int>(side.result(r).kind);
  }

  static std::vector<int> Partners(const std::vector<int>& partner,
                                   const std::vector<int>& shared) {
    std::vector<int> partners = partner;
    for (size_t i = 0; i < partners.size(); ++i) {
      if (partners[i] == kNone) partners[i] = shared[i];
    }
    return partners;
  }

  void FindAbsorbed() {
    const auto by_owner = [](const std::vector<int>& owners) {
      std::vector<std::pair<int, int>> absorbed;
      for (size_t i = 0; i < owners.size(); ++i) {
        if (owners[i] != kNone) absorbed.push_back({owners[i], static_cast<int>(i)});
      }
      return Csr<int>(owners.size(), absorbed);
    };
    left_absorbed_ = by_owner(left_owner_);
    right_absorbed_ = by_owner(right_owner_);
  }

  // Finds for every row of the right alone the left row of its kind that it comes after: the row of
  // the last right result before it that has one.
  void HangRightRows() {
    behind_.resize(static_cast<size_t>(left_.size()));
    std::array<int, kHeadKinds> last;
    last.fill(kNone);
    for (int r = 0; r < right_.size(); ++r) {
      const size_t kind = static_cast<size_t>(KindOf(right_, r));
      const int partner = StreamIndex::At(right_partner_, r);
      if (partner != kNone) {
        if (KindOf(left_, partner) == KindOf(right_, r)) last[kind] = partner;
        continue;
      }
      if (StreamIndex::At(right_owner_, r) != kNone) continue;
      if (last[kind] == kNone) {
        heads_[kind].push_back(r);
      } else {
        behind_[static_cast<size_t>(last[kind])].push_back(r);
      }
    }
  }

  const std::vector<int>& HeadOfKind(int kind) const { return heads_[static_cast<size_t>(kind)]; }

  Marks MarksOf(int l, int r) const {
    return mirrored_ ? MarksOfValues(streams_, r, l) : MarksOfValues(streams_, l, r);
  }

  void AddLeftRow(Alignment& alignment, int l) {
    AlignedRow row;
    int r = StreamIndex::At(left_partner_, l);
    if (r != kNone) {
      row.marks = MarksOf(l, r);
      const size_t key = static_cast<size_t>(mirrored_ ? r : l);
      row.rule = streams_.pairing.rule_of_left(mirrored_ ? r : l);
      if (streams_.regions.fused[key]) row.marks = row.marks | Mark::kFused;
      if (streams_.moves.moved[key]) row.marks = row.marks | Mark::kMoved;
      row.left.assign(left_absorbed_[l].begin(), left_absorbed_[l].end());
      row.right.assign(right_absorbed_[r].begin(), right_absorbed_[r].end());
    } else {
      r = StreamIndex::At(left_shared_, l);
      if (r != kNone) {
        row.marks = MarksOf(l, r) | Mark::kMerged;
        row.rule = Rule::kMerging;
      }
    }
    row.left.push_back(l);
    if (r != kNone) row.right.push_back(r);
    alignment.rows.push_back(std::move(row));
  }

  void AddRightRows(Alignment& alignment, const std::vector<int>& rights) {
    for (int r : rights) {
      AlignedRow row;
      row.right.push_back(r);
      const int l = StreamIndex::At(right_shared_, r);
      if (l != kNone) {
        row.left.push_back(l);
        row.marks = MarksOf(l, r) | Mark::kMerged;
        row.rule = Rule::kMerging;
      }
      alignment.rows.push_back(std::move(row));
    }
  }

  const PairedStreams& streams_;
  const bool mirrored_;
  // The sides as the alignment shows them.
  const StreamIndex& left_;
  const StreamIndex& right_;
  const std::vector<int>& left_partner_;
  const std::vector<int>& right_partner_;
  const std::vector<int>& left_shared_;
  const std::vector<int>& right_shared_;
  const std::vector<int>& left_owner_;
  const std::vector<int>& right_owner_;
  Csr<int> left_absorbed_;
  Csr<int> right_absorbed_;
  std::vector<std::vector<int>> behind_;
  std::array<std::vector<int>, kHeadKinds> heads_;
};

}  // namespace

Moves FindMoves(const Pairing& pairing) {
  const StreamIndex& left = pairing.index().left;
  const StreamIndex& right = pairing.index().right;
  Moves moves;
  moves.moved.assign(static_cast<size_t>(left.size()), 0);
  std::vector<int> ordered;
  for (int l = 0; l < left.size(); ++l) {
    const int r = pairing.of_left(l);
    if (r == kNone || left.result(l).kind != ResultKind::kResult || left.is_leaf(l) ||
        right.is_leaf(r)) {
      continue;
    }
    ordered.push_back(l);
  }
  // Outputs of one node share a position: a fused node may give them in another order.
  const auto position = [&](int l) {
    const int r = pairing.of_left(l);
    return right.producer(r) == kNone ? r : right.first_output(right.producer(r));
  };
  // The longest increasing run of right positions: tails[k] ends the best run of k + 1 results.
  std::vector<int> tails;
  std::vector<int> before(static_cast<size_t>(left.size()), kNone);
  for (int l : ordered) {
    const auto it = std::upper_bound(tails.begin(), tails.end(), position(l),
                                     [&](int wanted, int tail) { return wanted < position(tail); });
    if (it != tails.begin()) before[Index(l)] = *(it - 1);
    if (it == tails.end()) {
      tails.push_back(l);
    } else {
      *it = l;
    }
  }
  moves.reordered =
      static_cast<double>(tails.size()) < weights::kOrdered * static_cast<double>(ordered.size());
  if (moves.reordered || tails.empty()) return moves;
  for (int l : ordered) moves.moved[Index(l)] = 1;
  for (int l = tails.back(); l != kNone; l = StreamIndex::At(before, l)) {
    moves.moved[Index(l)] = 0;
  }
  return moves;
}

Alignment MakeRows(const PairedStreams& streams, bool mirrored) {
  return RowMaker(streams, mirrored).Make();
}

}  // namespace onnxcmp
