// A side of a comparison: a model that runs on given inputs, or a recording of results.
#ifndef ONNXCMP_COMPARE_SIDES_SIDE_H_
#define ONNXCMP_COMPARE_SIDES_SIDE_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compare/sides/recorded_layout.h"
#include "compare/sides/side_summary.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/value.h"
#include "feed/feeds.h"
#include "record/graphs/node_runner.h"
#include "record/streams/fingerprint_cache.h"
#include "record/streams/result_stream.h"
#include "record/streams/stream_recorder.h"

namespace onnxcmp {

class SharedNodes;  // compare/sides/shared_nodes.h

struct RecordOptions {
  // Results of deeper subgraphs are left out.
  int max_depth = std::numeric_limits<int>::max();
  const ThreadPool* pool = nullptr;   // for fingerprints of large tensors; may be null
  FingerprintCache* cache = nullptr;  // shared by both sides; null: one of its own
  SharedNodes* shared = nullptr;      // with another run; null: every node runs
  bool glance = false;                // as StreamRecorderOptions::glance
  bool modules = false;               // nodes record their module and attributes
  Observer* watcher = nullptr;        // sees a run before its results are recorded; may be null
};

// A Record() in progress, so that two sides can run in lock step.
class RecordRun {
 public:
  virtual ~RecordRun() = default;
  // Runs the next node of the main graph. True while there is more to do.
  virtual bool Step() = 0;
  // Requires that Step() has returned false.
  virtual ResultStream TakeStream() = 0;
};

class Side {
 public:
  // Receives a result with its number in the stream. An error ends the pass.
  using Visitor = absl::FunctionRef<absl::Status(int result, const Value& value)>;
  // The same for a result that has just been recorded.
  using RecordVisitor =
      absl::FunctionRef<absl::Status(int number, const StreamResult& result, const Value& value)>;

  virtual ~Side() = default;

  // Its status is that of the last Record().
  virtual const SideSummary& summary() const = 0;

  // The model and its feeds; null for a recording. Node i of the stream need not be node i of the
  // model.
  virtual const Evaluator* evaluator() const { return nullptr; }
  virtual const Feeds* feeds() const { return nullptr; }

  // The runtime that runs the model, null if our interpreter does. The evaluator then knows the
  // model, and computes the correct values of the side's results.
  virtual NodeRunner* node_runner() const { return nullptr; }

  // Another side of the same loaded model, without feeds; null for a recording.
  virtual std::unique_ptr<Side> Again() const { return nullptr; }

  // Sets the inputs of the next Record() of a model; ignored by a recording.
  virtual void SetFeeds(Feeds /*feeds*/) {}  // NOLINT(performance-unnecessary-value-param)
  // Number of sets of results in a recording, and the choice of the one that other calls refer to;
  // 1 for a model.
  virtual int64_t sets() const { return 1; }
  virtual void ChooseSet(int64_t /*set*/) {}
  // "test_data_set_0"; "" if there is only one.
  virtual std::string SetName() const { return ""; }
  // The recorded values of the inputs of `model`, which are no results of the recording from then
  // on; nothing for a model.
  virtual absl::StatusOr<InputsOfRecording> RecordedInputs(const Graph& /*model*/) {
    return InputsOfRecording();
  }

  // Sets the layout in which a recording shows a result of its last Record(); ignored by a model.
  virtual void SetLayout(int /*result*/, RecordedLayout /*layout*/) {}  // NOLINT(performance-*)

  // Records all results and shows each value, in order. If the run fails, the stream holds the
  // results up to then and summary().status has the reason.
  ResultStream Record(const RecordOptions& options, RecordVisitor visit);
  // The same, step by step. The side and anything that `visit` refers to must outlive the run.
  virtual std::unique_ptr<RecordRun> StartRecord(const RecordOptions& options,
                                                 RecordVisitor visit) = 0;
  // Replaces a Record() of a model: `same` has the same model and feeds, and has just been recorded
  // with these options.
  virtual void TakeRecordOf(const Side& /*same*/, const RecordOptions& /*options*/) {}

  // Shows the values of some results of that stream once more, with the same bits, in order.
  // `wanted` is by result; results beyond its end are not wanted. The watcher as in RecordOptions.
  virtual absl::Status Revisit(const std::vector<bool>& wanted, Observer* watcher,
                               Visitor visit) = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_SIDE_H_
