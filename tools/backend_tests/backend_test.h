// Tests in the layout of ONNX's backend tests: a folder with model.onnx and test_data_set_0,
// test_data_set_1, ..., each with input_0.pb, ... and the expected output_0.pb, ...
#ifndef ONNXCMP_TOOLS_BACKEND_TESTS_BACKEND_TEST_H_
#define ONNXCMP_TOOLS_BACKEND_TESTS_BACKEND_TEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/load/load_model.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"
#include "record/differences/tolerance.h"
#include "record/differences/value_difference.h"
#include "record/runtimes/runtime.h"

namespace onnx {
class ModelProto;
}  // namespace onnx

namespace onnxcmp {

// The tolerance of ONNX's own runner.
inline constexpr Tolerance kBackendTestTolerance = {1e-3, 1e-7};
// Two units in the last place. ONNX's runner allows them for bfloat16; here float16 gets them, too,
// since some expected values are that far from the exact ones.
inline constexpr double kBackendTestFloat16 = 0x1p-9;
inline constexpr double kBackendTestBfloat16 = 0x1p-6;

struct BackendTestOptions {
  std::optional<Tolerance> tolerance;  // for floats; nothing: ONNX's
  LoadOptions load;
  EvaluatorOptions evaluator;
  Runtime* runtime = nullptr;  // where the tests run; null: in our interpreter
};

enum class BackendTestResult : uint8_t {
  kPassed,
  kWrong,    // an output is another one
  kRefused,  // it was not run
  kCrashed,  // the runtime died, hung, or was short of memory
};

struct BackendTestOutcome {
  std::string name;    // the folder's
  std::string folder;  // its path
  bool passed = false;
  BackendTestResult result = BackendTestResult::kRefused;
  // Why it failed: a file that could not be read, a model that could not run, or for each wrong
  // output its element types and shapes, counts, greatest errors and the worst elements. If it
  // passed: outputs that could not be compared, or nothing.
  std::string text;
};

// The test folders among `paths` and directly inside them, sorted, each once. NotFound if a path is
// no folder or contains none.
absl::StatusOr<std::vector<std::string>> FindBackendTests(absl::Span<const std::string> paths);

// The values in PREFIX0.pb, PREFIX1.pb, ..., of the declared types. InvalidArgument if there are
// more than declared, or if one before the last is missing.
absl::StatusOr<std::vector<Value>> ReadTestValues(const std::string& prefix,
                                                  const std::vector<ValueInfo>& declared);

// Requires the expected element types and shapes, and equal integers. Floats must be within the
// tolerance, which tolerances.json in the folder or its parent overrides by the test's name, for
// integers too: {"test_x": {"rtol": 1e-2, "atol": 1e-5}}. expected_outputs.h has the rules for
// random numbers and transforms. Runs every set of data in the folder. Fails for a folder without
// data or without a model, unusable data or a missing output, and a model that cannot run.
BackendTestOutcome RunBackendTest(const std::string& folder, const OpRegistry& registry,
                                  const BackendTestOptions& options);

// Writes such a folder. If the inputs with a value are not exactly the required ones, no input
// without a value may come before one with a value.
absl::Status WriteBackendTest(const std::string& folder, const onnx::ModelProto& model,
                              const Feeds& feeds, const std::vector<Value>& outputs);

// Moves the external data of a model that was read from this path into the message.
absl::Status TakeInExternalData(const std::string& path, bool follow_links,
                                onnx::ModelProto* model);

// Writes such a folder for a run. The model is written as loaded: checked, sorted, with its
// functions inlined if `load` says so, and with its data inside.
absl::Status WriteBackendTest(const std::string& folder, const std::string& model,
                              const OpRegistry& registry, const LoadOptions& load,
                              const Feeds& feeds, const std::vector<Value>& outputs);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_BACKEND_TESTS_BACKEND_TEST_H_
