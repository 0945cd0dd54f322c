#include "prove/why_not.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "evaluator/model/node_text.h"

namespace onnxcmp {
namespace {

const Node* NodeOf(const Graph& graph, const std::string& result) {
  const auto found = absl::c_find_if(
      graph.nodes, [&](const Node& node) { return absl::c_linear_search(node.outputs, result); });
  return found == graph.nodes.end() ? nullptr : &*found;
}

// The first of the left's and the right's that is at the node which makes a pair's result; null if
// there is none.
const ProofEnd* EndAt(const ProofPair& pair, const PerSide<const Graph*>& graphs,
                      const std::vector<ProofEnd>& left, const std::vector<ProofEnd>& right) {
  for (const SideId side : kBothSides) {
    const bool is_left = side == SideId::kLeft;
    const Node* const node = NodeOf(*graphs[side], is_left ? pair.left : pair.right);
    if (node == nullptr) continue;
    for (const ProofEnd& end : is_left ? left : right) {
      if (end.node == NodeLabel(*node)) return &end;
    }
  }
  return nullptr;
}

}  // namespace

std::string WhyNotProved(const ProofPair& pair, const PerSide<const Graph*>& graphs,
                         const ProofReport& report, bool known) {
  if (const ProofEnd* end = EndAt(pair, graphs, report.left_ends, report.right_ends)) {
    return absl::StrCat(end->op_type, ": ", end->why);
  }
  if (const ProofEnd* function =
          EndAt(pair, graphs, report.left_functions, report.right_functions)) {
    return absl::StrCat("nothing is known of ", function->op_type,
                        " but that it gives the same for the same",
                        function->why.empty() ? "" : absl::StrCat(" (", function->why, ")"));
  }
  if (!known) return "NaN, or unknown, in exact arithmetic";
  const Node* const left = NodeOf(*graphs.left, pair.left);
  const Node* const right = NodeOf(*graphs.right, pair.right);
  if (left == nullptr || right == nullptr) return "";
  return left->op_type == right->op_type
             ? absl::StrCat("no rule makes the arguments of ", left->op_type, " the same")
             : absl::StrCat("no rule makes ", left->op_type, " and ", right->op_type, " the same");
}

}  // namespace onnxcmp
