#include "reports/words/row_selection.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compare/outcome/proof_report.h"
#include "prove/rewrites.h"
#include "record/base/per_side.h"
#include "record/operators/operator_traits.h"
#include "record/streams/downstream.h"

namespace onnxcmp {
namespace {

class Selector {
 public:
  Selector(const Comparison& comparison, const RowFacts& facts, int most)
      : comparison_(comparison),
        facts_(facts),
        room_(most),
        shown_(comparison.rows.size(), false) {}

  std::vector<bool> Select() {
    Sort();
    Take(causes_, 8);
    Take(parted_, 4);
    Take(different_outputs_, 6);
    TakeEntrances();
    if (comparison_.verdict() == Verdict::kFailed) {
      // The place where the side failed.
      TakeLast(paired_, 3);
    }
    Take(different_, 6);
    Take(outputs_, 4);
    Take(different_leaves_, 4);
    Take(downstream_, 2);
    const size_t few = different_.empty() && causes_.empty() ? 6 : 3;
    Take(fused_, few);
    Take(close_, few);
    if (comparison_.verdict() == Verdict::kFailed) {
      Take(one_sided_, 3);
    } else {
      TakeWhole(one_sided_, 6);  // they are counted by operator below the table
    }
    if (few > 3) Take(marked_, 3);
    TakeWhole(close_leaves_, 3);
    TakeWhole(rest_of_iterations_, 4);
    return std::move(shown_);
  }

 private:
  using Rows = std::vector<size_t>;

  // Up to `most` of a list, and one more if that is all: a line that counts it would be as long.
  void Take(const Rows& rows, size_t most) {
    const size_t count = rows.size() <= most + 1 ? rows.size() : most;
    for (size_t i = 0; i < count && room_ > 0; ++i) Show(rows[i]);
  }
  void TakeLast(const Rows& rows, size_t most) {
    Take(Rows(rows.end() - static_cast<Rows::difference_type>(std::min(most, rows.size())),
              rows.end()),
         most);
  }
  void TakeWhole(const Rows& rows, size_t most) {
    if (rows.size() <= most) Take(rows, most);
  }
  void Show(size_t row) {
    if (shown_[row]) return;
    shown_[row] = true;
    --room_;
  }

  // The computed inputs of the nodes of the first causes.
  void TakeEntrances() {
    Rows entrances;
    for (size_t i = 0; i < causes_.size() && i < 3; ++i) {
      const AlignedRow& row = comparison_.rows[causes_[i]].aligned;
      if (row.left.empty()) continue;
      const int node = comparison_.left.results[Index(row.left.back())].node;
      if (node == kNone) continue;
      for (const int input : comparison_.left.nodes[Index(node)].inputs) {
        if (input == kNone || facts_.of_left[Index(input)] == kNone) continue;
        if (comparison_.left.results[Index(input)].node == kNone) continue;
        entrances.push_back(Index(facts_.of_left[Index(input)]));
      }
    }
    Take(entrances, 3);
  }

  void Sort() {
    absl::flat_hash_map<absl::string_view, int> of_iteration;
    for (size_t i = 0; i < comparison_.rows.size(); ++i) {
      const ComparedRow& row = comparison_.rows[i];
      const StreamResult& face = FaceOf(comparison_, row);
      const bool leaf = face.kind == ResultKind::kInitializer || face.kind == ResultKind::kInput;
      const bool output = face.kind == ResultKind::kOutput;
      if (row.aligned.paired() && !leaf && !output) paired_.push_back(i);
      const RowProof proof = RowProofOf(comparison_, i);
      if (!output && (proof == RowProof::kDiffers || proof == RowProof::kNotProved)) {
        parted_.push_back(i);
      }
      if (facts_.cause[i] != kNone) {
        causes_.push_back(i);
      } else if (row.relation == Relation::kLeftOnly || row.relation == Relation::kRightOnly) {
        SortOneSided(i, leaf, output);
      } else if (row.relation == Relation::kDifferent) {
        absl::string_view loop;
        int64_t iteration = 0;
        const bool looped = IterationOf(PathOf(comparison_, row), &loop, &iteration);
        const bool early = !looped || ++of_iteration[PathOf(comparison_, row)] <= 2;
        (output                 ? different_outputs_
         : facts_.downstream[i] ? downstream_
         : leaf                 ? different_leaves_
         : early                ? different_
                                : rest_of_iterations_)
            .push_back(i);
      } else if (output) {
        outputs_.push_back(i);
      } else if (Has(row.aligned.marks, Mark::kFused)) {
        fused_.push_back(i);
      } else if (row.relation == Relation::kClose) {
        (leaf ? close_leaves_ : close_).push_back(i);
      } else if (!leaf && (row.aligned.marks & ~static_cast<Marks>(Mark::kMerged)) != 0 &&
                 !IsTrifle(face, comparison_.left)) {
        marked_.push_back(i);
      }
    }
  }

  void SortOneSided(size_t i, bool leaf, bool output) {
    const ComparedRow& row = comparison_.rows[i];
    const ResultStream& stream = row.aligned.left.empty() ? comparison_.right : comparison_.left;
    const StreamResult& face = FaceOf(comparison_, row);
    // A recording has only the results that its author chose, and nobody expects the rest; a side
    // that failed did not get there.
    const ResultStream& other = row.aligned.left.empty() ? comparison_.left : comparison_.right;
    if (other.nodes.empty()) return;
    if (output) {
      if (comparison_.verdict() != Verdict::kFailed) different_outputs_.push_back(i);
    } else if (!leaf && !IsTrifle(face, stream) && !IsFurtherOutput(comparison_, row)) {
      one_sided_.push_back(i);
    }
  }

  const Comparison& comparison_;
  const RowFacts& facts_;
  int room_;
  std::vector<bool> shown_;
  Rows causes_, parted_, different_outputs_, different_, different_leaves_, downstream_, outputs_,
      fused_, close_, close_leaves_, one_sided_, marked_, rest_of_iterations_, paired_;
};

}  // namespace

bool IsTrifle(const StreamResult& result, const ResultStream& stream) {
  return HasTrait(DomainOf(result, stream), OpTypeOf(result, stream), OperatorTrait::kTrifling);
}

const StreamResult& FaceOf(const Comparison& comparison, const ComparedRow& row) {
  return row.aligned.left.empty() ? comparison.right.results[Index(row.aligned.right.back())]
                                  : comparison.left.results[Index(row.aligned.left.back())];
}

absl::string_view PathOf(const Comparison& comparison, const ComparedRow& row) {
  const StreamResult& face = FaceOf(comparison, row);
  if (!face.path.empty() || row.aligned.right.empty()) return face.path;
  return comparison.right.results[Index(row.aligned.right.back())].path;
}

bool IsFurtherOutput(const Comparison& comparison, const ComparedRow& row) {
  if (row.aligned.paired()) return false;
  const SideId side = row.aligned.right.empty() ? SideId::kLeft : SideId::kRight;
  const ResultStream& stream = OfSide(comparison, side);
  const std::vector<int>& partners = comparison.alignment.partners(side);
  const int node = FaceOf(comparison, row).node;
  if (node == kNone) return false;
  const FewResults& outputs = stream.nodes[Index(node)].outputs;
  return std::any_of(outputs.begin(), outputs.end(), [&](int r) {
    return r != kNone && Index(r) < partners.size() && partners[Index(r)] != kNone;
  });
}

bool IterationOf(absl::string_view path, absl::string_view* loop, int64_t* iteration) {
  for (size_t open = path.find('['); open != absl::string_view::npos;
       open = path.find('[', open + 1)) {
    const size_t close = path.find(']', open);
    if (close == absl::string_view::npos) return false;
    if (absl::SimpleAtoi(path.substr(open + 1, close - open - 1), iteration)) {
      *loop = path.substr(0, open);
      return true;
    }
  }
  return false;
}

namespace {

// By result: true if it depends on a cause of that side. A node's results depend on causes in its
// bodies.
std::vector<bool> DownstreamOfCauses(const Comparison& comparison, SideId side) {
  const ResultStream& stream = OfSide(comparison, side);
  std::vector<int> causes;
  std::vector<int> around;
  for (const Cause& cause : comparison.causes) {
    causes.push_back(OfSide(cause, side));
    if (!cause.in_body.has_value()) continue;
    const int outer = OfSide(*cause.in_body, side);
    const int node = outer == kNone ? kNone : stream.results[Index(outer)].node;
    if (node == kNone) continue;
    for (const int output : stream.nodes[Index(node)].outputs) {
      if (output != kNone) around.push_back(output);
    }
  }
  causes.insert(causes.end(), around.begin(), around.end());
  std::vector<bool> behind = Behind(causes, stream);
  for (const int result : around) behind[Index(result)] = true;
  return behind;
}

// The row of the pair that a cause is about; one of several that share a result has its own.
int CauseRow(const Cause& cause, const Comparison& comparison, const RowFacts& facts) {
  const int by_left = cause.left == kNone ? kNone : facts.of_left[Index(cause.left)];
  const int by_right = cause.right == kNone ? kNone : facts.of_right[Index(cause.right)];
  if (by_left == kNone || by_right == kNone) return by_right == kNone ? by_left : by_right;
  const AlignedRow& row = comparison.rows[Index(by_left)].aligned;
  const bool is_pair = row.paired() && row.right.back() == cause.right;
  return is_pair ? by_left : by_right;
}

}  // namespace

RowFacts FactsOf(const Comparison& comparison) {
  RowFacts facts;
  facts.of_left.assign(comparison.left.results.size(), kNone);
  facts.of_right.assign(comparison.right.results.size(), kNone);
  facts.cause.assign(comparison.rows.size(), kNone);
  facts.downstream.assign(comparison.rows.size(), false);
  for (size_t i = 0; i < comparison.rows.size(); ++i) {
    const AlignedRow& row = comparison.rows[i].aligned;
    // A partner shared by several belongs to the row that is not marked as merged.
    const bool merged = Has(row.marks, Mark::kMerged);
    const auto note = [&](absl::Span<const int> results, std::vector<int>* of) {
      if (results.empty()) return;
      int& place = (*of)[Index(results.back())];
      if (place == kNone || !merged) place = static_cast<int>(i);
    };
    note(row.left, &facts.of_left);
    note(row.right, &facts.of_right);
  }
  for (size_t c = 0; c < comparison.causes.size(); ++c) {
    const Cause& cause = comparison.causes[c];
    const int row = CauseRow(cause, comparison, facts);
    if (row != kNone && facts.cause[Index(row)] == kNone) {
      facts.cause[Index(row)] = static_cast<int>(c);
    }
  }
  const std::vector<bool> left = DownstreamOfCauses(comparison, SideId::kLeft);
  const std::vector<bool> right = DownstreamOfCauses(comparison, SideId::kRight);
  for (size_t i = 0; i < comparison.rows.size(); ++i) {
    const AlignedRow& row = comparison.rows[i].aligned;
    facts.downstream[i] =
        facts.cause[i] == kNone && ((!row.left.empty() && left[Index(row.left.back())]) ||
                                    (!row.right.empty() && right[Index(row.right.back())]));
  }
  return facts;
}

std::vector<bool> SelectRows(const Comparison& comparison, const RowFacts& facts, int most) {
  return Selector(comparison, facts, most).Select();
}

}  // namespace onnxcmp
