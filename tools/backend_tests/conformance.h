// Operators by runtimes: what of ONNX's backend tests each of them passes.
#ifndef ONNXCMP_TOOLS_BACKEND_TESTS_CONFORMANCE_H_
#define ONNXCMP_TOOLS_BACKEND_TESTS_CONFORMANCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "evaluator/kernels/op_registry.h"
#include "evaluator/load/load_model.h"
#include "tools/backend_tests/backend_test.h"

namespace onnxcmp {

// The operator that a test is for, by its model.
struct TestedOperator {
  std::string op_type;  // the last node's, after its domain if that is not ai.onnx
  int64_t opset = 0;
  std::string type;  // "float": the first input's
};

struct Conformance {
  struct Column {
    std::string runtime;                       // "onnxruntime 1.32.0 CPU"
    std::vector<BackendTestOutcome> outcomes;  // by test
  };
  std::vector<std::string> tests;  // names
  std::vector<TestedOperator> operators;
  std::vector<Column> columns;
};

// The operator of a test's folder; empty fields where its model cannot be loaded.
TestedOperator OperatorOf(const std::string& folder, const OpRegistry& registry,
                          const LoadOptions& load);

// A line an operator, a column a runtime: how many tests, and of those that did not pass how many
// were wrong, refused, crashed. Then those that were wrong or crashed, with the first line of why.
std::string ConformanceTable(const Conformance& conformance);
std::string ConformanceMarkdown(const Conformance& conformance);
// Every test with its operator, opset and type, and what each runtime made of it.
std::string ConformanceJson(const Conformance& conformance);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_BACKEND_TESTS_CONFORMANCE_H_
