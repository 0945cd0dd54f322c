// Records the fingerprint and node of every result while a model runs. Keeps no values.
#ifndef ONNXCMP_RECORD_STREAMS_STREAM_RECORDER_H_
#define ONNXCMP_RECORD_STREAMS_STREAM_RECORDER_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/model/model.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/value.h"
#include "record/streams/fingerprint.h"
#include "record/streams/fingerprint_cache.h"
#include "record/streams/node_facts.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

struct StreamRecorderOptions {
  // Results of deeper subgraphs are left out.
  int max_depth = std::numeric_limits<int>::max();
  const ThreadPool* pool = nullptr;   // for large tensors; may be null
  FingerprintCache* cache = nullptr;  // shared by both sides; null: one of its own
  NodeFactsCache* facts = nullptr;    // the same
  // Only prescreen results and weights: for a run that repeats a known one.
  bool glance = false;
  // Outputs are values of their own, and need not be those of the results that they are.
  bool own_outputs = false;
  // Of a runtime: the type that it computes in, whatever the model says; kUndefined: none.
  std::optional<DType> runtime_precision = std::nullopt;
};

// Observes one run. If the input of a subgraph is the value of a result, such as a value that a
// loop carries from one iteration to the next, it counts as that result.
class StreamRecorder : public Observer {
 public:
  // The registry (for the schemas), the pool, the caches and the model that runs must outlive the
  // recorder.
  explicit StreamRecorder(const OpRegistry& registry, const StreamRecorderOptions& options = {});

  // Makes room for the results of a run, as far as the main graph tells.
  void Expect(const Graph& graph);

  void OnGraphStart(const GraphStart& start) override;
  absl::Status OnResult(const Result& result, std::optional<Value>* replacement) override;

  // The results recorded so far.
  const ResultStream& stream() const { return stream_; }
  // The stream without its source.
  ResultStream TakeStream() { return std::move(stream_); }

 private:
  // The value behind a name.
  struct Named {
    int result = kNone;
    uint64_t computation = 0;  // 0: absent
    DType dtype = DType::kUndefined;
    DType precision = DType::kUndefined;
  };
  // A graph that is running.
  struct Scope {
    const Node* owner = nullptr;  // null: the main graph
    const Graph* graph = nullptr;
    absl::flat_hash_map<absl::string_view, Named> names;  // views of the model's strings
    DType least = DType::kUndefined;                      // the least precision of its results
    DType inner = DType::kUndefined;  // that of the graphs that ran for its next node
    // The node whose outputs are being reported, and properties that they share.
    const Node* node = nullptr;
    int index = kNone;
    DType precision = DType::kUndefined;
    std::vector<uint64_t> inputs;
    std::vector<uint64_t> captures;
  };
  // Closes graphs until `depth` of them are open.
  void CloseTo(size_t depth);
  const Named* Find(absl::string_view name) const;
  Named FromContent(const Value& value) const;
  // The value of input i of a subgraph, if that is known; `before` is the previous iteration.
  const Named* Carried(const GraphStart& start, size_t i, const Scope* before) const;
  const Named* OwnersInput(const Node& owner, size_t i) const;
  void BeginNode(const Result& result, Scope* scope);
  Fingerprint LookAt(const Result& result);
  int Add(const Result& result, Fingerprint fingerprint);

  StreamRecorderOptions options_;
  ResultStream stream_;
  std::vector<Scope> scopes_;
  absl::flat_hash_map<const Initializer*, Named> initializers_;  // the subgraphs'
  FingerprintCache own_cache_;                                   // used if the options have none
  NodeFactsCache own_facts_;                                     // the same
};

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_STREAMS_STREAM_RECORDER_H_
