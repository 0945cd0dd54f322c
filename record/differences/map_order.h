// Maps in the order of their keys. ONNX's dictionaries have none of their own: one runtime keeps
// the keys as a model lists them, another sorts them.
#ifndef ONNXCMP_RECORD_DIFFERENCES_MAP_ORDER_H_
#define ONNXCMP_RECORD_DIFFERENCES_MAP_ORDER_H_

#include <optional>

#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// The map with its keys ascending, as bytes are for strings; as it is where that cannot be made.
Map SortedByKey(const Map& map);

// The matrix that a ZipMap makes such a sequence of: a row for each map, numbers in the order of
// its keys. Nothing for any other value.
std::optional<Tensor> TableOfMaps(const Value& value);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_MAP_ORDER_H_
