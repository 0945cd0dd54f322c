// What is compared: a model that runs on given inputs, or a recording of results.
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
#include "compare/graphs/node_runner.h"
#include "compare/inputs/feeds.h"
#include "compare/sides/recorded_layout.h"
#include "compare/sides/side_summary.h"
#include "compare/streams/fingerprint_cache.h"
#include "compare/streams/result_stream.h"
#include "compare/streams/stream_recorder.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

class SharedNodes;  // compare/sides/shared_nodes.h

struct RecordOptions {
  // Results of deeper subgraphs are left out.
  int max_depth = std::numeric_limits<int>::max();
  const ThreadPool* pool = nullptr;   // for fingerprints of large tensors; may be null
  FingerprintCache* cache = nullptr;  // of both sides; null: one of its own
  SharedNodes* shared = nullptr;      // with another run; null: every node runs
  bool glance = false;                // as StreamRecorderOptions::glance
  bool modules = false;               // nodes tell which module they come from
  Observer* watcher = nullptr;        // sees a run before its results are recorded; may be null
};

// A Record() under way, so that two sides can go in lock step.
class RecordRun {
 public:
  virtual ~RecordRun() = default;
  // Goes on by a node of the main graph. True while there is more to do.
  virtual bool Step() = 0;
  // Requires that Step() has returned false.
  virtual ResultStream TakeStream() = 0;
};

class Side {
 public:
  // Gets a result by its number in the stream. An error ends the pass.
  using Visitor = absl::FunctionRef<absl::Status(int result, const Value& value)>;
  // The same when it has just been recorded.
  using RecordVisitor =
      absl::FunctionRef<absl::Status(int number, const StreamResult& result, const Value& value)>;

  virtual ~Side() = default;

  // Its status is that of the last Record().
  virtual const SideSummary& summary() const = 0;

  // The model and what it is fed; null for a recording. Node i of the stream need not be node i of
  // the model.
  virtual const Evaluator* evaluator() const { return nullptr; }
  virtual const Feeds* feeds() const { return nullptr; }

  // What runs the model if that is not our interpreter, null if it is. The evaluator then knows the
  // model, and computes what the side's results ought to be.
  virtual NodeRunner* node_runner() const { return nullptr; }

  // Another side of the same model, which is not loaded once more, without feeds; null for a
  // recording.
  virtual std::unique_ptr<Side> Again() const { return nullptr; }

  // What the next Record() of a model runs on; nothing to a recording.
  virtual void SetFeeds(Feeds /*feeds*/) {}  // NOLINT(performance-unnecessary-value-param)
  // How many sets of results a recording holds, and which of them the other calls speak of; of a
  // model one, whatever it is fed.
  virtual int64_t sets() const { return 1; }
  virtual void ChooseSet(int64_t /*set*/) {}
  // "test_data_set_0"; "" if there is but one.
  virtual std::string SetName() const { return ""; }
  // What a recording says the inputs of `model` were, which are no results of it from then on; of a
  // model nothing.
  virtual absl::StatusOr<InputsOfRecording> RecordedInputs(const Graph& /*model*/) {
    return InputsOfRecording();
  }

  // In which layout a recording shows a result of its last Record() from now on; a model has none.
  virtual void SetLayout(int /*result*/, RecordedLayout /*layout*/) {}  // NOLINT(performance-*)

  // Takes all results down and shows each value, in order. If the run fails, the stream holds what
  // there was up to then and summary().status says why.
  ResultStream Record(const RecordOptions& options, RecordVisitor visit);
  // The same, a step at a time. What `visit` refers to and the side must outlive the run.
  virtual std::unique_ptr<RecordRun> StartRecord(const RecordOptions& options,
                                                 RecordVisitor visit) = 0;
  // In the place of a Record() of a model: `same` has the same model and feeds, and has just been
  // recorded with these options.
  virtual void TakeRecordOf(const Side& /*same*/, const RecordOptions& /*options*/) {}

  // Shows the values of some results of that stream once more, the same bits, in order. `wanted` is
  // by result; what it lacks at its end is not wanted. The watcher as in RecordOptions.
  virtual absl::Status Revisit(const std::vector<bool>& wanted, Observer* watcher,
                               Visitor visit) = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_SIDE_H_
