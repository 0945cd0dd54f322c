#include "record/operators/operator_table.h"

#include "evaluator/model/model.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

constexpr uint32_t Bit(OperatorTrait trait) { return static_cast<uint32_t>(trait); }

constexpr uint32_t kMoves = Bit(OperatorTrait::kMoves);
constexpr uint32_t kAddsNumbers = Bit(OperatorTrait::kAddsNumbers);
constexpr uint32_t kCasts = Bit(OperatorTrait::kCasts);
constexpr uint32_t kRequantizations = Bit(OperatorTrait::kRequantizations);
constexpr uint32_t kArithmetic = Bit(OperatorTrait::kArithmetic);
constexpr uint32_t kProducts = Bit(OperatorTrait::kProducts);
constexpr uint32_t kAbsorbs = Bit(OperatorTrait::kAbsorbs);
constexpr uint32_t kCommutative = Bit(OperatorTrait::kCommutative);
constexpr uint32_t kNotNegative = Bit(OperatorTrait::kNotNegative);
constexpr uint32_t kBends = Bit(OperatorTrait::kBends);
constexpr uint32_t kCompares = Bit(OperatorTrait::kCompares);
constexpr uint32_t kJumps = Bit(OperatorTrait::kJumps);
constexpr uint32_t kDraws = Bit(OperatorTrait::kDraws);
constexpr uint32_t kReadsNoElements = Bit(OperatorTrait::kReadsNoElements);
constexpr uint32_t kKeepsAxes = Bit(OperatorTrait::kKeepsAxes);
constexpr uint32_t kStandsBetween = Bit(OperatorTrait::kStandsBetween);
constexpr uint32_t kTrifling = Bit(OperatorTrait::kTrifling);
constexpr uint32_t kQuantized = Bit(OperatorTrait::kQuantized);
constexpr uint32_t kPacked = Bit(OperatorTrait::kPacked);

// Each includes the one before.
constexpr uint32_t kSelecting = kMoves | Bit(OperatorTrait::kOneDataInput);
constexpr uint32_t kRearranging = kSelecting | Bit(OperatorTrait::kRearranges);
constexpr uint32_t kReordering = kRearranging | Bit(OperatorTrait::kReorders);
constexpr uint32_t kKeeping = kReordering | Bit(OperatorTrait::kKeepsOrder);
constexpr uint32_t kCopying = kKeeping | Bit(OperatorTrait::kCopies);

constexpr OperatorRow kOperatorRows[] = {
    {"Abs", kOfOnnx, kArithmetic | kAbsorbs | kNotNegative | kBends | kKeepsAxes},
    {"Add", kOfOnnx, kArithmetic | kCommutative | kKeepsAxes},
    {"And", kOfOnnx, kAbsorbs | kCommutative},
    {"ArgMax", kOfOnnx, kAbsorbs},
    {"ArgMin", kOfOnnx, kAbsorbs},
    {"Attention", kOfOnnx | kOfMicrosoft, kProducts},
    {"AveragePool", kOfOnnx | kOfNchwc | kOfNhwc, kAbsorbs},
    {"Bernoulli", kOfOnnx, kDraws},
    {"BiasGelu", kOfMicrosoft, kBends},
    {"BitShift", kOfOnnx, kAbsorbs},
    {"BitwiseAnd", kOfOnnx, kCommutative},
    {"BitwiseOr", kOfOnnx, kCommutative},
    {"BitwiseXor", kOfOnnx, kCommutative},
    {"Cast", kOfOnnx, kCasts | kAbsorbs | kKeepsAxes | kStandsBetween | kTrifling},
    {"CastLike", kOfOnnx, kCasts | kKeepsAxes | kTrifling},
    {"Ceil", kOfOnnx, kArithmetic | kAbsorbs | kJumps | kKeepsAxes},
    {"Celu", kOfOnnx, kAbsorbs | kBends},
    {"CenterCropPad", kOfOnnx, kSelecting | kAddsNumbers},
    {"Clip", kOfOnnx, kSelecting | kAddsNumbers | kAbsorbs | kKeepsAxes},
    {"Compress", kOfOnnx, kSelecting | kAbsorbs},
    {"Concat", kOfOnnx, kMoves | kKeepsAxes},
    {"ConcatFromSequence", kOfOnnx, kMoves},
    {"Constant", kOfOnnx, kTrifling},
    {"Conv", kOfOnnx | kOfNchwc | kOfNhwc, kProducts},
    {"ConvInteger", kOfOnnx, kQuantized},
    {"ConvTranspose", kOfOnnx | kOfNhwc, kProducts},
    {"DepthToSpace", kOfOnnx | kOfNhwc, kReordering},
    {"DequantizeLinear", kOfOnnx | kOfMicrosoft,
     kRequantizations | kKeepsAxes | kStandsBetween | kTrifling},
    {"Div", kOfOnnx, kArithmetic | kKeepsAxes},
    {"Dropout", kOfOnnx, kCopying | kKeepsAxes | kStandsBetween},
    {"DynamicQuantizeLinear", kOfOnnx, kAbsorbs | kTrifling},
    {"Einsum", kOfOnnx, kProducts},
    {"Elu", kOfOnnx, kAbsorbs | kBends},
    {"Equal", kOfOnnx, kAbsorbs | kCommutative | kCompares},
    {"Exp", kOfOnnx, kNotNegative},
    {"Expand", kOfOnnx, kRearranging},
    {"ExpandDims", kOfMicrosoft, kKeeping},
    {"FastGelu", kOfMicrosoft, kBends},
    {"Flatten", kOfOnnx, kKeeping | kStandsBetween},
    {"Floor", kOfOnnx, kArithmetic | kAbsorbs | kJumps | kKeepsAxes},
    {"FusedConv", kOfMicrosoft, kProducts},
    {"FusedGemm", kOfMicrosoft, kProducts},
    {"FusedMatMul", kOfMicrosoft, kProducts},
    {"GRU", kOfOnnx, kProducts},
    {"Gather", kOfOnnx, kSelecting | kAbsorbs},
    {"GatherBlockQuantized", kOfMicrosoft, kQuantized | kPacked},
    {"GatherElements", kOfOnnx, kSelecting | kAbsorbs},
    {"GatherND", kOfOnnx | kOfMicrosoft, kSelecting | kAbsorbs},
    {"GatherPacked", kOfMicrosoft, kQuantized | kPacked},
    {"Gelu", kOfOnnx | kOfMicrosoft, kBends},
    {"Gemm", kOfOnnx, kProducts},
    {"GlobalMaxPool", kOfOnnx | kOfNchwc | kOfNhwc, kAbsorbs},
    {"Greater", kOfOnnx, kAbsorbs | kCompares},
    {"GreaterOrEqual", kOfOnnx, kAbsorbs | kCompares},
    {"HardSigmoid", kOfOnnx, kAbsorbs | kNotNegative | kBends | kKeepsAxes},
    {"HardSwish", kOfOnnx, kAbsorbs | kBends | kKeepsAxes},
    {"Hardmax", kOfOnnx, kAbsorbs | kJumps},
    {"Identity", kOfOnnx, kCopying | kKeepsAxes | kStandsBetween | kTrifling},
    {"If", kOfOnnx, kAbsorbs},
    {"IsInf", kOfOnnx, kAbsorbs},
    {"IsNaN", kOfOnnx, kAbsorbs},
    {"LSTM", kOfOnnx, kProducts},
    {"LeakyRelu", kOfOnnx, kAbsorbs | kBends | kKeepsAxes},
    {"Less", kOfOnnx, kAbsorbs | kCompares},
    {"LessOrEqual", kOfOnnx, kAbsorbs | kCompares},
    {"Loop", kOfOnnx, kAbsorbs},
    {"MatMul", kOfOnnx, kProducts},
    {"MatMulBnb4", kOfMicrosoft, kQuantized | kPacked},
    {"MatMulFpQ4", kOfMicrosoft, kQuantized | kPacked},
    {"MatMulInteger", kOfOnnx, kQuantized},
    {"MatMulInteger16", kOfMicrosoft, kQuantized},
    {"MatMulIntegerToFloat", kOfMicrosoft, kQuantized},
    {"MatMulNBits", kOfMicrosoft, kQuantized | kPacked},
    {"MatMulNBitsMlp", kOfMicrosoft, kQuantized | kPacked},
    {"MatMulNBitsQLoRA", kOfMicrosoft, kQuantized | kPacked},
    {"MatMulNBitsQkv", kOfMicrosoft, kQuantized | kPacked},
    {"MatMulPacked", kOfMicrosoft, kQuantized | kPacked},
    {"Max", kOfOnnx, kMoves | kAbsorbs | kCommutative},
    {"MaxPool", kOfOnnx | kOfNchwc | kOfNhwc, kSelecting | kAbsorbs | kKeepsAxes},
    {"MaxRoiPool", kOfOnnx, kAbsorbs},
    {"Mean", kOfOnnx, kCommutative},
    {"Min", kOfOnnx, kMoves | kAbsorbs | kCommutative},
    {"MoEPacked", kOfMicrosoft, kQuantized | kPacked},
    {"Mod", kOfOnnx, kArithmetic | kAbsorbs | kKeepsAxes},
    {"Mul", kOfOnnx, kArithmetic | kCommutative | kKeepsAxes},
    {"MultiHeadAttention", kOfMicrosoft, kProducts},
    {"Multinomial", kOfOnnx, kDraws},
    {"Neg", kOfOnnx, kArithmetic | kKeepsAxes},
    {"NhwcMaxPool", kOfMicrosoft, kSelecting},
    {"NonMaxSuppression", kOfOnnx, kAbsorbs},
    {"NonZero", kOfOnnx, kAbsorbs},
    {"Not", kOfOnnx, kAbsorbs},
    {"OneHot", kOfOnnx, kAbsorbs},
    {"Optional", kOfOnnx, kSelecting},
    {"OptionalGetElement", kOfOnnx, kSelecting},
    {"Or", kOfOnnx, kAbsorbs | kCommutative},
    {"PRelu", kOfOnnx, kBends},
    {"Pad", kOfOnnx | kOfMicrosoft, kSelecting | kAddsNumbers | kKeepsAxes},
    {"QAttention", kOfMicrosoft, kQuantized},
    {"QEmbedLayerNormalization", kOfMicrosoft, kQuantized},
    {"QGemm", kOfMicrosoft, kQuantized},
    {"QLinearAdd", kOfMicrosoft, kKeepsAxes},
    {"QLinearConcat", kOfMicrosoft, kKeepsAxes},
    {"QLinearLeakyRelu", kOfMicrosoft, kKeepsAxes},
    {"QLinearMul", kOfMicrosoft, kKeepsAxes},
    {"QLinearSigmoid", kOfMicrosoft, kKeepsAxes},
    {"QMoE", kOfMicrosoft, kQuantized | kPacked},
    {"QuantizeLinear", kOfOnnx | kOfMicrosoft,
     kRequantizations | kAbsorbs | kKeepsAxes | kStandsBetween | kTrifling},
    {"QuickGelu", kOfMicrosoft, kBends},
    {"RNN", kOfOnnx, kProducts},
    {"RandomNormal", kOfOnnx, kDraws},
    {"RandomNormalLike", kOfOnnx, kDraws},
    {"RandomUniform", kOfOnnx, kDraws},
    {"RandomUniformLike", kOfOnnx, kDraws},
    {"ReduceL2", kOfOnnx, kNotNegative},
    {"ReduceMax", kOfOnnx, kSelecting | kAbsorbs},
    {"ReduceMin", kOfOnnx, kSelecting | kAbsorbs},
    {"Relu", kOfOnnx, kSelecting | kAddsNumbers | kAbsorbs | kNotNegative | kBends | kKeepsAxes},
    {"ReorderInput", kOfNchwc, kReordering},
    {"ReorderOutput", kOfNchwc, kReordering},
    {"Reshape", kOfOnnx, kKeeping | kStandsBetween},
    {"Resize", kOfOnnx | kOfNhwc, kAbsorbs | kKeepsAxes},
    {"ReverseSequence", kOfOnnx, kReordering},
    {"Round", kOfOnnx, kArithmetic | kAbsorbs | kJumps | kKeepsAxes},
    {"Scan", kOfOnnx, kAbsorbs},
    {"ScatterElements", kOfOnnx, kMoves},
    {"ScatterND", kOfOnnx, kMoves},
    {"Selu", kOfOnnx, kAbsorbs | kBends},
    {"SequenceAt", kOfOnnx, kSelecting},
    {"SequenceConstruct", kOfOnnx, kMoves},
    {"SequenceInsert", kOfOnnx, kMoves},
    {"Shape", kOfOnnx, kAbsorbs | kReadsNoElements | kTrifling},
    {"Shrink", kOfOnnx, kAbsorbs | kBends},
    {"Sigmoid", kOfOnnx, kNotNegative | kKeepsAxes},
    {"Sign", kOfOnnx, kAbsorbs | kJumps | kBends},
    {"Size", kOfOnnx, kAbsorbs | kReadsNoElements},
    {"Slice", kOfOnnx, kSelecting | kAbsorbs},
    {"Softmax", kOfOnnx, kNotNegative},
    {"SpaceToDepth", kOfOnnx | kOfNhwc, kReordering},
    {"Split", kOfOnnx, kRearranging},
    {"SplitToSequence", kOfOnnx, kSelecting},
    {"Sqrt", kOfOnnx, kNotNegative},
    {"Squeeze", kOfOnnx, kKeeping | kStandsBetween},
    {"Sub", kOfOnnx, kArithmetic | kKeepsAxes},
    {"Sum", kOfOnnx, kArithmetic | kCommutative | kKeepsAxes},
    {"SwiGLU", kOfOnnx | kOfMicrosoft, kBends},
    {"Tanh", kOfOnnx, kKeepsAxes},
    {"ThresholdedRelu", kOfOnnx, kAbsorbs | kBends},
    {"Tile", kOfOnnx, kRearranging},
    {"TopK", kOfOnnx, kAbsorbs},
    {"Transpose", kOfOnnx, kReordering | kStandsBetween},
    {"TreeEnsemble", kOfMl, kAbsorbs | kJumps},
    {"TreeEnsembleClassifier", kOfMl, kAbsorbs | kJumps},
    {"TreeEnsembleRegressor", kOfMl, kAbsorbs | kJumps},
    {"Trilu", kOfOnnx | kOfMicrosoft, kSelecting | kAddsNumbers},
    {"Unique", kOfOnnx | kOfMicrosoft, kAbsorbs},
    {"Unsqueeze", kOfOnnx, kKeeping | kStandsBetween},
    {"Upsample", kOfOnnx | kOfNchwc, kAbsorbs},
    {"Where", kOfOnnx, kMoves | kAbsorbs},
    {"Xor", kOfOnnx, kAbsorbs | kCommutative},
};

}  // namespace

uint8_t DomainBit(absl::string_view domain) {
  if (domain == kOnnxDomain) return kOfOnnx;
  if (domain == kMicrosoftDomain) return kOfMicrosoft;
  if (domain == "com.microsoft.nchwc") return kOfNchwc;
  if (domain == "com.ms.internal.nhwc") return kOfNhwc;
  if (domain == kMlDomain) return kOfMl;
  return 0;
}

absl::Span<const OperatorRow> OperatorTable() { return kOperatorRows; }

}  // namespace onnxcmp
