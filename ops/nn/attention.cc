#include "ops/common/attention/attention.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/elementwise/broadcast.h"
#include "ops/common/functions/vector_math.h"
#include "ops/common/movement/concat.h"
#include "ops/common/reduction/softmax.h"

namespace onnxcmp {
namespace {

enum InputIndex { kQ, kK, kV, kMask, kPastKey, kPastValue, kNonpadLength };

// The scores that output 3 shows.
enum ScoresShown { kProducts, kCapped, kBiased, kSoftmaxed };

struct Options {
  int64_t q_heads = 0;  // 0: not given
  int64_t kv_heads = 0;
  std::optional<float> scale;
  float softcap = 0;  // 0: none
  bool causal = false;
  int64_t left_window = -1;  // keys before a query's own place that it sees; -1: all
  int64_t right_window = -1;
  bool pads_mask = false;  // a mask with fewer keys than there are leaves the others out
  int64_t shown = kProducts;
  DType softmax_dtype = DType::kUndefined;  // kUndefined: that of the queries
};

// `past` and `x` in a row, or x alone if there is no such input.
absl::StatusOr<Tensor> Present(const KernelContext& ctx, int past, const Tensor& x) {
  if (!ctx.HasInput(past)) return x;
  if (ctx.Input(past).rank() != 4) {
    return BadAttentionShape("the past", ctx.Input(past), "4 dimensions");
  }
  return Concatenated(ctx, {ctx.Input(past), x}, 2);
}

struct VisibleKeys {
  int64_t begin = 0;
  int64_t end = 0;
};

// The numbers that are added to the products of a query with each key.
template <typename C>
struct Bias {
  Tensor mask;  // undefined: none
  Shape mask_strides = {0, 0, 0, 0};
  int64_t mask_keys = 0;
  std::vector<int64_t> lengths;  // keys in use of each batch entry; empty: all
  int64_t before = -1;           // keys before a query's own place that it sees; -1: all
  int64_t after = -1;
  int64_t past = 0;
  int64_t queries = 0;

  // The keys that lengths, causality and windows leave.
  VisibleKeys Visible(int64_t batch, int64_t query, int64_t keys) const {
    VisibleKeys range = {0, keys};
    int64_t place = query + past;  // the key that is the query's own
    if (!lengths.empty()) {
      const int64_t length = lengths[static_cast<size_t>(batch)];
      place = query + length - queries;
      range.end = std::min(range.end, length);
    }
    if (after >= 0) range.end = std::min(range.end, place + after + 1);
    if (before >= 0) range.begin = std::max(range.begin, place - before);
    range.end = std::max<int64_t>(range.end, 0);
    range.begin = std::min(range.begin, range.end);
    return range;
  }

  const C* MaskRow(int64_t batch, int64_t head, int64_t query) const {
    return mask.data<C>() + batch * mask_strides[0] + head * mask_strides[1] +
           query * mask_strides[2];
  }

  // False if it is -inf for every key.
  bool AnyKey(int64_t batch, int64_t head, int64_t query, int64_t keys) const {
    const VisibleKeys range = Visible(batch, query, mask.defined() ? mask_keys : keys);
    if (!mask.defined()) return range.begin < range.end;
    const C* row = MaskRow(batch, head, query);
    for (int64_t key = range.begin; key < range.end; ++key) {
      if (row[key * mask_strides[3]] != -std::numeric_limits<C>::infinity()) return true;
    }
    return false;
  }

  void AddTo(int64_t batch, int64_t head, int64_t query, C* row, int64_t keys) const {
    constexpr C kOut = -std::numeric_limits<C>::infinity();
    if (mask.defined()) {
      const C* from = MaskRow(batch, head, query);
      for (int64_t key = 0; key < mask_keys; ++key) row[key] += from[key * mask_strides[3]];
      for (int64_t key = mask_keys; key < keys; ++key) row[key] += kOut;
    }
    const VisibleKeys range = Visible(batch, query, keys);
    for (int64_t key = 0; key < range.begin; ++key) row[key] += kOut;
    for (int64_t key = range.end; key < keys; ++key) row[key] += kOut;
  }
};

// Bounds that are far beyond any key, so that sums of a few do not overflow.
int64_t Bounded(int64_t number) {
  constexpr int64_t kFar = int64_t{1} << 60;
  return std::clamp(number, -kFar, kFar);
}

template <typename C>
absl::StatusOr<Bias<C>> LoadBias(const KernelContext& ctx, const AttentionShape& shape,
                                 const Options& options) {
  Bias<C> bias;
  bias.queries = shape.queries;
  bias.before = options.left_window;
  bias.after = options.causal ? 0 : options.right_window;
  if (ctx.HasInput(kPastKey)) bias.past = ctx.Input(kPastKey).dim(2);
  if (ctx.HasInput(kNonpadLength)) {
    if (ctx.Input(kNonpadLength).shape() != Shape{shape.batch}) {
      return BadAttentionShape("nonpad_kv_seqlen", ctx.Input(kNonpadLength),
                               absl::StrCat(shape.batch));
    }
    OC_ASSIGN_OR_RETURN(bias.lengths, ctx.IntsInput(kNonpadLength));
    for (int64_t& length : bias.lengths) length = Bounded(length);
  }
  if (!ctx.HasInput(kMask)) return bias;
  const Tensor& mask = ctx.Input(kMask);
  if (mask.rank() == 0) return BadAttentionShape("attn_mask", mask, "at least 1 dimension");
  const int64_t last = mask.shape().back();
  const bool padded = options.pads_mask && last < shape.keys;
  bias.mask_keys = padded ? last : shape.keys;
  const Shape full = {shape.batch, shape.heads, shape.queries, bias.mask_keys};
  OC_RETURN_IF_ERROR(CheckBroadcastsTo(mask.shape(), full));
  OC_ASSIGN_OR_RETURN(const Tensor contiguous, ctx.Contiguous(mask));
  OC_ASSIGN_OR_RETURN(bias.mask, ctx.Allocate(kDTypeOf<C>, mask.shape()));
  C* values = bias.mask.template mutable_data<C>();
  LoadElements(mask.dtype(), contiguous.raw_data(), 0, mask.num_elements(), values);
  if (mask.dtype() == DType::kBool) {
    constexpr C kOut = -std::numeric_limits<C>::infinity();
    for (int64_t i = 0; i < mask.num_elements(); ++i) values[i] = values[i] != 0 ? C{0} : kOut;
  }
  bias.mask_strides = BroadcastStrides(bias.mask, full);
  return bias;
}

// Rounds a row to a narrower type.
template <typename C>
void RoundRow(DType dtype, C* row, int64_t count) {
  constexpr int64_t kStrip = 256;
  uint16_t strip[kStrip];
  auto* bytes = reinterpret_cast<std::byte*>(strip);
  for (int64_t begin = 0; begin < count; begin += kStrip) {
    const int64_t part = std::min(kStrip, count - begin);
    StoreElements(dtype, row + begin, part, bytes, 0);
    LoadElements(dtype, bytes, 0, part, row + begin);
  }
}

// Turns the products of a query with all keys into the weights of the values.
template <typename C>
struct ScoresToWeights {
  const Options& options;
  const AttentionShape& shape;
  const Bias<C>& bias;
  DType dtype;  // of output 3
  C scale;
  std::byte* shown;  // output 3; null: none

  void operator()(int64_t batch, int64_t head, int64_t query, C* row, int64_t /*count*/) const {
    const int64_t number = (batch * shape.heads + head) * shape.queries + query;
    const bool round = options.softmax_dtype != DType::kUndefined &&
                       options.softmax_dtype != dtype && BitWidth(options.softmax_dtype) == 16;
    Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>> scores(row, shape.keys);
    scores *= scale;
    Show(kProducts, number, row);
    if (const C cap = options.softcap; cap != 0) {
      scores /= cap;
      vec::Tanh(row, shape.keys, row);
      scores *= cap;
    }
    Show(kCapped, number, row);
    bias.AddTo(batch, head, query, row, shape.keys);
    Show(kBiased, number, row);
    if (round) RoundRow(options.softmax_dtype, row, shape.keys);
    if (bias.AnyKey(batch, head, query, shape.keys)) {
      SoftmaxLane(row, shape.keys, row);
      if (round) RoundRow(options.softmax_dtype, row, shape.keys);
    } else {
      scores.setZero();
    }
    Show(kSoftmaxed, number, row);
  }

  void Show(ScoresShown stage, int64_t number, const C* row) const {
    if (shown == nullptr || options.shown != stage) return;
    StoreElements(dtype, row, shape.keys, shown, number * shape.keys);
  }
};

template <typename C>
absl::Status Run(KernelContext& ctx, const Options& options) {
  OC_ASSIGN_OR_RETURN(const Tensor q, WithHeads(ctx.Input(kQ), "Q", options.q_heads));
  OC_ASSIGN_OR_RETURN(Tensor k, WithHeads(ctx.Input(kK), "K", options.kv_heads));
  OC_ASSIGN_OR_RETURN(Tensor v, WithHeads(ctx.Input(kV), "V", options.kv_heads));
  OC_ASSIGN_OR_RETURN(k, Present(ctx, kPastKey, k));
  OC_ASSIGN_OR_RETURN(v, Present(ctx, kPastValue, v));
  OC_ASSIGN_OR_RETURN(const AttentionShape shape, ShapeOfAttention(q, k, v));
  OC_ASSIGN_OR_RETURN(const Bias<C> bias, LoadBias<C>(ctx, shape, options));

  const DType dtype = q.dtype();
  Tensor shown;
  std::byte* shown_data = nullptr;
  if (ctx.HasOutput(3)) {
    OC_ASSIGN_OR_RETURN(shown,
                        ctx.Allocate(dtype, {shape.batch, shape.heads, shape.queries, shape.keys}));
    shown_data = shown.mutable_raw_data();
  }
  const C scale = options.scale.has_value() ? static_cast<C>(*options.scale)
                                            : C{1} / std::sqrt(static_cast<C>(shape.head_size));
  const ScoresToWeights<C> weights = {options, shape, bias, dtype, scale, shown_data};
  OC_ASSIGN_OR_RETURN(const Tensor out,
                      AttendTensors<C>(ctx, shape, q, k, v, ctx.Input(kQ).rank() == 3, weights));
  OC_ASSIGN_OR_RETURN(Tensor y, StoreTensor<C>(ctx, out, dtype));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(y)));
  OC_RETURN_IF_ERROR(ctx.SetOutput(1, std::move(k)));
  OC_RETURN_IF_ERROR(ctx.SetOutput(2, std::move(v)));
  return shown_data == nullptr ? absl::OkStatus() : ctx.SetOutput(3, std::move(shown));
}

// Attention (ai.onnx 23, 24, 25):
//   K, V = past_key and K, past_value and V in a row: present_key, present_value
//   Y = softmax(cap(scale * Q K^T) + bias) V,  cap(x) = softcap * tanh(x / softcap)
// for every head; a head of K and V serves several neighbouring ones of Q. The bias is attn_mask
// (of booleans: -inf where it is false; from 24 on also for the keys after its end), -inf for keys
// from nonpad_kv_seqlen on, for keys j > p with is_causal, and for those outside of
// p - left_window_size <= j <= p + right_window_size (from 25 on; -1: no bound). p is the place of
// query i among the keys: i + the past's length, or i + nonpad_kv_seqlen - the number of queries.
// A row whose bias is -inf throughout is zero after the softmax, and in Y. Output 3 is the product
// with the scale, or after the cap, after the bias, after the softmax. Narrow floats are computed
// in float and rounded in the outputs only, but for a softmax_precision that is narrower than the
// queries'.
absl::StatusOr<Kernel> Attention(const KernelInit& node) {
  Options options;
  options.q_heads = node.Int("q_num_heads", 0);
  options.kv_heads = node.Int("kv_num_heads", 0);
  if (node.Has("scale")) options.scale = node.Float("scale");
  options.softcap = node.Float("softcap");
  options.causal = node.Flag("is_causal");
  options.left_window = Bounded(node.Int("left_window_size", -1));
  options.right_window = Bounded(node.Int("right_window_size", -1));
  if (options.left_window < -1 || options.right_window < -1) {
    return absl::InvalidArgumentError(
        "left_window_size and right_window_size must be -1 or not negative");
  }
  options.pads_mask = node.version() >= 24;
  options.shown = node.Int("qk_matmul_output_mode");
  if (options.shown < kProducts || options.shown > kSoftmaxed) {
    return absl::InvalidArgumentError(
        absl::StrCat("qk_matmul_output_mode ", options.shown, " is not in 0 to 3"));
  }
  if (node.Has("softmax_precision")) {
    const int64_t number = node.Int("softmax_precision", 0);
    options.softmax_dtype =
        number > 0 && number < kNumDTypes ? static_cast<DType>(number) : DType::kUndefined;
    if (!IsFloatingPoint(options.softmax_dtype) || BitWidth(options.softmax_dtype) < 16) {
      return absl::InvalidArgumentError(
          absl::StrCat("softmax_precision ", number, " is none of 1, 10, 11 and 16"));
    }
  }
  if (node.HasInput(kPastKey) != node.HasInput(kPastValue)) {
    return absl::InvalidArgumentError("past_key and past_value come together or not");
  }
  if (node.HasInput(kPastKey) && node.HasInput(kNonpadLength)) {
    return absl::InvalidArgumentError("nonpad_kv_seqlen does not go with past_key and past_value");
  }
  return [options](KernelContext& ctx) {
    const DType q = ctx.Input(kQ).dtype();
    return DispatchFloat(q == DType::kDouble ? q : ctx.Input(kV).dtype(),
                         [&]<typename C>() { return Run<C>(ctx, options); });
  };
}

}  // namespace

void RegisterAttention(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Attention", {23, 24, 25}, Attention);
}

}  // namespace onnxcmp
