#include "compare/operators/operator_traits.h"

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "evaluator/model.h"

namespace onnxcmp {
namespace {

constexpr uint16_t kMoves = static_cast<uint16_t>(OperatorTrait::kMoves);
constexpr uint16_t kOne = static_cast<uint16_t>(OperatorTrait::kOneDataInput);
constexpr uint16_t kArithmetic = static_cast<uint16_t>(OperatorTrait::kArithmetic);
constexpr uint16_t kCasts = static_cast<uint16_t>(OperatorTrait::kCasts);

const absl::flat_hash_map<absl::string_view, uint16_t>& Table() {
  static const auto* const kTable = new absl::flat_hash_map<absl::string_view, uint16_t>({
      {"Abs", kArithmetic},
      {"Add", kArithmetic},
      {"Cast", kCasts},
      {"CastLike", kCasts},
      {"Ceil", kArithmetic},
      {"CenterCropPad", kMoves | kOne},
      {"Clip", kMoves | kOne},
      {"Compress", kMoves | kOne},
      {"Concat", kMoves},
      {"ConcatFromSequence", kMoves},
      {"DepthToSpace", kMoves | kOne},
      {"Div", kArithmetic},
      {"Dropout", kMoves | kOne},
      {"Expand", kMoves | kOne},
      {"ExpandDims", kMoves | kOne},
      {"Flatten", kMoves | kOne},
      {"Floor", kArithmetic},
      {"Gather", kMoves | kOne},
      {"GatherElements", kMoves | kOne},
      {"GatherND", kMoves | kOne},
      {"Identity", kMoves | kOne},
      {"Max", kMoves},
      {"MaxPool", kMoves | kOne},
      {"Min", kMoves},
      {"Mod", kArithmetic},
      {"Mul", kArithmetic},
      {"Neg", kArithmetic},
      {"NhwcMaxPool", kMoves | kOne},
      {"Optional", kMoves | kOne},
      {"OptionalGetElement", kMoves | kOne},
      {"Pad", kMoves | kOne},
      {"ReduceMax", kMoves | kOne},
      {"ReduceMin", kMoves | kOne},
      {"Relu", kMoves | kOne},
      {"ReorderInput", kMoves | kOne},
      {"ReorderOutput", kMoves | kOne},
      {"Reshape", kMoves | kOne},
      {"ReverseSequence", kMoves | kOne},
      {"Round", kArithmetic},
      {"ScatterElements", kMoves},
      {"ScatterND", kMoves},
      {"SequenceAt", kMoves | kOne},
      {"SequenceConstruct", kMoves},
      {"SequenceInsert", kMoves},
      {"Slice", kMoves | kOne},
      {"SpaceToDepth", kMoves | kOne},
      {"Split", kMoves | kOne},
      {"SplitToSequence", kMoves | kOne},
      {"Squeeze", kMoves | kOne},
      {"Sub", kArithmetic},
      {"Sum", kArithmetic},
      {"Tile", kMoves | kOne},
      {"Transpose", kMoves | kOne},
      {"Trilu", kMoves | kOne},
      {"Unsqueeze", kMoves | kOne},
      {"Where", kMoves},
  });
  return *kTable;
}

}  // namespace

bool HasTrait(absl::string_view domain, absl::string_view op_type, OperatorTrait trait) {
  if (domain != kOnnxDomain && !absl::StartsWith(domain, kMicrosoftDomain)) return false;
  const auto it = Table().find(op_type);
  return it != Table().end() && (it->second & static_cast<uint16_t>(trait)) != 0;
}

bool Quantizes(absl::string_view op_type) {
  static const auto* const kOthers = new absl::flat_hash_set<absl::string_view>(
      {"ConvInteger", "GatherBlockQuantized", "GatherPacked", "MatMulBnb4", "MatMulFpQ4",
       "MatMulInteger", "MatMulInteger16", "MatMulIntegerToFloat", "MatMulNBits", "MatMulNBitsMlp",
       "MatMulNBitsQLoRA", "MatMulNBitsQkv", "MatMulPacked", "MoEPacked", "QAttention",
       "QEmbedLayerNormalization", "QGemm", "QMoE"});
  return absl::StrContains(op_type, "Quantize") || absl::StrContains(op_type, "Dequantize") ||
         absl::StartsWith(op_type, "QLinear") || absl::StartsWith(op_type, "QOrdered") ||
         kOthers->contains(op_type);
}

DType QuantizedAs(absl::string_view op_type, DType dtype) {
  static const auto* const kPacked = new absl::flat_hash_set<absl::string_view>(
      {"GatherBlockQuantized", "GatherPacked", "MatMulBnb4", "MatMulFpQ4", "MatMulNBits",
       "MatMulNBitsMlp", "MatMulNBitsQLoRA", "MatMulNBitsQkv", "MatMulPacked", "MoEPacked",
       "QMoE"});
  if (!IsInteger(dtype) || BitWidth(dtype) > 16 || !Quantizes(op_type)) return DType::kUndefined;
  return BitWidth(dtype) == 8 && kPacked->contains(op_type) ? DType::kUint4 : dtype;
}

bool OnlyReorders(absl::string_view op_type) {
  static constexpr absl::string_view kOperators[] = {"Flatten",       "Identity", "ReorderInput",
                                                     "ReorderOutput", "Reshape",  "Squeeze",
                                                     "Transpose",     "Unsqueeze"};
  return absl::c_linear_search(kOperators, op_type);
}

bool ReadsNoElements(absl::string_view op_type) { return op_type == "Shape" || op_type == "Size"; }

}  // namespace onnxcmp
