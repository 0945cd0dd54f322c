#include "ops/traditionalml/tree_attributes.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "evaluator/tensor/convert.h"
#include "ops/extended/domains.h"

namespace onnxcmp {
namespace {

constexpr absl::string_view kModes[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
                                        "BRANCH_GT",  "BRANCH_EQ", "BRANCH_NEQ"};
constexpr size_t kMaxPlaces = std::numeric_limits<int32_t>::max();

using NodeId = std::pair<int64_t, int64_t>;  // tree, node

// Where each node of the arrays is in the model.
using Places = absl::flat_hash_map<NodeId, TreePlace>;

absl::StatusOr<TreePlace> Find(const Places& places, NodeId id) {
  const auto found = places.find(id);
  if (found == places.end()) {
    return absl::InvalidArgumentError(absl::StrCat("tree ", id.first, " has no node ", id.second));
  }
  return found->second;
}

absl::StatusOr<BranchMode> ParseMode(absl::string_view name) {
  const auto* found = std::find(std::begin(kModes), std::end(kModes), name);
  if (found == std::end(kModes)) {
    return absl::InvalidArgumentError(absl::StrCat("nodes_modes: mode '", name, "' is unknown"));
  }
  return static_cast<BranchMode>(found - std::begin(kModes));
}

absl::Status ReadNodes(const KernelInit& node, const AttributeNumbers& splits,
                       TreeEnsembleModel& model, Places& places) {
  const std::vector<int64_t> trees = node.Ints("nodes_treeids");
  const std::vector<int64_t> ids = node.Ints("nodes_nodeids");
  const std::vector<int64_t> features = node.Ints("nodes_featureids");
  const std::vector<int64_t> if_true = node.Ints("nodes_truenodeids");
  const std::vector<int64_t> if_false = node.Ints("nodes_falsenodeids");
  const std::vector<int64_t> missing = node.Ints("nodes_missing_value_tracks_true");
  std::vector<std::string> modes;
  if (node.node().domain == kOptimCpuDomain) {  // one string, because of onnxruntime's C API
    modes = absl::StrSplit(node.String("nodes_modes", ""), ',', absl::SkipEmpty());
  } else {
    modes = node.Strings("nodes_modes");
  }
  const size_t size = ids.size();
  if (size > kMaxPlaces) return absl::UnimplementedError("more than 2^31 nodes");
  OC_RETURN_IF_ERROR(CheckLength("nodes_treeids", trees.size(), size));
  OC_RETURN_IF_ERROR(CheckLength("nodes_featureids", features.size(), size));
  OC_RETURN_IF_ERROR(CheckLength("nodes_truenodeids", if_true.size(), size));
  OC_RETURN_IF_ERROR(CheckLength("nodes_falsenodeids", if_false.size(), size));
  OC_RETURN_IF_ERROR(CheckLength("nodes_modes", modes.size(), size));
  OC_RETURN_IF_ERROR(CheckLength("nodes_values", splits.values.size(), size));
  if (!missing.empty()) {
    OC_RETURN_IF_ERROR(CheckLength("nodes_missing_value_tracks_true", missing.size(), size));
  }

  // The first node of a tree is its root, as onnxruntime and ONNX's evaluator have it.
  absl::flat_hash_map<int64_t, bool> tree_seen;
  int32_t branches = 0;
  for (size_t i = 0; i < size; ++i) {
    const TreePlace place = modes[i] == "LEAF" ? ~model.leaves++ : branches++;
    if (!places.emplace(NodeId{trees[i], ids[i]}, place).second) {
      return absl::InvalidArgumentError(absl::StrCat("tree ", trees[i], " has two nodes ", ids[i]));
    }
    if (tree_seen.emplace(trees[i], true).second) model.roots.push_back(place);
  }
  for (size_t i = 0; i < size; ++i) {
    if (modes[i] == "LEAF") continue;
    if (features[i] < 0 || features[i] >= std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(absl::StrCat("there is no feature ", features[i]));
    }
    OC_ASSIGN_OR_RETURN(const BranchMode mode, ParseMode(modes[i]));
    OC_ASSIGN_OR_RETURN(const TreePlace at_true, Find(places, {trees[i], if_true[i]}));
    OC_ASSIGN_OR_RETURN(const TreePlace at_false, Find(places, {trees[i], if_false[i]}));
    model.nodes.push_back({.split = splits.values[i],
                           .feature = static_cast<int32_t>(features[i]),
                           .child = {at_false, at_true},
                           .mode = mode,
                           .missing = !missing.empty() && missing[i] != 0});
  }
  return absl::OkStatus();
}

absl::Status ReadVotes(const KernelInit& node, const std::string& prefix,
                       const AttributeNumbers& weights, const Places& places,
                       TreeEnsembleModel& model) {
  const std::vector<int64_t> trees = node.Ints(prefix + "_treeids");
  const std::vector<int64_t> ids = node.Ints(prefix + "_nodeids");
  const std::vector<int64_t> targets = node.Ints(prefix + "_ids");
  OC_RETURN_IF_ERROR(CheckLength(prefix + "_treeids", trees.size(), targets.size()));
  OC_RETURN_IF_ERROR(CheckLength(prefix + "_nodeids", ids.size(), targets.size()));
  OC_RETURN_IF_ERROR(CheckLength(prefix + "_weights", weights.values.size(), targets.size()));
  for (size_t i = 0; i < targets.size(); ++i) {
    OC_ASSIGN_OR_RETURN(const TreePlace place, Find(places, {trees[i], ids[i]}));
    if (targets[i] < 0 || targets[i] >= std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(absl::StrCat(prefix, "_ids has ", targets[i]));
    }
    // Votes at a node that is no leaf never count. There are models that have some.
    if (place >= 0) continue;
    model.votes.push_back(
        {.leaf = ~place, .target = static_cast<int32_t>(targets[i]), .weight = weights.values[i]});
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<AttributeNumbers> NumbersOf(const Tensor& tensor, absl::string_view name) {
  const ComputeClass c = ComputeClassOf(tensor.dtype());
  if (c == ComputeClass::kString || c == ComputeClass::kComplex || c == ComputeClass::kNone) {
    return absl::InvalidArgumentError(absl::StrCat(name, " is ", tensor.TypeString()));
  }
  OC_ASSIGN_OR_RETURN(const Tensor in, tensor.Contiguous());
  AttributeNumbers numbers;
  numbers.values.resize(static_cast<size_t>(in.num_elements()));
  LoadElements(in.dtype(), in.raw_data(), 0, in.num_elements(), numbers.values.data());
  numbers.is_double = in.dtype() == DType::kDouble;
  return numbers;
}

absl::StatusOr<AttributeNumbers> ReadNumbers(const KernelInit& node, const std::string& name) {
  const std::string tensor_name = name + "_as_tensor";
  const std::vector<float> floats = node.Floats(name);
  const std::optional<Tensor> tensor =
      node.version() >= 3 ? node.TensorAttribute(tensor_name) : std::nullopt;
  if (!tensor) return AttributeNumbers{.values = {floats.begin(), floats.end()}};
  if (!floats.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("both ", name, " and ", tensor_name, " are there"));
  }
  return NumbersOf(*tensor, tensor_name);
}

absl::Status CheckLength(absl::string_view name, size_t size, size_t want) {
  if (size == want) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " has ", size, " elements, not ", want));
}

absl::StatusOr<TreeArrays> ReadTreeArrays(const KernelInit& node, const std::string& votes) {
  node.Ignore("nodes_hitrates");
  if (node.version() >= 3) node.Ignore("nodes_hitrates_as_tensor");
  // onnx-extended's hints on how to share the work out.
  for (const char* hint : {"parallel_tree", "parallel_tree_N", "parallel_N", "batch_size_tree",
                           "batch_size_rows", "use_node3"}) {
    node.Ignore(hint);
  }
  OC_ASSIGN_OR_RETURN(AttributeNumbers splits, ReadNumbers(node, "nodes_values"));
  OC_ASSIGN_OR_RETURN(AttributeNumbers weights, ReadNumbers(node, votes + "_weights"));
  OC_ASSIGN_OR_RETURN(AttributeNumbers base_values, ReadNumbers(node, "base_values"));
  TreeArrays arrays;
  arrays.is_double = splits.is_double || weights.is_double || base_values.is_double;
  arrays.model.base_values = std::move(base_values.values);
  Places places;
  OC_RETURN_IF_ERROR(ReadNodes(node, splits, arrays.model, places));
  OC_RETURN_IF_ERROR(ReadVotes(node, votes, weights, places, arrays.model));
  return arrays;
}

}  // namespace onnxcmp
