// Runs a test as ONNX's backend test data lay them out.
#ifndef ONNXCMP_TESTS_SUPPORT_TEST_FOLDER_H_
#define ONNXCMP_TESTS_SUPPORT_TEST_FOLDER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/run/evaluator.h"
#include "tests/support/mismatch.h"

namespace onnxcmp::testing {

// Runs `folder`/model.onnx on every test_data_set_N, feeding input_K.pb to its K-th input, and
// compares its K-th output with output_K.pb, bfloat16 with a relative tolerance of 2^-6 at least.
// Returns what differs, a text for each output that
// does. An error: the test could not be run, or there is nothing to compare (no data set, or one
// without a file for every output).
absl::StatusOr<std::vector<std::string>> RunTestFolder(const std::string& folder,
                                                       const OpRegistry& registry,
                                                       const EvaluatorOptions& options,
                                                       const Tolerance& tolerance);

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_SUPPORT_TEST_FOLDER_H_
