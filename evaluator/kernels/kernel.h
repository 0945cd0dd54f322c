// How an operator is written: a function that reads the node's attributes once, when the plan is
// made, and returns the kernel that runs.
//
//   // Flatten (ai.onnx 1, 9, 11, 13, 21, ...): (d_0 ... d_{axis-1}, d_axis ... d_n), a view.
//   Kernel Flatten(const KernelInit& node) {
//     int64_t axis = node.Int("axis");  // the default is the schema's
//     return [=](KernelContext& ctx) -> absl::Status {
//       OC_ASSIGN_OR_RETURN(Tensor x, ctx.ContiguousInput(0));
//       ...
//       return ctx.SetOutput(0, x.Reshaped({rows, columns}));
//     };
//   }
//   void RegisterFlatten(OpRegistry& registry) {
//     registry.Add(kOnnxDomain, "Flatten", {1, 9, 11, 13, 21, 23, 24, 25}, Flatten);
//   }
#ifndef ONNXCMP_EVALUATOR_KERNELS_KERNEL_H_
#define ONNXCMP_EVALUATOR_KERNELS_KERNEL_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/base/memory_account.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

class KernelContext;

// Runs a node once. Must be callable from several runs at a time: it keeps no state of its own.
using Kernel = std::function<absl::Status(KernelContext&)>;

// A number of a plan's subgraph, for KernelContext::RunSubgraph.
using SubgraphId = int;

// A node while its plan is made. Attributes were checked against the schema: names, types, required
// ones. An error of reading one is remembered and makes the plan fail, so reading needs no checks.
// An attribute that the node carries and the kernel never reads is an error of the plan
// (Unimplemented): it would have been ignored.
class KernelInit {
 public:
  // The value on the node, else the schema's default, else (neither) a remembered error. Overloads
  // with a fallback are for optional attributes that have no default in the schema.
  int64_t Int(absl::string_view name) const;
  int64_t Int(absl::string_view name, int64_t fallback) const;
  float Float(absl::string_view name) const;
  float Float(absl::string_view name, float fallback) const;
  bool Flag(absl::string_view name) const { return Int(name) != 0; }
  std::string String(absl::string_view name) const;
  std::string String(absl::string_view name, absl::string_view fallback) const;
  std::vector<int64_t> Ints(absl::string_view name) const;  // empty if absent without default
  std::vector<float> Floats(absl::string_view name) const;
  std::vector<std::string> Strings(absl::string_view name) const;
  std::optional<Tensor> TensorAttribute(absl::string_view name) const;
  std::optional<SparseTensor> SparseAttribute(absl::string_view name) const;
  std::optional<TypeInfo> TypeAttribute(absl::string_view name) const;
  // A remembered error if it is not there.
  SubgraphId Subgraph(absl::string_view name) const;
  // Declares that this attribute has no meaning for us. (consumed_inputs, the hint of opset 1 that
  // an input may be overwritten, has none for any operator; the kernels need not say so.)
  void Ignore(absl::string_view name) const;

  // True if the node itself carries the attribute (the schema's default does not count).
  bool Has(absl::string_view name) const;

  // since_version of the schema that the node resolved to, e.g. 13 for Softmax under opset 18.
  int version() const { return version_; }
  const Node& node() const { return *node_; }
  // True if the node names this input or output.
  bool HasInput(int index) const;
  bool HasOutput(int index) const;
  int num_inputs() const { return static_cast<int>(node_->inputs.size()); }
  int num_outputs() const { return static_cast<int>(node_->outputs.size()); }

 private:
  friend class PlanBuilder;
  KernelInit(const Node& node, int version,
             const std::map<std::string, Attribute, std::less<>>* defaults,
             const std::vector<std::string>* subgraph_names)
      : node_(&node), version_(version), defaults_(defaults), subgraph_names_(subgraph_names) {}
  const Attribute* Find(absl::string_view name) const;
  template <typename T>
  const T* Get(absl::string_view name) const;
  template <typename T>
  T Required(absl::string_view name) const;

  const Node* node_;
  int version_;
  const std::map<std::string, Attribute, std::less<>>* defaults_;
  const std::vector<std::string>* subgraph_names_;  // attribute name of each SubgraphId
  mutable absl::flat_hash_set<std::string> read_ = {"consumed_inputs"};
  mutable absl::Status error_;
};

// Makes the kernel of a node, or says why there is none, e.g. that no version knows an attribute's
// value. A maker that refuses nothing returns Kernel, which registers just as well.
using KernelMaker = std::function<absl::StatusOr<Kernel>(const KernelInit&)>;

// A node while it runs, as its kernel sees it. Input types were checked against the schema (type
// constraints, equal types for one type variable), and the number of inputs and outputs too.
//
// Where the schema allows one kind of values only, the input is of that kind, all the way down:
// seq(tensor(float)) is a Sequence whose elements are float tensors, a map has keys of rank 1 and
// as many values. Where it allows several (Identity, Loop, Optional), a kernel either hands
// InputValue() on as it is, or asks for the kind it means and returns the error that it gets:
//
//   OC_ASSIGN_OR_RETURN(const Sequence* sequence, ctx.SequenceInput(0));
//   OC_ASSIGN_OR_RETURN(const Tensor position, ctx.TensorInput(1));
//   const Value& value = ctx.InputValue(0);        // or looks itself:
//   if (value.is_optional() && value.optional().element == nullptr) ...
//   return ctx.SetOutput(0, Sequence{.element_dtype = dtype, .elements = std::move(elements)});
//
// An input that is given must be asked for (by any of the functions here that take its index), as
// an attribute must be read: a node is refused whose kernel returns a result without ever looking
// at one of its inputs. IgnoreInput() says that an input has no meaning for the result. Empty
// results are free of this, and so are the inputs after the first 64.
//
// A value that a kernel sets must be whole in the same sense: all elements of a sequence have one
// type, its element_dtype says the dtype of tensors even if there is none, an optional's
// element_dtype too; a map's keys have rank 1.
class KernelContext {
 public:
  virtual ~KernelContext() = default;

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }

  // False for an optional input that is left out.
  bool HasInput(int index) const {
    Ask(index);
    return index < num_inputs() && !inputs_[static_cast<size_t>(index)].empty();
  }
  // Declares that this input, given or not, has no meaning for the result.
  void IgnoreInput(int index) const { Ask(index); }
  // False if this output is not wanted; setting it then does nothing.
  bool HasOutput(int index) const {
    return index < num_outputs() && wanted_[static_cast<size_t>(index)];
  }

  // Requires HasInput. Tensors may be strided views.
  const Value& InputValue(int index) const {
    Ask(index);
    return inputs_[static_cast<size_t>(index)];
  }
  // Requires HasInput and a schema that allows only tensors here.
  const Tensor& Input(int index) const { return InputValue(index).tensor(); }
  // Errors if the input is left out or of another kind. The pointers hold while the kernel runs.
  absl::StatusOr<Tensor> TensorInput(int index) const;
  absl::StatusOr<const Sequence*> SequenceInput(int index) const;
  absl::StatusOr<const Optional*> OptionalInput(int index) const;
  absl::StatusOr<const Map*> MapInput(int index) const;
  absl::StatusOr<const SparseTensor*> SparseInput(int index) const;
  // Row-major, copied (on the pool's threads, within EvaluatorOptions::max_tensor) if it has to be.
  // Kernels call this and not Tensor::Contiguous, which knows neither threads nor limit.
  absl::StatusOr<Tensor> Contiguous(const Tensor& tensor) const;
  // The next three are errors too for an input that is no tensor.
  absl::StatusOr<Tensor> ContiguousInput(int index) const;
  // The values of an integer tensor of any rank in row-major order (axes, shapes, pads, ...).
  absl::StatusOr<std::vector<int64_t>> IntsInput(int index) const;
  // The one element of a tensor of any rank, as C (float, double, int64_t, uint64_t, bool,
  // complex).
  template <typename C>
  absl::StatusOr<C> ScalarInput(int index) const;

  // A new tensor, within the run's limits for one tensor and for all together.
  absl::StatusOr<Tensor> Allocate(DType dtype, absl::Span<const int64_t> shape) const;
  // An error if a tensor of this type could not be allocated within the limit, for views that show
  // more elements than there are: whoever reads them may have to copy them.
  absl::Status CheckSize(DType dtype, absl::Span<const int64_t> shape) const;

  absl::Status SetOutput(int index, Value value);

  // For operators with subgraphs. `inputs` go to the subgraph's inputs by position, outer values
  // are seen by name. `label` tells results apart in the path: "then_branch", or the iteration's
  // number.
  virtual absl::StatusOr<std::vector<Value>> RunSubgraph(SubgraphId subgraph,
                                                         std::vector<Value> inputs,
                                                         absl::string_view label) = 0;
  // Inputs and outputs of a subgraph as declared.
  virtual const Graph& SubgraphOf(SubgraphId subgraph) const = 0;

  const ThreadPool& pool() const { return *pool_; }
  // Seed of this run and of this node, for operators that draw random numbers: the same for the
  // same model, seed and node, whatever ran before.
  virtual uint64_t random_seed() const { return random_seed_; }

 protected:
  KernelContext() = default;
  friend class Execution;
  // Kernels may do so in tasks of their own.
  void Ask(int index) const {
    if (index < 0 || index >= 64) return;
    const uint64_t bit = uint64_t{1} << index;
    if ((asked_.load(std::memory_order_relaxed) & bit) == 0) {
      asked_.fetch_or(bit, std::memory_order_relaxed);
    }
  }
  // The first input that is given and was never asked for; -1 if there is none.
  int UnreadInput() const;
  absl::Span<const Value> inputs_;
  std::vector<Value> outputs_;
  absl::InlinedVector<bool, 2> wanted_;
  const ThreadPool* pool_ = nullptr;
  uint64_t random_seed_ = 0;
  mutable std::atomic<uint64_t> asked_ = 0;  // bit i: input i
  int64_t max_tensor_ = 0;                   // bytes one tensor may take
  std::shared_ptr<MemoryAccount> account_;   // of all tensors; null: not counted
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_KERNELS_KERNEL_H_
