#include "feed/made_up/purpose_table.h"

#include <algorithm>

#include "evaluator/model/model.h"

namespace onnxcmp {
namespace {

constexpr absl::string_view kMs = kMicrosoftDomain;
constexpr absl::string_view kStd = kOnnxDomain;
constexpr absl::string_view kMl = kMlDomain;

// Small numbers: the first, and the others with their step.
constexpr SlotPurpose Small(absl::string_view op_type, size_t slot, int64_t first, int64_t rest,
                            int64_t step = 0) {
  return {kStd, op_type, slot, Purpose::kSmall, LimitKind::kNone, 0, 0, {}, first, rest, step};
}
constexpr SlotPurpose Fraction(absl::string_view domain, absl::string_view op_type, size_t slot,
                               double fraction) {
  return {domain, op_type, slot, Purpose::kSmall, LimitKind::kNone, 0, 0, {}, 1, 1, 0, fraction};
}
constexpr SlotPurpose Plain(absl::string_view domain, absl::string_view op_type, size_t slot,
                            Purpose purpose) {
  return {domain, op_type, slot, purpose};
}
// Ids into the rows of another input.
constexpr SlotPurpose Ids(absl::string_view domain, absl::string_view op_type, size_t slot,
                          size_t table, int64_t axis = 0, absl::string_view attribute = {}) {
  return {domain,
          op_type,
          slot,
          Purpose::kIds,
          attribute.empty() ? LimitKind::kAxis : LimitKind::kAxisOf,
          table,
          axis,
          attribute};
}
constexpr SlotPurpose Positions(absl::string_view op_type, absl::string_view domain, size_t slot,
                                size_t table) {
  return {domain, op_type, slot, Purpose::kPositions, LimitKind::kAxis, table, 0};
}
constexpr SlotPurpose Lengths(absl::string_view op_type, size_t slot, size_t other, int64_t axis,
                              absl::string_view attribute = {}) {
  return {kStd,
          op_type,
          slot,
          Purpose::kLengths,
          attribute.empty() ? LimitKind::kAxis : LimitKind::kAxisOf,
          other,
          axis,
          attribute};
}

// By operator.
struct PurposeRows {
  using enum Purpose;
  using enum LimitKind;
  static constexpr SlotPurpose kRows[] = {
      Small("AffineGrid", 1, 2, 3, 1),
      Ids(kMl, "ArrayFeatureExtractor", 1, 0, -1),
      Plain(kMs, "Attention", 3, kMask),
      Plain(kStd, "Attention", 3, kMask),
      Lengths("Attention", 6, 1, -2),
      Plain(kStd, "BatchNormalization", 4, kPositive),
      {kMs, "BeamSearch", 0, kIds, kAttribute, 0, 0, "vocab_size"},
      {kMs, "BeamSearch", 1, kSmall, kNone, 0, 0, {}, 12, 12},
      {kMs, "BeamSearch", 2, kSmall, kNone, 0, 0, {}, 1, 1},
      {kMs, "BeamSearch", 3, kSmall, kNone, 0, 0, {}, 2, 2},
      {kMs, "BeamSearch", 4, kSmall, kNone, 0, 0, {}, 1, 1},
      Fraction(kMs, "BeamSearch", 5, 1),
      Fraction(kMs, "BeamSearch", 6, 1),
      Plain(kMs, "BeamSearch", 7, kMask),
      Small("BitShift", 1, 1, 1),
      Small("BlackmanWindow", 0, 9, 9),
      Small("CenterCropPad", 1, 3, 3),
      Small("Col2Im", 1, 5, 5),
      Small("Col2Im", 2, 1, 5),
      Plain(kStd, "Compress", 1, kMask),
      Small("ConstantOfShape", 0, 2, 3, 1),
      Small("CumProd", 1, 0, 0),
      Small("CumSum", 1, 0, 0),
      Small("DFT", 1, 8, 8),
      Small("DFT", 2, 1, 1),
      Plain(kMs, "DecoderMaskedSelfAttention", 3, kMask),
      Plain(kMs, "DecoderMaskedMultiHeadAttention", 3, kMask),
      Plain(kStd, "Div", 1, kPositive),
      Fraction(kStd, "Dropout", 1, 0.25),
      Ids(kMs, "EmbedLayerNormalization", 0, 2),
      Ids(kMs, "EmbedLayerNormalization", 1, 4),
      Plain(kMs, "EmbedLayerNormalization", 7, kMask),
      Positions("EmbedLayerNormalization", kMs, 8, 3),
      Small("Expand", 1, 1, 1),
      Ids(kStd, "Gather", 1, 0, 0, "axis"),
      Ids(kMs, "GatherBlockQuantized", 1, 0, 0, "gather_axis"),
      Ids(kStd, "GatherElements", 1, 0, 0, "axis"),
      Ids(kMs, "GatherND", 1, 0),
      Ids(kStd, "GatherND", 1, 0),
      Ids(kMs, "GatherPacked", 1, 0),
      {kMs, "GreedySearch", 0, kIds, kAttribute, 0, 0, "vocab_size"},
      {kMs, "GreedySearch", 1, kSmall, kNone, 0, 0, {}, 12, 12},
      {kMs, "GreedySearch", 2, kSmall, kNone, 0, 0, {}, 1, 1},
      Fraction(kMs, "GreedySearch", 3, 1),
      Plain(kMs, "GreedySearch", 4, kMask),
      Plain(kMs, "GroupQueryAttention", 5, kLengths),
      Plain(kMs, "GroupQueryAttention", 6, kLengths),
      Positions("GroupQueryAttention", kMs, 9, 7),
      Lengths("GRU", 4, 0, 0),
      Small("HammingWindow", 0, 9, 9),
      Small("HannWindow", 0, 9, 9),
      Plain(kStd, "If", 0, kCondition),
      Plain(kStd, "ImageDecoder", 0, kImage),
      Lengths("LSTM", 4, 0, 0),
      Plain(kStd, "Log", 0, kPositive),
      Plain(kMs, "LongformerAttention", 3, kAddedMask),
      Plain(kMs, "LongformerAttention", 6, kMask),
      Small("Loop", 0, 3, 3),
      Plain(kStd, "Loop", 1, kCondition),
      Ids(kMs, "Mamba2Verify", 9, 1),
      Small("MaxRoiPool", 1, 0, 1, 1),
      Small("MaxUnpool", 1, 0, 1, 1),
      Small("MelWeightMatrix", 0, 8, 8),
      Small("MelWeightMatrix", 1, 64, 64),
      Small("MelWeightMatrix", 2, 8000, 8000),
      Fraction(kStd, "MelWeightMatrix", 3, 50),
      Fraction(kStd, "MelWeightMatrix", 4, 3000),
      Plain(kStd, "Mod", 1, kPositive),
      Plain(kMs, "MultiHeadAttention", 4, kMask),
      Ids(kStd, "NegativeLogLikelihoodLoss", 1, 0, 1),
      Small("NonMaxSuppression", 2, 3, 3),
      Fraction(kStd, "NonMaxSuppression", 3, 0.5),
      Fraction(kStd, "NonMaxSuppression", 4, 0.01),
      {kStd, "OneHot", 0, kIds, kValue, 1},
      Small("OneHot", 1, 5, 5),
      Small("Pad", 1, 1, 1),
      Small("Pad", 3, 0, 1, 1),
      Plain(kStd, "Pow", 0, kPositive),
      Plain(kMs, "QAttention", 5, kMask),
      Ids(kMs, "QEmbedLayerNormalization", 0, 2),
      Ids(kMs, "QEmbedLayerNormalization", 1, 4),
      Plain(kMs, "QEmbedLayerNormalization", 7, kMask),
      Positions("RMSNormRotary", kMs, 2, 3),
      {kMs, "RMSNormRotary", 5, kSmall, kNone, 0, 0, {}, 1, 1},
      Lengths("RNN", 4, 0, 0),
      Small("Range", 0, 0, 0),
      Small("Range", 1, 5, 5),
      Small("Range", 2, 1, 1),
      Small("ReduceL1", 1, -1, -2, -1),
      Small("ReduceL2", 1, -1, -2, -1),
      Small("ReduceLogSum", 1, -1, -2, -1),
      Small("ReduceLogSumExp", 1, -1, -2, -1),
      Small("ReduceMax", 1, -1, -2, -1),
      Small("ReduceMean", 1, -1, -2, -1),
      Small("ReduceMin", 1, -1, -2, -1),
      Small("ReduceProd", 1, -1, -2, -1),
      Small("ReduceSum", 1, -1, -2, -1),
      Small("ReduceSumSquare", 1, -1, -2, -1),
      Small("Reshape", 1, -1, 1),
      Fraction(kStd, "Resize", 2, 1),
      Small("Resize", 3, 1, 1),
      Lengths("ReverseSequence", 1, 0, 0, "time_axis"),
      Ids(kStd, "RoiAlign", 2, 0),
      Positions("RotaryEmbedding", kMs, 1, 2),
      Positions("RotaryEmbedding", kStd, 3, 1),
      Small("STFT", 1, 2, 2),
      {kMs, "Sampling", 0, kIds, kAttribute, 0, 0, "vocab_size"},
      {kMs, "Sampling", 1, kSmall, kNone, 0, 0, {}, 12, 12},
      {kMs, "Sampling", 2, kSmall, kNone, 0, 0, {}, 1, 1},
      Fraction(kMs, "Sampling", 3, 1),
      Plain(kMs, "Sampling", 4, kMask),
      Ids(kStd, "Scatter", 1, 0, 0, "axis"),
      Ids(kStd, "ScatterElements", 1, 0, 0, "axis"),
      Ids(kStd, "ScatterND", 1, 0),
      Small("SequenceAt", 1, 0, 0),
      Small("SequenceErase", 1, 0, 0),
      Small("SequenceInsert", 2, 0, 0),
      Small("Slice", 1, 0, 0),
      Small("Slice", 2, 2, 2),
      Small("Slice", 3, 0, 1, 1),
      Small("Slice", 4, 1, 1),
      Ids(kStd, "SoftmaxCrossEntropyLoss", 1, 0, 1),
      {kStd, "Split", 1, kSmall, kAxisOf, 0, 0, "axis", 1, 1},
      {kStd, "SplitToSequence", 1, kSmall, kAxisOf, 0, 0, "axis", 1, 1},
      Plain(kStd, "Sqrt", 0, kPositive),
      Small("Squeeze", 1, 0, 1, 1),
      Ids(kStd, "TensorScatter", 2, 0, -2, "axis"),
      Small("Tile", 1, 2, 1),
      Small("TopK", 1, 2, 2),
      Small("Trilu", 1, 1, 1),
      Small("Unsqueeze", 1, 0, 1, 1),
      Fraction(kStd, "Upsample", 1, 1),
      Plain(kStd, "Where", 0, kMask),
  };
};

}  // namespace

absl::Span<const SlotPurpose> SlotPurposesOf(absl::string_view domain, absl::string_view op_type) {
  const absl::Span<const SlotPurpose> table = PurposeRows::kRows;
  const auto is_of = [&](const SlotPurpose& row) {
    return row.domain == domain && row.op_type == op_type;
  };
  const auto first = std::find_if(table.begin(), table.end(), is_of);
  const auto last = std::find_if_not(first, table.end(), is_of);
  return table.subspan(static_cast<size_t>(first - table.begin()),
                       static_cast<size_t>(last - first));
}

}  // namespace onnxcmp
