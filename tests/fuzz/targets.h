// The fuzz targets, which get bytes from libFuzzer. The tests call them with the inputs that were
// kept.
//
// All of it runs on one thread, under limits small enough that whatever takes seconds is a finding.
// An error is what hostile bytes should lead to; Internal errors are mistakes of ours, and are
// returned.
#ifndef ONNXCMP_TESTS_FUZZ_TARGETS_H_
#define ONNXCMP_TESTS_FUZZ_TARGETS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp::fuzz {

// Every operator, made once.
const OpRegistry& Registry();

// A model, serialized or as text, runs on inputs made up for it: plainly, through the bodies that
// ONNX's schemas give its operators, in double, with its functions kept.
absl::Status RunModel(absl::string_view bytes);

// A model against what ModelMutator(seed) makes of it: compared with causes, in double and in
// depth, printed in every form, and as the classic table.
absl::Status CompareModels(uint64_t seed, absl::string_view bytes);

// The seed are the first eight bytes.
absl::Status CompareModels(absl::string_view bytes);

// A file of values: the first byte says of which kind (.npy, .npz, .safetensors, .pb), the rest is
// the file.
absl::Status ReadValues(absl::string_view bytes);

}  // namespace onnxcmp::fuzz

#endif  // ONNXCMP_TESTS_FUZZ_TARGETS_H_
