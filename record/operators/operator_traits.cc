#include "record/operators/operator_traits.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "record/operators/operator_table.h"

namespace onnxcmp {
namespace {

// Null if the table has no such operator.
const OperatorRow* FindRowOf(absl::string_view op_type) {
  static const auto* const kRows = [] {
    auto* rows = new absl::flat_hash_map<absl::string_view, const OperatorRow*>();
    for (const OperatorRow& row : OperatorTable()) rows->emplace(row.op_type, &row);
    return rows;
  }();
  const auto it = kRows->find(op_type);
  return it == kRows->end() ? nullptr : it->second;
}

bool Has(const OperatorRow* row, OperatorTrait trait) {
  return row != nullptr && (row->traits & static_cast<uint32_t>(trait)) != 0;
}

}  // namespace

OperatorTraits TraitsOf(absl::string_view domain, absl::string_view op_type) {
  const OperatorRow* row = FindRowOf(op_type);
  return OperatorTraits(row != nullptr && (row->domains & DomainBit(domain)) != 0 ? row->traits
                                                                                  : 0);
}

bool Quantizes(absl::string_view op_type) {
  return absl::StrContains(op_type, "Quantize") || absl::StrContains(op_type, "Dequantize") ||
         absl::StartsWith(op_type, "QLinear") || absl::StartsWith(op_type, "QOrdered") ||
         Has(FindRowOf(op_type), OperatorTrait::kQuantized);
}

DType QuantizedAs(absl::string_view op_type, DType dtype, int64_t bits) {
  if (!IsInteger(dtype) || BitWidth(dtype) > 16 || !Quantizes(op_type)) return DType::kUndefined;
  const bool packed = BitWidth(dtype) == 8 && Has(FindRowOf(op_type), OperatorTrait::kPacked);
  if (!packed) return dtype;
  if (bits >= 8) return DType::kBfloat16;
  return bits >= 4 ? DType::kUint4 : DType::kUint2;
}

}  // namespace onnxcmp
