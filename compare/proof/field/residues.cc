#include "compare/proof/field/residues.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "absl/status/status.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

int64_t SizeOf(absl::Span<const int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

// Calls `visit` with the places in row-major order of a shape, of several tensors with strides.
template <size_t kTensors, typename Visit>
void Walk(absl::Span<const int64_t> shape, const std::array<Shape, kTensors>& strides,
          Visit visit) {
  const int64_t size = SizeOf(shape);
  if (size == 0) return;
  const int64_t run = shape.empty() ? 1 : shape.back();
  std::array<int64_t, kTensors> step = {};
  for (size_t t = 0; t < kTensors && !shape.empty(); ++t) step[t] = strides[t].back();
  std::vector<int64_t> index(shape.size());
  std::array<int64_t, kTensors> start = {};
  for (int64_t i = 0; i < size;) {
    std::array<int64_t, kTensors> at = start;
    for (const int64_t end = i + run; i < end; ++i) {
      visit(i, at);
      for (size_t t = 0; t < kTensors; ++t) at[t] += step[t];
    }
    for (size_t axis = shape.size(); axis-- > 1;) {
      const size_t outer = axis - 1;
      for (size_t t = 0; t < kTensors; ++t) start[t] += strides[t][outer];
      if (++index[outer] < shape[outer]) break;
      for (size_t t = 0; t < kTensors; ++t) start[t] -= strides[t][outer] * shape[outer];
      index[outer] = 0;
    }
  }
}

// The numbers that lie so in `x`.
Residues Moved(const Residues& x, absl::Span<const int64_t> shape, const Shape& strides) {
  Residues out = Residues::Unfilled(shape);
  Residue* const to = out.values.data();
  const Residue* const from = x.values.data();
  Walk<1>(shape, {strides}, [&](int64_t i, const auto& at) { to[i] = from[at[0]]; });
  return out;
}

// Each number of two that are broadcast, combined.
template <typename Function>
absl::StatusOr<Residues> Combined(const Residues& a, const Residues& b, Function function) {
  OC_ASSIGN_OR_RETURN(const Shape shape, BroadcastShape(a.shape, b.shape));
  Residues out = Residues::Unfilled(shape);
  Residue* const to = out.values.data();
  const Residue* const x = a.values.data();
  const Residue* const y = b.values.data();
  if (a.shape == b.shape) {
    for (int64_t i = 0; i < out.size(); ++i) to[i] = function(x[i], y[i]);
    return out;
  }
  Walk<2>(shape, {BroadcastStrides(a.shape, shape), BroadcastStrides(b.shape, shape)},
          [&](int64_t i, const auto& at) { to[i] = function(x[at[0]], y[at[1]]); });
  return out;
}

}  // namespace

Residues Residues::Filled(absl::Span<const int64_t> shape, Residue value) {
  return {Shape(shape.begin(), shape.end()),
          ResidueArray(static_cast<size_t>(SizeOf(shape)), value)};
}

Residues Residues::Unfilled(absl::Span<const int64_t> shape) {
  return {Shape(shape.begin(), shape.end()), ResidueArray(static_cast<size_t>(SizeOf(shape)))};
}

Shape BroadcastStrides(absl::Span<const int64_t> from, absl::Span<const int64_t> to) {
  const Shape own = RowMajorStrides(from);
  Shape strides(to.size(), 0);
  for (size_t i = 0; i < from.size(); ++i) {
    const size_t axis = to.size() - from.size() + i;
    strides[axis] = from[i] == 1 ? 0 : own[i];
  }
  return strides;
}

absl::StatusOr<Tensor> ToTensor(const Residues& residues) {
  return residues.values.AsTensor(residues.shape);
}

absl::StatusOr<Residues> FromTensor(const Tensor& tensor) {
  if (tensor.dtype() != DType::kInt64) return absl::InternalError("residues of another type");
  OC_ASSIGN_OR_RETURN(const Tensor whole, tensor.Contiguous());
  return Residues{whole.shape(), ResidueArray(whole)};
}

absl::StatusOr<Shape> BroadcastShape(absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  Shape shape(std::max(a.size(), b.size()), 1);
  for (const absl::Span<const int64_t> part : {a, b}) {
    for (size_t i = 0; i < part.size(); ++i) {
      int64_t& size = shape[shape.size() - part.size() + i];
      if (size == 1) size = part[i];
      if (part[i] != 1 && part[i] != size) return absl::InvalidArgumentError("shapes do not fit");
    }
  }
  return shape;
}

absl::StatusOr<Residues> BroadcastTo(const Residues& x, absl::Span<const int64_t> shape) {
  OC_ASSIGN_OR_RETURN(const Shape whole, BroadcastShape(x.shape, shape));
  if (whole != Shape(shape.begin(), shape.end())) {
    return absl::InvalidArgumentError("shapes do not fit");
  }
  return Moved(x, shape, BroadcastStrides(x.shape, shape));
}

Residues Mapped(Residues x, absl::FunctionRef<Residue(Residue)> function) {
  for (Residue& value : x.values) value = function(value);
  return x;
}

absl::StatusOr<Residues> Combine(const Residues& a, const Residues& b,
                                 absl::FunctionRef<Residue(Residue, Residue)> function) {
  return Combined(a, b, function);
}
absl::StatusOr<Residues> AddAll(const Residues& a, const Residues& b) {
  return Combined(a, b, [](Residue x, Residue y) { return PrimeField::Add(x, y); });
}
absl::StatusOr<Residues> SubAll(const Residues& a, const Residues& b) {
  return Combined(a, b, [](Residue x, Residue y) { return PrimeField::Sub(x, y); });
}
absl::StatusOr<Residues> MulAll(const Residues& a, const Residues& b) {
  return Combined(a, b, [](Residue x, Residue y) { return PrimeField::Mul(x, y); });
}

absl::StatusOr<Residues> DivAll(const Residues& a, const Residues& b) {
  Residues inverses = b;
  PrimeField::Invert(absl::MakeSpan(inverses.values));
  return MulAll(a, inverses);
}

absl::StatusOr<std::vector<int>> WholeAxes(absl::Span<const int64_t> axes, int rank) {
  std::vector<int> whole;
  for (const int64_t axis : axes) {
    if (axis < -rank || axis >= rank) return absl::InvalidArgumentError("an axis out of range");
    whole.push_back(static_cast<int>(axis < 0 ? axis + rank : axis));
  }
  if (axes.empty()) {
    whole.resize(static_cast<size_t>(rank));
    std::iota(whole.begin(), whole.end(), 0);
  }
  std::sort(whole.begin(), whole.end());
  whole.erase(std::unique(whole.begin(), whole.end()), whole.end());
  return whole;
}

int64_t CountAlong(absl::Span<const int64_t> shape, absl::Span<const int> axes) {
  int64_t count = 1;
  for (const int axis : axes) count *= shape[static_cast<size_t>(axis)];
  return count;
}

Residues ReduceAlong(const Residues& x, absl::Span<const int> axes,
                     absl::FunctionRef<Residue(std::vector<Residue>*)> function) {
  Shape kept = x.shape;
  for (const int axis : axes) kept[static_cast<size_t>(axis)] = 1;
  std::vector<std::vector<Residue>> lanes(static_cast<size_t>(SizeOf(kept)));
  Walk<1>(x.shape, {BroadcastStrides(kept, x.shape)}, [&](int64_t i, const auto& at) {
    lanes[static_cast<size_t>(at[0])].push_back(x.values[static_cast<size_t>(i)]);
  });
  Residues out = Residues::Filled(kept, 0);
  for (size_t i = 0; i < lanes.size(); ++i) out.values[i] = function(&lanes[i]);
  return out;
}

Residues SumAlong(const Residues& x, absl::Span<const int> axes) {
  Shape kept = x.shape;
  for (const int axis : axes) kept[static_cast<size_t>(axis)] = 1;
  Residues out = Residues::Filled(kept, 0);
  Residue* const sums = out.values.data();
  const Residue* const from = x.values.data();
  Walk<1>(x.shape, {BroadcastStrides(kept, x.shape)},
          [&](int64_t i, const auto& at) { sums[at[0]] = PrimeField::Add(sums[at[0]], from[i]); });
  return out;
}

Residues FirstAlong(const Residues& x, absl::Span<const int> axes) {
  Shape kept = x.shape;
  for (const int axis : axes) kept[static_cast<size_t>(axis)] = 1;
  Residues out = Residues::Filled(kept, kNoNumber);
  Walk<1>(x.shape, {BroadcastStrides(kept, x.shape)}, [&](int64_t i, const auto& at) {
    Residue& first = out.values[static_cast<size_t>(at[0])];
    const Residue value = x.values[static_cast<size_t>(i)];
    if (first == kNoNumber && IsNumber(value)) first = value;
  });
  for (Residue& value : out.values) {
    if (value == kNoNumber) value = 0;
  }
  return out;
}

Residues Transposed(const Residues& x, absl::Span<const int> order) {
  const Shape own = RowMajorStrides(x.shape);
  Shape shape;
  Shape strides;
  for (const int axis : order) {
    shape.push_back(x.shape[static_cast<size_t>(axis)]);
    strides.push_back(own[static_cast<size_t>(axis)]);
  }
  return Moved(x, shape, strides);
}

Residues MatrixTransposed(const Residues& x) {
  std::vector<int> order(x.shape.size());
  std::iota(order.begin(), order.end(), 0);
  if (order.size() > 1) std::swap(order[order.size() - 1], order[order.size() - 2]);
  return Transposed(x, order);
}

}  // namespace onnxcmp
