#include "record/differences/precision.h"

namespace onnxcmp {
namespace {

// From exact to coarse.
int Coarseness(DType dtype) {
  switch (dtype) {
    case DType::kDouble:
    case DType::kComplex128:
      return 1;
    case DType::kFloat:
    case DType::kComplex64:
      return 2;
    case DType::kInt16:
    case DType::kUint16:
      return 3;
    case DType::kFloat16:
      return 4;
    case DType::kBfloat16:
      return 5;
    case DType::kInt8:
    case DType::kUint8:
      return 6;
    case DType::kFloat8E4M3FN:
    case DType::kFloat8E4M3FNUZ:
      return 7;
    case DType::kFloat8E5M2:
    case DType::kFloat8E5M2FNUZ:
      return 8;
    // Usually the type of the small floats' scales.
    case DType::kFloat8E8M0:
      return 9;
    case DType::kFloat6E2M3:
      return 10;
    case DType::kFloat6E3M2:
      return 11;
    case DType::kInt4:
    case DType::kUint4:
      return 12;
    case DType::kFloat4E2M1:
      return 13;
    case DType::kInt2:
    case DType::kUint2:
      return 14;
    default:
      return 0;
  }
}

}  // namespace

DType PrecisionOf(DType dtype) {
  if (dtype == DType::kComplex64) return DType::kFloat;
  if (dtype == DType::kComplex128) return DType::kDouble;
  return IsFloatingPoint(dtype) ? dtype : DType::kUndefined;
}

DType PrecisionOf(const Value& value) {
  if (value.is_tensor()) return PrecisionOf(value.tensor().dtype());
  if (value.is_sparse()) return PrecisionOf(value.sparse().values.dtype());
  if (value.is_map()) return PrecisionOf(*value.map().values);
  if (value.is_optional()) {
    const Value* element = value.optional().element.get();
    return element == nullptr ? DType::kUndefined : PrecisionOf(*element);
  }
  DType least = DType::kUndefined;
  if (!value.is_sequence()) return least;
  for (const Value& element : value.sequence().elements) {
    least = LessPrecise(least, PrecisionOf(element));
  }
  return least;
}

DType LessPrecise(DType left, DType right) {
  return Coarseness(left) >= Coarseness(right) ? left : right;
}

}  // namespace onnxcmp
