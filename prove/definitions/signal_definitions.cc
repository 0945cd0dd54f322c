// Definitions of operators that interpolate and transform along axes, as products with matrices.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/base/status_macros.h"
#include "prove/definition.h"
#include "prove/foldable_layer.h"

namespace onnxcmp {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 22;  // of a matrix

// A matrix in row-major order.
struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<float> numbers;
};

// x with each lane along an axis, of as many elements as the matrix has rows, times the matrix.
std::string AlongAxis(Definition& d, const std::string& x, size_t rank, size_t axis,
                      const Matrix& matrix) {
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[axis], order.back());
  const std::string factor =
      d.Held(Tensor::Of<float>({matrix.rows, matrix.columns}, matrix.numbers));
  const bool last = axis + 1 == rank;
  const std::string product =
      d.Add("MatMul",
            {last ? x : d.Transposed(x, order),
             d.of().InType(0) == DType::kFloat ? factor : d.Add("CastLike", {factor, d.In(0)})});
  return last ? product : d.Transposed(product, order);
}

// How an axis is interpolated.
struct Interpolated {
  int64_t from = 0, to = 0;
  double scale = 1;
  std::string coordinates;
  bool cubic = false;
  double a = -0.75;
  bool exclude_outside = false;
};

absl::StatusOr<double> PlaceOf(const Interpolated& axis, int64_t i) {
  const auto at = static_cast<double>(i);
  const std::string& mode = axis.coordinates;
  if (mode == "half_pixel") return (at + 0.5) / axis.scale - 0.5;
  if (mode == "pytorch_half_pixel") return axis.to > 1 ? (at + 0.5) / axis.scale - 0.5 : 0.0;
  if (mode == "asymmetric") return at / axis.scale;
  if (mode == "align_corners") {
    return axis.to == 1
               ? 0.0
               : at * static_cast<double>(axis.from - 1) / static_cast<double>(axis.to - 1);
  }
  return NoMeaning("coordinates of another kind");
}

// The weights of the neighbours of a place from `first` on; `rest` is 0 to 1.
std::vector<double> WeightsOf(const Interpolated& axis, double rest) {
  if (!axis.cubic) return {1 - rest, rest};
  const double a = axis.a;
  const auto near = [&](double t) { return ((a + 2) * t - (a + 3)) * t * t + 1; };
  const auto far = [&](double t) { return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a; };
  return {far(rest + 1), near(rest), near(1 - rest), far(2 - rest)};
}

absl::StatusOr<Matrix> MatrixOf(const Interpolated& axis) {
  if (axis.from * axis.to > kMostElements) return NoMeaning("so large an image");
  std::vector<double> numbers(static_cast<size_t>(axis.from * axis.to));
  for (int64_t i = 0; i < axis.to; ++i) {
    OC_ASSIGN_OR_RETURN(const double place, PlaceOf(axis, i));
    const auto floor = static_cast<int64_t>(std::floor(place));
    std::vector<double> weights = WeightsOf(axis, place - std::floor(place));
    const int64_t first = axis.cubic ? floor - 1 : floor;
    double inside = 0;
    for (size_t j = 0; j < weights.size(); ++j) {
      const int64_t at = first + static_cast<int64_t>(j);
      if (axis.exclude_outside && (at < 0 || at >= axis.from)) weights[j] = 0;
      inside += weights[j];
    }
    for (size_t j = 0; j < weights.size(); ++j) {
      const int64_t at = std::clamp<int64_t>(first + static_cast<int64_t>(j), 0, axis.from - 1);
      numbers[static_cast<size_t>(at * axis.to + i)] +=
          axis.exclude_outside ? weights[j] / inside : weights[j];
    }
  }
  return Matrix{axis.from, axis.to, {numbers.begin(), numbers.end()}};
}

// The scales of all axes: given, or what sizes make of them. Whoever gives the float that is
// nearest to a ratio of the sizes means that ratio.
absl::StatusOr<std::vector<double>> ScalesOf(const FieldNode& node, const Shape& from,
                                             const Shape& to) {
  std::vector<double> scales(from.size(), 1);
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] == 0 || to[i] == 0) return NoMeaning("no elements");
    scales[i] = static_cast<double>(to[i]) / static_cast<double>(from[i]);
  }
  std::vector<double> given;
  const int input = node.since() >= 11 ? 2 : 1;
  const bool is_upsample = node.node().op_type == "Upsample";
  if (is_upsample && node.since() < 9) {
    const std::vector<float> floats = node.Floats("scales");
    given.assign(floats.begin(), floats.end());
  } else if (node.Has(input) && node.value(input).number.is_tensor()) {
    if (!node.value(input).fixed) return NoMeaning("scales that depend on the inputs");
    given = NumbersIn(node.value(input).number.tensor());
  }
  if (given.empty()) {
    if (node.String("keep_aspect_ratio_policy", "stretch") != "stretch") {
      return NoMeaning("a kept ratio of sizes");
    }
    return scales;
  }
  std::vector<int64_t> axes = node.Ints("axes");
  if (axes.empty()) {
    axes.resize(from.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (axes.size() != given.size()) return NoMeaning("scales of other axes");
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = axes[i] < 0 ? axes[i] + static_cast<int64_t>(from.size()) : axes[i];
    if (axis < 0 || axis >= static_cast<int64_t>(from.size())) return NoMeaning("no such axis");
    double& scale = scales[static_cast<size_t>(axis)];
    if (static_cast<float>(scale) != static_cast<float>(given[i])) scale = given[i];
  }
  return scales;
}

// Resize and Upsample that interpolate.
absl::Status Resized(Definition& d) {
  const FieldNode& node = d.of();
  const std::string mode = node.String("mode", "nearest");
  if (mode != "linear" && mode != "bilinear" && mode != "cubic") return NoMeaning("this mode");
  if (node.Int("antialias", 0) != 0) return NoMeaning("smoothing");
  if (!IsFloatingPoint(node.InType(0)) || !node.number(0).is_tensor()) {
    return NoMeaning("an image of whole numbers, which rounds");
  }
  const Shape& from = d.ShapeOf(0);
  const Shape& to = node.number(0).tensor().shape();
  if (from.size() != to.size()) return NoMeaning("another rank");
  OC_ASSIGN_OR_RETURN(const std::vector<double> scales, ScalesOf(node, from, to));
  const bool is_old = node.node().op_type == "Upsample" || node.since() < 11;
  std::string y = d.In(0);
  for (size_t axis = 0; axis < from.size(); ++axis) {
    if (from[axis] == to[axis] && scales[axis] == 1) continue;
    const std::string coordinates =
        is_old ? "asymmetric" : node.String("coordinate_transformation_mode", "half_pixel");
    OC_ASSIGN_OR_RETURN(const Matrix matrix,
                        MatrixOf({from[axis], to[axis], scales[axis], coordinates, mode == "cubic",
                                  static_cast<double>(node.Number("cubic_coeff_a", -0.75F)),
                                  mode == "cubic" && node.Int("exclude_outside", 0) != 0}));
    y = AlongAxis(d, y, from.size(), axis, matrix);
  }
  d.Out(0, y);
  return absl::OkStatus();
}

// cos(2 pi j k / length) or sin of it, for j below rows and k below columns.
Matrix Waves(int64_t rows, int64_t columns, int64_t length, bool cosine, double factor) {
  Matrix waves = {rows, columns, {}};
  const double turn = 2 * std::acos(-1.0) / static_cast<double>(length);
  for (int64_t j = 0; j < rows; ++j) {
    for (int64_t k = 0; k < columns; ++k) {
      const double angle = turn * static_cast<double>(j * k % length);
      waves.numbers.push_back(
          static_cast<float>(factor * (cosine ? std::cos(angle) : std::sin(angle))));
    }
  }
  return waves;
}

std::string PartOf(Definition& d, const std::string& x, int64_t axis, int64_t first, int64_t end) {
  return d.Add("Slice", {x, d.Integers({first}), d.Integers({end}), d.Integers({axis})});
}

// The axis of a DFT: an attribute, later an input.
absl::StatusOr<int64_t> TransformedAxis(const FieldNode& node) {
  if (node.since() < 20) return node.Int("axis", 1);
  if (!node.Has(2)) return int64_t{-2};
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> axes, node.Integers(2));
  return axes.size() == 1 ? axes.front() : absl::StatusOr<int64_t>(NoMeaning("several axes"));
}

// x (..., 1 or 2) along an axis: y[k] = sum of x[j] exp(-2 pi i j k / length), or its inverse.
absl::Status Transform(Definition& d) {
  const FieldNode& node = d.of();
  const Shape& from = d.ShapeOf(0);
  const auto rank = static_cast<int64_t>(from.size());
  OC_ASSIGN_OR_RETURN(int64_t axis, TransformedAxis(node));
  if (axis < 0) axis += rank;
  const bool inverse = node.Int("inverse", 0) != 0;
  const bool onesided = node.Int("onesided", 0) != 0;
  if (axis < 0 || axis + 1 >= rank || (inverse && onesided)) return NoMeaning("this form of DFT");
  const int64_t given = from[static_cast<size_t>(axis)];
  int64_t length = given;
  if (node.Has(1)) {
    OC_ASSIGN_OR_RETURN(const std::vector<int64_t> lengths, node.Integers(1));
    if (lengths.size() != 1) return NoMeaning("several lengths");
    length = lengths.front();
  }
  const int64_t rows = std::min(given, length);
  const int64_t columns = onesided ? length / 2 + 1 : length;
  if (rows < 1 || rows * columns > kMostElements) return NoMeaning("so long a signal");
  std::string x = d.In(0);
  if (rows < given) x = PartOf(d, x, axis, 0, rows);
  const double factor = inverse ? 1.0 / static_cast<double>(length) : 1.0;
  const Matrix cosines = Waves(rows, columns, length, true, factor);
  const Matrix sines = Waves(rows, columns, length, false, inverse ? -factor : factor);
  const auto times = [&](const std::string& part, const Matrix& matrix) {
    return AlongAxis(d, part, from.size(), static_cast<size_t>(axis), matrix);
  };
  const std::string real = PartOf(d, x, -1, 0, 1);
  std::string out_real = times(real, cosines);
  std::string out_imaginary = d.Add("Neg", {times(real, sines)});
  if (from.back() == 2) {
    const std::string imaginary = PartOf(d, x, -1, 1, 2);
    out_real = d.Add("Add", {out_real, times(imaginary, sines)});
    out_imaginary = d.Add("Add", {out_imaginary, times(imaginary, cosines)});
  }
  d.Out(0, d.Add("Concat", {out_real, out_imaginary}, {{"axis", int64_t{-1}}}));
  return absl::OkStatus();
}

// x (batch, length, 1 or 2): windows of it, transformed: (batch, frames, frequencies, 2).
absl::Status ShortTransforms(Definition& d) {
  const FieldNode& node = d.of();
  const Shape& x = d.ShapeOf(0);
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> step, node.Integers(1));
  if (x.size() != 3 || step.size() != 1 || step.front() < 1 || !node.number(0).is_tensor()) {
    return NoMeaning("this form of STFT");
  }
  int64_t length = d.Has(2) ? d.ShapeOf(2).back() : 0;
  if (d.Has(3)) {
    OC_ASSIGN_OR_RETURN(const std::vector<int64_t> given, node.Integers(3));
    if (given.size() != 1 || (length != 0 && length != given.front())) {
      return NoMeaning("windows of several lengths");
    }
    length = given.front();
  }
  if (length < 1 || x[1] < length) return NoMeaning("no window");
  const int64_t frames = (x[1] - length) / step.front() + 1;
  std::vector<int64_t> places;
  for (int64_t i = 0; i < frames * length; ++i) {
    places.push_back(i / length * step.front() + i % length);
  }
  if (frames * length > kMostElements) return NoMeaning("so long a signal");
  const std::string ids = d.Reshaped(d.Integers(places), {frames, length});
  std::string windows = d.Add("Gather", {d.In(0), ids}, {{"axis", int64_t{1}}});
  if (d.Has(2)) windows = d.Add("Mul", {windows, d.Reshaped(d.In(2), {length, 1})});
  d.Out(0, d.Add("DFT", {windows, "", d.Integer(2)}, {{"onesided", node.Int("onesided", 1)}}));
  return absl::OkStatus();
}

// com.microsoft.Rfft: DFT of real numbers along the last axis.
absl::Status RealTransform(Definition& d) {
  const FieldNode& node = d.of();
  if (node.Int("signal_ndim", 1) != 1 || node.Int("normalized", 0) != 0 ||
      node.Int("onesided", 1) != 1) {
    return NoMeaning("several dimensions");
  }
  const std::string x = d.Add("Unsqueeze", {d.In(0), d.Integers({-1})});
  const auto axis = static_cast<int64_t>(d.ShapeOf(0).size()) - 1;
  d.Out(0, d.Add("DFT", {x, "", d.Integer(axis)}, {{"onesided", int64_t{1}}}));
  return absl::OkStatus();
}

// com.microsoft.Irfft: (..., length / 2 + 1, 2) as the half of what is transformed back.
absl::Status RealInverse(Definition& d) {
  const FieldNode& node = d.of();
  const Shape& from = d.ShapeOf(0);
  if (node.Int("signal_ndim", 1) != 1 || node.Int("normalized", 0) != 0 ||
      node.Int("onesided", 1) != 1 || from.size() < 2 || from[from.size() - 2] < 2) {
    return NoMeaning("several dimensions");
  }
  const auto axis = static_cast<int64_t>(from.size()) - 2;
  const int64_t half = from[from.size() - 2] - 1;
  const std::string right = d.Add("Slice", {d.In(0), d.Integers({half - 1}), d.Integers({0}),
                                            d.Integers({axis}), d.Integers({-1})});
  const std::string mirrored =
      d.Add("Concat", {PartOf(d, right, -1, 0, 1), d.Add("Neg", {PartOf(d, right, -1, 1, 2)})},
            {{"axis", int64_t{-1}}});
  std::string whole = d.In(0);
  if (half > 1) whole = d.Add("Concat", {whole, mirrored}, {{"axis", axis}});
  const std::string y = d.Add("DFT", {whole, "", d.Integer(axis)}, {{"inverse", int64_t{1}}});
  d.Out(0, d.Add("Squeeze", {PartOf(d, y, -1, 0, 1), d.Integers({-1})}));
  return absl::OkStatus();
}

constexpr DefinitionRow kSignalDefinitions[] = {
    {kOnnxDomain, "Resize", Resized},          {kOnnxDomain, "Upsample", Resized},
    {kOnnxDomain, "DFT", Transform},           {kOnnxDomain, "STFT", ShortTransforms},
    {kMicrosoftDomain, "Rfft", RealTransform}, {kMicrosoftDomain, "Irfft", RealInverse},
};

}  // namespace

absl::Span<const DefinitionRow> SignalDefinitions() { return kSignalDefinitions; }

}  // namespace onnxcmp
