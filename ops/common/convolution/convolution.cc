#include "ops/common/convolution/convolution.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "evaluator/base/scratch.h"

namespace onnxcmp {
namespace {

using gemm_internal::Accumulator;
using gemm_internal::Int16Pair;
using gemm_internal::kLanes;
using gemm_internal::Vector;

template <typename T>
constexpr int64_t kBytes = sizeof(T);
// How many elements of an image one of the product's holds.
template <typename T, typename E>
constexpr int64_t kElementsIn = kBytes<T> / kBytes<E>;

// Bytes of padded images that are held at a time (at least one image).
constexpr int64_t kImageBytes = int64_t{64} << 20;
// Elements that may be read (not used) after an image.
constexpr int64_t kSlack = 64;

int64_t CeilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

// Where the padded copy of an image has its elements. The copy holds just what the windows touch.
// Its last dimension is split by the stride: position q * stride + p lies at [p][q], so that the
// same tap of neighbouring windows is contiguous for any stride.
struct Layout {
  explicit Layout(const Windows& windows) : windows(windows) {
    const WindowDim& last = windows.back();
    const int64_t extent = (last.kernel - 1) * last.dilation + 1;
    phases = std::min(last.stride, extent);
    phase_pitch = last.output + (extent - 1) / last.stride;
    pitches.resize(windows.size());
    int64_t pitch = phases * phase_pitch;
    for (size_t d = windows.size() - 1; d > 0; --d) {
      pitches[d - 1] = pitch;
      pitch *= Touched(d - 1);
    }
    channel_pitch = pitch;

    tap_offsets.resize(static_cast<size_t>(NumTaps(windows)));
    for (size_t tap = 0; tap < tap_offsets.size(); ++tap) {
      auto rest = static_cast<int64_t>(tap);
      const int64_t position = rest % last.kernel * last.dilation;
      rest /= last.kernel;
      int64_t offset = position % last.stride * phase_pitch + position / last.stride;
      for (size_t d = windows.size() - 1; d > 0; --d) {
        const WindowDim& dim = windows[d - 1];
        offset += rest % dim.kernel * dim.dilation * pitches[d - 1];
        rest /= dim.kernel;
      }
      tap_offsets[tap] = offset;
    }
  }

  // Padded positions of a dimension that windows touch.
  int64_t Touched(size_t d) const {
    const WindowDim& dim = windows[d];
    return (dim.output - 1) * dim.stride + (dim.kernel - 1) * dim.dilation + 1;
  }

  // Where the first tap of the first window of a row of windows lies.
  int64_t RowOffset(int64_t row) const {
    int64_t offset = 0;
    for (size_t d = windows.size() - 1; d > 0; --d) {
      const WindowDim& dim = windows[d - 1];
      offset += row % dim.output * dim.stride * pitches[d - 1];
      row /= dim.output;
    }
    return offset;
  }

  const Windows& windows;
  int64_t phases;
  int64_t phase_pitch;
  absl::InlinedVector<int64_t, 3> pitches;  // of every dimension but the last
  int64_t channel_pitch;
  std::vector<int64_t> tap_offsets;
};

// Bytes of the copy of `channels` channels; nothing if that overflows.
std::optional<int64_t> ImageElements(const Windows& windows, int64_t channels) {
  Shape shape = {channels};
  for (const WindowDim& dim : windows) {
    shape.push_back((dim.output - 1) * dim.stride + (dim.kernel - 1) * dim.dilation + 1);
  }
  shape.back() += windows.back().stride;
  const std::optional<int64_t> elements = NumElements(shape);
  return elements.has_value() && *elements < (int64_t{1} << 58) ? elements : std::nullopt;
}

template <typename E>
void CopyRow(const Layout& layout, const E* from, E* to) {
  const WindowDim& last = layout.windows.back();
  for (int64_t p = 0; p < layout.phases; ++p, to += layout.phase_pitch) {
    // Element q of the phase is input q * stride + first.
    const int64_t first = p - last.pad_begin;
    const int64_t begin =
        std::min(layout.phase_pitch, first >= 0 ? 0 : CeilDiv(-first, last.stride));
    const int64_t end =
        std::clamp<int64_t>(last.input > first ? CeilDiv(last.input - first, last.stride) : 0,
                            begin, layout.phase_pitch);
    std::fill(to, to + begin, E());
    if (last.stride == 1) {
      std::copy(from + begin + first, from + end + first, to + begin);
    } else {
      for (int64_t q = begin; q < end; ++q) to[q] = from[q * last.stride + first];
    }
    std::fill(to + end, to + layout.phase_pitch, E());
  }
}

// `from`: one channel of the input. `d`: the dimension that is walked.
template <typename E>
void CopyChannel(const Layout& layout, size_t d, const E* from, E* to) {
  if (d + 1 == layout.windows.size()) return CopyRow(layout, from, to);
  const WindowDim& dim = layout.windows[d];
  const int64_t extent = (dim.kernel - 1) * dim.dilation + 1;
  int64_t input_pitch = 1;
  for (size_t i = d + 1; i < layout.windows.size(); ++i) input_pitch *= layout.windows[i].input;
  const int64_t pitch = layout.pitches[d];
  for (int64_t i = 0; i < layout.Touched(d); ++i, to += pitch) {
    const int64_t input = i - dim.pad_begin;
    if (input < 0 || input >= dim.input) {
      std::fill(to, to + pitch, E());
    } else if (i % dim.stride < extent) {  // else it lies between two windows
      CopyChannel(layout, d + 1, from + input * input_pitch, to);
    }
  }
}

template <typename E>
void CopyChannels(const ThreadPool& pool, const Layout& layout, int64_t channels, const E* from,
                  E* to) {
  int64_t input_pitch = 1;
  for (const WindowDim& dim : layout.windows) input_pitch *= dim.input;
  const int64_t grain = std::max<int64_t>(1, 65536 / std::max<int64_t>(1, layout.channel_pitch));
  pool.ParallelRanges(channels, grain, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      CopyChannel(layout, 0, from + c * input_pitch, to + c * layout.channel_pitch);
    }
  });
}

// The windows that a panel holds: runs of neighbours, whose taps are contiguous in the image.
template <typename E, int64_t kColumns>
class PanelWindows {
 public:
  PanelWindows(const Layout& layout, int64_t column, int64_t columns) {
    const int64_t row_size = layout.windows.back().output;
    int64_t row = column / row_size;
    int64_t in_row = column % row_size;
    for (int64_t done = 0; done < columns; ++row, in_row = 0) {
      const int64_t length = std::min(row_size - in_row, columns - done);
      const int64_t offset = layout.RowOffset(row) + in_row;
      for (int64_t i = 0; i < length; ++i) offsets_[done + i] = offset + i;
      runs_[num_runs_++] = {offset, done};
      done += length;
    }
    for (int64_t i = columns; i < kColumns; ++i) offsets_[i] = offsets_[columns - 1];
  }

  // Copies one tap of each window; writes up to twice kColumns elements, of which the first
  // kColumns count: every run is copied at full width and the next run overwrites what is too much.
  void Copy(const E* tap, E* to) const {
    if (num_runs_ > 4) {
      for (int64_t i = 0; i < kColumns; ++i) to[i] = tap[offsets_[i]];
      return;
    }
    std::memcpy(to, tap + runs_[0].offset, kColumns * sizeof(E));
    for (int i = 1; i < num_runs_; ++i) {
      std::memcpy(to + runs_[i].start, tap + runs_[i].offset, kColumns * sizeof(E));
    }
  }

 private:
  struct Run {
    int64_t offset;
    int64_t start;
  };
  int num_runs_ = 0;
  Run runs_[kColumns];
  int64_t offsets_[kColumns];
};

// The matrix of windows of every image and group: row c * taps + t, a column a window.
template <typename E, typename T>
class WindowPacker final : public GemmPacker<T> {
 public:
  WindowPacker(const Layout& layout, const E* images, int64_t in_channels)
      : layout_(layout), images_(images), in_channels_(in_channels) {}

  void Pack(int64_t batch, int64_t k, int64_t depth, int64_t column, int64_t columns,
            T* panel) const override {
    constexpr int64_t kColumns = kGemmPanelColumns<T>;
    const PanelWindows<E, kColumns> windows(layout_, column, columns);
    const auto taps = static_cast<int64_t>(layout_.tap_offsets.size());
    const E* image = images_ + batch * in_channels_ * layout_.channel_pitch;
    constexpr int64_t kRowsPerK = kElementsIn<T, E>;
    int64_t row = k * kRowsPerK;
    const int64_t end = in_channels_ * taps;
    const E* channel = image + row / taps * layout_.channel_pitch;
    int64_t tap = row % taps;
    const auto next = [&]() -> const E* {
      if (row >= end) return nullptr;
      const E* at = channel + layout_.tap_offsets[static_cast<size_t>(tap)];
      ++row;
      if (++tap == taps) {
        tap = 0;
        channel += layout_.channel_pitch;
      }
      return at;
    };
    if constexpr (std::is_same_v<T, Int16Pair>) {
      for (int64_t i = 0; i < depth; ++i, panel += kColumns) {
        E first[2 * kColumns];
        E second[2 * kColumns] = {};
        windows.Copy(next(), first);
        if (const E* at = next()) windows.Copy(at, second);
        for (int64_t j = 0; j < kColumns; ++j) panel[j] = {first[j], second[j]};
      }
    } else {
      for (int64_t i = 0; i + 1 < depth; ++i, panel += kColumns) windows.Copy(next(), panel);
      // The copy writes whole vectors, which must not reach beyond the panel.
      E last[2 * kColumns];
      windows.Copy(next(), last);
      std::memcpy(panel, last, kColumns * sizeof(E));
    }
  }

 private:
  const Layout& layout_;
  const E* images_;
  const int64_t in_channels_;
};

// A row of windows for one output channel: the sums of a product's tile, over the image in place.
// Y: T, or int32_t for float sums that are whole numbers.
template <typename T, typename Y>
void WindowRow(const Layout& layout, const T* image, int64_t in_channels, const T* w, Y* y) {
  constexpr int kVectors = 4;
  constexpr int64_t kStrip = kVectors * kLanes<T>;
  const int64_t outputs = layout.windows.back().output;
  const auto taps = static_cast<int64_t>(layout.tap_offsets.size());
  const int64_t depth = in_channels * taps;
  for (int64_t j = 0; j < outputs; j += kStrip) {
    Vector<T> totals[kVectors] = {};
    const T* channel = image + j;
    int64_t tap = 0;
    for (int64_t k0 = 0; k0 < depth; k0 += kGemmDepth) {
      Vector<T> sums[kVectors] = {};
      for (int64_t k = k0; k < std::min(depth, k0 + kGemmDepth); ++k) {
        const T* at = channel + layout.tap_offsets[static_cast<size_t>(tap)];
        Vector<T> weight;
        gemm_internal::Broadcast<T>(w + k, weight);
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) {
          Vector<T> inputs;
          gemm_internal::LoadVector<T>(at + v * kLanes<T>, inputs);
          gemm_internal::MultiplyAdd<T>(weight, inputs, sums[v]);
        }
        if (++tap == taps) {
          tap = 0;
          channel += layout.channel_pitch;
        }
      }
      for (int v = 0; v < kVectors; ++v) totals[v] = k0 == 0 ? sums[v] : totals[v] + sums[v];
    }
    const size_t bytes = static_cast<size_t>(std::min(kStrip, outputs - j)) * sizeof(T);
    if constexpr (std::is_same_v<T, Y>) {
      std::memcpy(y + j, totals, bytes);
    } else {
      Vector<Int16Pair> whole[kVectors];
      for (int v = 0; v < kVectors; ++v) {
        whole[v] = __builtin_convertvector(totals[v], Vector<Int16Pair>);
      }
      std::memcpy(y + j, whole, bytes);
    }
  }
}

// Few output channels in a group (depthwise convolutions): packing would not repay itself.
template <typename T, typename Y>
void ConvolveInPlace(const ThreadPool& pool, const Layout& layout, const ConvolutionShape& shape,
                     int64_t images, const T* x, const T* w, Y* y,
                     const std::optional<GemmEpilogue>& epilogue) {
  const int64_t windows = NumOutputs(shape.windows);
  const int64_t row_size = shape.windows.back().output;
  const int64_t taps = NumTaps(shape.windows) * shape.in_channels;
  const int64_t channels = images * shape.groups * shape.out_channels;
  const int64_t grain = std::max<int64_t>(1, 65536 / std::max<int64_t>(1, windows * taps));
  pool.ParallelRanges(channels, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t batch = i / shape.out_channels;
      const int64_t channel = i % shape.out_channels;
      const T* image = x + batch * shape.in_channels * layout.channel_pitch;
      const T* weights = w + (batch % shape.groups * shape.out_channels + channel) * taps;
      for (int64_t row = 0; row < windows / row_size; ++row) {
        WindowRow(layout, image + layout.RowOffset(row), shape.in_channels, weights,
                  y + i * windows + row * row_size);
      }
      if (epilogue.has_value()) (*epilogue)({batch, channel, channel + 1, 0, windows});
    }
  });
}

// Images that lie in a row, with their padding.
template <typename E>
struct PaddedImages {
  const Layout& layout;
  const E* data;
  int64_t first;
  int64_t count;
};

absl::Status NoMemoryForImages() {
  return absl::ResourceExhaustedError("the padded input is too large for this machine");
}

// Calls multiply(images, epilogue) for some images after the other, all in the end. The epilogue,
// present if `epilogue` is, counts batches from the first image of all.
template <typename E, typename Multiply>
absl::Status ForPaddedImages(const ThreadPool& pool, const ConvolutionShape& shape, const E* x,
                             const std::optional<GemmEpilogue>& epilogue,
                             const Multiply& multiply) {
  const int64_t channels = shape.groups * shape.in_channels;
  const std::optional<int64_t> elements =
      ImageElements(shape.windows, std::max<int64_t>(1, channels));
  if (!elements.has_value()) {
    return NoMemoryForImages();
  }
  const Layout layout(shape.windows);
  const int64_t image_size = channels * layout.channel_pitch;
  const int64_t images = std::clamp<int64_t>(
      kImageBytes / static_cast<int64_t>(*elements * sizeof(E)), 1, shape.batch);
  const Scratch<E> scratch(pool, images * image_size + kSlack);
  E* copies = scratch.data();
  if (copies == nullptr) return NoMemoryForImages();
  std::fill_n(copies + images * image_size, kSlack, E());
  int64_t input_size = channels;
  for (const WindowDim& dim : shape.windows) input_size *= dim.input;
  for (int64_t first = 0; first < shape.batch; first += images) {
    const int64_t count = std::min(images, shape.batch - first);
    CopyChannels(pool, layout, count * channels, x + first * input_size, copies);
    const auto finish = [&](const GemmBlock& block) {
      GemmBlock in_batch = block;
      in_batch.batch += first * shape.groups;
      (*epilogue)(in_batch);
    };
    multiply(PaddedImages<E>{layout, copies, first, count},
             epilogue.has_value() ? std::optional<GemmEpilogue>(finish) : std::nullopt);
  }
  return absl::OkStatus();
}

// Where the products of a group begin in the rows of the weights.
std::vector<int64_t> WeightOffsets(const ConvolutionShape& shape, int64_t images, int64_t w_row) {
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i < images * shape.groups && shape.groups > 1; ++i) {
    offsets.push_back(i % shape.groups * shape.out_channels * w_row);
  }
  return offsets;
}

// E: what images hold; T: what the product multiplies.
template <typename E, typename T>
absl::Status ConvolveImages(const ThreadPool& pool, const ConvolutionShape& shape, const E* x,
                            const T* w, int64_t w_row, Accumulator<T>* y,
                            const std::optional<GemmEpilogue>& epilogue) {
  const int64_t windows = NumOutputs(shape.windows);
  const int64_t depth = CeilDiv(shape.in_channels * NumTaps(shape.windows), kElementsIn<T, E>);
  return ForPaddedImages(
      pool, shape, x, epilogue,
      [&](const PaddedImages<E>& images, const std::optional<GemmEpilogue>& finish) {
        const std::vector<int64_t> w_offsets = WeightOffsets(shape, images.count, w_row);
        GemmPacked<T>(pool, {shape.out_channels, windows, depth, images.count * shape.groups},
                      {w, w_row, 1, 0, w_offsets},
                      WindowPacker<E, T>(images.layout, images.data, shape.in_channels),
                      {y + images.first * shape.groups * shape.out_channels * windows, windows,
                       shape.out_channels * windows},
                      finish);
      });
}

template <typename T, typename Y>
absl::Status ConvolveFewChannels(const ThreadPool& pool, const ConvolutionShape& shape, const T* x,
                                 const T* w, Y* y, const std::optional<GemmEpilogue>& epilogue) {
  const int64_t image = shape.groups * shape.out_channels * NumOutputs(shape.windows);
  return ForPaddedImages(
      pool, shape, x, epilogue,
      [&](const PaddedImages<T>& images, const std::optional<GemmEpilogue>& finish) {
        ConvolveInPlace(pool, images.layout, shape, images.count, images.data, w,
                        y + images.first * image, finish);
      });
}

// Packing would not repay itself.
bool HasFewChannels(const ConvolutionShape& shape) { return shape.out_channels <= 3; }

// True if the image is the matrix of windows.
bool IsPointwise(const Windows& windows) {
  return std::all_of(windows.begin(), windows.end(), [](const WindowDim& dim) {
    return dim.kernel == 1 && dim.stride == 1 && dim.pad_begin == 0 && dim.input == dim.output;
  });
}

bool IsEmpty(const ConvolutionShape& shape) {
  return shape.batch == 0 || shape.groups == 0 || shape.out_channels == 0 ||
         NumOutputs(shape.windows) == 0;
}

}  // namespace

template <typename T>
absl::Status Convolve(const ThreadPool& pool, const ConvolutionShape& shape, const T* x, const T* w,
                      T* y, std::optional<GemmEpilogue> epilogue) {
  if (IsEmpty(shape)) return absl::OkStatus();
  const int64_t depth = shape.in_channels * NumTaps(shape.windows);
  if (!IsPointwise(shape.windows)) {
    return HasFewChannels(shape) ? ConvolveFewChannels<T, T>(pool, shape, x, w, y, epilogue)
                                 : ConvolveImages<T, T>(pool, shape, x, w, depth, y, epilogue);
  }
  const int64_t windows = NumOutputs(shape.windows);
  const std::vector<int64_t> w_offsets = WeightOffsets(shape, shape.batch, depth);
  Gemm<T>(pool, {shape.out_channels, windows, depth, shape.batch * shape.groups},
          {w, depth, 1, 0, w_offsets}, {x, windows, 1, depth * windows},
          {y, windows, shape.out_channels * windows}, epilogue);
  return absl::OkStatus();
}

template absl::Status Convolve(const ThreadPool&, const ConvolutionShape&, const float*,
                               const float*, float*, std::optional<GemmEpilogue>);
template absl::Status Convolve(const ThreadPool&, const ConvolutionShape&, const double*,
                               const double*, double*, std::optional<GemmEpilogue>);

absl::Status ConvolveIntegers(const ThreadPool& pool, const ConvolutionShape& shape, Bytes x,
                              int16_t x_zero, Bytes w, absl::Span<const int16_t> w_zeros,
                              int32_t* y, std::optional<GemmEpilogue> epilogue) {
  if (IsEmpty(shape)) return absl::OkStatus();
  const int64_t depth = shape.in_channels * NumTaps(shape.windows);
  const int64_t channels = shape.groups * shape.out_channels;
  int64_t inputs = shape.batch * shape.groups * shape.in_channels;
  for (const WindowDim& dim : shape.windows) inputs *= dim.input;
  // float holds the sums of so few products of numbers up to 255.
  constexpr int64_t kExactDepth = (1 << 24) / (255 * 255);
  if (HasFewChannels(shape) && depth <= kExactDepth) {
    std::vector<float> weights(static_cast<size_t>(channels * depth));
    for (int64_t i = 0; i < channels; ++i) {
      WidenBytes(pool, {w.data + i * depth, w.is_signed}, depth,
                 w_zeros[w_zeros.size() == 1 ? 0 : static_cast<size_t>(i)],
                 weights.data() + i * depth);
    }
    const Scratch<float> images(pool, inputs);
    if (images.data() == nullptr) return NoMemoryForImages();
    WidenBytes(pool, x, inputs, x_zero, images.data());
    return ConvolveFewChannels<float, int32_t>(pool, shape, images.data(), weights.data(), y,
                                               epilogue);
  }

  const int64_t pairs = PairsOf(depth);
  std::vector<Int16Pair> weights(static_cast<size_t>(channels * pairs));
  WidenRows(pool, w, channels, depth, w_zeros, reinterpret_cast<int16_t*>(weights.data()));
  if (IsPointwise(shape.windows)) {
    const int64_t windows = NumOutputs(shape.windows);
    const std::vector<int64_t> w_offsets = WeightOffsets(shape, shape.batch, pairs);
    GemmPacked<Int16Pair>(pool, {shape.out_channels, windows, pairs, shape.batch * shape.groups},
                          {weights.data(), pairs, 1, 0, w_offsets},
                          BytePairPacker(x, depth, windows, {}, absl::MakeConstSpan(&x_zero, 1)),
                          {y, windows, shape.out_channels * windows}, epilogue);
    return absl::OkStatus();
  }
  const Scratch<int16_t> images(pool, inputs);
  if (images.data() == nullptr) return NoMemoryForImages();
  WidenBytes(pool, x, inputs, x_zero, images.data());
  return ConvolveImages<int16_t, Int16Pair>(pool, shape, images.data(), weights.data(), pairs, y,
                                            epilogue);
}

}  // namespace onnxcmp
