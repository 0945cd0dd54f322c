#include "evaluator/plan/plan.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/kernels/signature.h"
#include "evaluator/load/function_body.h"
#include "evaluator/model/node_text.h"
#include "evaluator/plan/function_plan.h"
#include "evaluator/plan/in_double.h"
#include "evaluator/tensor/dense.h"
#include "onnx/defs/schema.h"

namespace onnxcmp {
namespace {

// How many nodes an error about many of them names before it only counts.
constexpr size_t kMaxListed = 20;

// Bodies of operators in bodies of operators. ONNX's come to three or four.
constexpr int kMaxBodyDepth = 32;

// True if this input cannot be a dense tensor.
bool TakesSparseOnly(const Signature& signature, size_t input) {
  if (signature.inputs.empty()) return false;
  const ParameterType& type = signature.inputs[std::min(input, signature.inputs.size() - 1)];
  return type.tensor_dtypes == 0 && !type.others.empty() &&
         std::all_of(type.others.begin(), type.others.end(), [](const TypeInfo& other) {
           return other.kind == TypeInfo::Kind::kSparseTensor;
         });
}

}  // namespace

class PlanBuilder {
 public:
  explicit PlanBuilder(std::shared_ptr<const PlanContext> context)
      : context_(std::move(context)), registry_(*context_->registry) {}

  absl::StatusOr<std::shared_ptr<GraphPlan>> Build(const Graph& graph) {
    OC_ASSIGN_OR_RETURN(std::shared_ptr<GraphPlan> plan, BuildGraph(graph, nullptr));
    if (unsupported_.empty()) return plan;
    size_t listed = std::min(unsupported_.size(), kMaxListed);
    std::string text = absl::StrJoin(absl::MakeConstSpan(unsupported_).subspan(0, listed), "; ");
    if (listed < unsupported_.size()) {
      absl::StrAppend(&text, "; and ", unsupported_.size() - listed, " more");
    }
    return absl::UnimplementedError(absl::StrCat(
        unsupported_.size() == 1 ? "a node cannot run: " : "nodes cannot run: ", text));
  }

 private:
  // A graph while its plan is made: its names so far, and the graph around it.
  struct Scope {
    Scope* outer;
    GraphPlan* plan;
    absl::flat_hash_map<std::string, Slot> slots;

    Slot Define(const std::string& name) {
      if (name.empty()) return kNoSlot;
      return slots[name] = plan->num_slots++;
    }
    // `name` belongs to the model: captures keep it.
    Slot Find(const std::string& name) {
      if (auto it = slots.find(name); it != slots.end()) return it->second;
      Slot around = outer == nullptr ? kNoSlot : outer->Find(name);
      if (around == kNoSlot) return kNoSlot;
      Slot here = Define(name);
      plan->captures.push_back({around, here, name});
      return here;
    }
  };

  absl::StatusOr<std::shared_ptr<GraphPlan>> BuildGraph(const Graph& graph, Scope* outer) {
    auto plan = std::make_shared<GraphPlan>();
    plan->graph = &graph;
    Scope scope{outer, plan.get(), {}};
    for (const ValueInfo& input : graph.inputs) plan->inputs.push_back(scope.Define(input.name));
    for (const Initializer& initializer : graph.initializers) {
      // An initializer of an input's name is that input's default: one slot.
      auto it = scope.slots.find(initializer.name);
      plan->initializers.push_back(it != scope.slots.end() ? it->second
                                                           : scope.Define(initializer.name));
    }
    plan->nodes.reserve(graph.nodes.size());
    for (const Node& node : graph.nodes) {
      OC_ASSIGN_OR_RETURN(NodePlan node_plan, BuildNode(node, &scope));
      plan->nodes.push_back(std::move(node_plan));
    }
    for (const ValueInfo& output : graph.outputs) {
      Slot slot = scope.Find(output.name);
      if (slot == kNoSlot) {
        return absl::InvalidArgumentError(absl::StrCat("no node computes the output '", output.name,
                                                       "' of graph '", graph.name, "'"));
      }
      plan->outputs.push_back(slot);
    }
    PlaceReleases(plan.get());
    OC_RETURN_IF_ERROR(MakeInitialValues(plan.get()));
    return plan;
  }

  // Sparse initializers are made dense for those who read them, but for the few that take them as
  // they are.
  absl::Status MakeInitialValues(GraphPlan* plan) const {
    plan->initial.reserve(plan->graph->initializers.size());
    absl::flat_hash_set<Slot> read;
    for (const NodePlan& node : plan->nodes) {
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        if (node.signature == nullptr || !TakesSparseOnly(*node.signature, i)) {
          read.insert(node.inputs[i]);
        }
      }
      for (const Capture& capture : CapturesOf(node)) read.insert(capture.around);
    }
    const auto allocate = [this](DType dtype,
                                 absl::Span<const int64_t> shape) -> absl::StatusOr<Tensor> {
      OC_RETURN_IF_ERROR(CheckTensorSize(dtype, shape, context_->options.max_tensor));
      return Tensor::Allocate(dtype, shape);
    };
    for (size_t i = 0; i < plan->initializers.size(); ++i) {
      const Initializer& initializer = plan->graph->initializers[i];
      plan->initial.push_back(initializer.value);
      if (!initializer.value.is_sparse() || !read.contains(plan->initializers[i])) continue;
      absl::StatusOr<Tensor> dense = Dense(initializer.value.sparse(), allocate);
      if (!dense.ok()) {
        return Annotate(dense.status(),
                        absl::StrCat("the sparse initializer ", Quoted(initializer.name)));
      }
      plan->initial.back() = *std::move(dense);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<NodePlan> BuildNode(const Node& node, Scope* scope) {
    NodePlan plan;
    plan.node = &node;
    auto fail = [&node](const absl::Status& status) {
      return absl::Status(status.code(),
                          absl::StrCat(DescribeNode(node, node.call_path), ": ", status.message()));
    };
    for (const std::string& input : node.inputs) {
      Slot slot = input.empty() ? kNoSlot : scope->Find(input);
      if (!input.empty() && slot == kNoSlot) {
        return fail(
            absl::InvalidArgumentError(absl::StrCat("nothing computes its input '", input, "'")));
      }
      plan.inputs.push_back(slot);
    }
    for (const auto& [name, attribute] : node.attributes) {
      const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&attribute);
      if (graph == nullptr) continue;
      OC_ASSIGN_OR_RETURN(std::shared_ptr<const GraphPlan> subgraph, BuildGraph(**graph, scope));
      plan.subgraph_names.push_back(name);
      plan.subgraphs.push_back(std::move(subgraph));
    }
    if (node.body != nullptr) {
      OC_ASSIGN_OR_RETURN(plan.body, BuildGraph(*node.body, nullptr));
    } else if (absl::Status status = Bind(node, &plan); !status.ok()) {
      // Nodes that are not supported are collected, so that a user sees all of them at once.
      if (!absl::IsUnimplemented(status)) return fail(status);
      unsupported_.push_back(std::string(fail(status).message()));
    }
    for (const std::string& output : node.outputs) plan.outputs.push_back(scope->Define(output));
    return plan;
  }

  absl::Status Bind(const Node& node, NodePlan* plan) {
    ResolvedOperator op;
    op.imports = node.imports != nullptr ? node.imports.get() : context_->imports;
    auto import = op.imports->find(node.domain);
    // A domain that is not imported is taken at its newest version: com.microsoft is often left
    // out.
    op.opset_version =
        import != op.imports->end() ? import->second : registry_.LatestVersion(node.domain);
    op.schema = registry_.FindSchema(node.domain, node.op_type, op.opset_version);
    if (op.schema == nullptr) {
      return absl::UnimplementedError(
          absl::StrCat("no such operator in opset ", op.opset_version, " of domain '",
                       node.domain.empty() ? "ai.onnx" : node.domain, "'"));
    }
    OC_RETURN_IF_ERROR(CheckNode(node, *op.schema));
    std::shared_ptr<const Signature>& signature = signatures_[op.schema];
    if (signature == nullptr) signature = SignatureOf(*op.schema);
    plan->signature = signature;
    const int version = op.schema->SinceVersion();
    const KernelMaker* maker = registry_.FindKernel(node.domain, node.op_type, version);
    const BodyKind body = BodyKindOf(*op.schema, op.opset_version);
    if (body != BodyKind::kNone && (maker == nullptr || context_->options.expand_functions)) {
      OC_RETURN_IF_ERROR(BindFunction(node, op, plan));
      // The kernel is for inputs for which ONNX has no body; what it does not know then is an error
      // of the run.
      if (maker == nullptr || body == BodyKind::kStatic) return absl::OkStatus();
      BindKernel(node, version, *maker, plan).IgnoreError();
      return absl::OkStatus();
    }
    if (maker == nullptr) {
      return absl::UnimplementedError(
          absl::StrCat("version ", version, " of this operator is not supported"));
    }
    return BindKernel(node, version, *maker, plan);
  }

  std::shared_ptr<const Signature> SignatureOf(const onnx::OpSchema& schema) const {
    std::shared_ptr<const Signature> signature = MakeSignature(schema);
    if (!context_->options.in_double) return signature;
    auto changed = std::make_shared<Signature>(*signature);
    AllowDouble(changed.get());
    return changed;
  }

  absl::Status BindFunction(const Node& node, const ResolvedOperator& op, NodePlan* plan) {
    if (context_->depth >= kMaxBodyDepth) {
      return absl::ResourceExhaustedError("bodies of operators are nested too deep");
    }
    auto inside = std::make_shared<PlanContext>(*context_);
    ++inside->depth;
    auto function = std::make_shared<FunctionPlan>(node, op, CapturesOf(*plan), std::move(inside));
    OC_RETURN_IF_ERROR(function->Prepare());
    plan->function = std::move(function);
    return absl::OkStatus();
  }

  absl::Status BindKernel(const Node& node, int version, const KernelMaker& maker, NodePlan* plan) {
    if (context_->options.in_double &&
        BindAs(InDouble(node), version, maker, InDouble(plan->signature->defaults), plan).ok()) {
      return absl::OkStatus();
    }
    // In double, too, where a kernel does not take that type: what it gives becomes double then.
    return BindAs(node, version, maker, plan->signature->defaults, plan);
  }

  static absl::Status BindAs(const Node& node, int version, const KernelMaker& maker,
                             const std::map<std::string, Attribute, std::less<>>& defaults,
                             NodePlan* plan) {
    KernelInit init(node, version, &defaults, &plan->subgraph_names);
    absl::StatusOr<Kernel> kernel = maker(init);
    // First: the maker may have refused a value only because it could not be read.
    OC_RETURN_IF_ERROR(init.error_);
    OC_RETURN_IF_ERROR(kernel.status());
    for (const auto& [name, unused] : node.attributes) {
      if (!init.read_.contains(name)) {
        return absl::UnimplementedError(absl::StrCat("attribute ", name, " is not supported"));
      }
    }
    plan->kernel = *std::move(kernel);
    return absl::OkStatus();
  }

  // Each slot is released by the last node that reads it (itself or in its subgraphs), or by the
  // node that makes it if none reads it. The graph's outputs stay.
  static void PlaceReleases(GraphPlan* plan) {
    std::vector<int> last(static_cast<size_t>(plan->num_slots), -1);
    auto use = [&last](Slot slot, int node) {
      if (slot != kNoSlot) last[static_cast<size_t>(slot)] = node;
    };
    for (size_t i = 0; i < plan->nodes.size(); ++i) {
      const NodePlan& node = plan->nodes[i];
      for (Slot slot : node.inputs) use(slot, static_cast<int>(i));
      for (Slot slot : node.outputs) use(slot, static_cast<int>(i));
      for (const auto& subgraph : node.subgraphs) {
        for (const Capture& capture : subgraph->captures) use(capture.around, static_cast<int>(i));
      }
    }
    for (Slot slot : plan->outputs) use(slot, -1);
    for (size_t slot = 0; slot < last.size(); ++slot) {
      if (last[slot] >= 0) {
        plan->nodes[static_cast<size_t>(last[slot])].releases.push_back(static_cast<Slot>(slot));
      }
    }
  }

  const std::shared_ptr<const PlanContext> context_;
  const OpRegistry& registry_;
  absl::flat_hash_map<const onnx::OpSchema*, std::shared_ptr<const Signature>> signatures_;
  std::vector<std::string> unsupported_;
};

std::vector<Capture> CapturesOf(const NodePlan& node) {
  std::vector<Capture> captures;
  absl::flat_hash_set<Slot> seen;
  for (const auto& subgraph : node.subgraphs) {
    for (const Capture& capture : subgraph->captures) {
      if (seen.insert(capture.around).second) captures.push_back(capture);
    }
  }
  return captures;
}

absl::StatusOr<std::shared_ptr<const GraphPlan>> MakeGraphPlan(
    std::shared_ptr<const Graph> graph, std::shared_ptr<const PlanContext> context) {
  OC_ASSIGN_OR_RETURN(std::shared_ptr<GraphPlan> plan,
                      PlanBuilder(std::move(context)).Build(*graph));
  plan->owned = std::move(graph);
  return plan;
}

absl::StatusOr<std::shared_ptr<const Plan>> MakePlan(std::shared_ptr<const Model> model,
                                                     const OpRegistry& registry,
                                                     const PlanOptions& options) {
  auto context = std::make_shared<PlanContext>();
  context->registry = std::make_shared<const OpRegistry>(registry.Share());
  context->imports = &model->imports;
  context->options = options;
  auto plan = std::make_shared<Plan>();
  OC_ASSIGN_OR_RETURN(plan->main, PlanBuilder(std::move(context)).Build(model->graph));
  plan->model = std::move(model);
  return plan;
}

}  // namespace onnxcmp
