// A serialized model without its weights, so that parsing it copies little.
#ifndef ONNXCMP_EVALUATOR_PROTOS_CUT_WEIGHTS_H_
#define ONNXCMP_EVALUATOR_PROTOS_CUT_WEIGHTS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace onnxcmp {

struct CutModel {
  // The message, with a placeholder as the raw_data of each tensor that was cut.
  std::string message;
  // The bytes that placeholders stand for, by their number; they lie where they lay.
  std::vector<absl::string_view> weights;
};

// Cuts raw_data of at least `least` bytes out of a serialized onnx.ModelProto: those of
// initializers of the graphs, and of tensors in attributes, wherever the graph or the function with
// them lies. Everything else stays as it is, so that a parser makes of what is left what it would
// make of the whole, and refuses what it would refuse. Nothing if there is hardly anything to cut,
// and if the message is so unusual (a group, a length that leads out of it, a tensor that is given
// in parts) that only a parser should read it.
std::optional<CutModel> CutWeights(absl::string_view model, size_t least = 4096);

// The number of the weights that a raw_data of a parsed CutModel::message stands for, nothing for
// raw_data that was not cut.
std::optional<size_t> CutNumber(absl::string_view raw_data);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_PROTOS_CUT_WEIGHTS_H_
