#include "compare/proof/value_trace.h"

#include <algorithm>
#include <utility>

#include "compare/proof/field/residues.h"
#include "compare/proof/field_node.h"
#include "compare/streams/fingerprint.h"
#include "compare/streams/xxh128.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {
namespace {

absl::StatusOr<Residues> ResiduesOf(const PrimeField& field, const FieldValue& value) {
  if (value.residues.defined()) return FromTensor(value.residues);
  return EmbedTensor(field, value.number.tensor(), nullptr);
}

}  // namespace

bool IsRealTensor(const Value& value) {
  return value.is_tensor() && IsFloatingPoint(value.tensor().dtype());
}

absl::StatusOr<ValueTrace> TraceOf(const PrimeField& field, const FieldValue& value) {
  ValueTrace trace;
  trace.exact = value.exact;
  trace.shaped = value.shaped;
  trace.fixed = value.fixed;
  trace.real = IsRealTensor(value.number);
  if (!value.number.is_tensor()) {
    trace.hash = value.fixed ? ContentOf(value.number) : Hash128{value.identity, 1};
    return trace;
  }
  const Tensor& number = value.number.tensor();
  trace.shape.assign(number.shape().begin(), number.shape().end());
  const DType dtype = number.dtype();
  trace.dtype = dtype;
  if (value.fixed && (dtype == DType::kString || IsComplex(dtype))) {
    trace.hash = ContentOf(value.number);
    return trace;
  }
  OC_ASSIGN_OR_RETURN(const Residues residues, ResiduesOf(field, value));
  trace.hash =
      ToHash128(XXH3_128bits(residues.values.data(), residues.values.size() * sizeof(Residue)));
  trace.known =
      std::find(residues.values.begin(), residues.values.end(), kNoNumber) == residues.values.end();
  return trace;
}

bool Varies(const Value& value) {
  return value.is_tensor() && value.tensor().dtype() != DType::kString &&
         !IsComplex(value.tensor().dtype());
}

FieldValue RandomValue(const PrimeField& field, const Value& number, uint64_t key) {
  FieldValue value;
  value.number = number;
  value.fixed = false;
  Residues residues = Residues::Filled(number.tensor().shape(), 0);
  for (size_t i = 0; i < residues.values.size(); ++i) {
    residues.values[i] = field.Random(key, static_cast<Residue>(i));
  }
  absl::StatusOr<Tensor> tensor = ToTensor(residues);
  if (tensor.ok()) value.residues = *std::move(tensor);
  return value;
}

}  // namespace onnxcmp
