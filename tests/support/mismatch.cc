#include "tests/support/mismatch.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/packed_bits.h"

namespace onnxcmp::testing {
namespace {

constexpr size_t kShown = 5;
constexpr int64_t kChunk = 4096;

struct Difference {
  int64_t index = 0;
  double abs = 0;  // infinity where it has no meaning: NaN against a number, strings
  double rel = 0;
  double ulp = 0;
  std::string got;
  std::string want;
};

struct Differences {
  int64_t count = 0;
  int64_t nan_got = 0;
  int64_t nan_want = 0;
  double max_abs = 0;
  double max_rel = 0;
  double max_ulp = 0;
  std::vector<Difference> worst;  // at most kShown, the worst first

  // `describe` fills in the texts; called only for those that are kept.
  template <typename Describe>
  void Add(Difference difference, Describe describe) {
    ++count;
    max_abs = std::max(max_abs, difference.abs);
    max_rel = std::max(max_rel, difference.rel);
    max_ulp = std::max(max_ulp, difference.ulp);
    auto worse = [](const Difference& a, const Difference& b) {
      return std::pair(a.abs, a.rel) > std::pair(b.abs, b.rel);
    };
    auto place = std::upper_bound(worst.begin(), worst.end(), difference, worse);
    if (place == worst.end() && worst.size() == kShown) return;
    describe(difference);
    worst.insert(place, std::move(difference));
    if (worst.size() > kShown) worst.pop_back();
  }
};

// The bits of one element that takes at most 64 of them.
uint64_t ElementBits(const Tensor& tensor, int64_t index) {
  const int width = BitWidth(tensor.dtype());
  if (width < 8) {
    return PackedElement(tensor.data<uint8_t>(), index, width);
  }
  uint64_t bits = 0;
  std::memcpy(&bits, tensor.raw_data() + index * (width / 8), static_cast<size_t>(width / 8));
  return bits;
}

// Numbers of the type that lie between the two, plus one; for real floating-point types.
double UlpDistance(const Tensor& got, const Tensor& want, int64_t index) {
  const int width = BitWidth(got.dtype());
  const uint64_t sign = uint64_t{1} << (width - 1);
  const bool is_signed = got.dtype() != DType::kFloat8E8M0;
  auto ordered = [&](uint64_t bits) {
    return is_signed && (bits & sign) != 0 ? -static_cast<double>(bits & ~sign)
                                           : static_cast<double>(bits);
  };
  // Neighbours first: doubles' bits do not fit into a double.
  const uint64_t a = ElementBits(got, index);
  const uint64_t b = ElementBits(want, index);
  if (!is_signed || (a & sign) == (b & sign)) return static_cast<double>(a > b ? a - b : b - a);
  return std::abs(ordered(a) - ordered(b));
}

bool IsNan(double x) { return std::isnan(x); }
bool IsNan(const std::complex<double>& x) { return std::isnan(x.real()) || std::isnan(x.imag()); }
template <typename C>
bool IsNan(C /*integer*/) {
  return false;
}

bool Same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
bool Same(const std::complex<double>& a, const std::complex<double>& b) {
  return Same(a.real(), b.real()) && Same(a.imag(), b.imag());
}
template <typename C>
bool Same(C a, C b) {
  return a == b;
}

template <typename C>
double Magnitude(const C& x) {
  if constexpr (std::is_same_v<C, std::complex<double>>) {
    return std::abs(x);
  } else {
    return std::abs(static_cast<double>(x));
  }
}

// |a - b|, for integers without overflow or loss of the difference of large ones.
template <typename C>
double Distance(const C& a, const C& b) {
  if constexpr (std::is_integral_v<C>) {
    const auto x = static_cast<uint64_t>(a);
    const auto y = static_cast<uint64_t>(b);
    return static_cast<double>(a > b ? x - y : y - x);
  } else {
    const double distance = std::abs(a - b);
    return std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance;
  }
}

template <typename C>
std::string Text(DType dtype, const C& x) {
  if constexpr (std::is_same_v<C, std::complex<double>>) {
    return absl::StrFormat("%.17g%+.17gi", x.real(), x.imag());
  } else if constexpr (std::is_same_v<C, double>) {
    return dtype == DType::kDouble ? absl::StrFormat("%.17g", x) : absl::StrFormat("%.9g", x);
  } else if constexpr (std::is_same_v<C, bool>) {
    return x ? "true" : "false";
  } else {
    return absl::StrCat(x);
  }
}

template <typename C>
void CompareElements(const Tensor& got, const Tensor& want, const Tolerance& tolerance,
                     Differences* differences) {
  const DType dtype = want.dtype();
  const int64_t count = want.num_elements();
  const bool real = ComputeClassOf(dtype) == ComputeClass::kFloat ||
                    ComputeClassOf(dtype) == ComputeClass::kDouble;
  const int64_t bytes = BitWidth(dtype) / 8;
  const auto chunk = std::make_unique<C[]>(static_cast<size_t>(2 * std::min(kChunk, count)));
  for (int64_t begin = 0; begin < count; begin += kChunk) {
    const int64_t n = std::min(kChunk, count - begin);
    C* g = chunk.get();
    C* w = chunk.get() + n;
    LoadElements<C>(dtype, got.raw_data(), begin, n, g);
    LoadElements<C>(dtype, want.raw_data(), begin, n, w);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t index = begin + i;
      differences->nan_got += IsNan(g[i]) ? 1 : 0;
      differences->nan_want += IsNan(w[i]) ? 1 : 0;
      if (tolerance.same_bits) {
        const bool same = bytes == 0 ? ElementBits(got, index) == ElementBits(want, index)
                                     : std::memcmp(got.raw_data() + index * bytes,
                                                   want.raw_data() + index * bytes,
                                                   static_cast<size_t>(bytes)) == 0;
        if (same) continue;
      } else if (Same(g[i], w[i])) {
        continue;
      }
      Difference d;
      d.index = index;
      d.abs = Distance(g[i], w[i]);
      d.rel = d.abs == 0 ? 0 : d.abs / std::max(Magnitude(g[i]), Magnitude(w[i]));
      if (std::isnan(d.rel)) d.rel = std::numeric_limits<double>::infinity();
      const bool finite = std::isfinite(Magnitude(w[i])) && std::isfinite(d.abs);
      if (!tolerance.same_bits && finite && !std::is_same_v<C, bool> &&
          d.abs <= tolerance.atol + tolerance.rtol * Magnitude(w[i])) {
        continue;
      }
      if (real) d.ulp = UlpDistance(got, want, index);
      differences->Add(std::move(d), [&](Difference& kept) {
        kept.got = Text(dtype, g[i]);
        kept.want = Text(dtype, w[i]);
        if (tolerance.same_bits && bytes <= 8) {
          absl::StrAppendFormat(&kept.got, " (0x%x)", ElementBits(got, index));
          absl::StrAppendFormat(&kept.want, " (0x%x)", ElementBits(want, index));
        }
      });
    }
  }
}

void CompareStrings(const Tensor& got, const Tensor& want, Differences* differences) {
  for (int64_t i = 0; i < want.num_elements(); ++i) {
    const std::string& g = got.string_data()[i];
    const std::string& w = want.string_data()[i];
    if (g == w) continue;
    Difference d;
    d.index = i;
    d.abs = d.rel = std::numeric_limits<double>::infinity();
    differences->Add(std::move(d), [&](Difference& kept) {
      kept.got = absl::StrCat("\"", absl::CEscape(g), "\"");
      kept.want = absl::StrCat("\"", absl::CEscape(w), "\"");
    });
  }
}

std::string IndexText(int64_t index, absl::Span<const int64_t> shape) {
  std::vector<int64_t> indices(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    indices[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return absl::StrCat("[", absl::StrJoin(indices, ","), "]");
}

std::string Report(const Differences& differences, const Tensor& want, const Tolerance& tolerance) {
  std::string report = absl::StrFormat("%s: %d of %d elements differ", want.TypeString(),
                                       differences.count, want.num_elements());
  if (tolerance.same_bits) {
    absl::StrAppend(&report, " (bit for bit)");
  } else if (tolerance.rtol != 0 || tolerance.atol != 0) {
    absl::StrAppendFormat(&report, " (rtol %g, atol %g)", tolerance.rtol, tolerance.atol);
  }
  const bool strings = want.dtype() == DType::kString;
  const bool floats = IsFloatingPoint(want.dtype());
  if (floats || IsComplex(want.dtype())) {
    absl::StrAppendFormat(&report, "; NaN: %d got, %d wanted", differences.nan_got,
                          differences.nan_want);
  }
  if (!strings) {
    absl::StrAppendFormat(&report, "\n  largest: abs %.4g, rel %.4g", differences.max_abs,
                          differences.max_rel);
    if (floats) absl::StrAppendFormat(&report, ", ulp %.17g", differences.max_ulp);
  }
  for (const Difference& d : differences.worst) {
    absl::StrAppendFormat(&report, "\n  %s got %s, want %s", IndexText(d.index, want.shape()),
                          d.got, d.want);
    if (!strings) absl::StrAppendFormat(&report, "  abs %.4g rel %.4g", d.abs, d.rel);
    if (floats) absl::StrAppendFormat(&report, " ulp %.17g", d.ulp);
  }
  return report;
}

std::optional<std::string> TensorMismatch(const Tensor& got, const Tensor& want,
                                          const Tolerance& tolerance) {
  if (got.dtype() != want.dtype() || got.shape() != want.shape()) {
    return absl::StrCat("got ", got.TypeString(), ", want ", want.TypeString());
  }
  if (!want.defined()) return std::nullopt;
  const absl::StatusOr<Tensor> g = got.Contiguous();
  const absl::StatusOr<Tensor> w = want.Contiguous();
  if (!g.ok()) return std::string(g.status().message());
  if (!w.ok()) return std::string(w.status().message());

  Differences differences;
  switch (ComputeClassOf(want.dtype())) {
    case ComputeClass::kNone:
      break;
    case ComputeClass::kFloat:
    case ComputeClass::kDouble:
      CompareElements<double>(*g, *w, tolerance, &differences);
      break;
    case ComputeClass::kInt64:
      CompareElements<int64_t>(*g, *w, tolerance, &differences);
      break;
    case ComputeClass::kUint64:
      CompareElements<uint64_t>(*g, *w, tolerance, &differences);
      break;
    case ComputeClass::kBool:
      CompareElements<bool>(*g, *w, tolerance, &differences);
      break;
    case ComputeClass::kComplex:
      CompareElements<std::complex<double>>(*g, *w, tolerance, &differences);
      break;
    case ComputeClass::kString:
      CompareStrings(*g, *w, &differences);
      break;
  }
  if (differences.count == 0) return std::nullopt;
  return Report(differences, *w, tolerance);
}

std::optional<std::string> In(const std::string& place, std::optional<std::string> mismatch) {
  if (!mismatch) return std::nullopt;
  return absl::StrCat(place, ": ", *mismatch);
}

std::optional<std::string> SequenceMismatch(const Sequence& got, const Sequence& want,
                                            const Tolerance& tolerance) {
  if (got.elements.size() != want.elements.size()) {
    return absl::StrCat("got ", got.elements.size(), " elements, want ", want.elements.size());
  }
  for (size_t i = 0; i < want.elements.size(); ++i) {
    if (auto mismatch = Mismatch(got.elements[i], want.elements[i], tolerance)) {
      return In(absl::StrCat("element ", i), std::move(mismatch));
    }
  }
  return std::nullopt;
}

std::optional<std::string> SparseMismatch(const SparseTensor& got, const SparseTensor& want,
                                          const Tolerance& tolerance) {
  if (got.dims != want.dims) {
    return absl::StrCat("got dims ", ShapeToString(got.dims), ", want ", ShapeToString(want.dims));
  }
  if (auto mismatch = TensorMismatch(got.indices, want.indices, {})) return In("indices", mismatch);
  return In("values", TensorMismatch(got.values, want.values, tolerance));
}

}  // namespace

std::optional<std::string> Mismatch(const Value& got, const Value& want,
                                    const Tolerance& tolerance) {
  if (got.is_tensor() && want.is_tensor()) {
    return TensorMismatch(got.tensor(), want.tensor(), tolerance);
  }
  if (got.is_sequence() && want.is_sequence()) {
    return SequenceMismatch(got.sequence(), want.sequence(), tolerance);
  }
  if (got.is_optional() && want.is_optional()) {
    const auto& g = got.optional().element;
    const auto& w = want.optional().element;
    if (g != nullptr && w != nullptr) return In("optional", Mismatch(*g, *w, tolerance));
    if (g == nullptr && w == nullptr) return std::nullopt;
  } else if (got.is_map() && want.is_map()) {
    if (auto m = TensorMismatch(got.map().keys, want.map().keys, {})) return In("keys", m);
    return In("values", Mismatch(*got.map().values, *want.map().values, tolerance));
  } else if (got.is_sparse() && want.is_sparse()) {
    return SparseMismatch(got.sparse(), want.sparse(), tolerance);
  } else if (got.empty() && want.empty()) {
    return std::nullopt;
  }
  return absl::StrCat("got ", got.TypeString(), ", want ", want.TypeString());
}

}  // namespace onnxcmp::testing
