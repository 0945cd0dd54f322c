// Results that a runtime gives for a model on some inputs: its outputs as it runs by itself, and
// every result as it runs with all of them marked as outputs, in slices if memory asks for it.
#ifndef ONNXCMP_COMPARE_SIDES_RUNTIME_RESULTS_H_
#define ONNXCMP_COMPARE_SIDES_RUNTIME_RESULTS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"
#include "record/runtimes/runtime.h"

namespace onnxcmp {

class RuntimeResults {
 public:
  // Both must outlive the object.
  RuntimeResults(const Model& model, Runtime* runtime) : model_(model), runtime_(*runtime) {}
  ~RuntimeResults();
  RuntimeResults(const RuntimeResults&) = delete;
  RuntimeResults& operator=(const RuntimeResults&) = delete;

  // Runs it. An error is why there are no outputs; results that it does not give are in a note.
  absl::Status Run(const Feeds& feeds);

  // An output as the runtime gives it by itself; empty if it does not.
  absl::StatusOr<Value> Output(const std::string& name) const;
  // A result of the main graph while all are outputs; empty if there is none.
  absl::StatusOr<Value> Result(const std::string& name) const;
  bool HasResult(const std::string& name) const { return slice_of_.contains(name); }

  // True if another run has the same outputs, but for the order in which numbers are added;
  // `exactly`: but for their last bits.
  bool HasOutputsOf(const RuntimeResults& other, bool exactly) const;

  const std::vector<std::string>& notes() const { return notes_; }
  // Outputs that change when all results are marked as outputs: their differences depend on fusion.
  const std::vector<std::string>& changed_by_marks() const { return changed_; }

 private:
  absl::StatusOr<RuntimeValues> RunOnce(const std::string& model,
                                        const std::vector<std::string>& marks, const Feeds& feeds);
  // With these marked; with fewer at a time if that fails.
  void RunMarked(const std::vector<std::string>& marks, const Feeds& feeds);
  std::vector<std::string> ResultsToMark() const;
  absl::Status FindChanged();

  const Model& model_;
  Runtime& runtime_;
  std::string file_;
  RuntimeValues plain_;
  std::vector<RuntimeValues> slices_;
  absl::flat_hash_map<std::string, size_t> slice_of_;
  std::vector<std::string> missing_;
  absl::Status first_failure_;  // a marked run's
  int failures_ = 0;
  int deaths_ = 0;
  std::vector<std::string> notes_;
  std::vector<std::string> changed_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_RUNTIME_RESULTS_H_
