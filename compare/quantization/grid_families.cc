#include "compare/quantization/grid_families.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "compare/operators/operator_traits.h"

namespace onnxcmp {
namespace {

// By result: a member of its family that is the same for all of them.
class Families {
 public:
  explicit Families(const SideValues& side) : above_(side.graph().stream().results.size()) {
    std::iota(above_.begin(), above_.end(), 0);
    for (const SideGraph::GraphNode& node : side.graph().nodes()) {
      const StreamNode& made = *node.made;
      const bool regrids = HasTrait(made, OperatorTrait::kRegrids);
      if (!regrids && !HasTrait(made, OperatorTrait::kMoves)) continue;
      const bool one = regrids || HasTrait(made, OperatorTrait::kOneDataInput);
      for (size_t i = 0; i < made.inputs.size() && (i == 0 || !one); ++i) {
        const int r = made.inputs[i];
        if (r == kNone || side.IsFixed(r)) continue;
        for (const int output : made.outputs) {
          if (output != kNone) above_[Index(Of(output))] = Of(r);
        }
      }
    }
  }

  int Of(int r) const {
    while (above_[Index(r)] != r) r = above_[Index(r)];
    return r;
  }

 private:
  std::vector<int> above_;
};

}  // namespace

void TakeRangesOfWholes(const TwinRun& run, std::vector<FixedGrid>* grids) {
  const Families families(run.quantized());
  std::vector<int> family;
  family.reserve(grids->size());
  for (const FixedGrid& grid : *grids) family.push_back(families.Of(grid.result));
  const std::vector<FixedGrid> own = *grids;
  for (size_t i = 0; i < own.size(); ++i) {
    for (size_t k = 0; k < own.size(); ++k) {
      if (family[i] != family[k] || own[i].values.scales != own[k].values.scales ||
          own[i].values.zero_points != own[k].values.zero_points) {
        continue;
      }
      FixedGrid& grid = (*grids)[i];
      grid.least = std::min(grid.least, own[k].least);
      grid.most = std::max(grid.most, own[k].most);
    }
  }
}

}  // namespace onnxcmp
