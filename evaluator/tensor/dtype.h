// The element types of ONNX tensors and what is known about each of them.
#ifndef ONNXCMP_EVALUATOR_TENSOR_DTYPE_H_
#define ONNXCMP_EVALUATOR_TENSOR_DTYPE_H_

#include <bit>
#include <complex>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include <Eigen/Core>

#include "absl/strings/string_view.h"

namespace onnxcmp {

// Every element type of onnx.TensorProto.DataType, with the same numbers (tensor_proto.cc asserts
// that they are the same).
enum class DType : uint8_t {
  kUndefined = 0,
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUint32 = 12,
  kUint64 = 13,
  kComplex64 = 14,
  kComplex128 = 15,
  kBfloat16 = 16,
  kFloat8E4M3FN = 17,
  kFloat8E4M3FNUZ = 18,
  kFloat8E5M2 = 19,
  kFloat8E5M2FNUZ = 20,
  kUint4 = 21,
  kInt4 = 22,
  kFloat4E2M1 = 23,
  kFloat8E8M0 = 24,
  kUint2 = 25,
  kInt2 = 26,
  kFloat6E2M3 = 27,
  kFloat6E3M2 = 28,
};
inline constexpr int kNumDTypes = 29;

// The type that an element is computed in. A storage type is loaded into its compute class, and
// stored from it with one rounding (floats) or with wrap-around (integers).
enum class ComputeClass : uint8_t {
  kNone,
  kFloat,    // float, float16, bfloat16, float8*, float6*, float4
  kDouble,   // double
  kInt64,    // signed integers
  kUint64,   // unsigned integers
  kBool,     // bool
  kComplex,  // complex64, complex128: std::complex<double>
  kString,
};

// Bits an element takes in a buffer; 0 for kUndefined and kString (which has a buffer of its own).
// Types of less than 8 bits are packed (packed_bits.h).
int BitWidth(DType dtype);

ComputeClass ComputeClassOf(DType dtype);

// "float", "int64", "float8e4m3fn", ... as ONNX writes them in type constraints: tensor(float).
absl::string_view DTypeName(DType dtype);

// "float32", "int64", "float8_e4m3fn", ... as NumPy and ml_dtypes write them.
absl::string_view NumpyName(DType dtype);

// The inverse of DTypeName.
std::optional<DType> DTypeFromName(absl::string_view name);

// float, double and everything narrower that is a real floating-point type.
bool IsFloatingPoint(DType dtype);
bool IsSignedInteger(DType dtype);
bool IsUnsignedInteger(DType dtype);
inline bool IsInteger(DType dtype) { return IsSignedInteger(dtype) || IsUnsignedInteger(dtype); }
inline bool IsComplex(DType dtype) {
  return dtype == DType::kComplex64 || dtype == DType::kComplex128;
}
// float16, bfloat16, the float8 and float6 families and float4: floats that are computed in float
// and rounded.
inline bool IsNarrowFloat(DType dtype) {
  return IsFloatingPoint(dtype) && dtype != DType::kFloat && dtype != DType::kDouble;
}
inline bool IsSubByte(DType dtype) { return BitWidth(dtype) > 0 && BitWidth(dtype) < 8; }

// Least and greatest value of an integer type (of any width, 2 to 64 bits).
int64_t IntegerMin(DType dtype);
uint64_t IntegerMax(DType dtype);

// Bytes that `elements` elements take, rounded up to a whole byte; nothing if that overflows or if
// elements is negative. 0 for strings.
std::optional<int64_t> ByteSize(DType dtype, int64_t elements);

// Storage of the one-byte floats: a bit pattern; evaluator/tensor/convert.h turns it into numbers.
struct Float8E4M3FN {
  uint8_t bits;
};
struct Float8E4M3FNUZ {
  uint8_t bits;
};
struct Float8E5M2 {
  uint8_t bits;
};
struct Float8E5M2FNUZ {
  uint8_t bits;
};
struct Float8E8M0 {
  uint8_t bits;
};

// DTypeOf<T>::value is the DType that stores a C++ type T. Packed types have no C++ type.
template <typename T>
struct DTypeOf;
template <DType kValue>
struct DTypeConstant {
  static constexpr DType value = kValue;
};
template <>
struct DTypeOf<float> : DTypeConstant<DType::kFloat> {};
template <>
struct DTypeOf<double> : DTypeConstant<DType::kDouble> {};
template <>
struct DTypeOf<uint8_t> : DTypeConstant<DType::kUint8> {};
template <>
struct DTypeOf<int8_t> : DTypeConstant<DType::kInt8> {};
template <>
struct DTypeOf<uint16_t> : DTypeConstant<DType::kUint16> {};
template <>
struct DTypeOf<int16_t> : DTypeConstant<DType::kInt16> {};
template <>
struct DTypeOf<int32_t> : DTypeConstant<DType::kInt32> {};
template <>
struct DTypeOf<uint32_t> : DTypeConstant<DType::kUint32> {};
template <>
struct DTypeOf<int64_t> : DTypeConstant<DType::kInt64> {};
template <>
struct DTypeOf<uint64_t> : DTypeConstant<DType::kUint64> {};
template <>
struct DTypeOf<bool> : DTypeConstant<DType::kBool> {};
template <>
struct DTypeOf<std::string> : DTypeConstant<DType::kString> {};
template <>
struct DTypeOf<Eigen::half> : DTypeConstant<DType::kFloat16> {};
template <>
struct DTypeOf<Eigen::bfloat16> : DTypeConstant<DType::kBfloat16> {};
template <>
struct DTypeOf<std::complex<float>> : DTypeConstant<DType::kComplex64> {};
template <>
struct DTypeOf<std::complex<double>> : DTypeConstant<DType::kComplex128> {};
template <>
struct DTypeOf<Float8E4M3FN> : DTypeConstant<DType::kFloat8E4M3FN> {};
template <>
struct DTypeOf<Float8E4M3FNUZ> : DTypeConstant<DType::kFloat8E4M3FNUZ> {};
template <>
struct DTypeOf<Float8E5M2> : DTypeConstant<DType::kFloat8E5M2> {};
template <>
struct DTypeOf<Float8E5M2FNUZ> : DTypeConstant<DType::kFloat8E5M2FNUZ> {};
template <>
struct DTypeOf<Float8E8M0> : DTypeConstant<DType::kFloat8E8M0> {};
template <typename T>
inline constexpr DType kDTypeOf = DTypeOf<T>::value;

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_TENSOR_DTYPE_H_
