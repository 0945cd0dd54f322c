#include "compare/quantization/contradicted_causes.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"

namespace onnxcmp {

void DropContradicted(const ResultStream& left, absl::Span<const ComparedRow> rows,
                      std::vector<Cause>* causes) {
  absl::flat_hash_map<int, int> agreeing;  // the left's result by the right's
  absl::flat_hash_map<int, int> shared;    // how many right results share a left one
  for (const ComparedRow& row : rows) {
    if (!row.aligned.paired() || row.relation == Relation::kDifferent) continue;
    agreeing.emplace(row.aligned.right.back(), row.aligned.left.back());
    ++shared[row.aligned.left.back()];
  }
  const auto content = [&](int l) { return left.results[Index(l)].fingerprint.content; };
  const auto is_contradicted = [&](const Cause& cause) {
    if (cause.kind != CauseKind::kOperator || cause.in_body.has_value()) return false;
    if (cause.left == kNone || cause.right == kNone) return false;
    const auto partner = agreeing.find(cause.right);
    // Where a node does nothing although it should, its result repeats its input and agrees with
    // the input's partner.
    return partner != agreeing.end() && shared[partner->second] == 1 &&
           content(partner->second) != content(cause.left);
  };
  causes->erase(std::remove_if(causes->begin(), causes->end(), is_contradicted), causes->end());
}

}  // namespace onnxcmp
