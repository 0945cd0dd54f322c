// Runs a model in double in step with its own run, and measures each result as it appears.
#ifndef ONNXCMP_COMPARE_IN_DOUBLE_SHADOW_RUN_H_
#define ONNXCMP_COMPARE_IN_DOUBLE_SHADOW_RUN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compare/in_double/shadow.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/run/on_results.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/value.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// Observes a model's own run. Values in double are held while one node of the main graph runs.
class ShadowRun : public Observer {
 public:
  // `inner` observes the run, too, and may be null; `max_depth` as in StreamRecorder. Up to
  // `keep_values` bytes of the results of one main graph node are held; others are not measured.
  ShadowRun(const Evaluator& evaluator, const Feeds& feeds, Observer* inner, int max_depth,
            int64_t keep_values);

  void OnNodeStart(const NodeStart& start) override;
  void OnGraphStart(const GraphStart& start) override;
  absl::Status OnResult(const Result& result, std::optional<Value>* replacement) override;

  // Called after the run. `stream` is its record.
  SideShadow Finish(const ResultStream& stream);
  // The main graph's outputs in double, by the number of their results.
  std::vector<std::pair<int, Value>> TakeOutputs() { return std::move(outputs_); }

 private:
  class Collector {
   public:
    explicit Collector(int64_t keep_values) : keep_values_(keep_values) {}
    void Add(const Result& result);
    // Nothing if there was no such result; an empty value if it was not kept.
    std::optional<Value> Take(const Result& result);
    // The name of a result that was not taken, "" if there is none. Forgets all of them.
    std::string TakeRest();

   private:
    int64_t keep_values_;
    int64_t bytes_ = 0;
    absl::node_hash_map<std::string, Value> values_;
  };

  void Step();
  void Compare(const Result& result, const std::optional<Value>& in_double);
  void NoteFlow(std::string name);

  Observer* inner_;
  int max_depth_;
  Collector collector_;
  OnResults on_results_in_double_;
  std::optional<Evaluator> evaluator_;
  std::optional<Run> run_;
  bool more_ = true;
  int64_t steps_ = 0;    // main graph nodes that have run in double
  int64_t node_ = -1;    // the running node
  int next_ = 0;         // number of the next result
  bool inside_ = false;  // something changed inside the running node
  SideShadow shadow_;
  std::vector<int> changed_;  // results
  std::vector<std::pair<int, Value>> outputs_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_IN_DOUBLE_SHADOW_RUN_H_
