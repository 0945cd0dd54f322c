// Operators over the field that look at windows of images: convolutions and pools.
#include <algorithm>
#include <array>
#include <numeric>

#include "absl/status/status.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/run/evaluator.h"
#include "prove/conversions.h"
#include "prove/field_functions.h"
#include "prove/field_node.h"

namespace onnxcmp {
namespace {

// Where the windows of an image lie: for each place of the output, the places of the image that its
// window has, -1 outside of it.
struct Windows {
  int64_t outputs = 0;
  int64_t size = 0;
  std::vector<int64_t> places;  // [outputs, size]

  // Each window sees the element at its own place.
  bool IsIdentity() const {
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i] != static_cast<int64_t>(i)) return false;
    }
    return size == 1;
  }
};

// One axis of windows.
struct WindowAxis {
  int64_t image, kernel, output, stride, dilation, before;
};

absl::StatusOr<std::vector<WindowAxis>> AxesOf(const FieldNode& node, const Shape& image,
                                               absl::Span<const int64_t> kernel,
                                               const Shape& output) {
  const std::string auto_pad = node.String("auto_pad", "NOTSET");
  const std::vector<int64_t> strides = node.Ints("strides");
  const std::vector<int64_t> dilations = node.Ints("dilations");
  const std::vector<int64_t> pads = node.Ints("pads");
  std::vector<WindowAxis> axes;
  for (size_t i = 0; i < kernel.size(); ++i) {
    WindowAxis axis = {image[i + 2],
                       kernel[i],
                       output[i + 2],
                       i < strides.size() ? strides[i] : 1,
                       i < dilations.size() ? dilations[i] : 1,
                       i < pads.size() ? pads[i] : 0};
    if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
      const int64_t reach = (axis.kernel - 1) * axis.dilation + 1;
      const int64_t all =
          std::max<int64_t>(0, (axis.output - 1) * axis.stride + reach - axis.image);
      axis.before = auto_pad == "SAME_UPPER" ? all / 2 : all - all / 2;
    } else if (auto_pad == "VALID") {
      axis.before = 0;
    } else if (auto_pad != "NOTSET" && !auto_pad.empty()) {
      return NoMeaning("auto_pad");
    }
    axes.push_back(axis);
  }
  return axes;
}

// `copies`: how many images are laid out in this way at a time. What they take is bounded as a
// tensor is.
absl::StatusOr<Windows> WindowsOf(absl::Span<const WindowAxis> axes, int64_t copies) {
  Windows windows = {1, 1, {}};
  int64_t places = std::max<int64_t>(copies, 1);
  for (const WindowAxis& axis : axes) {
    for (const int64_t factor : {axis.output, axis.kernel}) {
      if (__builtin_mul_overflow(places, std::max<int64_t>(factor, 1), &places) ||
          places > kDefaultMaxTensor / static_cast<int64_t>(sizeof(int64_t))) {
        return NoMeaning("so many places in windows");
      }
    }
    windows.outputs *= axis.output;
    windows.size *= axis.kernel;
  }
  windows.places.reserve(static_cast<size_t>(windows.outputs * windows.size));
  for (int64_t output = 0; output < windows.outputs; ++output) {
    for (int64_t element = 0; element < windows.size; ++element) {
      int64_t rest_output = windows.outputs;
      int64_t rest_element = windows.size;
      int64_t place = 0;
      for (const WindowAxis& axis : axes) {
        rest_output /= axis.output;
        rest_element /= axis.kernel;
        const int64_t at = output / rest_output % axis.output * axis.stride - axis.before +
                           element / rest_element % axis.kernel * axis.dilation;
        place = place < 0 || at < 0 || at >= axis.image ? -1 : place * axis.image + at;
      }
      windows.places.push_back(place);
    }
  }
  return windows;
}

// The output's shape, which the run on numbers knows.
absl::StatusOr<Shape> OutputShape(const FieldNode& node) {
  if (!node.HasOutput(0) || !node.number(0).is_tensor()) return NoMeaning("no output");
  return node.number(0).tensor().shape();
}

// Some of the residues; all of them in their own memory.
ResidueArray PartOf(const ResidueArray& values, int64_t start, int64_t count) {
  if (count == static_cast<int64_t>(values.size())) return values;
  return {values.begin() + start, values.begin() + start + count};
}

// Elements of `channels` images from `start` on as windows see them: a row for each channel and
// place of the window, a column for each window.
Residues ColumnsOf(const Residues& x, int64_t start, int64_t channels, int64_t image,
                   const Windows& windows) {
  if (windows.outputs == image && windows.IsIdentity()) {
    return {{channels, image}, PartOf(x.values, start, channels * image)};
  }
  const Residue* const from = x.values.data() + start;
  Residues columns = Residues::Unfilled({channels * windows.size, windows.outputs}, x.workspace());
  Residue* const to = columns.values.data();
  // The places of an element of all windows lie side by side.
  std::vector<int64_t> places(windows.places.size());
  for (int64_t i = 0; i < windows.outputs * windows.size; ++i) {
    const int64_t at = i % windows.size * windows.outputs + i / windows.size;
    places[static_cast<size_t>(at)] = windows.places[static_cast<size_t>(i)];
  }
  const auto fill_row = [&](int64_t row) {
    const Residue* const of_channel = from + row / windows.size * image;
    const int64_t* const place = places.data() + row % windows.size * windows.outputs;
    Residue* const out = to + row * windows.outputs;
    for (int64_t i = 0; i < windows.outputs; ++i) {
      out[i] = place[i] < 0 ? 0 : of_channel[place[i]];
    }
  };
  if (x.workspace() == nullptr) {
    for (int64_t row = 0; row < columns.shape[0]; ++row) fill_row(row);
  } else {
    x.workspace()->pool().ParallelFor(columns.shape[0], fill_row);
  }
  return columns;
}

absl::StatusOr<Residues> Convolved(FieldNode& node, const Residues& x, const Residues& weights) {
  OC_ASSIGN_OR_RETURN(const Shape shape, OutputShape(node));
  if (x.rank() < 3 || weights.rank() != x.rank()) return NoMeaning("no image");
  const int64_t groups = node.Int("group", 1);
  const auto kernel = absl::MakeConstSpan(weights.shape).subspan(2);
  OC_ASSIGN_OR_RETURN(const std::vector<WindowAxis> axes, AxesOf(node, x.shape, kernel, shape));
  const int64_t channels = weights.shape[1];
  OC_ASSIGN_OR_RETURN(const Windows windows, WindowsOf(axes, channels));
  const int64_t image =
      std::accumulate(x.shape.begin() + 2, x.shape.end(), int64_t{1}, std::multiplies<>());
  const int64_t filters = weights.shape[0] / groups;
  const int64_t terms = channels * windows.size;
  Residues out = Residues::Unfilled(shape, x.workspace());
  for (int64_t n = 0; n < x.shape[0]; ++n) {
    for (int64_t group = 0; group < groups; ++group) {
      const Residues columns =
          ColumnsOf(x, (n * x.shape[1] + group * channels) * image, channels, image, windows);
      const Residues rows = {{filters, terms},
                             PartOf(weights.values, group * filters * terms, filters * terms)};
      OC_ASSIGN_OR_RETURN(const Residues product, node.value(1).fixed
                                                      ? node.ConstantTimes(rows, columns)
                                                      : node.Times(rows, columns));
      if (product.size() == out.size()) return Residues{shape, product.values};
      std::copy(product.values.begin(), product.values.end(),
                out.values.begin() + (n * groups + group) * filters * windows.outputs);
    }
  }
  return out;
}

// Conv, and FusedConv (x, weights, bias, z): activation(conv + z).
absl::Status ConvOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(0));
  OC_ASSIGN_OR_RETURN(const Residues weights, node.In(1));
  OC_ASSIGN_OR_RETURN(Residues out, Convolved(node, x, weights));
  if (node.Has(2)) {
    OC_ASSIGN_OR_RETURN(Residues bias, node.In(2));
    const int64_t filters = bias.size();
    bias.shape = Shape(x.shape.size(), 1);
    bias.shape[1] = filters;
    OC_ASSIGN_OR_RETURN(out, AddAll(field, out, bias));
  }
  if (node.node().op_type == "FusedConv") {
    if (node.Has(3)) {
      OC_ASSIGN_OR_RETURN(const Residues other, node.In(3));
      OC_ASSIGN_OR_RETURN(out, AddAll(field, out, other));
    }
    if (node.HasAttribute("activation_params")) return NoMeaning("an activation's own numbers");
    OC_ASSIGN_OR_RETURN(out, Activated(node, node.String("activation", ""), std::move(out)));
  }
  return node.Set(0, std::move(out));
}

// x, weights, x_zero, w_zero: products of whole numbers less their zero points.
absl::Status ConvIntegerOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  OC_ASSIGN_OR_RETURN(Residues x, node.In(0));
  OC_ASSIGN_OR_RETURN(Residues weights, node.In(1));
  if (node.Has(2)) {
    OC_ASSIGN_OR_RETURN(const Residues zero, node.In(2));
    OC_ASSIGN_OR_RETURN(x, SubAll(field, x, zero));
  }
  if (std::optional<Residues> exact = FieldScaledCodes(node, 1, 3, 0); exact.has_value()) {
    weights = *std::move(exact);
  } else if (node.Has(3)) {
    OC_ASSIGN_OR_RETURN(Residues zero, node.In(3));
    if (zero.rank() == 1) {
      const int64_t filters = zero.size();
      zero.shape = Shape(weights.shape.size(), 1);
      zero.shape[0] = filters;
    }
    OC_ASSIGN_OR_RETURN(weights, SubAll(field, weights, zero));
  }
  OC_ASSIGN_OR_RETURN(Residues out, Convolved(node, x, weights));
  return node.Set(0, std::move(out));
}

// ConvTranspose (x, weights, bias): each number of an image times the weights, summed where it
// comes to lie.
absl::Status ConvTransposeOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(0));
  OC_ASSIGN_OR_RETURN(const Residues weights, node.In(1));
  OC_ASSIGN_OR_RETURN(const Shape shape, OutputShape(node));
  if (x.rank() < 3 || weights.rank() != x.rank() || node.HasAttribute("output_shape")) {
    return NoMeaning("this form of ConvTranspose");
  }
  const auto kernel = absl::MakeConstSpan(weights.shape).subspan(2);
  const std::string auto_pad = node.String("auto_pad", "NOTSET");
  if (auto_pad != "NOTSET" && !auto_pad.empty()) return NoMeaning("auto_pad");
  // The windows of the convolution that it is the transposed of: from the output to the input.
  OC_ASSIGN_OR_RETURN(const std::vector<WindowAxis> axes, AxesOf(node, shape, kernel, x.shape));
  const int64_t filters = weights.shape[1];
  OC_ASSIGN_OR_RETURN(const Windows windows, WindowsOf(axes, filters));
  const int64_t groups = node.Int("group", 1);
  const int64_t channels = x.shape[1] / groups;
  const int64_t image =
      std::accumulate(shape.begin() + 2, shape.end(), int64_t{1}, std::multiplies<>());
  Residues out = Residues::Filled(shape, 0);
  for (int64_t n = 0; n < x.shape[0]; ++n) {
    for (int64_t group = 0; group < groups; ++group) {
      // (filters * taps, channels) times (channels, places).
      const int64_t count = channels * filters * windows.size;
      const Residues rows = {{channels, filters * windows.size},
                             PartOf(weights.values, group * count, count)};
      const int64_t own = channels * windows.outputs;
      const Residues places = {{channels, windows.outputs},
                               PartOf(x.values, (n * groups + group) * own, own)};
      OC_ASSIGN_OR_RETURN(const Residues product, node.Times(MatrixTransposed(rows), places));
      for (int64_t i = 0; i < product.size(); ++i) {
        const int64_t row = i / windows.outputs;
        const int64_t window = i % windows.outputs;
        const int64_t place =
            windows.places[static_cast<size_t>(window * windows.size + row % windows.size)];
        if (place < 0) continue;
        const int64_t filter = (n * groups + group) * filters + row / windows.size;
        Residue& to = out.values[static_cast<size_t>(filter * image + place)];
        to = field.Add(to, product.values[static_cast<size_t>(i)]);
      }
    }
  }
  if (node.Has(2)) {
    OC_ASSIGN_OR_RETURN(Residues bias, node.In(2));
    const int64_t count = bias.size();
    bias.shape = Shape(shape.size(), 1);
    bias.shape[1] = count;
    OC_ASSIGN_OR_RETURN(out, AddAll(field, out, bias));
  }
  return node.Set(0, std::move(out));
}

// MaxPool and AveragePool.
absl::Status PoolOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  const bool max = node.node().op_type == "MaxPool";
  if (max) node.MarkRandom();
  OC_ASSIGN_OR_RETURN(Residues x, node.In(0));
  // The greatest code is that of the greatest number.
  const auto codes =
      max && node.conversions() != nullptr ? node.conversions()->ScaleOf(x) : std::nullopt;
  if (codes.has_value()) {
    x = Mapped(std::move(x), [&](Residue code) {
      return field.Mul(field.Sub(code, codes->second), codes->first);
    });
  }
  OC_ASSIGN_OR_RETURN(const Shape shape, OutputShape(node));
  const std::vector<int64_t> kernel = node.Ints("kernel_shape");
  if (x.rank() != static_cast<int>(kernel.size()) + 2 || node.HasOutput(1) ||
      (node.Int("ceil_mode", 0) != 0 && !max)) {
    return NoMeaning("this form of the pool");
  }
  OC_ASSIGN_OR_RETURN(const std::vector<WindowAxis> axes, AxesOf(node, x.shape, kernel, shape));
  const int64_t images = x.shape[0] * x.shape[1];
  OC_ASSIGN_OR_RETURN(const Windows windows,
                      WindowsOf(axes, max && !codes.has_value() ? images : 1));
  const bool count_all = node.Int("count_include_pad", 0) != 0;
  const int64_t image = images == 0 ? 0 : x.size() / images;
  if (max && !codes.has_value()) {
    std::vector<std::vector<int64_t>> lanes(static_cast<size_t>(images * windows.outputs));
    for (size_t i = 0; i < lanes.size(); ++i) {
      const int64_t output = static_cast<int64_t>(i) % windows.outputs;
      const int64_t before = static_cast<int64_t>(i) / windows.outputs * image;
      for (int64_t element = 0; element < windows.size; ++element) {
        const int64_t place = windows.places[static_cast<size_t>(output * windows.size + element)];
        if (place >= 0) lanes[i].push_back(before + place);
      }
    }
    return SetGreatest(node, x, /*least=*/false, shape, lanes);
  }
  Residues out = Residues::Filled(shape, 0);
  for (int64_t i = 0; i < out.size(); ++i) {
    const Residue* const from = x.values.data() + i / windows.outputs * image;
    const int64_t* const places = windows.places.data() + i % windows.outputs * windows.size;
    std::vector<Residue> inside;
    for (int64_t element = 0; element < windows.size; ++element) {
      if (places[element] >= 0) inside.push_back(from[places[element]]);
    }
    const auto count = count_all ? windows.size : static_cast<int64_t>(inside.size());
    Residue& to = out.values[static_cast<size_t>(i)];
    to = max ? node.field().MaxOf(&inside)
             : field.Div(std::accumulate(inside.begin(), inside.end(), Residue{0},
                                         [&](Residue a, Residue b) { return field.Add(a, b); }),
                         count);
  }
  if (codes.has_value()) {
    out = Mapped(std::move(out), [&](Residue number) {
      return field.Add(field.Div(number, codes->first), codes->second);
    });
    node.conversions()->KnowCodes(out, codes->first, codes->second);
  }
  return node.Set(0, std::move(out));
}

absl::Status GlobalPoolOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(0));
  if (x.rank() < 3) return NoMeaning("no image");
  std::vector<int> axes(static_cast<size_t>(x.rank() - 2));
  std::iota(axes.begin(), axes.end(), 2);
  const Residue share = field.OfRatio(1, CountAlong(x.shape, axes));
  return node.Set(
      0, Mapped(SumAlong(field, x, axes), [&](Residue sum) { return field.Mul(sum, share); }));
}

absl::Status GlobalMaxOperator(FieldNode& node) {
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(0));
  OC_ASSIGN_OR_RETURN(const Shape shape, OutputShape(node));
  if (x.rank() < 3) return NoMeaning("no image");
  const int64_t images = x.shape[0] * x.shape[1];
  std::vector<std::vector<int64_t>> lanes(static_cast<size_t>(images));
  for (int64_t i = 0; i < x.size(); ++i) {
    lanes[static_cast<size_t>(i * images / x.size())].push_back(i);
  }
  return SetGreatest(node, x, /*least=*/false, shape, lanes);
}

constexpr FieldOperatorRow kWindowOperators[] = {
    {kOnnxDomain, "Conv", ConvOperator},
    {kOnnxDomain, "ConvInteger", ConvIntegerOperator},
    {kOnnxDomain, "ConvTranspose", ConvTransposeOperator},
    {kOnnxDomain, "MaxPool", PoolOperator},
    {kOnnxDomain, "AveragePool", PoolOperator},
    {kOnnxDomain, "GlobalAveragePool", GlobalPoolOperator},
    {kOnnxDomain, "GlobalMaxPool", GlobalMaxOperator},
    {kMicrosoftDomain, "FusedConv", ConvOperator},
};

}  // namespace

absl::Span<const FieldOperatorRow> WindowFieldOperators() { return kWindowOperators; }

}  // namespace onnxcmp
