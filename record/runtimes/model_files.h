// Models as files that a runtime can load.
#ifndef ONNXCMP_RECORD_RUNTIMES_MODEL_FILES_H_
#define ONNXCMP_RECORD_RUNTIMES_MODEL_FILES_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"
#include "record/runtimes/runtime.h"

namespace onnxcmp {

// ResourceExhausted for a model over 2 GB.
absl::Status WriteModelFile(const Model& model, const std::string& path);

void RemoveModelFile(const std::string& path);

// True if runtimes can load the file that a model was loaded from: binary, not text.
bool IsBinaryFile(const Model& model);
// True if all results have their names in that file, too: no function was inlined anywhere.
bool NamesAreOfFile(const Model& model);

// Names of a graph whose values are in the file.
absl::flat_hash_set<absl::string_view> ConstantNames(const Graph& graph);

// A model of one node of the main graph. What the node reads of initializers and constants is an
// initializer; what else it reads, and what its graphs capture, is fed, and is in *feeds then.
// `inputs` and `captures` as Evaluator::RunNode() has them.
absl::StatusOr<Model> OneNodeModel(const Model& model, int64_t index,
                                   absl::Span<const Value> inputs, const Feeds& captures,
                                   Feeds* feeds);

// Loads and runs a model that is in memory.
absl::StatusOr<RuntimeValues> RunModelFile(const Model& model, const Feeds& feeds,
                                           Runtime* runtime);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_RUNTIMES_MODEL_FILES_H_
