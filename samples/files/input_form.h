// Values of one sample in the form of a model's inputs.
#ifndef ONNXCMP_SAMPLES_FILES_INPUT_FORM_H_
#define ONNXCMP_SAMPLES_FILES_INPUT_FORM_H_

#include <optional>

#include "absl/status/statusor.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"
#include "feed/feeds.h"

namespace onnxcmp {

// The rank that an input declares; nothing if it declares none.
std::optional<int64_t> RankOf(const ValueInfo& input);
// The size that it declares of an axis, counted from the end if negative; nothing if it is free.
std::optional<int64_t> SizeOf(const ValueInfo& input, int64_t axis);

// The tensor of a sample with a leading axis of 1 if it has an axis less than the input, without
// one of 1 if it has an axis more; else as it is. For an input whose first axis has a fixed size,
// the sample is repeated so often.
absl::StatusOr<Tensor> InRankOf(const ValueInfo& input, const Tensor& tensor);

// The same for a value that an input of its name takes, or the only input, whose name it gets;
// others stay.
absl::StatusOr<NamedValue> InFormOfInputs(const Graph& graph, NamedValue value);

}  // namespace onnxcmp

#endif  // ONNXCMP_SAMPLES_FILES_INPUT_FORM_H_
