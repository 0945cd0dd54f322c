#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/tensor/convert.h"
#include "ops/traditionalml/post_transform.h"
#include "ops/traditionalml/tree_attributes.h"
#include "ops/traditionalml/trees.h"

namespace onnxcmp {
namespace {

template <typename S>
absl::Status Run(KernelContext& ctx, const TreeEnsembleModel& model, PostTransform transform) {
  const Tensor& x = ctx.Input(0);
  OC_ASSIGN_OR_RETURN(const RowShape shape, RowsOf(x));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(x.dtype(), {shape.rows, model.targets}));
  std::byte* out = y.mutable_raw_data();
  OC_RETURN_IF_ERROR(RunTrees<S>(ctx, model, x, [&](int64_t row, S* scores, const unsigned char*) {
    ApplyToTargets(transform, scores, model.targets);
    StoreElements(y.dtype(), scores, model.targets, out, row * model.targets);
  }));
  return ctx.SetOutput(0, std::move(y));
}

// The sets of values of the nodes with BRANCH_MEMBER, in their order, each ended by a NaN (the last
// may go without).
absl::StatusOr<std::vector<std::vector<double>>> SplitSets(const std::vector<double>& members,
                                                           size_t count) {
  std::vector<std::vector<double>> sets;
  auto begin = members.begin();
  while (begin != members.end()) {
    const auto end = std::find_if(begin, members.end(), [](double v) { return std::isnan(v); });
    sets.emplace_back(begin, end);
    std::sort(sets.back().begin(), sets.back().end());
    begin = end == members.end() ? end : end + 1;
  }
  if (sets.size() != count) {
    return absl::InvalidArgumentError(absl::StrCat("membership_values has ", sets.size(),
                                                   " sets for ", count, " nodes BRANCH_MEMBER"));
  }
  return sets;
}

absl::StatusOr<TreePlace> Child(int64_t id, int64_t is_leaf, size_t nodes, int32_t leaves) {
  const auto size = is_leaf != 0 ? int64_t{leaves} : static_cast<int64_t>(nodes);
  if (id < 0 || id >= size) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no ", is_leaf != 0 ? "leaf " : "node ", id, " among ", size));
  }
  const auto index = static_cast<TreePlace>(id);
  return is_leaf != 0 ? ~index : index;
}

absl::StatusOr<AttributeNumbers> ReadTensor(const KernelInit& node, const char* name) {
  const std::optional<Tensor> tensor = node.TensorAttribute(name);
  if (!tensor) return AttributeNumbers{};
  return NumbersOf(*tensor, name);
}

absl::Status ReadNodes(const KernelInit& node, TreeEnsembleModel& model) {
  const std::vector<int64_t> features = node.Ints("nodes_featureids");
  const std::vector<int64_t> true_ids = node.Ints("nodes_truenodeids");
  const std::vector<int64_t> false_ids = node.Ints("nodes_falsenodeids");
  const std::vector<int64_t> true_leafs = node.Ints("nodes_trueleafs");
  const std::vector<int64_t> false_leafs = node.Ints("nodes_falseleafs");
  const std::vector<int64_t> missing = node.Ints("nodes_missing_value_tracks_true");
  OC_ASSIGN_OR_RETURN(const AttributeNumbers modes, ReadTensor(node, "nodes_modes"));
  OC_ASSIGN_OR_RETURN(const AttributeNumbers splits, ReadTensor(node, "nodes_splits"));
  OC_ASSIGN_OR_RETURN(const AttributeNumbers members, ReadTensor(node, "membership_values"));
  const size_t size = features.size();
  OC_RETURN_IF_ERROR(CheckLength("nodes_truenodeids", true_ids.size(), size));
  OC_RETURN_IF_ERROR(CheckLength("nodes_falsenodeids", false_ids.size(), size));
  OC_RETURN_IF_ERROR(CheckLength("nodes_trueleafs", true_leafs.size(), size));
  OC_RETURN_IF_ERROR(CheckLength("nodes_falseleafs", false_leafs.size(), size));
  OC_RETURN_IF_ERROR(CheckLength("nodes_modes", modes.values.size(), size));
  OC_RETURN_IF_ERROR(CheckLength("nodes_splits", splits.values.size(), size));
  if (!missing.empty()) {
    OC_RETURN_IF_ERROR(CheckLength("nodes_missing_value_tracks_true", missing.size(), size));
  }
  size_t sets = 0;
  for (size_t i = 0; i < size; ++i) {
    if (features[i] < 0 || features[i] >= std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(absl::StrCat("there is no feature ", features[i]));
    }
    if (!(modes.values[i] >= 0 && modes.values[i] <= 6)) {
      return absl::InvalidArgumentError(absl::StrCat("mode ", modes.values[i], " is unknown"));
    }
    const auto mode = static_cast<BranchMode>(modes.values[i]);
    OC_ASSIGN_OR_RETURN(const TreePlace at_true,
                        Child(true_ids[i], true_leafs[i], size, model.leaves));
    OC_ASSIGN_OR_RETURN(const TreePlace at_false,
                        Child(false_ids[i], false_leafs[i], size, model.leaves));
    model.nodes.push_back(
        {.split = mode == BranchMode::kMember ? static_cast<double>(sets++) : splits.values[i],
         .feature = static_cast<int32_t>(features[i]),
         .child = {at_false, at_true},
         .mode = mode,
         .missing = !missing.empty() && missing[i] != 0});
  }
  OC_ASSIGN_OR_RETURN(model.sets, SplitSets(members.values, sets));
  return absl::OkStatus();
}

absl::StatusOr<TreeEnsembleModel> MakeModel(const KernelInit& node) {
  TreeEnsembleModel model;
  const int64_t aggregate = node.Int("aggregate_function");
  if (aggregate < 0 || aggregate > 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("aggregate_function ", aggregate, " is unknown"));
  }
  model.aggregate = static_cast<TreeAggregate>(aggregate);
  model.targets = node.Int("n_targets");

  const std::vector<int64_t> targets = node.Ints("leaf_targetids");
  OC_ASSIGN_OR_RETURN(const AttributeNumbers weights, ReadTensor(node, "leaf_weights"));
  OC_RETURN_IF_ERROR(CheckLength("leaf_weights", weights.values.size(), targets.size()));
  model.leaves = static_cast<int32_t>(targets.size());
  for (size_t i = 0; i < targets.size(); ++i) {
    if (targets[i] < 0 || targets[i] >= std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(absl::StrCat("leaf_targetids has ", targets[i]));
    }
    model.votes.push_back({.leaf = static_cast<int32_t>(i),
                           .target = static_cast<int32_t>(targets[i]),
                           .weight = weights.values[i]});
  }

  OC_RETURN_IF_ERROR(ReadNodes(node, model));
  for (const int64_t root : node.Ints("tree_roots")) {
    OC_ASSIGN_OR_RETURN(const TreePlace place, Child(root, 0, model.nodes.size(), 0));
    model.roots.push_back(place);
  }
  OC_RETURN_IF_ERROR(model.Finish());
  return model;
}

// TreeEnsemble (ai.onnx.ml 5): Y[n, t] = post_transform(aggregate of the weights for target t at
// the leaves that row n of X gets to). AVERAGE divides by the number of trees; a target without a
// leaf is 0. Where a row's feature is NaN, nodes_missing_value_tracks_true decides in every mode.
absl::StatusOr<Kernel> TreeEnsemble(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const PostTransform transform,
                      PostTransformFromNumber(node.Int("post_transform")));
  node.Ignore("nodes_hitrates");
  OC_ASSIGN_OR_RETURN(TreeEnsembleModel made, MakeModel(node));
  auto model = std::make_shared<const TreeEnsembleModel>(std::move(made));
  return [model, transform](KernelContext& ctx) -> absl::Status {
    if (ctx.Input(0).dtype() == DType::kDouble) return Run<double>(ctx, *model, transform);
    return Run<float>(ctx, *model, transform);
  };
}

}  // namespace

void RegisterMlTreeEnsemble(OpRegistry& registry) {
  registry.Add(kMlDomain, "TreeEnsemble", {5}, TreeEnsemble);
}

}  // namespace onnxcmp
