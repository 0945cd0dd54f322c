#include "prove/node_kinds.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/string_view.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {

Resolved ResolvedIn(const Evaluator& evaluator, const Node& node) {
  Resolved found;
  found.imports = node.imports != nullptr ? node.imports.get() : &evaluator.model().imports;
  const auto import = found.imports->find(node.domain);
  const OpRegistry& registry = evaluator.registry();
  found.version =
      import != found.imports->end() ? import->second : registry.LatestVersion(node.domain);
  found.schema = registry.FindSchema(node.domain, node.op_type, found.version);
  return found;
}

bool DrawsNumbers(const Node& node) {
  const absl::string_view name = node.op_type;
  for (const char* part :
       {"Random", "Multinomial", "Bernoulli", "Dropout", "Sampling", "Shuffle"}) {
    if (name.find(part) != absl::string_view::npos) return true;
  }
  return false;
}

bool ShapesByNumbers(const Node& node) {
  static constexpr absl::string_view kNames[] = {"NonZero", "Unique", "Compress",
                                                 "NonMaxSuppression"};
  return std::find(std::begin(kNames), std::end(kNames), node.op_type) != std::end(kNames);
}

bool OnlyPlaces(const Node& node) {
  return node.op_type.starts_with("Gather") || node.op_type.starts_with("Scatter");
}

bool MovesSequences(const Node& node) {
  static constexpr absl::string_view kNames[] = {
      "SplitToSequence", "SequenceConstruct", "SequenceAt", "SequenceInsert", "ConcatFromSequence"};
  return node.domain == kOnnxDomain &&
         std::find(std::begin(kNames), std::end(kNames), node.op_type) != std::end(kNames);
}

bool RoundsAlike(const Node& node) {
  static constexpr absl::string_view kNames[] = {
      "Abs",     "Add",     "Cast",   "CastLike",  "Clip",      "Concat", "Div",
      "Expand",  "Flatten", "Gather", "Identity",  "Max",       "Min",    "Mul",
      "Neg",     "Pad",     "Relu",   "Reshape",   "Slice",     "Split",  "Sqrt",
      "Squeeze", "Sub",     "Tile",   "Transpose", "Unsqueeze", "Where",  "Reciprocal"};
  return node.domain == kOnnxDomain &&
         std::find(std::begin(kNames), std::end(kNames), node.op_type) != std::end(kNames);
}

bool ReadsSigns(absl::string_view op_type) {
  static constexpr absl::string_view kNames[] = {
      "Abs",       "ArgMax",         "ArgMin",    "Celu",          "Clip", "Elu",
      "Greater",   "GreaterOrEqual", "LeakyRelu", "Less",          "Max",  "Min",
      "ReduceMax", "ReduceMin",      "MaxPool",   "GlobalMaxPool", "TopK", "LessOrEqual",
      "PRelu",     "Relu",           "Selu",      "Sign"};
  return std::find(std::begin(kNames), std::end(kNames), op_type) != std::end(kNames);
}

bool ReadsNoElements(const Node& node) {
  return node.domain == kOnnxDomain &&
         (node.op_type == "Shape" || node.op_type == "Size" || node.op_type == "EyeLike");
}

}  // namespace onnxcmp
