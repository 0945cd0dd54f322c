// A model as a side: runs when its results are requested, and again when they are needed again.
#ifndef ONNXCMP_COMPARE_SIDES_MODEL_SIDE_H_
#define ONNXCMP_COMPARE_SIDES_MODEL_SIDE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compare/sides/side.h"
#include "compare/sides/side_summary.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/load/load_model.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/run/result.h"

namespace onnxcmp {

class ModelSide : public Side {
 public:
  // Loads the file and binds it to kernels. The registry must outlive the side.
  static absl::StatusOr<std::unique_ptr<ModelSide>> Open(const std::string& path,
                                                         const OpRegistry& registry,
                                                         const LoadOptions& load = {},
                                                         const EvaluatorOptions& options = {});
  // Takes a model that is already loaded.
  static absl::StatusOr<std::unique_ptr<ModelSide>> Create(std::shared_ptr<const Model> model,
                                                           const OpRegistry& registry,
                                                           const EvaluatorOptions& options = {});

  const Graph& graph() const { return evaluator_.model().graph; }
  const SideSummary& summary() const override { return summary_; }
  const Evaluator* evaluator() const override { return &evaluator_; }
  const Feeds* feeds() const override { return &feeds_; }
  std::unique_ptr<Side> Again() const override;
  void SetFeeds(Feeds feeds) override { feeds_ = std::move(feeds); }
  std::unique_ptr<RecordRun> StartRecord(const RecordOptions& options,
                                         RecordVisitor visit) override;
  void TakeRecordOf(const Side& same, const RecordOptions& options) override;
  absl::Status Revisit(const std::vector<bool>& wanted, Observer* watcher, Visitor visit) override;

 private:
  class Recording;
  ModelSide(Evaluator evaluator, const OpRegistry& registry, SideSummary summary);

  const OpRegistry& registry_;
  Evaluator evaluator_;
  Feeds feeds_;
  SideSummary summary_;
  int max_depth_ = 0;  // that of the last Record()
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_MODEL_SIDE_H_
