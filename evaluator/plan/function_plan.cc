#include "evaluator/plan/function_plan.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/kernels/signature.h"
#include "evaluator/model/value_type.h"

namespace onnxcmp {
namespace {

// A loop may run a node on ever other shapes; plans for more of them than this are made anew.
constexpr size_t kMaxPlans = 64;

absl::StatusOr<std::vector<TypeInfo>> TypesOf(absl::Span<const Value> inputs) {
  std::vector<TypeInfo> types;
  for (const Value& input : inputs) {
    OC_ASSIGN_OR_RETURN(TypeInfo type, TypeAndShapeOf(input));
    types.push_back(std::move(type));
  }
  return types;
}

}  // namespace

FunctionPlan::FunctionPlan(const Node& node, const ResolvedOperator& op,
                           std::vector<Capture> captures,
                           std::shared_ptr<const PlanContext> context)
    : node_(node),
      op_(op),
      captures_(std::move(captures)),
      context_(std::move(context)),
      is_static_(BodyKindOf(*op.schema, op.opset_version) == BodyKind::kStatic) {}

absl::Status FunctionPlan::Prepare() {
  if (!is_static_) return absl::OkStatus();
  return For({}).status();
}

absl::StatusOr<std::shared_ptr<const GraphPlan>> FunctionPlan::For(
    absl::Span<const Value> inputs) const {
  std::vector<TypeInfo> types;
  std::string key;
  if (!is_static_) {
    OC_ASSIGN_OR_RETURN(types, TypesOf(inputs));
    for (const TypeInfo& type : types) absl::StrAppend(&key, TypeInfoToString(type), ";");
  }
  {
    absl::MutexLock lock(&mutex_);
    if (auto found = plans_.find(key); found != plans_.end()) return found->second;
  }
  OC_ASSIGN_OR_RETURN(std::shared_ptr<const GraphPlan> plan, Build(types));
  absl::MutexLock lock(&mutex_);
  if (plans_.size() >= kMaxPlans) plans_.clear();
  return plans_.emplace(std::move(key), std::move(plan)).first->second;
}

absl::StatusOr<std::shared_ptr<const GraphPlan>> FunctionPlan::Build(
    absl::Span<const TypeInfo> types) const {
  std::vector<std::string> names;
  for (const Capture& capture : captures_) names.emplace_back(capture.name);
  auto body = FunctionBody(node_, op_, types, names, *context_->registry);
  if (!body.ok()) return Annotate(body.status(), "in its body");
  if (*body == nullptr) return nullptr;
  auto plan = MakeGraphPlan(*std::move(body), context_);
  return plan.ok() ? std::move(plan) : Annotate(plan.status(), "in its body");
}

}  // namespace onnxcmp
