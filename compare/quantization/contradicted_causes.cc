#include "compare/quantization/contradicted_causes.h"

#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace onnxcmp {

CauseReview ReviewByRows(const ResultStream& left, absl::Span<const ComparedRow> rows) {
  absl::flat_hash_map<int, int> agreeing;  // the left's result by the right's
  absl::flat_hash_map<int, int> shared;    // how many right results share a left one
  for (const ComparedRow& row : rows) {
    if (!row.aligned.paired() || row.relation == Relation::kDifferent) continue;
    agreeing.emplace(row.aligned.right.back(), row.aligned.left.back());
    ++shared[row.aligned.left.back()];
  }
  return [&left, agreeing = std::move(agreeing),
          shared = std::move(shared)](const Cause& cause) -> std::optional<Veto> {
    if (cause.kind != CauseKind::kOperator || cause.in_body.has_value()) return std::nullopt;
    if (cause.left == kNone || cause.right == kNone) return std::nullopt;
    const auto content = [&](int l) { return left.results[Index(l)].fingerprint.content; };
    const auto partner = agreeing.find(cause.right);
    // Where a node does nothing although it should, its result repeats its input and agrees with
    // the input's partner.
    const bool contradicted = partner != agreeing.end() && shared.at(partner->second) == 1 &&
                              content(partner->second) != content(cause.left);
    return contradicted ? std::optional(Veto::kAgreesWithAnother) : std::nullopt;
  };
}

}  // namespace onnxcmp
