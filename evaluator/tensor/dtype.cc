#include "evaluator/tensor/dtype.h"

#include <array>

namespace onnxcmp {
namespace {

enum class NumberKind : uint8_t { kNone, kFloat, kSigned, kUnsigned, kBool, kComplex, kString };

struct Facts {
  const char* name;
  const char* numpy_name;
  int bits;
  NumberKind kind;
};

// Indexed by DType.
constexpr std::array<Facts, kNumDTypes> kFacts = {{
    {"undefined", "undefined", 0, NumberKind::kNone},
    {"float", "float32", 32, NumberKind::kFloat},
    {"uint8", "uint8", 8, NumberKind::kUnsigned},
    {"int8", "int8", 8, NumberKind::kSigned},
    {"uint16", "uint16", 16, NumberKind::kUnsigned},
    {"int16", "int16", 16, NumberKind::kSigned},
    {"int32", "int32", 32, NumberKind::kSigned},
    {"int64", "int64", 64, NumberKind::kSigned},
    {"string", "str", 0, NumberKind::kString},
    {"bool", "bool", 8, NumberKind::kBool},
    {"float16", "float16", 16, NumberKind::kFloat},
    {"double", "float64", 64, NumberKind::kFloat},
    {"uint32", "uint32", 32, NumberKind::kUnsigned},
    {"uint64", "uint64", 64, NumberKind::kUnsigned},
    {"complex64", "complex64", 64, NumberKind::kComplex},
    {"complex128", "complex128", 128, NumberKind::kComplex},
    {"bfloat16", "bfloat16", 16, NumberKind::kFloat},
    {"float8e4m3fn", "float8_e4m3fn", 8, NumberKind::kFloat},
    {"float8e4m3fnuz", "float8_e4m3fnuz", 8, NumberKind::kFloat},
    {"float8e5m2", "float8_e5m2", 8, NumberKind::kFloat},
    {"float8e5m2fnuz", "float8_e5m2fnuz", 8, NumberKind::kFloat},
    {"uint4", "uint4", 4, NumberKind::kUnsigned},
    {"int4", "int4", 4, NumberKind::kSigned},
    {"float4e2m1", "float4_e2m1fn", 4, NumberKind::kFloat},
    {"float8e8m0", "float8_e8m0fnu", 8, NumberKind::kFloat},
    {"uint2", "uint2", 2, NumberKind::kUnsigned},
    {"int2", "int2", 2, NumberKind::kSigned},
    {"float6e2m3", "float6_e2m3fn", 6, NumberKind::kFloat},
    {"float6e3m2", "float6_e3m2fn", 6, NumberKind::kFloat},
}};

constexpr const Facts& FactsOf(DType dtype) {
  const auto index = static_cast<size_t>(dtype);
  return kFacts[index < kFacts.size() ? index : 0];
}

}  // namespace

int BitWidth(DType dtype) { return FactsOf(dtype).bits; }

ComputeClass ComputeClassOf(DType dtype) {
  switch (FactsOf(dtype).kind) {
    case NumberKind::kNone:
      return ComputeClass::kNone;
    case NumberKind::kFloat:
      return dtype == DType::kDouble ? ComputeClass::kDouble : ComputeClass::kFloat;
    case NumberKind::kSigned:
      return ComputeClass::kInt64;
    case NumberKind::kUnsigned:
      return ComputeClass::kUint64;
    case NumberKind::kBool:
      return ComputeClass::kBool;
    case NumberKind::kComplex:
      return ComputeClass::kComplex;
    case NumberKind::kString:
      return ComputeClass::kString;
  }
  return ComputeClass::kNone;
}

absl::string_view DTypeName(DType dtype) { return FactsOf(dtype).name; }

absl::string_view NumpyName(DType dtype) { return FactsOf(dtype).numpy_name; }

std::optional<DType> DTypeFromName(absl::string_view name) {
  for (size_t i = 1; i < kFacts.size(); ++i) {
    if (name == kFacts[i].name) {
      return static_cast<DType>(i);
    }
  }
  return std::nullopt;
}

bool IsFloatingPoint(DType dtype) { return FactsOf(dtype).kind == NumberKind::kFloat; }

bool IsSignedInteger(DType dtype) { return FactsOf(dtype).kind == NumberKind::kSigned; }

bool IsUnsignedInteger(DType dtype) { return FactsOf(dtype).kind == NumberKind::kUnsigned; }

int64_t IntegerMin(DType dtype) {
  if (!IsSignedInteger(dtype)) {
    return 0;
  }
  return std::numeric_limits<int64_t>::min() >> (64 - BitWidth(dtype));
}

uint64_t IntegerMax(DType dtype) {
  if (!IsInteger(dtype)) {
    return 0;
  }
  const int value_bits = BitWidth(dtype) - (IsSignedInteger(dtype) ? 1 : 0);
  return std::numeric_limits<uint64_t>::max() >> (64 - value_bits);
}

std::optional<int64_t> ByteSize(DType dtype, int64_t elements) {
  if (elements < 0) {
    return std::nullopt;
  }
  const int bits = BitWidth(dtype);
  if (bits < 8) {
    return elements / 8 * bits + (elements % 8 * bits + 7) / 8;
  }
  int64_t bytes = 0;
  if (__builtin_mul_overflow(elements, int64_t{bits / 8}, &bytes)) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace onnxcmp
