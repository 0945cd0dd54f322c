#include "compare/sides/recorded_precision.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/tensor.h"
#include "record/differences/tensor_distance.h"
#include "record/streams/quantized_streams.h"

namespace onnxcmp {
namespace {

constexpr int64_t kEnoughForSteps = 64;

// kUndefined: none.
DType ExactType(absl::Span<const float> floats) {
  constexpr uint32_t kBeyondBfloat16 = 0xFFFF;
  constexpr uint32_t kBeyondFloat16 = 0x1FFF;
  const double greatest = GreatestFinite(DType::kFloat16);
  const double least = LeastPositive(DType::kFloat16);
  uint32_t bits = 0;
  bool half = true;
  for (const float x : floats) {
    bits |= std::bit_cast<uint32_t>(x);
    if ((bits & kBeyondFloat16) != 0) return DType::kUndefined;
    half = half && (x == 0 || (std::abs(x) <= greatest && std::abs(x) >= least));
  }
  return (bits & kBeyondBfloat16) == 0 ? DType::kBfloat16
         : half                        ? DType::kFloat16
                                       : DType::kUndefined;
}

// True for (q - zero point) * scale with at most 256 different q. Whole numbers are counts.
bool AreOnSteps(absl::Span<const float> floats) {
  constexpr size_t kStepsOf8Bits = 256;
  constexpr double kOffStep = 0.02;
  absl::flat_hash_set<float> distinct;
  for (const float x : floats) {
    if (!std::isfinite(x)) return false;
    distinct.insert(x);
    if (distinct.size() > kStepsOf8Bits) return false;
  }
  if (distinct.size() < 12) return false;
  std::vector<double> sorted(distinct.begin(), distinct.end());
  absl::c_sort(sorted);
  double step = std::numeric_limits<double>::infinity();
  bool whole = true;
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0) step = std::min(step, sorted[i] - sorted[i - 1]);
    whole = whole && sorted[i] == std::nearbyint(sorted[i]);
  }
  if (whole || (sorted.back() - sorted.front()) / step > kStepsOf8Bits) return false;
  return absl::c_all_of(
      sorted, [&](double x) { return std::abs(x / step - std::nearbyint(x / step)) <= kOffStep; });
}

bool IsComputedFloat(const StreamResult& result) {
  return result.kind != ResultKind::kInput && result.kind != ResultKind::kInitializer &&
         result.dtype == DType::kFloat;
}

// Also of results that have a step or two, as small shares of a Softmax.
void TakeBytes(ResultStream* stream) {
  for (StreamResult& result : stream->results) {
    if (IsComputedFloat(result)) result.precision = DType::kUint8;
  }
}

// The share of results with steps that no network without integers has.
constexpr double kShareWithSteps = 0.2;
constexpr int kFewWithSteps = 2;

void TakeSteps(absl::Span<const RecordedRounding> rounded, ResultStream* stream) {
  int all = 0;
  int with_steps = 0;
  for (size_t r = 0; r < rounded.size(); ++r) {
    const StreamResult& result = stream->results[r];
    if (!IsComputedFloat(result) || !result.fingerprint.rich ||
        result.fingerprint.size < kEnoughForSteps) {
      continue;
    }
    ++all;
    with_steps += rounded[r].has_steps ? 1 : 0;
  }
  if (with_steps < kFewWithSteps || with_steps < kShareWithSteps * all) return;
  TakeBytes(stream);
}

}  // namespace

RecordedRounding RoundingOf(const Value& value) {
  RecordedRounding rounding;
  if (!value.is_tensor() || value.tensor().dtype() != DType::kFloat) return rounding;
  const absl::StatusOr<Tensor> tensor = value.tensor().Contiguous();
  if (!tensor.ok()) return rounding;
  rounding.type = ExactType(tensor->AsSpan<float>());
  rounding.has_steps = rounding.type == DType::kUndefined &&
                       tensor->num_elements() >= kEnoughForSteps &&
                       AreOnSteps(tensor->AsSpan<float>());
  return rounding;
}

void TakePrecision(absl::Span<const RecordedRounding> rounded, ResultStream* stream) {
  for (const DType type : {DType::kBfloat16, DType::kFloat16}) {
    int all = 0;
    int so = 0;
    int64_t elements = 0;
    for (size_t r = 0; r < rounded.size(); ++r) {
      const StreamResult& result = stream->results[r];
      const bool has_type = result.dtype == type;
      if (result.kind == ResultKind::kInput || (result.dtype != DType::kFloat && !has_type) ||
          !result.fingerprint.rich) {
        continue;
      }
      ++all;
      if (rounded[r].type != type && !has_type) continue;
      ++so;
      elements += result.fingerprint.size;
    }
    if (so == 0 || so < 0.8 * all || elements < 32) continue;
    for (size_t r = 0; r < rounded.size(); ++r) {
      if (rounded[r].type != type) continue;
      stream->results[r].own_precision = stream->results[r].precision = type;
    }
    return;
  }
  TakeSteps(rounded, stream);
}

namespace {

// True if a recording has results of 8-bit integers that the other side has none like.
bool HasOwnBytes(const ResultStream& recording, const ResultStream& other) {
  return absl::c_any_of(recording.results, [&](const StreamResult& result) {
    return result.kind == ResultKind::kResult && IsInteger(result.dtype) &&
           BitWidth(result.dtype) == 8 && result.fingerprint.rich &&
           result.fingerprint.size >= kEnoughForSteps &&
           absl::c_none_of(other.results, [&](const StreamResult& one) {
             return one.dtype == result.dtype && one.fingerprint.size == result.fingerprint.size;
           });
  });
}

}  // namespace

void TakeQuantizedPrecision(const PerSide<ResultStream*>& streams) {
  for (const SideId side : kBothSides) {
    if (streams[side]->recorded && HasOwnBytes(*streams[side], *streams[Other(side)])) {
      TakeBytes(streams[side]);
    }
  }
  const auto has_steps = [](const StreamResult& result) {
    return IsFloatingPoint(result.dtype) && IsInteger(result.precision);
  };
  const auto is_quantized = [&](const ResultStream& stream) {
    return stream.recorded ? absl::c_any_of(stream.results, has_steps) : IsQuantized(stream);
  };
  const PerSide<bool> quantized = {is_quantized(*streams.left), is_quantized(*streams.right)};
  for (const SideId side : kBothSides) {
    if (!streams[side]->recorded || !quantized[side]) continue;
    for (StreamResult& result : streams[side]->results) {
      if (!has_steps(result)) continue;
      if (quantized[Other(side)]) {
        result.precision = result.own_precision;
      } else {
        result.own_precision = result.precision;
      }
    }
  }
}

}  // namespace onnxcmp
