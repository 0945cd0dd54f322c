// The table behind operator_traits.h.
#ifndef ONNXCMP_RECORD_OPERATORS_OPERATOR_TABLE_H_
#define ONNXCMP_RECORD_OPERATORS_OPERATOR_TABLE_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace onnxcmp {

// The domains that have an operator of a name, all with the same traits.
enum OperatorDomains : uint8_t {
  kOfOnnx = 1,       // ai.onnx
  kOfMicrosoft = 2,  // com.microsoft
  kOfNchwc = 4,      // com.microsoft.nchwc: channels in blocks
  kOfNhwc = 8,       // com.ms.internal.nhwc: channels last
  kOfMl = 16,        // ai.onnx.ml
};
// The domain's bit; 0 for others.
uint8_t DomainBit(absl::string_view domain);

struct OperatorRow {
  absl::string_view op_type;
  uint8_t domains;  // OperatorDomains
  uint32_t traits;  // OperatorTrait
};

// By name, each once.
absl::Span<const OperatorRow> OperatorTable();

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_OPERATORS_OPERATOR_TABLE_H_
