#include "feed/made_up/purpose_table.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_split.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "feed/made_up/landmarks.h"
#include "feed/made_up/use_purposes.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

constexpr absl::string_view kMs = kMicrosoftDomain;
constexpr absl::string_view kStd = kOnnxDomain;
constexpr absl::string_view kMl = kMlDomain;

// --- Conditions.

std::optional<double> OtherNumber(const Reading& at) { return NumberOf(at.OtherConstant()); }
bool IsNumber(const Reading& at) { return OtherNumber(at).has_value(); }
bool IsOne(const Reading& at) { return OtherNumber(at) == 1; }

constexpr double kLargeFactor = 1e3;
bool IsLarge(const Reading& at) { return OtherNumber(at).value_or(0) >= kLargeFactor; }
bool IsLargeBelow0(const Reading& at) { return OtherNumber(at).value_or(0) <= -kLargeFactor; }

bool IsFraction(const Reading& at) {
  const auto number = OtherNumber(at);
  return number.has_value() && *number != std::round(*number);
}

bool CastsTo(const Reading& at, bool (*is_of)(DType)) {
  const auto to = IntAttribute(*at.node, "to");
  return to.has_value() && is_of(static_cast<DType>(*to));
}
bool CastsToBool(const Reading& at) {
  return CastsTo(at, [](DType to) { return to == DType::kBool; });
}
// An integer that becomes a float, except for a division, is a count or a boolean.
bool CastsToFloat(const Reading& at) { return CastsTo(at, IsFloatingPoint); }

bool IsData(const Reading& at) {
  return at.slot == 0 || !HasTrait(*at.node, OperatorTrait::kOneDataInput);
}
bool LooksForNoBit(const Reading& at) { return !LooksForBit(*at.node, at.OtherConstant()); }
// Of an integer only whether it is 0 or 1 makes it a mask.
bool TellsTruth(const Reading& at) {
  constexpr uint32_t kIntegers = ElementForm::kInteger | ElementForm::kNumber;
  return (at.Facts() & kIntegers) != kIntegers ||
         TellsOneFromZero(*at.node, at.slot, *at.OtherConstant());
}
bool IsAddedToProduct(const Reading& at) {
  return IsScaledProduct(*at.scope, at.node->inputs[1 - at.slot]);
}
bool IsOfGrowingGain(const Reading& at) { return at.form.gain > 0; }

// A vector that is added up may hold any numbers.
bool IsNoSumOfVector(const Reading& at) {
  const auto& shape = at.input->type.shape;
  return at.node->op_type != "ReduceSum" || !shape.has_value() || shape->size() > 1;
}

bool HasRows(const Reading& at) {
  const auto& shape = at.input->type.shape;
  return shape.has_value() && shape->size() >= 2 && shape->back().value.value_or(2) > 1;
}

// --- Changes on the way.

void TakeColumns(const Reading& at, ElementForm* form) {
  PassColumns(*at.scope, *at.node, at.slot, &form->features);
}
void MoveColumns(const Reading& at, ElementForm* form) {
  if ((form->facts & ElementForm::kNumber) != 0) TakeColumns(at, form);
}
void TakeStep(const Reading& at, ElementForm* form) {
  AddStep(*at.node, *OtherNumber(at), at.slot == 1, &form->gain, &form->offset);
}
void TakeRemainder(const Reading& at, ElementForm* form) {
  const double modulo = std::clamp(OtherNumber(at).value_or(0), 0.0, 1e9);
  form->index = {form->gain, form->offset, static_cast<int64_t>(modulo)};
}
void TakeSum(const Reading& at, ElementForm* form) {
  form->index = IndexOfSum(*at.scope, *at.node, at.slot, {form->gain, form->offset});
}

// --- Rows.

using enum ElementForm::Fact;
using From = LimitRule::From;
constexpr uint32_t kNowhere = kReduced | kSummed;  // as most rows lack
constexpr uint32_t kNoPhase = kNowhere | kPhase;

constexpr size_t kAnySlot = PurposeRule::kAnySlot;

constexpr PurposeRule Use(absl::string_view domain, absl::string_view operators, size_t slot,
                          PurposeRule::Telling purpose, LimitRule limit = {}, uint32_t needs = 0,
                          uint32_t lacks = kNowhere, PurposeRule::Condition when = nullptr) {
  return {.domain = domain,
          .operators = operators,
          .slot = slot,
          .needs = needs,
          .lacks = lacks,
          .when = when,
          .purpose = purpose,
          .limit = limit};
}
constexpr PurposeRule Mask(absl::string_view domain, absl::string_view operators, size_t slot) {
  return Use(domain, operators, slot, domain == kMs ? MaskOrLengths : Of<Purpose::kMask>);
}
constexpr PurposeRule Lengths(absl::string_view operators, size_t slot, LimitRule limit) {
  return Use(kStd, operators, slot, Of<Purpose::kLengths>, limit, kNumber);
}
constexpr PurposeRule Positions(absl::string_view domain, absl::string_view operators, size_t slot,
                                size_t table) {
  return Use(domain, operators, slot, Of<Purpose::kPositions>, {From::kAxis, table}, kNumber);
}
constexpr PurposeRule Positive(absl::string_view operators, size_t slot, uint32_t needs = 0,
                               PurposeRule::Condition when = nullptr) {
  return Use(kStd, operators, slot, Of<Purpose::kPositive>, {}, needs | kNumber, kNowhere, when);
}
// Ids into the rows of another input.
constexpr PurposeRule Ids(absl::string_view domain, absl::string_view operators, size_t slot,
                          LimitRule limit) {
  return Use(domain, operators, slot, RowIds, limit, kNumber, kReduced);
}
// Small numbers: the first, and the others with their step.
constexpr PurposeRule Small(absl::string_view domain, absl::string_view operators, size_t slot,
                            int64_t first, int64_t rest, int64_t step = 0,
                            PurposeRule::Telling purpose = SmallNumbers, LimitRule limit = {}) {
  PurposeRule rule = Use(domain, operators, slot, purpose, limit, kNumber);
  rule.first = first;
  rule.rest = rest;
  rule.step = step;
  return rule;
}
constexpr PurposeRule Fraction(absl::string_view domain, absl::string_view operators, size_t slot,
                               double fraction) {
  PurposeRule rule = Small(domain, operators, slot, 1, 1);
  rule.fraction = fraction;
  return rule;
}
// Uses of what was computed before.
constexpr PurposeRule After(absl::string_view operators, size_t slot, uint32_t needs,
                            uint32_t lacks, PurposeRule::Telling purpose,
                            PurposeRule::Condition when = nullptr) {
  return Use(kStd, operators, slot, purpose, {}, needs, lacks, when);
}
constexpr PurposeRule Follow(absl::string_view operators, size_t slot, uint32_t needs = 0,
                             uint32_t lacks = kNowhere, PurposeRule::Condition when = nullptr,
                             uint32_t sets = 0, uint32_t clears = 0,
                             PurposeRule::Change change = nullptr) {
  return {.operators = operators,
          .slot = slot,
          .needs = needs,
          .lacks = lacks,
          .when = when,
          .sets = sets,
          .clears = clears,
          .change = change};
}

struct PurposeRows {
  static constexpr absl::string_view kOrders = "Greater GreaterOrEqual Less LessOrEqual";
  static constexpr absl::string_view kSteps = "Add Div Mul Sub";
  static constexpr PurposeRule kRows[] = {
      // After a reduction, only limits matter.
      {.trait = OperatorTrait::kReorders, .slot = 0, .needs = kReduced, .lacks = 0},
      Follow("Cast", 0, kReduced, 0),

      // Operators that tell what their inputs are.
      {.domain = kMl, .purpose = OfMl},
      Mask(kStd, "Where", 0),
      Mask(kStd, "Compress", 1),
      Mask(kStd, "Attention", 3),
      Mask(kMs, "Attention DecoderMaskedMultiHeadAttention DecoderMaskedSelfAttention", 3),
      Mask(kMs, "GreedySearch MultiHeadAttention Sampling", 4),
      Mask(kMs, "QAttention", 5),
      Mask(kMs, "LongformerAttention", 6),
      Mask(kMs, "BeamSearch EmbedLayerNormalization QEmbedLayerNormalization", 7),
      Positive("Log Sqrt", 0),
      Positive("Pow", 0, 0, IsFraction),
      Positive("Div Mod", 1, kInteger),
      Positive("BatchNormalization", 4),
      Lengths("ReverseSequence", 1, {From::kAxisOf, 0, 0, "time_axis"}),
      Lengths("GRU LSTM RNN", 4, {From::kAxis, 0}),
      Lengths("Attention", 6, {From::kAxis, 1, -2}),
      Positions(kStd, "RotaryEmbedding", 3, 1),
      Positions(kMs, "RotaryEmbedding", 1, 2),
      Positions(kMs, "RMSNormRotary", 2, 3),
      Positions(kMs, "EmbedLayerNormalization", 8, 3),
      Positions(kMs, "GroupQueryAttention", 9, 7),
      Ids(kStd, "OneHot", 0, {From::kValue, 1}),
      Ids(kStd, "Gather GatherElements Scatter ScatterElements", 1, {From::kAxisOf, 0, 0, "axis"}),
      Ids(kStd, "GatherND ScatterND", 1, {From::kTuple, 0}),
      Ids(kStd, "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss", 1, {From::kAxis, 0, 1}),
      Ids(kStd, "RoiAlign", 2, {From::kAxis, 0}),
      Ids(kStd, "TensorScatter", 2, {From::kRoom, 0, -2, "axis"}),
      Ids(kMs, "BeamSearch GreedySearch Sampling", 0, {From::kAttribute, 0, 0, "vocab_size"}),
      Ids(kMs, "EmbedLayerNormalization QEmbedLayerNormalization", 0, {From::kAxis, 2}),
      Ids(kMs, "EmbedLayerNormalization QEmbedLayerNormalization", 1, {From::kAxis, 4}),
      Ids(kMs, "GatherBlockQuantized", 1, {From::kAxisOf, 0, 0, "gather_axis"}),
      Ids(kMs, "GatherND", 1, {From::kTuple, 0}),
      Ids(kMs, "GatherPacked", 1, {From::kAxis, 0}),
      Ids(kMs, "Mamba2Verify", 9, {From::kAxis, 1}),
      Small(kStd, "BlackmanWindow HammingWindow HannWindow", 0, 9, 9),
      Small(kStd, "ConstantOfShape", 0, 2, 3, 1),
      Small(kStd, "Loop", 0, 3, 3, 0, Rounds),
      Small(kStd, "MelWeightMatrix", 0, 8, 8),
      Small(kStd, "Range", 0, 0, 0),
      Small(kStd, "AffineGrid", 1, 2, 3, 1),
      Small(kStd, "BitShift Expand Pad", 1, 1, 1),
      Small(kStd, "CenterCropPad", 1, 3, 3),
      Small(kStd, "Col2Im OneHot Range", 1, 5, 5),
      Small(kStd, "CumProd CumSum SequenceAt SequenceErase Slice", 1, 0, 0),
      Small(kStd, "DFT", 1, 8, 8),
      Small(kStd, "MaxRoiPool MaxUnpool Squeeze Unsqueeze", 1, 0, 1, 1),
      Small(kStd, "MelWeightMatrix", 1, 64, 64),
      Small(kStd,
            "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin "
            "ReduceProd ReduceSum ReduceSumSquare",
            1, -1, -2, -1),
      Small(kStd, "Reshape", 1, -1, 1),
      Small(kStd, "STFT", 1, 2, 2),
      Small(kStd, "Split SplitToSequence", 1, 1, 1, 0, Pieces, {From::kAxisOf, 0, 0, "axis"}),
      Small(kStd, "Tile", 1, 2, 1),
      Small(kStd, "TopK", 1, 2, 2, 0, Growing),
      Small(kStd, "Trilu", 1, 1, 1, 0, Growing),
      Small(kStd, "Col2Im", 2, 1, 5),
      Small(kStd, "DFT Range", 2, 1, 1),
      Small(kStd, "MelWeightMatrix", 2, 8000, 8000),
      Small(kStd, "NonMaxSuppression", 2, 3, 3),
      Small(kStd, "SequenceInsert", 2, 0, 0),
      Small(kStd, "Slice", 2, 2, 2),
      Small(kStd, "Pad Slice", 3, 0, 1, 1),
      Small(kStd, "Resize", 3, 1, 1),
      Small(kStd, "Slice", 4, 1, 1),
      Small(kMs, "BeamSearch GreedySearch Sampling", 1, 12, 12),
      Small(kMs, "BeamSearch GreedySearch Sampling", 2, 1, 1),
      Small(kMs, "BeamSearch", 3, 2, 2),
      Small(kMs, "BeamSearch", 4, 1, 1),
      Small(kMs, "RMSNormRotary", 5, 1, 1),
      Fraction(kStd, "Dropout", 1, 0.25),
      Fraction(kStd, "Upsample", 1, 1),
      Fraction(kStd, "Resize", 2, 1),
      Fraction(kStd, "MelWeightMatrix", 3, 50),
      Fraction(kStd, "NonMaxSuppression", 3, 0.5),
      Fraction(kStd, "MelWeightMatrix", 4, 3000),
      Fraction(kStd, "NonMaxSuppression", 4, 0.01),
      Fraction(kMs, "GreedySearch Sampling", 3, 1),
      Fraction(kMs, "BeamSearch", 5, 1),
      Fraction(kMs, "BeamSearch", 6, 1),
      Use(kStd, "If", 0, Of<Purpose::kCondition>),
      Use(kStd, "ImageDecoder", 0, Of<Purpose::kImage>),
      Use(kStd, "Loop", 1, Of<Purpose::kCondition>),
      Use(kMs, "LongformerAttention", 3, Of<Purpose::kAddedMask>),
      Use(kMs, "GroupQueryAttention", 5, OfCache<-1>, {}, kNumber),
      Use(kMs, "GroupQueryAttention", 6, OfCache<0>, {}, kNumber),
      After("Conv ConvTranspose Gemm MatMul", 1, kFloat | kNumber, kNowhere, Weights),

      // Operators that hand elements on.
      {.domain = kMl,
       .operators = "ArrayFeatureExtractor Imputer Scaler",
       .slot = 0,
       .change = TakeColumns},
      // The start of a rotation.
      After("Cos Sin", kAnySlot, 0, kNowhere | kFloat | kScaled, Of<Purpose::kPositions>),
      Follow("Abs ReduceMax ReduceMin", 0, kFloat | kNumber, kNowhere | kAdded, nullptr, kReduced),
      Follow("StringNormalizer", kAnySlot),
      // A sum of two inputs tells of one of them where it selects rows, not else.
      {.trait = OperatorTrait::kMoves, .lacks = kReduced, .when = IsData, .change = MoveColumns},
      Follow("Cast", 0, 0, kNowhere, CastsToBool, kTruth),
      Follow("Cast", 0, 0, kNowhere | kFloat, CastsToFloat, kTruth),
      Follow("Cast CastLike", 0),
      Follow("And BitwiseAnd BitwiseOr Neg Not Or Xor", kAnySlot, 0, kNowhere, LooksForNoBit),
      // A float that is compared with a threshold may be any number.
      After("Equal", kAnySlot, kNumber, kNowhere | kFloat, Counted<Purpose::kIds>),
      After(kOrders, kAnySlot, kNumber, kNowhere | kFloat, Counted<Purpose::kPositions>, HasRows),
      After(kOrders, kAnySlot, kNumber, kNowhere | kFloat, Counted<Purpose::kLengths>),
      Follow("Equal", kAnySlot, kConstant, kNowhere | kFloat, TellsTruth, kTruth, kNumber),
      Follow(kOrders, kAnySlot, kConstant, kNowhere | kFloat, TellsTruth, kTruth, kNumber),
      // Counts of elements, or positions among those that count.
      After("CumSum ReduceSum", 0, kTruth, kNowhere | kFloat | kScaled, Of<Purpose::kMask>),
      After("CumSum ReduceSum", 0, kNumber, kNowhere | kFloat | kScaled, Sums, IsNoSumOfVector),
      After("Softmax", kAnySlot, kAdded | kFloat, kNowhere | kScaled, Of<Purpose::kAddedMask>),
      Follow("Mod", 0, kConstant | kInteger | kNumber, kNowhere | kIndexed, IsOfGrowingGain, 0, 0,
             TakeRemainder),
      Follow("Einsum MatMul", kAnySlot, 0, kNoPhase | kFloat, nullptr, kPhase, kNumber),

      // Sums and products with constants; 1 - mask, and results of it.
      Follow("Sub", kAnySlot, kConstant, kNoPhase, IsOne, kTruth, 0, TakeStep),
      Follow("Mul", kAnySlot, kConstant, kNoPhase, IsLargeBelow0, kScaled, 0, TakeStep),
      Follow("Mul", kAnySlot, kConstant | kTruth, kNoPhase, IsLarge, kScaled, 0, TakeStep),
      Follow(kSteps, kAnySlot, kConstant, kNoPhase, IsNumber, 0, 0, TakeStep),
      // Biases and frequencies change the number.
      Follow(kSteps, kAnySlot, kConstant | kAdded, kNoPhase, nullptr, 0, kNumber),
      Follow(kSteps, kAnySlot, kConstant, kNoPhase, nullptr, kPhase, kNumber),

      // And with computed values: the product with a boolean selects elements that count.
      After("Mul", kAnySlot, kComputed | kTruth, kNoPhase | kFloat, Of<Purpose::kMask>),
      Follow("Add", kAnySlot, kComputed | kInteger | kNumber, kNoPhase | kTruth | kIndexed,
             IsOfGrowingGain, 0, 0, TakeSum),
      After("Add Sub", kAnySlot, kComputed | kScaled, kNoPhase, Of<Purpose::kMask>),
      Follow("Add", kAnySlot, kComputed | kFloat | kNumber, kNoPhase, IsAddedToProduct, kAdded),
      Follow("Add Sub", kAnySlot, kComputed | kAdded, kNoPhase),
  };
};

bool HoldsAName(absl::string_view names, absl::string_view name) {
  for (const absl::string_view one : absl::StrSplit(names, ' ')) {
    if (one == name) return true;
  }
  return false;
}

}  // namespace

uint32_t Reading::Facts() const {
  uint32_t facts = form.facts;
  if (form.index.has_value()) facts |= kIndexed;
  if (form.index.has_value() && form.index->part != IndexForm::Part::kWhole) facts |= kSummed;
  if (IsInteger(input->type.dtype)) facts |= kInteger;
  if (IsFloatingPoint(input->type.dtype)) facts |= kFloat;
  if (node->inputs.size() == 2) facts |= OtherConstant() != nullptr ? kConstant : kComputed;
  return facts;
}

const Tensor* Reading::OtherConstant() const {
  return node->inputs.size() == 2 ? ConstantIn(*scope, node->inputs[1 - slot]) : nullptr;
}

bool PurposeRule::IsOf(absl::string_view its_domain, absl::string_view op_type) const {
  if (domain != its_domain) return false;
  if (trait.has_value()) return HasTrait(its_domain, op_type, *trait);
  return operators.empty() || HoldsAName(operators, op_type);
}

bool PurposeRule::Holds(const Reading& at, uint32_t facts) const {
  return (slot == kAnySlot || slot == at.slot) && (facts & needs) == needs &&
         (facts & lacks) == 0 && (when == nullptr || when(at));
}

absl::Span<const PurposeRule> PurposeRules() { return PurposeRows::kRows; }

}  // namespace onnxcmp
