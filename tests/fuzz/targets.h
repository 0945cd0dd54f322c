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

// A model against what ModelMutator(seed) makes of it, or itself: the proof that they are equal, at
// these sizes and at others.
absl::Status ProveModels(uint64_t seed, absl::string_view bytes);
absl::Status ProveModels(absl::string_view bytes);

// A model that is reduced to what still has the operator of a node that the seed picks; the seed
// are the first eight bytes.
absl::Status ReduceModel(absl::string_view bytes);

// A model beside a changed one as text, JSON, numbers, drawings and in ONNX's syntax.
absl::Status ShowModel(absl::string_view bytes);

// Internal, with its begin, if a text is no JSON.
absl::Status CheckJson(const std::string& text);

// A recording in a JSON file, a folder or an archive, as the first byte says. Of the last two the
// rest is their files: a byte for the name, two for the size, the content.
absl::Status ReadRecordings(absl::string_view bytes);

// What a runtime answers: the first byte says whether the rest is the lines of the protocol, its
// name and options, or an entry of a value and its file.
absl::Status AskAdapter(absl::string_view bytes);

// A file of values: the first byte says of which kind (.npy, .npz, .safetensors, .pb), the rest is
// the file.
absl::Status ReadValues(absl::string_view bytes);

}  // namespace onnxcmp::fuzz

#endif  // ONNXCMP_TESTS_FUZZ_TARGETS_H_
