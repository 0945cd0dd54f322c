#include "feed/made_up/purpose_table.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_split.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "feed/made_up/arange.h"
#include "feed/made_up/landmarks.h"
#include "feed/made_up/traced_size.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

constexpr absl::string_view kMs = kMicrosoftDomain;
constexpr absl::string_view kStd = kOnnxDomain;
constexpr absl::string_view kMl = kMlDomain;
using From = LimitRule::From;

// --- Conditions.

std::optional<double> OtherNumber(const Reading& at) { return NumberOf(at.OtherConstant()); }
bool IsNumber(const Reading& at) { return OtherNumber(at).has_value(); }
bool IsOne(const Reading& at) { return OtherNumber(at) == 1; }

bool IsLarge(const Reading& at) {
  constexpr double kLargeFactor = 1e3;
  const double number = OtherNumber(at).value_or(0);
  const bool truth = (at.form.facts & ElementForm::kTruth) != 0;
  return number <= -kLargeFactor || (truth && number >= kLargeFactor);
}
bool IsFraction(const Reading& at) {
  const auto number = OtherNumber(at);
  return number.has_value() && *number != std::round(*number);
}

// An integer that becomes a float, except for a division, is a count or a boolean.
bool CastsToTruth(const Reading& at) {
  const auto to = static_cast<DType>(IntAttribute(*at.node, "to").value_or(0));
  return to == DType::kBool || (IsFloatingPoint(to) && !IsFloatingPoint(at.input->type.dtype));
}

bool IsData(const Reading& at) {
  return at.slot == 0 || !HasTrait(*at.node, OperatorTrait::kOneDataInput);
}
bool LooksForNoBit(const Reading& at) { return !LooksForBit(*at.node, at.OtherConstant()); }
// An integer is a mask only where it is asked to be 0 or 1.
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

// --- Purposes.

// The use is of this purpose, with the row's limit.
InputPurpose Found(Purpose purpose, const Reading& at, const PurposeRule& rule) {
  InputPurpose found;
  found.why = UseText(*at.node, PurposeName(purpose));
  found.purpose = std::move(purpose);
  TakeLimit(*at.scope, *at.root, *at.node, rule.limit, &found);
  return found;
}
template <typename Alternative>
std::optional<InputPurpose> Of(const Reading& at, const PurposeRule& rule) {
  return Found(Alternative(), at, rule);
}
std::optional<InputPurpose> SmallNumbers(const Reading& at, const PurposeRule& rule) {
  return Found(rule.small, at, rule);
}
std::optional<InputPurpose> Sums(const Reading& at, const PurposeRule& rule) {
  return Found(MaskPurpose{.sums = true}, at, rule);
}

// Masks of one axis are lengths.
std::optional<InputPurpose> MaskOrLengths(const Reading& at, const PurposeRule& rule) {
  InputPurpose found = Found(MaskPurpose(), at, rule);
  const auto& [name, type] = *at.input;
  if (!IsInteger(type.dtype) || !type.shape.has_value() || type.shape->size() != 1) return found;
  found.purpose = LengthPurpose();
  SetLimit(SizeAlong(*at.scope, InputOf(*at.node, 0), 1), &found);
  return found;
}

std::optional<InputPurpose> Weights(const Reading& at, const PurposeRule&) {
  InputPurpose found;
  found.purpose = NumberPurpose{.weights = true};
  found.why = UseText(*at.node, "weights");
  return found;
}

// Past and new elements, or one less.
std::optional<InputPurpose> OfCache(const Reading& at, const PurposeRule& rule) {
  InputPurpose found = Found(LengthPurpose{.full = at.slot == 5 ? -1 : 0}, at, rule);
  InputPurpose past;
  SetLimit(SizeAlong(*at.scope, InputOf(*at.node, 3), 2), &past);
  if (past.limit.has_value()) found.limit = found.limit.value_or(0) + *past.limit;
  found.limit_sum.insert(found.limit_sum.end(), past.limit_sum.begin(), past.limit_sum.end());
  return found;
}

// Makes the limit of `found`, which counts rows, one of ids, and keeps the form with its tables.
// `exact`: nothing is computed after the form's remainder or sum; else only the remainder counts.
void TakeIndexForm(const IndexForm& index, bool exact, InputPurpose* found) {
  auto& ids = std::get<IdPurpose>(found->purpose);
  if (index.modulo > 0 && index.gain > 0) {
    const double wraps = std::round(static_cast<double>(index.modulo) / index.gain);
    ids.wraps = static_cast<int32_t>(std::min(wraps, 1e9));
  }
  if (!exact) return;
  if (found->limit.has_value() && found->limit_sum.empty()) {
    found->limit = index.IdsFor(*found->limit);
  }
  for (IdTable& table : ids.tables) table.index = index;
}

std::optional<InputPurpose> RowIds(const Reading& at, const PurposeRule& rule) {
  const Node& node = *at.node;
  IdPurpose ids;
  const auto* reduction = AttributeOf<std::string>(node, "reduction");
  ids.adds_up = reduction != nullptr && *reduction != "none";
  const bool by_axis = rule.limit.from == From::kAxis || rule.limit.from == From::kRoom;
  const Tensor* table = by_axis || SelectsRows(*at.scope, node)
                            ? TableIn(*at.scope, InputOf(node, rule.limit.input))
                            : nullptr;
  if (table != nullptr) {
    ids.tables = {{table, IntAttribute(node, rule.limit.attribute).value_or(rule.limit.axis), {}}};
  }
  const ElementForm& form = at.form;
  const bool shifted = form.gain != 1 || form.offset != 0 || form.index.has_value();
  ids.shifted = shifted;
  InputPurpose found = Found(std::move(ids), at, rule);
  found.not_negative = !IsOneOf(
      node, {"Gather", "GatherElements", "GatherND", "OneHot", "ScatterElements", "ScatterND"});
  if (shifted) {
    const IndexForm index = form.index.value_or(IndexForm{form.gain, form.offset});
    TakeIndexForm(index, index.gain == form.gain && index.offset == form.offset, &found);
  }
  return found;
}

// A value compared with 0, 1, 2, ...: it is the number that count, or the index of one.
std::optional<InputPurpose> Counted(const Reading& at, const PurposeRule& rule) {
  const auto size = CountsUpTo(*at.scope, InputOf(*at.node, 1 - at.slot));
  if (!size.has_value()) return std::nullopt;
  const auto& shape = at.input->type.shape;
  const bool row = shape.has_value() && shape->size() >= 2 && shape->back().value.value_or(2) > 1;
  InputPurpose found = Found(at.node->op_type == "Equal" ? Purpose(IdPurpose())
                             : row                       ? Purpose(PositionPurpose())
                                                         : Purpose(LengthPurpose()),
                             at, rule);
  found.not_negative = true;
  SetLimit(size, &found);
  if (!found.limit.has_value() && found.limit_sum.empty()) GuessLimit(*at.root, &found);
  return found;
}

std::optional<InputPurpose> OfMl(const Reading& at, const PurposeRule&) {
  return PurposeOfMl(*at.node, at.slot, at.input->type.dtype, at.form.Features());
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
  return Use(domain, operators, slot, domain == kMs ? MaskOrLengths : Of<MaskPurpose>);
}
constexpr PurposeRule Lengths(absl::string_view operators, size_t slot, LimitRule limit) {
  return Use(kStd, operators, slot, Of<LengthPurpose>, limit, kNumber);
}
constexpr PurposeRule Positions(absl::string_view domain, absl::string_view operators, size_t slot,
                                size_t table) {
  return Use(domain, operators, slot, Of<PositionPurpose>, {From::kAxis, table}, kNumber);
}
constexpr PurposeRule Positive(absl::string_view operators, size_t slot, uint32_t needs = 0,
                               PurposeRule::Condition when = nullptr) {
  return Use(kStd, operators, slot, Of<PositivePurpose>, {}, needs | kNumber, kNowhere, when);
}
// Ids into the rows of another input.
constexpr PurposeRule Ids(absl::string_view domain, absl::string_view operators, size_t slot,
                          LimitRule limit) {
  return Use(domain, operators, slot, RowIds, limit, kNumber, kReduced);
}
constexpr PurposeRule Small(absl::string_view domain, absl::string_view operators, size_t slot,
                            SmallPurpose small, LimitRule limit = {}) {
  PurposeRule rule = Use(domain, operators, slot, SmallNumbers, limit, kNumber);
  rule.small = small;
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
  static constexpr absl::string_view kCompares = "Equal Greater GreaterOrEqual Less LessOrEqual";
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
      Lengths("ReverseSequence", 1, {From::kAxis, 0, 0, "time_axis"}),
      Lengths("GRU LSTM RNN", 4, {From::kAxis, 0}),
      Lengths("Attention", 6, {From::kAxis, 1, -2}),
      Positions(kStd, "RotaryEmbedding", 3, 1),
      Positions(kMs, "RotaryEmbedding", 1, 2),
      Positions(kMs, "RMSNormRotary", 2, 3),
      Positions(kMs, "EmbedLayerNormalization", 8, 3),
      Positions(kMs, "GroupQueryAttention", 9, 7),
      Ids(kStd, "OneHot", 0, {From::kValue, 1}),
      Ids(kStd, "Gather GatherElements Scatter ScatterElements", 1, {From::kAxis, 0, 0, "axis"}),
      Ids(kStd, "GatherND ScatterND", 1, {From::kTuple, 0}),
      Ids(kStd, "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss", 1, {From::kAxis, 0, 1}),
      Ids(kStd, "RoiAlign", 2, {From::kAxis, 0}),
      Ids(kStd, "TensorScatter", 2, {From::kRoom, 0, -2, "axis"}),
      Ids(kMs, "BeamSearch GreedySearch Sampling", 0, {From::kAttribute, 0, 0, "vocab_size"}),
      Ids(kMs, "EmbedLayerNormalization QEmbedLayerNormalization", 0, {From::kAxis, 2}),
      Ids(kMs, "EmbedLayerNormalization QEmbedLayerNormalization", 1, {From::kAxis, 4}),
      Ids(kMs, "GatherBlockQuantized", 1, {From::kAxis, 0, 0, "gather_axis"}),
      Ids(kMs, "GatherND", 1, {From::kTuple, 0}),
      Ids(kMs, "GatherPacked", 1, {From::kAxis, 0}),
      Ids(kMs, "Mamba2Verify", 9, {From::kAxis, 1}),
      Small(kStd, "BlackmanWindow HammingWindow HannWindow", 0, {9, 9}),
      Small(kStd, "ConstantOfShape", 0, {2, 3, 1}),
      Small(kStd, "Loop", 0, {.first = 3, .rest = 3, .counts = true}),
      Small(kStd, "MelWeightMatrix", 0, {8, 8}),
      Small(kStd, "Range", 0, {0, 0}),
      Small(kStd, "AffineGrid", 1, {2, 3, 1}),
      Small(kStd, "BitShift Expand Pad", 1, {1, 1}),
      Small(kStd, "CenterCropPad", 1, {3, 3}),
      Small(kStd, "Col2Im OneHot Range", 1, {5, 5}),
      Small(kStd, "CumProd CumSum SequenceAt SequenceErase Slice", 1, {0, 0}),
      Small(kStd, "DFT", 1, {8, 8}),
      Small(kStd, "MaxRoiPool MaxUnpool Squeeze Unsqueeze", 1, {0, 1, 1}),
      Small(kStd, "MelWeightMatrix", 1, {64, 64}),
      Small(kStd,
            "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin "
            "ReduceProd ReduceSum ReduceSumSquare",
            1, {-1, -2, -1}),
      Small(kStd, "Reshape", 1, {-1, 1}),
      Small(kStd, "STFT", 1, {2, 2}),
      Small(kStd, "Split SplitToSequence", 1, {.first = 1, .rest = 1, .pieces = true},
            {From::kAxis, 0, 0, "axis"}),
      Small(kStd, "Tile", 1, {2, 1}),
      Small(kStd, "TopK", 1, {.first = 2, .rest = 2, .grows = true}),
      Small(kStd, "Trilu", 1, {.first = 1, .rest = 1, .grows = true}),
      Small(kStd, "Col2Im", 2, {1, 5}),
      Small(kStd, "DFT Range", 2, {1, 1}),
      Small(kStd, "MelWeightMatrix", 2, {8000, 8000}),
      Small(kStd, "NonMaxSuppression", 2, {3, 3}),
      Small(kStd, "SequenceInsert", 2, {0, 0}),
      Small(kStd, "Slice", 2, {2, 2}),
      Small(kStd, "Pad Slice", 3, {0, 1, 1}),
      Small(kStd, "Resize", 3, {1, 1}),
      Small(kStd, "Slice", 4, {1, 1}),
      Small(kMs, "BeamSearch GreedySearch Sampling", 1, {12, 12}),
      Small(kMs, "BeamSearch GreedySearch Sampling", 2, {1, 1}),
      Small(kMs, "BeamSearch", 3, {2, 2}),
      Small(kMs, "BeamSearch", 4, {1, 1}),
      Small(kMs, "RMSNormRotary", 5, {1, 1}),
      Small(kStd, "Dropout", 1, {.fraction = 0.25}),
      Small(kStd, "Upsample", 1, {.fraction = 1}),
      Small(kStd, "Resize", 2, {.fraction = 1}),
      Small(kStd, "MelWeightMatrix", 3, {.fraction = 50}),
      Small(kStd, "NonMaxSuppression", 3, {.fraction = 0.5}),
      Small(kStd, "MelWeightMatrix", 4, {.fraction = 3000}),
      Small(kStd, "NonMaxSuppression", 4, {.fraction = 0.01}),
      Small(kMs, "GreedySearch Sampling", 3, {.fraction = 1}),
      Small(kMs, "BeamSearch", 5, {.fraction = 1}),
      Small(kMs, "BeamSearch", 6, {.fraction = 1}),
      Use(kStd, "If", 0, Of<ConditionPurpose>),
      Use(kStd, "ImageDecoder", 0, Of<ImagePurpose>),
      Use(kStd, "Loop", 1, Of<ConditionPurpose>),
      Use(kMs, "LongformerAttention", 3, Of<AddedMaskPurpose>),
      Use(kMs, "GroupQueryAttention", 5, OfCache, {From::kAxis, 0, 1}, kNumber),
      Use(kMs, "GroupQueryAttention", 6, OfCache, {From::kAxis, 0, 1}, kNumber),
      After("Conv ConvTranspose Gemm MatMul", 1, kFloat | kNumber, kNowhere, Weights),

      // Operators that hand elements on.
      {.domain = kMl,
       .operators = "ArrayFeatureExtractor Imputer Scaler",
       .slot = 0,
       .change = TakeColumns},
      // The start of a rotation.
      After("Cos Sin", kAnySlot, 0, kNowhere | kFloat | kScaled, Of<PositionPurpose>),
      Follow("Abs ReduceMax ReduceMin", 0, kFloat | kNumber, kNowhere | kAdded, nullptr, kReduced),
      Follow("StringNormalizer", kAnySlot),
      // A sum of two inputs tells of one of them where it selects rows, not else.
      {.trait = OperatorTrait::kMoves, .lacks = kReduced, .when = IsData, .change = MoveColumns},
      Follow("Cast", 0, 0, kNowhere, CastsToTruth, kTruth),
      Follow("Cast CastLike", 0),
      Follow("And BitwiseAnd BitwiseOr Neg Not Or Xor", kAnySlot, 0, kNowhere, LooksForNoBit),
      // A float that is compared with a threshold may be any number.
      After(kCompares, kAnySlot, kNumber, kNowhere | kFloat, Counted),
      Follow(kCompares, kAnySlot, kConstant, kNowhere | kFloat, TellsTruth, kTruth, kNumber),
      // Counts of elements, or positions among those that count.
      After("CumSum ReduceSum", 0, kTruth, kNowhere | kFloat | kScaled, Of<MaskPurpose>),
      After("CumSum ReduceSum", 0, kNumber, kNowhere | kFloat | kScaled, Sums, IsNoSumOfVector),
      After("Softmax", kAnySlot, kAdded | kFloat, kNowhere | kScaled, Of<AddedMaskPurpose>),
      Follow("Mod", 0, kConstant | kInteger | kNumber, kNowhere | kIndexed, IsOfGrowingGain, 0, 0,
             TakeRemainder),
      Follow("Einsum MatMul", kAnySlot, 0, kNoPhase | kFloat, nullptr, kPhase, kNumber),

      // Sums and products with constants; 1 - mask, and results of it.
      Follow("Sub", kAnySlot, kConstant, kNoPhase, IsOne, kTruth, 0, TakeStep),
      Follow("Mul", kAnySlot, kConstant, kNoPhase, IsLarge, kScaled, 0, TakeStep),
      Follow(kSteps, kAnySlot, kConstant, kNoPhase, IsNumber, 0, 0, TakeStep),
      // Biases and frequencies change the number.
      Follow(kSteps, kAnySlot, kConstant | kAdded, kNoPhase, nullptr, 0, kNumber),
      Follow(kSteps, kAnySlot, kConstant, kNoPhase, nullptr, kPhase, kNumber),

      // And with computed values: the product with a boolean selects elements that count.
      After("Mul", kAnySlot, kComputed | kTruth, kNoPhase | kFloat, Of<MaskPurpose>),
      Follow("Add", kAnySlot, kComputed | kInteger | kNumber, kNoPhase | kTruth | kIndexed,
             IsOfGrowingGain, 0, 0, TakeSum),
      After("Add Sub", kAnySlot, kComputed | kScaled, kNoPhase, Of<MaskPurpose>),
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
