#include "feed/made_up/known_keys.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/tensor.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {

void AddKeysOf(const Attribute& attribute, InputPurpose* found) {
  const auto* tensor = std::get_if<Tensor>(&attribute);
  const absl::StatusOr<Tensor> whole =
      tensor == nullptr ? absl::StatusOr<Tensor>(absl::NotFoundError("")) : tensor->Contiguous();
  if (!whole.ok()) return;
  for (int64_t i = 0; i < whole->num_elements(); ++i) {
    if (whole->dtype() == DType::kString) found->words.push_back(whole->string_data()[i]);
    if (whole->dtype() == DType::kInt64) {
      found->keys.push_back(static_cast<double>(whole->data<int64_t>()[i]));
    }
  }
}

void AddThresholds(const Node& node, FeaturePurpose* found) {
  const auto* features = AttributeOf<std::vector<int64_t>>(node, "nodes_featureids");
  if (features == nullptr) return;
  std::vector<double> values;
  if (const auto* floats = AttributeOf<std::vector<float>>(node, "nodes_values")) {
    values.assign(floats->begin(), floats->end());
  }
  for (const char* name : {"nodes_values_as_tensor", "nodes_splits"}) {
    const auto* tensor = AttributeOf<Tensor>(node, name);
    const absl::StatusOr<Tensor> whole =
        tensor == nullptr ? absl::StatusOr<Tensor>(absl::NotFoundError("")) : tensor->Contiguous();
    if (!whole.ok()) continue;
    values.resize(static_cast<size_t>(whole->num_elements()));
    LoadElements<double>(whole->dtype(), whole->raw_data(), 0, whole->num_elements(),
                         values.data());
  }
  for (size_t i = 0; i < std::min(values.size(), features->size()); ++i) {
    found->thresholds[(*features)[i]].push_back(values[i]);
  }
}

}  // namespace onnxcmp
