// The smallest model that still fails as a given one does.
#ifndef ONNXCMP_TOOLS_REDUCE_REDUCE_H_
#define ONNXCMP_TOOLS_REDUCE_REDUCE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/kernels/op_registry.h"
#include "tools/parts/checked_model.h"
#include "tools/parts/known_model.h"
#include "tools/parts/part.h"
#include "tools/reduce/candidate.h"
#include "tools/reduce/failure_test.h"

namespace onnxcmp {

struct ReduceProgress {
  std::string step;  // "nodes"
  int nodes = 0;     // of the best so far
  int64_t runs = 0;
};

struct Reduced {
  ReduceCandidate best;
  int nodes_before = 0;
  ReduceTrial first;  // of the whole model
  ReduceTrial last;   // of the best
  int64_t runs = 0;
  int64_t resumed = 0;  // answers of an earlier call
  int64_t invalid = 0;  // candidates that were not tried, since a check refused them
  // The best did not fail when it was tried once more: answers are a matter of chance.
  bool unstable = false;
  // A model without any of the whole one's nodes fails, too.
  bool fails_without_nodes = false;
  OnnxChecks checks;
  std::vector<std::string> changes;
};

struct ReduceOptions {
  KnownModelOptions model;
  int jobs = 1;
  std::string journal;                                    // "": none
  std::function<void(const ReduceProgress&)> progress;    // may be null
  std::function<absl::Status(const Reduced&)> on_better;  // for each better one; may be null
};

// `whole`: as ReadWholeModel() gives it, with values for its inputs. FailedPrecondition, with how
// it went, if it does not fail. The same result whatever the number of jobs.
absl::StatusOr<Reduced> Reduce(FedModel whole, const OpRegistry& registry,
                               const ReduceOptions& options, FailureTest* test);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_REDUCE_REDUCE_H_
