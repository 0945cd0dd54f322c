// Tensors of residues, and what operators are made of: element by element with broadcasting, sums
// along axes.
#ifndef ONNXCMP_PROVE_FIELD_RESIDUES_H_
#define ONNXCMP_PROVE_FIELD_RESIDUES_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/tensor/tensor.h"
#include "prove/field/prime_field.h"
#include "prove/field/residue_array.h"
#include "prove/field/workspace.h"

namespace onnxcmp {

// In row-major order.
struct Residues {
  Shape shape;
  ResidueArray values;

  int64_t size() const { return static_cast<int64_t>(values.size()); }
  int rank() const { return static_cast<int>(shape.size()); }
  static Residues Of(Residue value) { return {{}, {value}}; }
  static Residues Filled(absl::Span<const int64_t> shape, Residue value);
  // With anything in it, and a workspace.
  static Residues Unfilled(absl::Span<const int64_t> shape, const Workspace* workspace);

  const Workspace* workspace() const { return values.workspace(); }
};

// As a tensor of int64 in the same memory, so that operators that only move elements can do so, and
// back.
absl::StatusOr<Tensor> ToTensor(const Residues& residues);
absl::StatusOr<Residues> FromTensor(const Tensor& tensor);

// Strides of a tensor that is broadcast to a shape: 0 where it has one element for many.
Shape BroadcastStrides(absl::Span<const int64_t> from, absl::Span<const int64_t> to);
// The shape that two broadcast to; InvalidArgument if they do not.
absl::StatusOr<Shape> BroadcastShape(absl::Span<const int64_t> a, absl::Span<const int64_t> b);
absl::StatusOr<Residues> BroadcastTo(const Residues& x, absl::Span<const int64_t> shape);

// The functions may be called by several threads at a time.
Residues Mapped(Residues x, absl::FunctionRef<Residue(Residue)> function);
absl::StatusOr<Residues> Combine(const Residues& a, const Residues& b,
                                 absl::FunctionRef<Residue(Residue, Residue)> function);
// `number` where the condition is not 0, else those of x.
absl::StatusOr<Residues> ReplacedWhere(const Residues& condition, const Residues& x,
                                       Residue number);

// Functions of each number: exp(x) and 1 / x.
Residues ExpOf(const PrimeField& field, Residues x);
Residues InverseOf(const PrimeField& field, Residues x);
absl::StatusOr<Residues> AddAll(const PrimeField& field, const Residues& a, const Residues& b);
absl::StatusOr<Residues> SubAll(const PrimeField& field, const Residues& a, const Residues& b);
absl::StatusOr<Residues> MulAll(const PrimeField& field, const Residues& a, const Residues& b);
absl::StatusOr<Residues> DivAll(const PrimeField& field, const Residues& a, const Residues& b);

// The axes as numbers from 0, ascending and each once; all if `axes` is empty.
absl::StatusOr<std::vector<int>> WholeAxes(absl::Span<const int64_t> axes, int rank);

// One number for the elements along some axes. The axes stay, with one element each.
Residues ReduceAlong(const Residues& x, absl::Span<const int> axes,
                     absl::FunctionRef<Residue(std::vector<Residue>*)> function);
Residues SumAlong(const PrimeField& field, const Residues& x, absl::Span<const int> axes);
// The first that is a number along the axes; 0 where there is none.
Residues FirstAlong(const Residues& x, absl::Span<const int> axes);
// The number of elements along the axes.
int64_t CountAlong(absl::Span<const int64_t> shape, absl::Span<const int> axes);

Residues Transposed(const Residues& x, absl::Span<const int> order);
// The last two axes exchanged.
Residues MatrixTransposed(const Residues& x);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_FIELD_RESIDUES_H_
