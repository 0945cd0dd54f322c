// Operators over the field that sum products.
#include <numeric>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "evaluator/base/status_macros.h"
#include "prove/field_functions.h"
#include "prove/field_node.h"

namespace onnxcmp {
namespace {

absl::Status MatMulOperator(FieldNode& node) {
  const ValueOrigin* const origin = node.origin(0);
  if (origin != nullptr && origin->one_hot_of.defined() && IsFloatingPoint(node.InType(1))) {
    // Rows of the other input.
    node.MarkRandom();
    OC_ASSIGN_OR_RETURN(const Residues ids, FromTensor(origin->one_hot_of));
    OC_ASSIGN_OR_RETURN(const Residues table, node.In(1));
    if (table.rank() == 2) {
      OC_ASSIGN_OR_RETURN(Residues rows, FieldRowsOf(node.field(), table, ids));
      return node.Set(0, std::move(rows));
    }
  }
  OC_ASSIGN_OR_RETURN(const Residues a, node.InRing(0));
  OC_ASSIGN_OR_RETURN(Residues out, node.TimesInput(a, 1, /*transposed=*/false));
  return node.Set(0, std::move(out));
}

// The first axis after the last but one: what transBatch exchanges.
Residues BatchTransposed(const Residues& x) {
  std::vector<int> order(x.shape.size());
  std::iota(order.begin(), order.end(), 0);
  if (order.size() > 2) std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  return Transposed(x, order);
}

// FusedMatMul, TransposeMatMul, and the former with an activation.
absl::Status FusedMatMulOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  OC_ASSIGN_OR_RETURN(Residues a, node.In(0));
  OC_ASSIGN_OR_RETURN(Residues b, node.In(1));
  if (a.rank() < 2 || b.rank() < 2) return NoMeaning("a product of vectors");
  if (node.Int("transBatchA", 0) != 0) a = BatchTransposed(a);
  if (node.Int("transBatchB", 0) != 0) b = BatchTransposed(b);
  if (node.Int("transA", 0) != 0) a = MatrixTransposed(a);
  if (node.Int("transB", 0) != 0) b = MatrixTransposed(b);
  OC_ASSIGN_OR_RETURN(Residues out, node.Times(a, b));
  out = FieldScaled(field, std::move(out), node.Real("alpha", 1));
  OC_ASSIGN_OR_RETURN(out, Activated(node, node.String("activation", ""), std::move(out)));
  return node.Set(0, std::move(out));
}

absl::Status GemmOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  if (node.since() < 7 && node.Int("broadcast", 0) == 0 && node.since() > 0 &&
      node.node().domain == kOnnxDomain) {
    return NoMeaning("an old form of the operator");
  }
  if (!IsFloatingPoint(node.InType(0)) &&
      (node.Number("alpha", 1) != 1 || node.Number("beta", 1) != 1)) {
    return NoMeaning("whole numbers times a float");
  }
  OC_ASSIGN_OR_RETURN(Residues a, node.InRing(0));
  if (node.Int("transA", 0) != 0) a = MatrixTransposed(a);
  OC_ASSIGN_OR_RETURN(Residues out, node.TimesInput(a, 1, node.Int("transB", 0) != 0));
  out = FieldScaled(field, std::move(out), node.Real("alpha", 1));
  const Residue beta = node.Real("beta", 1);
  if (node.Has(2)) {
    OC_ASSIGN_OR_RETURN(Residues c, node.InRing(2));
    OC_ASSIGN_OR_RETURN(out, AddAll(field, out, FieldScaled(field, std::move(c), beta)));
  }
  if (node.node().op_type == "FusedGemm") {
    const std::string activation = node.String("activation", "");
    if (activation == "LeakyRelu" || node.HasAttribute("activation_alpha")) {
      return NoMeaning("an activation with numbers of its own");
    }
    OC_ASSIGN_OR_RETURN(out, Activated(node, activation, std::move(out)));
  }
  return node.Set(0, std::move(out));
}

// Products of whole numbers less their zero points: MatMulInteger.
absl::Status MatMulIntegerOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  const auto less_zero = [&](int data, int zero) -> absl::StatusOr<Residues> {
    OC_ASSIGN_OR_RETURN(Residues x, node.In(data));
    if (!node.Has(zero)) return x;
    OC_ASSIGN_OR_RETURN(Residues point, node.In(zero));
    if (point.rank() == 1 && data == 0 && point.size() > 1) point.shape.push_back(1);
    return SubAll(field, x, point);
  };
  OC_ASSIGN_OR_RETURN(const Residues a, less_zero(0, 2));
  OC_ASSIGN_OR_RETURN(Residues b, less_zero(1, 3));
  if (std::optional<Residues> exact = FieldScaledCodes(node, 1, 3, b.rank() - 1)) {
    b = *std::move(exact);
  }
  OC_ASSIGN_OR_RETURN(Residues out, node.Times(a, b));
  return node.Set(0, std::move(out));
}

constexpr FieldOperatorRow kProductOperators[] = {
    {kOnnxDomain, "MatMul", MatMulOperator},
    {kOnnxDomain, "Gemm", GemmOperator},
    {kOnnxDomain, "MatMulInteger", MatMulIntegerOperator},
    {kMicrosoftDomain, "FusedMatMul", FusedMatMulOperator},
    {kMicrosoftDomain, "FusedMatMulActivation", FusedMatMulOperator},
    {kMicrosoftDomain, "TransposeMatMul", FusedMatMulOperator},
    {kMicrosoftDomain, "FusedGemm", GemmOperator},
};

}  // namespace

absl::Span<const FieldOperatorRow> ProductFieldOperators() { return kProductOperators; }

}  // namespace onnxcmp
