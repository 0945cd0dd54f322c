#include "prove/field/residues.h"

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

// Calls `visit` for runs of elements from `first` to `last`, in row-major order of a shape: the
// first element, how many there are, and where they begin in several tensors with strides. Elements
// of a run lie as far apart as the last strides say.
template <size_t kTensors, typename Visit>
void WalkRuns(absl::Span<const int64_t> shape, const std::array<Shape, kTensors>& strides,
              int64_t first, int64_t last, Visit visit) {
  const size_t rank = shape.size();
  Shape index(rank, 0);
  std::array<int64_t, kTensors> at = {};
  int64_t rest = first;
  for (size_t axis = rank; axis-- > 0 && first < last;) {
    index[axis] = rest % shape[axis];
    rest /= shape[axis];
    for (size_t t = 0; t < kTensors; ++t) at[t] += index[axis] * strides[t][axis];
  }
  for (int64_t i = first; i < last;) {
    const int64_t run = std::min(last - i, rank == 0 ? 1 : shape.back() - index.back());
    visit(i, run, at);
    i += run;
    if (rank == 0) break;
    // Back to the row's beginning, and to the next one.
    for (size_t t = 0; t < kTensors; ++t) at[t] -= index.back() * strides[t].back();
    index.back() = 0;
    for (size_t axis = rank - 1; axis-- > 0;) {
      for (size_t t = 0; t < kTensors; ++t) at[t] += strides[t][axis];
      if (++index[axis] < shape[axis]) break;
      for (size_t t = 0; t < kTensors; ++t) at[t] -= strides[t][axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

// Calls `visit` with all elements, and their places in a tensor with strides.
template <typename Visit>
void Walk(absl::Span<const int64_t> shape, const Shape& strides, Visit visit) {
  const int64_t step = shape.empty() ? 0 : strides.back();
  WalkRuns<1>(shape, {strides}, 0, SizeOf(shape), [&](int64_t i, int64_t run, const auto& at) {
    for (int64_t j = 0; j < run; ++j) visit(i + j, at[0] + j * step);
  });
}

// The numbers that lie so in `x`.
Residues Moved(const Residues& x, absl::Span<const int64_t> shape, const Shape& strides) {
  Residues out = Residues::Unfilled(shape, x.workspace());
  Residue* const to = out.values.data();
  const Residue* const from = x.values.data();
  const int64_t step = shape.empty() ? 0 : strides.back();
  ForRanges(x.workspace(), out.size(), [&](int64_t first, int64_t last) {
    WalkRuns<1>(shape, {strides}, first, last, [&](int64_t i, int64_t run, const auto& at) {
      if (step == 1) {
        std::copy_n(from + at[0], run, to + i);
      } else {
        for (int64_t j = 0; j < run; ++j) to[i + j] = from[at[0] + j * step];
      }
    });
  });
  return out;
}

// Each number of two that are broadcast, combined.
template <typename Function>
absl::StatusOr<Residues> Combined(const Residues& a, const Residues& b, Function function) {
  OC_ASSIGN_OR_RETURN(const Shape shape, BroadcastShape(a.shape, b.shape));
  const Workspace* const workspace = a.workspace() != nullptr ? a.workspace() : b.workspace();
  Residues out = Residues::Unfilled(shape, workspace);
  Residue* const to = out.values.data();
  const Residue* const x = a.values.data();
  const Residue* const y = b.values.data();
  const bool alike = a.shape == b.shape;
  const std::array<Shape, 2> strides = {BroadcastStrides(a.shape, shape),
                                        BroadcastStrides(b.shape, shape)};
  const int64_t step_x = shape.empty() ? 0 : strides[0].back();
  const int64_t step_y = shape.empty() ? 0 : strides[1].back();
  ForRanges(workspace, out.size(), [&](int64_t first, int64_t last) {
    if (alike) {
      for (int64_t i = first; i < last; ++i) to[i] = function(x[i], y[i]);
      return;
    }
    WalkRuns(shape, strides, first, last, [&](int64_t i, int64_t run, const auto& at) {
      Residue* const o = to + i;
      const Residue* const p = x + at[0];
      const Residue* const q = y + at[1];
      if (step_x == 1 && step_y == 1) {
        for (int64_t j = 0; j < run; ++j) o[j] = function(p[j], q[j]);
      } else if (step_x == 1 && step_y == 0) {
        for (int64_t j = 0; j < run; ++j) o[j] = function(p[j], *q);
      } else {
        for (int64_t j = 0; j < run; ++j) o[j] = function(p[j * step_x], q[j * step_y]);
      }
    });
  });
  return out;
}

// True if the axes are the last ones: what lies along them lies side by side.
bool AreLast(absl::Span<const int> axes, size_t rank) {
  for (size_t i = 0; i < axes.size(); ++i) {
    if (static_cast<size_t>(axes[i]) + axes.size() != rank + i) return false;
  }
  return true;
}

// One number for those along the axes, which stay with one element each: `step` takes them one
// after the other.
template <typename Step>
Residues Folded(const Residues& x, absl::Span<const int> axes, Residue start, Step step) {
  Shape kept = x.shape;
  for (const int axis : axes) kept[static_cast<size_t>(axis)] = 1;
  Residues out = Residues::Unfilled(kept, x.workspace());
  Residue* const to = out.values.data();
  std::fill_n(to, out.size(), start);
  const Residue* const from = x.values.data();
  if (!AreLast(axes, x.shape.size())) {
    Walk(x.shape, BroadcastStrides(kept, x.shape),
         [&](int64_t i, int64_t at) { to[at] = step(to[at], from[i]); });
    return out;
  }
  const int64_t lane = CountAlong(x.shape, axes);
  ForRanges(x.workspace(), x.size(), [&](int64_t first, int64_t last) {
    // Lanes that begin in this piece.
    for (int64_t i = (first + lane - 1) / std::max<int64_t>(lane, 1); i * lane < last; ++i) {
      for (int64_t j = 0; j < lane; ++j) to[i] = step(to[i], from[i * lane + j]);
    }
  });
  return out;
}

}  // namespace

Residues Residues::Filled(absl::Span<const int64_t> shape, Residue value) {
  return {Shape(shape.begin(), shape.end()),
          ResidueArray(static_cast<size_t>(SizeOf(shape)), value)};
}

Residues Residues::Unfilled(absl::Span<const int64_t> shape, const Workspace* workspace) {
  return {Shape(shape.begin(), shape.end()),
          ResidueArray(static_cast<size_t>(SizeOf(shape)), workspace)};
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
  Residue* const values = x.values.data();
  ForRanges(x.workspace(), x.size(), [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) values[i] = function(values[i]);
  });
  return x;
}

Residues ExpOf(const PrimeField& field, Residues x) {
  Residue* const values = x.values.data();
  ForRanges(x.workspace(), x.size(), [&](int64_t first, int64_t last) {
    field.ExpAll(absl::MakeSpan(values + first, values + last));
  });
  return x;
}

Residues InverseOf(const PrimeField& field, Residues x) {
  Residue* const values = x.values.data();
  ForRanges(x.workspace(), x.size(), [&](int64_t first, int64_t last) {
    field.Invert(absl::MakeSpan(values + first, values + last));
  });
  return x;
}

absl::StatusOr<Residues> Combine(const Residues& a, const Residues& b,
                                 absl::FunctionRef<Residue(Residue, Residue)> function) {
  return Combined(a, b, function);
}
absl::StatusOr<Residues> AddAll(const PrimeField& field, const Residues& a, const Residues& b) {
  return Combined(a, b, [&](Residue x, Residue y) { return field.Add(x, y); });
}
absl::StatusOr<Residues> SubAll(const PrimeField& field, const Residues& a, const Residues& b) {
  return Combined(a, b, [&](Residue x, Residue y) { return field.Sub(x, y); });
}
absl::StatusOr<Residues> MulAll(const PrimeField& field, const Residues& a, const Residues& b) {
  return Combined(a, b, [&](Residue x, Residue y) { return field.Mul(x, y); });
}

absl::StatusOr<Residues> DivAll(const PrimeField& field, const Residues& a, const Residues& b) {
  return MulAll(field, a, InverseOf(field, b));
}

absl::StatusOr<Residues> ReplacedWhere(const Residues& condition, const Residues& x,
                                       Residue number) {
  return Combined(condition, x, [&](Residue is_replaced, Residue own) {
    return is_replaced != 0 ? number : own;
  });
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
  Walk(x.shape, BroadcastStrides(kept, x.shape), [&](int64_t i, int64_t at) {
    lanes[static_cast<size_t>(at)].push_back(x.values[static_cast<size_t>(i)]);
  });
  Residues out = Residues::Filled(kept, 0);
  for (size_t i = 0; i < lanes.size(); ++i) out.values[i] = function(&lanes[i]);
  return out;
}

Residues SumAlong(const PrimeField& field, const Residues& x, absl::Span<const int> axes) {
  return Folded(x, axes, 0, [&](Residue sum, Residue value) { return field.Add(sum, value); });
}

Residues FirstAlong(const Residues& x, absl::Span<const int> axes) {
  const Residues first = Folded(x, axes, kNoNumber, [](Residue found, Residue value) {
    return found == kNoNumber && IsNumber(value) ? value : found;
  });
  return Mapped(first, [](Residue value) { return value == kNoNumber ? 0 : value; });
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
