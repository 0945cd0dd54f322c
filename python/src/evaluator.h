// Models that Python runs.
#ifndef ONNXCMP_PYTHON_SRC_EVALUATOR_H_
#define ONNXCMP_PYTHON_SRC_EVALUATOR_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "absl/status/statusor.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/run/evaluator.h"
#include "python/src/values.h"
#include "python/src/watched.h"

namespace onnxcmp::python {

struct PyEvaluator {
  std::shared_ptr<const OpRegistry> registry;
  std::optional<Evaluator> evaluator;

  const Graph& graph() const { return evaluator->model().graph; }
};

// A list of (name, value) as feeds of this graph.
Feeds ToFeeds(const Graph& graph, const nanobind::sequence& given, SharedArrays* shared);

// Runs a model, watched; what `observer` (may be null) sees, it sees on another thread.
absl::StatusOr<std::vector<Value>> RunWatched(const PyEvaluator& self, const Feeds& feeds,
                                              Observer* observer, const Watch& watch);

void BindEvaluator(nanobind::module_& module);

}  // namespace onnxcmp::python

#endif  // ONNXCMP_PYTHON_SRC_EVALUATOR_H_
