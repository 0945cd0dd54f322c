// The values of results that depend on constants alone.
#ifndef ONNXCMP_COMPARE_CONVERSION_CONSTANT_VALUES_H_
#define ONNXCMP_COMPARE_CONVERSION_CONSTANT_VALUES_H_

#include <optional>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "compare/quantization/quant_params.h"
#include "compare/sides/pair_values.h"
#include "evaluator/tensor/value.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

class ConstantValues {
 public:
  // Both must outlive the object.
  ConstantValues(const RecordedSide& side, const SideGraph& graph);

  bool IsFixed(int r) const { return fixed_[Index(r)]; }
  // Empty if the result depends on inputs, or if a node fails. Nodes run when they are needed.
  const Value& Of(int r);
  // Numbers of parameters whose scale and zero point are constants, for integers of that result.
  std::optional<QuantParamValues> ParamsOf(int r, const QuantParams& params);

 private:
  bool IsKnown(int r) const;
  const Value& Known(int r) const;  // empty, too, before it is computed
  Value Computed(int r) const;      // from values that are known

  const RecordedSide& side_;
  const SideGraph& graph_;
  std::vector<bool> fixed_;
  absl::node_hash_map<int, Value> values_;
  const Value unknown_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CONVERSION_CONSTANT_VALUES_H_
