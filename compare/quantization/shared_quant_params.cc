#include "compare/quantization/shared_quant_params.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "compare/operators/operator_traits.h"

namespace onnxcmp {
namespace {

// True if an operator gives numbers within the range of its inputs, so that its result may keep
// their scale.
bool Averages(const StreamNode& made) {
  static const auto* const kOperators = new absl::flat_hash_set<absl::string_view>(
      {"AveragePool", "GlobalAveragePool", "QLinearAveragePool", "QLinearGlobalAveragePool",
       "QLinearReduceMean", "ReduceMean", "ReduceMax", "ReduceMin", "Resize", "Upsample"});
  return kOperators->contains(made.op_type);
}

// By result: a representative of its family, the same for all members.
class Families {
 public:
  explicit Families(const SideValues& side) : above_(side.graph().stream().results.size()) {
    std::iota(above_.begin(), above_.end(), 0);
    for (const SideGraph::GraphNode& node : side.graph().nodes()) {
      const StreamNode& made = *node.made;
      const bool regrids = HasTrait(made, OperatorTrait::kRegrids);
      const bool averages = Averages(made);
      if (!regrids && !averages && !HasTrait(made, OperatorTrait::kMoves)) continue;
      const bool one = regrids || averages || HasTrait(made, OperatorTrait::kOneDataInput);
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
