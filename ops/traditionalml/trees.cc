#include "ops/traditionalml/trees.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/tensor/convert.h"

namespace onnxcmp {
namespace {

constexpr absl::string_view kAggregates[] = {"AVERAGE", "SUM", "MIN", "MAX"};

// Puts nodes into the order in which a walk meets them, the false branch first, and leaves out
// those that no root leads to. Finds cycles.
class NodeOrder {
 public:
  explicit NodeOrder(std::vector<TreeNode>& nodes)
      : nodes_(nodes), place_(nodes.size(), kUnseen), open_(nodes.size(), false) {}

  absl::Status Add(TreePlace& root) {
    if (root < 0) return absl::OkStatus();
    if (place_[Index(root)] == kUnseen) Open(root);
    while (!path_.empty()) {
      Step& step = path_.back();
      if (step.next_child == 2) {
        open_[Index(step.node)] = false;
        path_.pop_back();
        continue;
      }
      const TreePlace child = nodes_[Index(step.node)].child[step.next_child++];
      if (child < 0) continue;
      if (open_[Index(child)]) {
        return absl::InvalidArgumentError(
            absl::StrCat("the branches of node ", child, " lead back to it"));
      }
      if (place_[Index(child)] == kUnseen) Open(child);
    }
    root = place_[Index(root)];
    return absl::OkStatus();
  }

  std::vector<TreeNode> Finish() {
    for (TreeNode& node : ordered_) {
      for (TreePlace& child : node.child) {
        if (child >= 0) child = place_[Index(child)];
      }
    }
    return std::move(ordered_);
  }

 private:
  static constexpr TreePlace kUnseen = -1;
  struct Step {
    TreePlace node;
    size_t next_child;
  };

  static size_t Index(TreePlace place) { return static_cast<size_t>(place); }

  void Open(TreePlace node) {
    place_[Index(node)] = static_cast<TreePlace>(ordered_.size());
    ordered_.push_back(nodes_[Index(node)]);
    open_[Index(node)] = true;
    path_.push_back({node, 0});
  }

  std::vector<TreeNode>& nodes_;
  std::vector<TreePlace> place_;
  std::vector<bool> open_;  // on the way from the root
  std::vector<Step> path_;
  std::vector<TreeNode> ordered_;
};

template <BranchMode kMode>
bool Holds(double x, double split) {
  if constexpr (kMode == BranchMode::kLeq) return x <= split;
  if constexpr (kMode == BranchMode::kLt) return x < split;
  if constexpr (kMode == BranchMode::kGte) return x >= split;
  if constexpr (kMode == BranchMode::kGt) return x > split;
  if constexpr (kMode == BranchMode::kEq) return x == split;
  if constexpr (kMode == BranchMode::kNeq) return x != split;
}

bool Holds(const TreeEnsembleModel& model, const TreeNode& node, double x) {
  switch (node.mode) {
    case BranchMode::kLeq:
      return Holds<BranchMode::kLeq>(x, node.split);
    case BranchMode::kLt:
      return Holds<BranchMode::kLt>(x, node.split);
    case BranchMode::kGte:
      return Holds<BranchMode::kGte>(x, node.split);
    case BranchMode::kGt:
      return Holds<BranchMode::kGt>(x, node.split);
    case BranchMode::kEq:
      return Holds<BranchMode::kEq>(x, node.split);
    case BranchMode::kNeq:
      return Holds<BranchMode::kNeq>(x, node.split);
    case BranchMode::kMember: {
      const std::vector<double>& set = model.sets[static_cast<size_t>(node.split)];
      return std::binary_search(set.begin(), set.end(), x);
    }
  }
  return false;
}

// Leads `count` rows from a root to their leaves.
using Walk = void (*)(const TreeEnsembleModel& model, TreePlace root, const double* rows,
                      int64_t columns, int64_t count, int32_t* leaves);

// `holds(node, x)` for x that is not NaN.
template <typename F>
void WalkRows(const TreeEnsembleModel& model, TreePlace root, const double* rows, int64_t columns,
              int64_t count, int32_t* leaves, F holds) {
  const TreeNode* nodes = model.nodes.data();
  const auto step = [&](TreePlace place, const double* row) {
    const TreeNode& node = nodes[place];
    const double x = row[node.feature];
    const bool missing = std::isnan(x);
    const bool side = (holds(node, x) & !missing) | (node.missing & missing);
    return node.child[static_cast<size_t>(side)];
  };
  // Several rows at a time, so that the processor need not wait for one row's node.
  constexpr int64_t kRows = 4;
  int64_t r = 0;
  for (; r + kRows <= count; r += kRows) {
    const double* row = rows + r * columns;
    TreePlace place[kRows] = {root, root, root, root};
    // The sign of all: until every row is at a leaf.
    while ((place[0] & place[1] & place[2] & place[3]) >= 0) {
      for (int64_t i = 0; i < kRows; ++i) {
        if (place[i] >= 0) place[i] = step(place[i], row + i * columns);
      }
    }
    for (int64_t i = 0; i < kRows; ++i) leaves[r + i] = ~place[i];
  }
  for (; r < count; ++r) {
    TreePlace place = root;
    while (place >= 0) place = step(place, rows + r * columns);
    leaves[r] = ~place;
  }
}

template <BranchMode kMode>
void WalkOneMode(const TreeEnsembleModel& model, TreePlace root, const double* rows,
                 int64_t columns, int64_t count, int32_t* leaves) {
  WalkRows(model, root, rows, columns, count, leaves,
           [](const TreeNode& node, double x) { return Holds<kMode>(x, node.split); });
}

void WalkAnyMode(const TreeEnsembleModel& model, TreePlace root, const double* rows,
                 int64_t columns, int64_t count, int32_t* leaves) {
  WalkRows(model, root, rows, columns, count, leaves,
           [&](const TreeNode& node, double x) { return Holds(model, node, x); });
}

Walk WalkFor(std::optional<BranchMode> only_mode) {
  switch (only_mode.value_or(BranchMode::kMember)) {
    case BranchMode::kLeq:
      return WalkOneMode<BranchMode::kLeq>;
    case BranchMode::kLt:
      return WalkOneMode<BranchMode::kLt>;
    case BranchMode::kGte:
      return WalkOneMode<BranchMode::kGte>;
    case BranchMode::kGt:
      return WalkOneMode<BranchMode::kGt>;
    case BranchMode::kEq:
      return WalkOneMode<BranchMode::kEq>;
    default:
      return WalkAnyMode;
  }
}

// Rows that go through a tree together, so that its nodes stay in the cache.
constexpr int64_t kBlockRows = 256;

// The scores of a block of rows: `stride` elements a row, `voted` beside them.
template <typename S>
void AddVotes(const TreeEnsembleModel& model, const int32_t* leaves, int64_t count, int64_t stride,
              S* scores, unsigned char* voted) {
  for (int64_t r = 0; r < count; ++r) {
    const auto leaf = static_cast<size_t>(leaves[r]);
    for (int64_t v = model.votes_of_leaf[leaf]; v < model.votes_of_leaf[leaf + 1]; ++v) {
      const TreeVote& vote = model.votes[static_cast<size_t>(v)];
      S& score = scores[r * stride + vote.target];
      const S weight = static_cast<S>(vote.weight);
      unsigned char& any = voted[r * stride + vote.target];
      switch (model.aggregate) {
        case TreeAggregate::kSum:
        case TreeAggregate::kAverage:
          score += weight;
          break;
        case TreeAggregate::kMin:
          score = !any || weight < score ? weight : score;
          break;
        case TreeAggregate::kMax:
          score = !any || weight > score ? weight : score;
          break;
      }
      any = 1;
    }
  }
}

}  // namespace

absl::StatusOr<TreeAggregate> ParseTreeAggregate(absl::string_view name) {
  const auto* found = std::find(std::begin(kAggregates), std::end(kAggregates), name);
  if (found == std::end(kAggregates)) {
    return absl::InvalidArgumentError(absl::StrCat("aggregate_function '", name, "' is unknown"));
  }
  return static_cast<TreeAggregate>(found - std::begin(kAggregates));
}

absl::Status TreeEnsembleModel::Finish() {
  if (roots.empty()) return absl::InvalidArgumentError("there is no tree");
  if (targets <= 0 || targets >= std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat("there are ", targets, " targets"));
  }
  if (!base_values.empty() && std::ssize(base_values) != targets) {
    return absl::InvalidArgumentError(
        absl::StrCat("there are ", base_values.size(), " base_values for ", targets, " targets"));
  }
  NodeOrder order(nodes);
  for (TreePlace& root : roots) OC_RETURN_IF_ERROR(order.Add(root));
  nodes = order.Finish();

  for (const TreeNode& node : nodes) features = std::max<int64_t>(features, node.feature + 1);
  const auto same_mode = [&](const TreeNode& node) { return node.mode == nodes[0].mode; };
  if (!nodes.empty() && std::all_of(nodes.begin(), nodes.end(), same_mode)) {
    only_mode = nodes[0].mode;
  }

  for (const TreeVote& vote : votes) {
    if (vote.target < 0 || vote.target >= targets) {
      return absl::InvalidArgumentError(
          absl::StrCat("a leaf votes for target ", vote.target, " of ", targets));
    }
  }
  std::stable_sort(votes.begin(), votes.end(),
                   [](const TreeVote& a, const TreeVote& b) { return a.leaf < b.leaf; });
  votes_of_leaf.assign(static_cast<size_t>(leaves) + 1, 0);
  for (const TreeVote& vote : votes) ++votes_of_leaf[static_cast<size_t>(vote.leaf) + 1];
  for (size_t i = 1; i < votes_of_leaf.size(); ++i) votes_of_leaf[i] += votes_of_leaf[i - 1];
  return absl::OkStatus();
}

absl::StatusOr<RowShape> RowsOf(const Tensor& x) {
  if (x.rank() == 1) return RowShape{1, x.dim(0)};
  if (x.rank() == 2) return RowShape{x.dim(0), x.dim(1)};
  return absl::InvalidArgumentError(
      absl::StrCat("the input has rank ", x.rank(), ", not 2 (rows of features)"));
}

template <typename S>
absl::Status RunTrees(const KernelContext& ctx, const TreeEnsembleModel& model, const Tensor& x,
                      TreeEmit<S> emit) {
  OC_ASSIGN_OR_RETURN(const RowShape shape, RowsOf(x));
  if (shape.columns < model.features) {
    return absl::InvalidArgumentError(absl::StrCat("a node compares feature ", model.features - 1,
                                                   ", rows have ", shape.columns));
  }
  OC_ASSIGN_OR_RETURN(const Tensor in, ctx.Contiguous(x));
  const Walk walk = WalkFor(model.only_mode);
  const auto trees = static_cast<int64_t>(model.roots.size());
  const int64_t stride = model.targets + 1;
  // Enough comparisons for a task to be worth a thread's waking; beyond that, enough tasks for all
  // threads, and few enough numbers for the cache.
  const int64_t least = std::clamp<int64_t>(2048 / trees, 1, kBlockRows);
  const int64_t most = std::clamp<int64_t>(65536 / std::max(stride, shape.columns), 1, kBlockRows);
  const int64_t grain = std::min(std::max(least, shape.rows / 16), most);
  ctx.pool().ParallelRanges(shape.rows, grain, [&](int64_t begin, int64_t end) {
    const int64_t count = end - begin;
    const auto elements = static_cast<size_t>(count * shape.columns);
    std::vector<double> converted;
    const double* rows;
    if (in.dtype() == DType::kDouble) {
      rows = in.data<double>() + begin * shape.columns;
    } else {
      converted.resize(elements);
      LoadElements(in.dtype(), in.raw_data(), begin * shape.columns, static_cast<int64_t>(elements),
                   converted.data());
      rows = converted.data();
    }
    std::vector<S> scores(static_cast<size_t>(count * stride));
    std::vector<unsigned char> voted(scores.size());
    std::vector<int32_t> leaves(static_cast<size_t>(count));
    for (const TreePlace root : model.roots) {
      walk(model, root, rows, shape.columns, count, leaves.data());
      AddVotes(model, leaves.data(), count, stride, scores.data(), voted.data());
    }
    for (int64_t r = 0; r < count; ++r) {
      S* row = scores.data() + r * stride;
      for (int64_t t = 0; t < model.targets; ++t) {
        if (model.aggregate == TreeAggregate::kAverage) row[t] /= static_cast<S>(trees);
        if (!model.base_values.empty()) {
          row[t] += static_cast<S>(model.base_values[static_cast<size_t>(t)]);
        }
      }
      emit(begin + r, row, voted.data() + r * stride);
    }
  });
  return absl::OkStatus();
}

template absl::Status RunTrees<float>(const KernelContext&, const TreeEnsembleModel&, const Tensor&,
                                      TreeEmit<float>);
template absl::Status RunTrees<double>(const KernelContext&, const TreeEnsembleModel&,
                                       const Tensor&, TreeEmit<double>);

}  // namespace onnxcmp
