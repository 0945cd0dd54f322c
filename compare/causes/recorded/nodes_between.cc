#include "compare/causes/recorded/nodes_between.h"

#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "record/base/work_bounds.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {

std::string NodesOf(const SideGraph& graph, const Region& region) {
  std::vector<std::string> names;
  for (const int n : region.nodes) {
    const StreamNode& made = *graph.node(n).made;
    if (HasTrait(made, OperatorTrait::kTrifling)) continue;
    const int first = made.outputs.empty() ? kNone : made.outputs.front();
    names.push_back(first == kNone ? made.op_type
                                   : absl::StrCat(made.op_type, " ", graph.result(first).name));
  }
  if (names.size() < 2) return "";
  if (names.size() > work_bounds::kLongHops) {
    const size_t left_out = names.size() - work_bounds::kLongHops;
    names.erase(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(left_out));
    names.insert(names.begin(), absl::StrCat("… ", left_out, " others"));
  }
  return absl::StrJoin(names, ", ");
}

}  // namespace onnxcmp
