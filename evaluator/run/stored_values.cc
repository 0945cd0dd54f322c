#include "evaluator/run/stored_values.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/stored_value.h"

namespace onnxcmp {

absl::Status StoredValues::LoadInputs(absl::Span<const Value>* inputs) {
  if (std::none_of(inputs->begin(), inputs->end(), IsStored)) return absl::OkStatus();
  inputs_.assign(inputs->begin(), inputs->end());
  for (Value& input : inputs_) {
    OC_ASSIGN_OR_RETURN(input, InMemory(input, pool_));
  }
  *inputs = inputs_;
  return absl::OkStatus();
}

absl::Status StoredValues::Hold(const Value& value) {
  if (!IsStored(value)) return absl::OkStatus();
  OC_ASSIGN_OR_RETURN(Value held, InMemory(value, pool_));
  held_.push_back(std::move(held));
  return absl::OkStatus();
}

absl::Status StoredValues::HoldInitializers(const NodePlan& node) {
  for (const std::shared_ptr<const GraphPlan>& graph : node.subgraphs) {
    for (const Value& initial : graph->initial) OC_RETURN_IF_ERROR(Hold(initial));
    for (const NodePlan& inner : graph->nodes) OC_RETURN_IF_ERROR(HoldInitializers(inner));
  }
  return absl::OkStatus();
}

absl::Status StoredValues::Load(const NodePlan& node, absl::FunctionRef<const Value&(Slot)> around,
                                absl::Span<const Value>* inputs) {
  OC_RETURN_IF_ERROR(LoadInputs(inputs));
  if (node.subgraphs.empty()) return absl::OkStatus();
  for (const Capture& capture : CapturesOf(node)) OC_RETURN_IF_ERROR(Hold(around(capture.around)));
  return HoldInitializers(node);
}

}  // namespace onnxcmp
