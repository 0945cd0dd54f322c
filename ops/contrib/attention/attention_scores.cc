#include "ops/contrib/attention/attention_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/vector_math.h"
#include "ops/common/reduction/softmax.h"

namespace onnxcmp {
namespace {

template <typename C>
using Row = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
template <typename C>
using ConstRow = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;

// The form of a mask of this shape, the first that fits; 0: none.
unsigned FormOf(const Shape& mask, const AttentionShape& shape) {
  const int64_t batch = shape.batch;
  if (mask.size() == 1) {
    if (mask[0] == batch) return kMaskLengths;
    if (mask[0] % 2 == 0 && mask[0] / 2 == batch) return kMaskEndsAndStarts;
    if (mask[0] >= 2 && (mask[0] - 2) % 3 == 0 && (mask[0] - 2) / 3 == batch) {
      return kMaskLengthsAndMore;
    }
  }
  if (mask == Shape{batch, shape.keys}) return kMaskOfKeys;
  if (mask == Shape{batch, 1} || mask == Shape{1, 1}) return kMaskDummy;
  if (mask == Shape{batch, shape.queries, shape.keys}) return kMaskOfQueriesAndKeys;
  if (mask.size() == 4 && mask[0] == batch && mask[1] == 1 && mask[2] == mask[3] &&
      mask[2] >= shape.keys && shape.keys >= shape.queries) {
    return kMaskOfAllTokens;
  }
  return 0;
}

std::string DescribeForms(unsigned forms, const AttentionShape& shape) {
  const int64_t batch = shape.batch;
  std::vector<std::string> shapes;
  if (forms & kMaskLengths) shapes.push_back(absl::StrCat("(", batch, ")"));
  if (forms & kMaskEndsAndStarts) shapes.push_back(absl::StrCat("(2*", batch, ")"));
  if (forms & kMaskLengthsAndMore) shapes.push_back(absl::StrCat("(3*", batch, "+2)"));
  if (forms & kMaskOfKeys) shapes.push_back(absl::StrCat("(", batch, ", ", shape.keys, ")"));
  if (forms & kMaskOfQueriesAndKeys) {
    shapes.push_back(absl::StrCat("(", batch, ", ", shape.queries, ", ", shape.keys, ")"));
  }
  if (forms & kMaskOfAllTokens) shapes.push_back(absl::StrCat("(", batch, ", 1, max, max)"));
  return absl::StrJoin(shapes, " or ");
}

}  // namespace

template <typename C>
void ScoreAddend<C>::AddTo(int64_t batch, int64_t head, int64_t query, int64_t column, C* row,
                           int64_t keys) const {
  if (!values.defined()) return;
  const int64_t first =
      offset + batch / beams * batch_stride + head * head_stride + query * query_stride + column;
  Row<C>(row, keys) += ConstRow<C>(values.data<C>() + first, keys);
}

template <typename C>
absl::StatusOr<ScoreAddend<C>> LoadAttentionBias(const KernelContext& ctx, int input,
                                                 const AttentionShape& shape) {
  ScoreAddend<C> addend;
  if (!ctx.HasInput(input)) return addend;
  const Tensor& bias = ctx.Input(input);
  if (bias.rank() != 4 || (bias.dim(0) != 1 && bias.dim(0) != shape.batch) ||
      (bias.dim(1) != 1 && bias.dim(1) != shape.heads) || bias.dim(2) != shape.queries ||
      bias.dim(3) != shape.keys) {
    return BadAttentionShape("attention_bias", bias,
                             absl::StrCat("(1 or ", shape.batch, ", 1 or ", shape.heads, ", ",
                                          shape.queries, ", ", shape.keys, ")"));
  }
  OC_ASSIGN_OR_RETURN(addend.values, LoadTensor<C>(ctx, bias));
  addend.query_stride = shape.keys;
  addend.head_stride = bias.dim(1) == 1 ? 0 : shape.queries * shape.keys;
  addend.batch_stride = bias.dim(0) == 1 ? 0 : bias.dim(1) * shape.queries * shape.keys;
  return addend;
}

template <typename C>
absl::StatusOr<ScoreAddend<C>> LoadKeyMask(const KernelContext& ctx, int input,
                                           absl::string_view name, const AttentionShape& shape,
                                           unsigned forms, float filter) {
  ScoreAddend<C> addend;
  if (!ctx.HasInput(input)) return addend;
  const Tensor& mask = ctx.Input(input);
  unsigned form = FormOf(mask.shape(), shape);
  if ((form & forms) == 0) {
    return BadAttentionShape(name, mask, DescribeForms(forms, shape));
  }
  if (form == kMaskDummy) return addend;
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> given, ctx.IntsInput(input));
  if (form >= kMaskOfKeys) {
    OC_ASSIGN_OR_RETURN(addend.values, ctx.Allocate(kDTypeOf<C>, mask.shape()));
    C* out = addend.values.template mutable_data<C>();
    for (int64_t value : given) *out++ = value > 0 ? C{0} : static_cast<C>(filter);
    const int64_t row = mask.shape().back();
    addend.query_stride = form == kMaskOfKeys ? 0 : row;
    addend.batch_stride = row * (form == kMaskOfKeys ? 1 : mask.dim(mask.rank() - 2));
    // The first query comes after the past.
    if (form == kMaskOfAllTokens) addend.offset = (shape.keys - shape.queries) * row;
    return addend;
  }
  OC_ASSIGN_OR_RETURN(addend.values, ctx.Allocate(kDTypeOf<C>, {shape.batch, shape.keys}));
  addend.batch_stride = shape.keys;
  C* out = addend.values.template mutable_data<C>();
  for (int64_t b = 0; b < shape.batch; ++b) {
    const int64_t end = given[static_cast<size_t>(b)];
    const int64_t start =
        form == kMaskEndsAndStarts ? given[static_cast<size_t>(shape.batch + b)] : 0;
    for (int64_t key = 0; key < shape.keys; ++key) {
      *out++ = key >= start && key < end ? C{0} : static_cast<C>(filter);
    }
  }
  return addend;
}

template <typename C>
void AttentionScores<C>::operator()(int64_t batch, int64_t head, int64_t query, C* row,
                                    int64_t keys) const {
  const int64_t first = columns.empty() ? 0 : columns[static_cast<size_t>(batch)];
  const auto show = [&](bool are_weights) {
    if (shown.data == nullptr || shown.weights != are_weights) return;
    const int64_t number = (batch * shape.heads + head) * shape.queries + query;
    StoreElements(shown.dtype, row, keys, shown.data, number * shown.columns + first);
  };
  KeyRange range = {0, keys};
  if (visible) {
    range = visible(batch, query);
    range.begin = std::clamp<int64_t>(range.begin, 0, keys);
    range.end = std::clamp<int64_t>(range.end, range.begin, keys);
    std::fill(row, row + range.begin, C{0});
    std::fill(row + range.end, row + keys, C{0});
  }
  C* scores = row + range.begin;
  const int64_t count = range.end - range.begin;
  if (count == 0) return;
  Row<C>(scores, count) *= scale;
  if (softcap != 0) {
    Row<C>(scores, count) /= softcap;
    vec::Tanh(scores, count, scores);
    Row<C>(scores, count) *= softcap;
  }
  if (mask.values.defined() && bias.values.defined()) {
    // Their sum first, as in onnxruntime: a mask of -10000 leaves little of the digits.
    std::vector<C> sum(static_cast<size_t>(count), C{0});
    mask.AddTo(batch, head, query, range.begin, sum.data(), count);
    bias.AddTo(batch, head, query, first + range.begin, sum.data(), count);
    Row<C>(scores, count) += ConstRow<C>(sum.data(), count);
  } else {
    mask.AddTo(batch, head, query, range.begin, scores, count);
    bias.AddTo(batch, head, query, first + range.begin, scores, count);
  }
  if (unidirectional && query + 1 < shape.queries) {
    const int64_t future = std::min(keys, past + query + 1);
    std::fill(row + future, row + keys, std::numeric_limits<C>::lowest());
    bias.AddTo(batch, head, query, future, row + future, keys - future);
  }
  if (exclude) exclude(batch, head, query, range, row);
  show(false);
  if (visible && sinks.empty() && LaneMax(scores, count) == -std::numeric_limits<C>::infinity()) {
    std::fill(scores, scores + count, C{0});
    return show(true);
  }
  if (sinks.empty()) {
    SoftmaxLane(scores, count, scores);
  } else {
    SoftmaxLaneWithSink(scores, count, sinks[static_cast<size_t>(head)], scores);
  }
  show(true);
}

template <typename C>
C AttentionScale(float scale, int64_t head_size) {
  return scale == 0 ? C{1} / std::sqrt(static_cast<C>(head_size)) : static_cast<C>(scale);
}

#define ONNXCMP_ATTENTION_SCORES(C)                                                       \
  template struct ScoreAddend<C>;                                                         \
  template struct AttentionScores<C>;                                                     \
  template C AttentionScale<C>(float, int64_t);                                           \
  template absl::StatusOr<ScoreAddend<C>> LoadAttentionBias<C>(const KernelContext&, int, \
                                                               const AttentionShape&);    \
  template absl::StatusOr<ScoreAddend<C>> LoadKeyMask<C>(                                 \
      const KernelContext&, int, absl::string_view, const AttentionShape&, unsigned, float);
ONNXCMP_ATTENTION_SCORES(float)
ONNXCMP_ATTENTION_SCORES(double)
#undef ONNXCMP_ATTENTION_SCORES

}  // namespace onnxcmp
