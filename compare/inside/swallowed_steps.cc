#include "compare/inside/swallowed_steps.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "compare/inside/derived_values.h"
#include "record/base/work_bounds.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {

LayersOfModel::LayersOfModel(const ResultStream& model)
    : model_(model), operators_on_(model.results.size()), is_normalized_(model.results.size()) {
  for (const StreamNode& node : model_.nodes) {
    if (node.inputs.empty() || node.inputs.front() == kNone) continue;
    const size_t read = Index(node.inputs.front());
    if (HasInnerSteps(node.op_type)) operators_on_[read].push_back(node.op_type);
    if (node.op_type == "BatchNormalization") is_normalized_[read] = true;
  }
}

const StreamNode* LayersOfModel::MakerOf(int r) const {
  for (int after = 0; after < work_bounds::kHops; ++after) {
    const int n = model_.results[Index(r)].node;
    if (n == kNone) return nullptr;
    const StreamNode& node = model_.nodes[Index(n)];
    const bool converts = node.op_type == "Cast" || node.op_type == "QuantizeLinear" ||
                          node.op_type == "DequantizeLinear" || node.op_type == "ReorderOutput";
    if (!converts || node.inputs.empty() || node.inputs.front() == kNone) return &node;
    r = node.inputs.front();
  }
  return nullptr;
}

bool LayersOfModel::MayFold(int r) const {
  const StreamNode* const maker = MakerOf(r);
  return maker != nullptr && HasTrait(*maker, OperatorTrait::kProducts) &&
         !is_normalized_[Index(r)];
}

bool LayersOfModel::MayActivate(int r) const {
  const StreamNode* const maker = MakerOf(r);
  if (maker == nullptr || HasTrait(*maker, OperatorTrait::kProducts)) return maker != nullptr;
  return absl::c_any_of(maker->inputs, [&](int read) {
    return read != kNone && model_.results[Index(read)].fingerprint.size > 1 &&
           model_.results[Index(read)].shape != model_.results[Index(r)].shape;
  });
}

}  // namespace onnxcmp
