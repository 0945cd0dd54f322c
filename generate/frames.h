// Numbers at each position instead of tokens: features of audio, steps of a series.
#ifndef ONNXCMP_GENERATE_FRAMES_H_
#define ONNXCMP_GENERATE_FRAMES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "generate/decoder.h"
#include "generate/roles.h"

namespace onnxcmp {

// The symbol of the batch in a type: one that is called so, else that of the first dimension if it
// is not called a time; "" if there is none.
std::string BatchSymbolOf(const TypeInfo& type);
// The axis of positions: one that is called a time or a length, else the only free one that is not
// the batch, else the one after it of at least three. Nothing: there is one position.
std::optional<size_t> TimeAxisOf(const TypeInfo& type, size_t batch);

// The frames of the last `added` positions: an id stands for made-up numbers, padding is 0.
// InvalidArgument, with the input's name, if further dimensions are free.
absl::StatusOr<Value> FramesOf(const ValueInfo& input, const DecoderRoles& roles,
                               const TokenBlock& all, int64_t added);

// A result as [rows, positions, numbers]; with one position if it has none of its own.
// InvalidArgument, with its name, if it is not of so many rows.
absl::StatusOr<Tensor> ByPosition(const ValueInfo& output, const Tensor& result,
                                  const DecoderRoles& roles, int64_t rows, int64_t positions);

}  // namespace onnxcmp

#endif  // ONNXCMP_GENERATE_FRAMES_H_
