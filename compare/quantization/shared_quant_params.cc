#include "compare/quantization/shared_quant_params.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "record/operators/operator_traits.h"

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
      const bool requantizations = HasTrait(made, OperatorTrait::kRequantizations);
      const bool averages = Averages(made);
      if (!requantizations && !averages && !HasTrait(made, OperatorTrait::kMoves)) continue;
      const bool one = requantizations || averages || HasTrait(made, OperatorTrait::kOneDataInput);
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

void TakeRangesOfWholes(const CounterpartRun& run, std::vector<FixedQuantParams>* all_params) {
  const Families families(run.quantized());
  std::vector<int> family;
  family.reserve(all_params->size());
  for (const FixedQuantParams& params : *all_params) family.push_back(families.Of(params.result));
  const std::vector<FixedQuantParams> own = *all_params;
  for (size_t i = 0; i < own.size(); ++i) {
    for (size_t k = 0; k < own.size(); ++k) {
      if (family[i] != family[k] || own[i].values.scales != own[k].values.scales ||
          own[i].values.zero_points != own[k].values.zero_points) {
        continue;
      }
      FixedQuantParams& params = (*all_params)[i];
      params.least = std::min(params.least, own[k].least);
      params.most = std::max(params.most, own[k].most);
    }
  }
}

}  // namespace onnxcmp
