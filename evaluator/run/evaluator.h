// Runs models.
//
//   onnxcmp::OpRegistry registry = onnxcmp::AllOperators();
//   auto model = onnxcmp::LoadModel("model.onnx", registry);
//   auto evaluator = onnxcmp::Evaluator::Create(*model, registry);
//   auto outputs = evaluator->Run({{"x", onnxcmp::Tensor::Of<float>({2}, {1, 2})}});
//   (*outputs)[0].tensor().AsSpan<float>()
#ifndef ONNXCMP_EVALUATOR_RUN_EVALUATOR_H_
#define ONNXCMP_EVALUATOR_RUN_EVALUATOR_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/base/memory_account.h"
#include "evaluator/base/spare_memory.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/model/model.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// The default of EvaluatorOptions::max_tensor: enough for the attention weights of a long sequence,
// far from what would bring a machine down.
inline constexpr int64_t kDefaultMaxTensor = int64_t{4} << 30;

struct EvaluatorOptions {
  int threads = 0;    // 0: one for each core
  uint64_t seed = 0;  // of random operators
  // Bytes that one tensor may take, at least 1. It also bounds the characters of a tensor's
  // strings, and the time of a node, in proportion (docs/limits.md).
  int64_t max_tensor = kDefaultMaxTensor;
  // Bytes that what nodes give may take together in one run, as long as it is still read, the
  // characters of strings included. What the model and the feeds hold and a kernel's own vectors do
  // not count. 0: any number.
  int64_t max_memory = 0;
  // An account for several evaluators and runs, and for inputs that are made up for them
  // (GeneratedInputs::memory): it bounds what they hold together, in place of max_memory, and has
  // its own spare memory. Null: each run has an account of its own.
  std::shared_ptr<MemoryAccount> memory = nullptr;
  // Nodes that a run may come to, those of subgraphs in every iteration, each start of a subgraph
  // counted as one too; 0: any number.
  int64_t max_steps = 0;
  // Every operator that ONNX defines by others runs through that body, though there is a kernel
  // (which stays for inputs that the body is not defined for). Results inside a body are not
  // reported. Operators without a kernel run so in any case.
  bool expand_functions = false;
  // Floats of 16 and 32 bits are double wherever a node reads them, what a node gives is, and casts
  // between floating types do not round; everything else is as it is. Feeds keep the declared
  // types. Results are reported as they then are, initializers and inputs as they were.
  bool in_double = false;
  // Where large tensors get their memory from and leave it: with one object for several evaluators
  // and runs, one takes what another has left. Null: each run has its own.
  std::shared_ptr<SpareMemory> spare_memory = nullptr;
  // Once it is true no further node runs: Cancelled. Null: a run is not stopped.
  std::shared_ptr<const std::atomic<bool>> stop = nullptr;
};

using Feeds = absl::flat_hash_map<std::string, Value>;

struct Plan;      // plan.h
class Execution;  // a run that is under way

// A run that can be stepped, so that two can go in lock step.
class Run {
 public:
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;
  ~Run();

  // Runs the next node of the main graph (the first call also reports initializers and inputs, the
  // last one the outputs). True while there is more to do. After an error the run is over.
  absl::StatusOr<bool> Step();
  // The graph's outputs in order; requires that Step() has returned false.
  std::vector<Value> TakeOutputs();

 private:
  friend class Evaluator;
  explicit Run(std::unique_ptr<Execution> execution);
  std::unique_ptr<Execution> execution_;
};

// A model bound to kernels. Immutable after creation: several runs may use it at a time.
class Evaluator {
 public:
  // Unimplemented, naming all nodes that cannot run with their call paths; InvalidArgument for
  // nodes that no schema allows.
  static absl::StatusOr<Evaluator> Create(std::shared_ptr<const Model> model,
                                          const OpRegistry& registry,
                                          const EvaluatorOptions& options = {});
  Evaluator(Evaluator&&) noexcept;
  Evaluator& operator=(Evaluator&&) noexcept;
  ~Evaluator();

  const Model& model() const { return *model_; }
  // The registry and the options that it was created with, to run parts of the model as models of
  // their own.
  const OpRegistry& registry() const { return *registry_; }
  const EvaluatorOptions& options() const { return options_; }

  // The same once more: model, kernels and threads are shared.
  Evaluator Share() const { return *this; }
  // The same model in double (EvaluatorOptions::in_double), all else as it is here.
  absl::StatusOr<Evaluator> InDouble() const;

  // Values for the graph's inputs by name; inputs that have an initializer may be left out. Feeds
  // must have the declared kind, dtype, rank and fixed dimensions.
  // Errors name call path, node, operator, input dtypes and shapes.
  absl::StatusOr<std::vector<Value>> Run(const Feeds& feeds, Observer* observer = nullptr) const;
  // The same, a step at a time. The observer (may be null) must outlive the run.
  absl::StatusOr<onnxcmp::Run> Start(const Feeds& feeds, Observer* observer = nullptr) const;

  // Runs node `index` of model().graph on given values, as the search for causes does: nothing is
  // planned, loaded or reported, so that it costs what the node costs. Several threads may do so at
  // a time, beside whole runs.
  //
  // One value for each of the node's inputs in order, empty for those that it leaves out; they may
  // have other shapes and types than in a run, as far as the operator allows. `captures`: what its
  // subgraphs read of the main graph, by the names that CapturesOf() lists; names that are
  // initializers of the main graph may be left out. Names without a reader are ignored.
  //
  // Returns a value for each of the node's outputs (empty: not wanted). They have the same bits as
  // in a run on the same inputs; random operators draw the same numbers. InvalidArgument for an
  // index that is none, a wrong number of inputs, or a capture without a value; else errors as a
  // run has them.
  absl::StatusOr<std::vector<Value>> RunNode(int64_t index, absl::Span<const Value> inputs,
                                             const Feeds& captures = {}) const;
  // Values of the main graph that the subgraphs of node `index` read, at any depth; none for an
  // index that is none.
  std::vector<std::string> CapturesOf(int64_t index) const;

 private:
  Evaluator(std::shared_ptr<const Model> model, std::shared_ptr<const OpRegistry> registry,
            EvaluatorOptions options, std::shared_ptr<const Plan> plan,
            std::shared_ptr<const ThreadPool> pool);
  Evaluator(const Evaluator&);
  std::shared_ptr<const Model> model_;
  std::shared_ptr<const OpRegistry> registry_;
  EvaluatorOptions options_;
  std::shared_ptr<const Plan> plan_;
  std::shared_ptr<const ThreadPool> pool_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_RUN_EVALUATOR_H_
