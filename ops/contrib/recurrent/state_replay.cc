#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"

namespace onnxcmp {
namespace {

enum ReplayInput : int { kSource, kCapture, kDestination, kMetadata };

// The numbers of `metadata`, as many as `names`, none of them negative.
template <size_t count>
absl::StatusOr<std::array<int64_t, count>> ReadMetadata(
    const KernelContext& ctx, const std::array<absl::string_view, count>& names) {
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> given, ctx.IntsInput(kMetadata));
  if (ctx.Input(kMetadata).rank() != 1 || given.size() != count) {
    return absl::InvalidArgumentError(absl::StrCat(
        "metadata is ", ctx.Input(kMetadata).TypeString(), ", not int64[", count, "]"));
  }
  std::array<int64_t, count> numbers;
  for (size_t i = 0; i < count; ++i) {
    numbers[i] = given[i];
    if (given[i] < 0) {
      return absl::InvalidArgumentError(absl::StrCat("metadata: ", names[i], " is ", given[i]));
    }
  }
  return numbers;
}

// `count` elements from element `first` on lie in input `index`, of one dimension.
absl::Status CheckView(const KernelContext& ctx, int index, absl::string_view name, int64_t first,
                       const Shape& shape) {
  const Tensor& backing = ctx.Input(index);
  const std::optional<int64_t> count = NumElements(shape);
  int64_t end = 0;
  if (backing.rank() == 1 && count.has_value() && !__builtin_add_overflow(first, *count, &end) &&
      end <= backing.dim(0)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(name, ", ", backing.TypeString(),
                                                 ", does not hold [", ShapeToString(shape),
                                                 "] from element ", first, " on"));
}

// The destination's elements, to be written to.
absl::StatusOr<Tensor> CopyOfDestination(const KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const Tensor old, ctx.ContiguousInput(kDestination));
  OC_ASSIGN_OR_RETURN(Tensor copy, ctx.Allocate(old.dtype(), old.shape()));
  std::memcpy(copy.mutable_raw_data(), old.raw_data(), static_cast<size_t>(old.byte_size()));
  return copy;
}

absl::Status ReplayConvolution(KernelContext& ctx) {
  constexpr std::array<absl::string_view, 8> kNames = {"source_offset_bytes",
                                                       "destination_offset_bytes",
                                                       "capture_offset_bytes",
                                                       "batch_size",
                                                       "channels",
                                                       "history_width",
                                                       "capacity",
                                                       "kept_count"};
  OC_ASSIGN_OR_RETURN(const auto numbers, ReadMetadata(ctx, kNames));
  const auto [source_at, destination_at, capture_at, batch, channels, width, capacity, kept] =
      numbers;
  const DType dtype = ctx.Input(kSource).dtype();
  if (dtype != DType::kFloat && dtype != DType::kFloat16) {
    return absl::UnimplementedError(absl::StrCat(
        "the offsets are bytes of float or float16 elements, not of ", DTypeName(dtype)));
  }
  const int64_t size = BitWidth(dtype) / 8;
  for (size_t i = 0; i < 3; ++i) {
    if (numbers[i] % size != 0) {
      return absl::InvalidArgumentError(absl::StrCat("metadata: ", kNames[i], " is ", numbers[i],
                                                     ", which is within an element of ",
                                                     DTypeName(dtype)));
    }
  }
  if (channels < 1 || kept > capacity) {
    return absl::InvalidArgumentError(
        absl::StrCat("metadata: channels is ", channels, ", kept_count ", kept, " of ", capacity));
  }
  const Shape state = {batch, channels, width};
  OC_RETURN_IF_ERROR(CheckView(ctx, kSource, "source_backing", source_at / size, state));
  OC_RETURN_IF_ERROR(
      CheckView(ctx, kDestination, "destination_backing", destination_at / size, state));
  OC_RETURN_IF_ERROR(
      CheckView(ctx, kCapture, "capture_backing", capture_at / size, {batch, capacity, channels}));
  OC_ASSIGN_OR_RETURN(const Tensor source, ctx.ContiguousInput(kSource));
  OC_ASSIGN_OR_RETURN(const Tensor capture, ctx.ContiguousInput(kCapture));
  OC_ASSIGN_OR_RETURN(Tensor destination, CopyOfDestination(ctx));
  const std::byte* from = source.raw_data() + source_at;
  const std::byte* captured = capture.raw_data() + capture_at;
  std::byte* to = destination.mutable_raw_data() + destination_at;
  for (int64_t i = 0; i < *NumElements(state); ++i) {
    const int64_t p = i % width + kept;
    const int64_t channel = i / width % channels;
    const int64_t b = i / width / channels;
    const std::byte* element =
        p < width ? from + (i + kept) * size
                  : captured + ((b * capacity + p - width) * channels + channel) * size;
    std::memcpy(to + i * size, element, static_cast<size_t>(size));
  }
  return ctx.SetOutput(0, std::move(destination));
}

// ConvStateReplay (com.microsoft 1): the view [b, channels, W] of destination_backing is what the
// view of source_backing is after kept_count = k of the captured inputs [b, capacity, channels]:
//   destination[b, c, p] = source[b, c, p + k] if p + k < W, else capture[b, p + k - W, c]
// Everything else of destination_backing stays. metadata says where the views begin, in bytes, and
// what their sizes are. Elements are copied bit by bit.
Kernel ConvStateReplay(const KernelInit&) { return ReplayConvolution; }

template <typename C>
absl::Status ReplayRecurrence(KernelContext& ctx) {
  constexpr std::array<absl::string_view, 11> kNames = {"source_offset",
                                                        "destination_offset",
                                                        "decay_offset",
                                                        "key_offset",
                                                        "delta_offset",
                                                        "Hv",
                                                        "Dv",
                                                        "Dk",
                                                        "Hk",
                                                        "capacity",
                                                        "kept_count"};
  OC_ASSIGN_OR_RETURN(const auto numbers, ReadMetadata(ctx, kNames));
  const auto [source_at, destination_at, decay_at, key_at, delta_at, value_heads, value_size,
              key_size, key_heads, capacity, kept] = numbers;
  for (size_t i = 5; i < numbers.size(); ++i) {
    if (numbers[i] < 1) {
      return absl::InvalidArgumentError(absl::StrCat("metadata: ", kNames[i], " is ", numbers[i]));
    }
  }
  if (kept > capacity) {
    return absl::InvalidArgumentError(
        absl::StrCat("metadata: kept_count is ", kept, ", capacity ", capacity));
  }
  const Shape state = {value_heads, value_size, key_size};
  OC_RETURN_IF_ERROR(CheckView(ctx, kSource, "source_backing", source_at, state));
  OC_RETURN_IF_ERROR(CheckView(ctx, kDestination, "destination_backing", destination_at, state));
  OC_RETURN_IF_ERROR(
      CheckView(ctx, kCapture, "capsule_backing", key_at, {capacity, key_heads, key_size}));
  OC_RETURN_IF_ERROR(
      CheckView(ctx, kCapture, "capsule_backing", delta_at, {capacity, value_heads, value_size}));
  const std::optional<int64_t> by_key = NumElements(Shape{capacity, value_heads, key_size});
  const int64_t decays = by_key.has_value() && key_at - decay_at == *by_key ? key_size : 1;
  OC_RETURN_IF_ERROR(
      CheckView(ctx, kCapture, "capsule_backing", decay_at, {capacity, value_heads, decays}));
  OC_ASSIGN_OR_RETURN(const Tensor source, ctx.ContiguousInput(kSource));
  OC_ASSIGN_OR_RETURN(const Tensor capsule, ctx.ContiguousInput(kCapture));
  OC_ASSIGN_OR_RETURN(Tensor destination, CopyOfDestination(ctx));
  const C* decay = capsule.data<C>() + decay_at;
  const C* key = capsule.data<C>() + key_at;
  const C* delta = capsule.data<C>() + delta_at;
  C* to = destination.template mutable_data<C>() + destination_at;
  for (int64_t i = 0; i < *NumElements(state); ++i) {
    const int64_t k = i % key_size;
    const int64_t v = i / key_size;  // with its head
    const int64_t head = v / value_size;
    const int64_t own = head * key_heads / value_heads;
    C s = source.data<C>()[source_at + i];
    for (int64_t t = 0; t < kept; ++t) {
      s *= decay[(t * value_heads + head) * decays + (decays == 1 ? 0 : k)];
      s += key[(t * key_heads + own) * key_size + k] * delta[t * value_heads * value_size + v];
    }
    to[i] = s;
  }
  return ctx.SetOutput(0, std::move(destination));
}

// GatedDeltaNetStateReplay (com.microsoft 1): the view [Hv, Dv, Dk] of destination_backing is that
// of source_backing after the first kept_count captured transitions of GatedDeltaNet,
//   s *= decay[t, h], s += key[t, h Hk / Hv, i] * delta[t, h, v];
// decay has an element for each i if the keys begin so far after it. Everything else of
// destination_backing stays. metadata says where the parts begin and what their sizes are.
Kernel GatedDeltaNetStateReplay(const KernelInit&) {
  return FloatKernel(kSource,
                     []<typename C>(KernelContext& ctx) { return ReplayRecurrence<C>(ctx); });
}

}  // namespace

void RegisterContribStateReplay(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "ConvStateReplay", {1}, ConvStateReplay);
  registry.Add(kMicrosoftDomain, "GatedDeltaNetStateReplay", {1}, GatedDeltaNetStateReplay);
}

}  // namespace onnxcmp
