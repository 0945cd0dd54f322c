// A model as a side that a runtime runs: its graph is known, its values come from the runtime.
#ifndef ONNXCMP_COMPARE_SIDES_RUNTIME_SIDE_H_
#define ONNXCMP_COMPARE_SIDES_RUNTIME_SIDE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compare/sides/failing_node.h"
#include "compare/sides/model_side.h"
#include "compare/sides/node_batch.h"
#include "compare/sides/runtime_results.h"
#include "compare/sides/side.h"
#include "compare/sides/side_summary.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/value.h"
#include "record/graphs/ahead_runner.h"
#include "record/graphs/node_runner.h"
#include "record/runtimes/runtime.h"

namespace onnxcmp {

class RuntimeSide : public Side, public AheadRunner {
 public:
  // Starts the runtime to ask what it is. `model`: the same in our interpreter, which runs what the
  // runtime does not give, on its values. `source`: what it is called; "": by its file.
  static absl::StatusOr<std::unique_ptr<RuntimeSide>> Create(std::unique_ptr<Side> model,
                                                             std::shared_ptr<Runtime> runtime,
                                                             const std::string& source = "");

  const SideSummary& summary() const override { return summary_; }
  const Evaluator* evaluator() const override { return model_->evaluator(); }
  const Feeds* feeds() const override { return model_->feeds(); }
  NodeRunner* node_runner() const override { return const_cast<RuntimeSide*>(this); }
  std::unique_ptr<Side> Again() const override;
  void SetFeeds(Feeds feeds) override;
  std::unique_ptr<RecordRun> StartRecord(const RecordOptions& options,
                                         RecordVisitor visit) override;
  absl::Status Revisit(const std::vector<bool>& wanted, Observer* watcher, Visitor visit) override;

  absl::StatusOr<std::vector<Value>> RunNode(int64_t index, absl::Span<const Value> inputs,
                                             const Feeds& captures) override;
  void RunAhead(std::vector<NodeOnValues> nodes) override;
  bool runs_model() const override { return runs_model_; }
  std::string name() const override { return summary_.ran_in; }

  const std::shared_ptr<Runtime>& runtime() const { return runtime_; }
  // True if outputs of the last Record() are others when all results are outputs.
  bool DiffersWhenFused() const {
    return results_ != nullptr && !results_->changed_by_marks().empty();
  }
  // True if the last Record() of both gave the same outputs, as RuntimeResults has it.
  bool HasOutputsOf(const RuntimeSide& other, bool exactly) const {
    return results_ != nullptr && other.results_ != nullptr &&
           results_->HasOutputsOf(*other.results_, exactly);
  }
  // Results that the last Record() had of the runtime; null if there are none.
  const RuntimeResults* results() const { return results_.get(); }
  // The node that made the last Record() fail, if one could be found.
  const FailingNode* failing_node() const { return failing_.has_value() ? &*failing_ : nullptr; }

 private:
  class Recording;
  class Shower;
  RuntimeSide(std::unique_ptr<Side> model, std::shared_ptr<Runtime> runtime);
  void FindWhatFails();

  std::unique_ptr<Side> model_;
  std::shared_ptr<Runtime> runtime_;
  std::unique_ptr<RuntimeResults> results_;  // the last Record()'s
  std::optional<FailingNode> failing_;       // the same
  std::unique_ptr<NodeBatch> batch_;         // nodes that ran ahead
  SideSummary summary_;
  DType precision_ = DType::kUndefined;  // RuntimeInfo::precision
  bool runs_model_ = true;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_RUNTIME_SIDE_H_
