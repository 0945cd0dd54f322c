#include "prove/why_not.h"

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/model/node_text.h"

namespace onnxcmp {
namespace {

const Node* NodeOf(const Graph& graph, const std::string& result) {
  const auto found = absl::c_find_if(
      graph.nodes, [&](const Node& node) { return absl::c_linear_search(node.outputs, result); });
  return found == graph.nodes.end() ? nullptr : &*found;
}

// The first of the left's and the right's that is at its side's node; null if there is none.
const ProofEnd* EndAt(const PerSide<const Node*>& nodes, const std::vector<ProofEnd>& left,
                      const std::vector<ProofEnd>& right) {
  for (const SideId side : kBothSides) {
    if (nodes[side] == nullptr) continue;
    const absl::string_view label = NodeLabel(*nodes[side]);
    for (const ProofEnd& end : side == SideId::kLeft ? left : right) {
      if (end.node == label) return &end;
    }
  }
  return nullptr;
}

}  // namespace

std::string WhyNotProved(const ProofPair& pair, const PerSide<const Graph*>& graphs,
                         const ProofReport& report, bool known) {
  const PerSide<const Node*> nodes = {NodeOf(*graphs.left, pair.left),
                                      NodeOf(*graphs.right, pair.right)};
  if (const ProofEnd* end = EndAt(nodes, report.left_ends, report.right_ends)) {
    return absl::StrCat(end->op_type, ": ", end->why);
  }
  if (const ProofEnd* function = EndAt(nodes, report.left_functions, report.right_functions)) {
    return absl::StrCat("nothing is known of ", function->op_type,
                        " but that it gives the same for the same",
                        function->why.empty() ? "" : absl::StrCat(" (", function->why, ")"));
  }
  if (!known) return "NaN, or unknown, in exact arithmetic";
  if (nodes.left == nullptr && nodes.right == nullptr) {
    return pair.both_are_leaves ? "two constants that differ" : "";
  }
  if (nodes.left == nullptr || nodes.right == nullptr) {
    const Node* const node = nodes.left == nullptr ? nodes.right : nodes.left;
    return absl::StrCat("no rule makes ", node->op_type, " and a constant the same");
  }
  const std::string& left = nodes.left->op_type;
  const std::string& right = nodes.right->op_type;
  return left == right ? absl::StrCat("no rule makes the arguments of ", left, " the same")
                       : absl::StrCat("no rule makes ", left, " and ", right, " the same");
}

std::string FirstNotProved(absl::Span<const ProofPair> pairs, absl::Span<const RowProof> rows) {
  const auto* const first = absl::c_find_if(pairs, [&](const ProofPair& pair) {
    return !pair.both_are_leaves && rows[pair.row] == RowProof::kNotProved;
  });
  if (first == pairs.end()) return "";
  return first->left == first->right ? first->left : absl::StrCat(first->left, " | ", first->right);
}

}  // namespace onnxcmp
