#include "compare/outcome/model_changes.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "compare/alignment/alignment.h"
#include "compare/outputs/compared_row.h"
#include "record/base/per_side.h"
#include "record/streams/result_stream.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

// The path of a node, the same for all iterations of a loop: "loop[3]/body" as "loop[]/body".
std::string WithoutIterations(absl::string_view path) {
  std::string text;
  bool in_brackets = false;
  for (const char c : path) {
    if (c == ']') in_brackets = false;
    if (!in_brackets || c < '0' || c > '9') text += c;
    if (c == '[') in_brackets = true;
  }
  return text;
}

std::map<std::string, int64_t> CountOperators(const ResultStream& stream) {
  std::map<std::string, int64_t> counts;
  absl::flat_hash_set<std::string> in_bodies;
  for (const StreamNode& node : stream.nodes) {
    const auto made = std::find_if(node.outputs.begin(), node.outputs.end(),
                                   [](const int result) { return result != kNone; });
    const bool in_body = made != node.outputs.end() && stream.results[Index(*made)].depth > 0;
    if (in_body && !in_bodies
                        .insert(absl::StrCat(WithoutIterations(node.path), "/",
                                             stream.results[Index(*made)].name))
                        .second) {
      continue;
    }
    ++counts[node.op_type];
  }
  return counts;
}

// True for a pair whose two results are one quantity, so that their names can be held against each
// other: what is computed on one side and a constant on the other, or has two partners, is not.
bool IsOneQuantity(const AlignedRow& row) {
  return row.paired() && !Has(row.marks, Mark::kMerged) && !Has(row.marks, Mark::kFolded) &&
         !Has(row.marks, Mark::kRepaired);
}

}  // namespace

bool AreTwoModels(const Comparison& comparison) {
  for (const SideId side : kBothSides) {
    if (OfSide(comparison, side).recorded || OfSide(comparison, side).nodes.empty()) return false;
  }
  // A side that ended early has not shown all of its nodes.
  return comparison.left_summary.status.ok() && comparison.right_summary.status.ok() &&
         comparison.left_summary.source != comparison.right_summary.source;
}

ModelChanges CountChanges(const Comparison& comparison) {
  ModelChanges changes;
  changes.models = AreTwoModels(comparison);
  if (!changes.models) return changes;
  changes.left_nodes = comparison.left_summary.nodes;
  changes.right_nodes = comparison.right_summary.nodes;
  std::map<std::string, int64_t> more = CountOperators(comparison.right);
  for (const auto& [name, count] : CountOperators(comparison.left)) more[name] -= count;
  for (const auto& [name, count] : more) {
    if (count != 0) changes.operators.emplace_back(name, count);
  }
  for (const ComparedRow& row : comparison.rows) {
    if (!IsOneQuantity(row.aligned)) continue;
    const StreamResult& left = comparison.left.results[Index(row.aligned.left.back())];
    const StreamResult& right = comparison.right.results[Index(row.aligned.right.back())];
    if (left.depth > 0 || right.depth > 0) continue;  // once for each iteration
    if (left.name != right.name) ++changes.renamed;
    if (left.kind == ResultKind::kInitializer && right.kind == ResultKind::kInitializer &&
        row.difference != nullptr && left.dtype == right.dtype) {
      ++changes.constants;
    }
    if (left.node == kNone || right.node == kNone || left.slot != right.slot) continue;
    const StreamNode& before = comparison.left.nodes[Index(left.node)];
    const StreamNode& after = comparison.right.nodes[Index(right.node)];
    if (before.op_type == after.op_type && before.domain == after.domain &&
        before.attributes != after.attributes &&
        before.outputs.front() == row.aligned.left.back()) {
      ++changes.attributes;
    }
  }
  return changes;
}

std::string CountsText(const ModelChanges& changes) {
  if (!changes.models) return "";
  std::vector<std::pair<std::string, int64_t>> operators = changes.operators;
  // The greatest change first, gained operators before lost ones.
  std::stable_sort(operators.begin(), operators.end(), [](const auto& a, const auto& b) {
    if ((a.second > 0) != (b.second > 0)) return a.second > 0;
    return std::abs(a.second) > std::abs(b.second);
  });
  std::vector<std::string> named;
  for (const auto& [name, count] : operators) {
    named.push_back(absl::StrCat(count > 0 ? "+" : "", count, kNoBreak, PrintableText(name)));
  }
  CutList(&named, 8, "other operators");
  std::string text =
      changes.left_nodes == changes.right_nodes
          ? Count(changes.right_nodes, "node")
          : absl::StrCat(changes.left_nodes, " → ", Count(changes.right_nodes, "node"));
  absl::StrAppend(&text, named.empty() ? ", the same operators"
                                       : absl::StrCat(" (", absl::StrJoin(named, ", "), ")"));
  if (changes.renamed > 0) absl::StrAppend(&text, "; ", changes.renamed, " renamed");
  if (changes.constants > 0) {
    absl::StrAppend(&text, "; ", Count(changes.constants, "constant"), " with other numbers");
  }
  if (changes.attributes > 0) {
    absl::StrAppend(&text, "; ", Count(changes.attributes, "node"), " with other attributes");
  }
  return text;
}

}  // namespace onnxcmp
