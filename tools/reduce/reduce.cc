#include "tools/reduce/reduce.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "record/base/work_bounds.h"
#include "tools/reduce/changes.h"
#include "tools/reduce/node_order.h"
#include "tools/reduce/prober.h"
#include "tools/reduce/subset_search.h"

namespace onnxcmp {
namespace {

// Changes of one group that may be in vain before the others are given up.
constexpr int kVain = 4;

class ModelReducer {
 public:
  ModelReducer(const OpRegistry& registry, const ReduceOptions& options, const FedModel& whole,
               FailureTest* test)
      : options_(options),
        maker_(registry, options.model, whole.proto, test->reads_values()),
        reads_values_(test->reads_values()),
        prober_(test, options.jobs, options.journal, [this](int64_t) { Show(); }) {}

  absl::StatusOr<Reduced> Run(FedModel whole) {
    OC_ASSIGN_OR_RETURN(known_, maker_.Run(whole));
    reduced_.checks = maker_.checks();
    reduced_.nodes_before = nodes_ = whole.proto.graph().node_size();
    OC_ASSIGN_OR_RETURN(ReduceCandidate candidate, Whole(std::move(whole)));
    step_ = "the whole model";
    OC_ASSIGN_OR_RETURN(reduced_.first, prober_.Begin(candidate));
    if (!reduced_.first.fails) {
      return absl::FailedPreconditionError(absl::StrCat(
          "the model does not fail: ", reduced_.first.how, LastWords(reduced_.first.output)));
    }
    reduced_.last = reduced_.first;
    reduced_.best = std::move(candidate);
    OC_RETURN_IF_ERROR(TryWithoutNodes());
    if (reduced_.fails_without_nodes) return Finish();
    for (int round = 0; round < work_bounds::kFewTrials; ++round) {
      const std::string before = reduced_.best.hash;
      OC_RETURN_IF_ERROR(Round());
      if (reduced_.best.hash == before) break;
    }
    return Finish();
  }

 private:
  static std::string LastWords(const std::string& output) {
    const size_t end = output.find_last_not_of(" \n\r\t");
    if (end == std::string::npos) return "";
    const size_t begin = output.rfind('\n', end);
    return absl::StrCat("; its last line: ",
                        output.substr(begin == std::string::npos ? 0 : begin + 1,
                                      end - (begin == std::string::npos ? -1 : begin)));
  }

  absl::StatusOr<Reduced> Finish() {
    if (!reduced_.changes.empty()) {
      step_ = "once more";
      OC_ASSIGN_OR_RETURN(const ReduceTrial again, prober_.TryAgain(reduced_.best));
      reduced_.unstable = !again.fails;
    }
    reduced_.runs = prober_.runs();
    reduced_.resumed = prober_.resumed();
    return std::move(reduced_);
  }

  void Show() const {
    if (options_.progress) options_.progress({step_, nodes_, prober_.runs()});
  }

  // As it is: types and shapes are those of the file.
  absl::StatusOr<ReduceCandidate> Whole(FedModel whole) {
    ReduceCandidate candidate;
    for (const auto& output : whole.proto.graph().output()) {
      candidate.outputs.push_back(known_.values[output.name()]);
    }
    if (!whole.proto.SerializeToString(&candidate.bytes)) {
      return absl::ResourceExhaustedError("the model is over 2 GB");
    }
    candidate.hash = "the whole model";
    candidate.model = std::move(whole);
    return candidate;
  }

  // A model of one node that the whole one has not: a command that fails on it fails on anything.
  absl::Status TryWithoutNodes() {
    std::set<std::string> used;
    for (const auto& node : known_.proto->graph().node()) used.insert(node.op_type());
    FedModel model;
    model.proto.set_ir_version(known_.proto->ir_version());
    *model.proto.mutable_opset_import() = known_.proto->opset_import();
    onnx::GraphProto* graph = model.proto.mutable_graph();
    graph->set_name("without_nodes");
    onnx::NodeProto* node = graph->add_node();
    for (const char* op_type : {"Identity", "Relu", "Neg", "Abs", "Exp"}) {
      node->set_op_type(op_type);
      if (!used.contains(op_type)) break;
    }
    node->add_input("x");
    node->add_output("y");
    for (onnx::ValueInfoProto* info : {graph->add_input(), graph->add_output()}) {
      info->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
      info->mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(1);
    }
    graph->mutable_input(0)->set_name("x");
    graph->mutable_output(0)->set_name("y");
    model.feeds["x"] = Tensor::Of<float>({1}, {1.0F});
    step_ = "a model without its nodes";
    absl::StatusOr<ReduceCandidate> candidate = maker_.OfUnknown(std::move(model));
    if (!candidate.ok()) return absl::OkStatus();
    OC_ASSIGN_OR_RETURN(const ReduceTrial trial, prober_.Try(*candidate));
    if (!trial.fails) return absl::OkStatus();
    reduced_.fails_without_nodes = true;
    return Accept(*std::move(candidate), trial, "all nodes left out");
  }

  absl::Status Accept(ReduceCandidate candidate, const ReduceTrial& trial,
                      const std::string& words) {
    reduced_.best = std::move(candidate);
    reduced_.last = trial;
    reduced_.changes.push_back(words);
    nodes_ = reduced_.best.model.proto.graph().node_size();
    reduced_.runs = prober_.runs();
    Show();
    return options_.on_better ? options_.on_better(reduced_) : absl::OkStatus();
  }

  absl::Status Round() {
    OC_RETURN_IF_ERROR(SearchNodes());
    OC_RETURN_IF_ERROR(TryAll("graphs inside of nodes", InlineChanges));
    OC_RETURN_IF_ERROR(SearchNodes());
    OC_RETURN_IF_ERROR(TryAll("nodes in branches and bodies", BodyChanges));
    OC_RETURN_IF_ERROR(TryAll("nodes bypassed", BypassChanges));
    OC_RETURN_IF_ERROR(TryAll("outputs", OutputChanges));
    OC_RETURN_IF_ERROR(TryAll("inputs of nodes", InputChanges));
    OC_RETURN_IF_ERROR(TryAll("attributes", AttributeChanges));
    OC_RETURN_IF_ERROR(TryAll("shapes", ShapeChanges));
    for (std::string before; before != reduced_.best.hash;) {
      before = reduced_.best.hash;
      OC_RETURN_IF_ERROR(TryAll("dimensions", SizeChanges));
    }
    const bool inputs = reads_values_;
    return TryAll("numbers",
                  [inputs](const KnownModel& known) { return NumberChanges(known, inputs); });
  }

  // A part of the model as known; with its values from outside as inputs, else as constants.
  std::vector<ReduceCandidate> PartsOf(const std::vector<int>& nodes) {
    constexpr size_t kFew = 8;
    std::vector<ReduceCandidate> parts;
    for (const bool constants : {false, true}) {
      if (constants && nodes.size() > kFew) continue;
      absl::StatusOr<ReduceCandidate> part =
          maker_.OfPart(known_, {.nodes = nodes, .outputs = {}, .constants = constants});
      if (!part.ok()) {
        ++reduced_.invalid;
        continue;
      }
      if (!parts.empty() && parts.front().hash == part->hash) continue;
      parts.push_back(*std::move(part));
    }
    return parts;
  }

  absl::StatusOr<bool> PartFails(const std::vector<int>& nodes) {
    for (ReduceCandidate& part : PartsOf(nodes)) {
      OC_ASSIGN_OR_RETURN(const ReduceTrial trial, prober_.Try(part));
      if (!trial.fails) continue;
      const int count = part.model.proto.graph().node_size();
      if (count < nodes_) {
        OC_RETURN_IF_ERROR(Accept(std::move(part), trial,
                                  absl::StrCat(count, " of ", known_.node_count(), " nodes")));
      }
      return true;
    }
    return false;
  }

  absl::Status TryPartsAhead(const std::vector<std::vector<int>>& sets) {
    std::vector<ReduceCandidate> parts;
    for (const std::vector<int>& set : sets) {
      if (set.empty()) continue;
      std::vector<ReduceCandidate> both = PartsOf(set);
      if (!both.empty()) parts.push_back(std::move(both.front()));
    }
    std::vector<const ReduceCandidate*> pointers;
    for (const ReduceCandidate& part : parts) pointers.push_back(&part);
    return prober_.Ahead(pointers);
  }

  absl::Status SearchNodes() {
    if (known_.node_count() < 2) return absl::OkStatus();
    step_ = "nodes";
    SubsetQuestions questions;
    questions.holds = [this](const std::vector<int>& set) { return PartFails(set); };
    questions.order = [this](const std::vector<int>& needed, const std::vector<int>& rest) {
      return NearestFirst(known_, needed, rest);
    };
    questions.ahead = [this](const std::vector<std::vector<int>>& sets) {
      return TryPartsAhead(sets);
    };
    questions.ahead_count = options_.jobs;
    OC_RETURN_IF_ERROR(SmallSubset(known_.node_count(), questions).status());
    return Know();
  }

  // Runs the best model, so that it can be changed.
  absl::Status Know() {
    OC_ASSIGN_OR_RETURN(known_, maker_.Run(reduced_.best.model));
    return absl::OkStatus();
  }

  // The best model changed; nothing if that is no valid model, or the same one.
  std::optional<ReduceCandidate> Changed(const ReduceChange& change) {
    for (const auto* apply : {&change.apply, &change.otherwise}) {
      FedModel model = reduced_.best.model;
      if (!*apply || !(*apply)(known_, &model)) continue;
      RemoveUnread(&model);
      absl::StatusOr<ReduceCandidate> candidate = maker_.OfUnknown(std::move(model));
      if (candidate.ok() && candidate->hash != reduced_.best.hash) return *std::move(candidate);
      if (!candidate.ok()) ++reduced_.invalid;
    }
    return std::nullopt;
  }

  template <typename ChangesOf>
  absl::Status TryAll(const std::string& step, const ChangesOf& changes_of) {
    step_ = step;
    const std::vector<ReduceChange> changes = changes_of(known_);
    std::map<std::string, int> vain;
    std::set<size_t> tried_ahead;
    for (size_t i = 0; i < changes.size(); ++i) {
      const ReduceChange& change = changes[i];
      if (!change.group.empty() && vain[change.group] >= kVain) continue;
      if (options_.jobs > 1) OC_RETURN_IF_ERROR(TryAhead(changes, i));
      std::optional<ReduceCandidate> candidate = Changed(change);
      if (!candidate.has_value()) continue;
      OC_ASSIGN_OR_RETURN(const ReduceTrial trial, prober_.Try(*candidate));
      if (!trial.fails) {
        ++vain[change.group];
        continue;
      }
      OC_RETURN_IF_ERROR(Accept(*std::move(candidate), trial, change.words));
      OC_RETURN_IF_ERROR(Know());
      ahead_ = 0;
    }
    ahead_ = 0;
    return absl::OkStatus();
  }

  // The next changes at the same time, as if all were in vain.
  absl::Status TryAhead(const std::vector<ReduceChange>& changes, size_t first) {
    if (first < ahead_) return absl::OkStatus();
    std::vector<ReduceCandidate> candidates;
    for (size_t i = first;
         i < changes.size() && candidates.size() < static_cast<size_t>(options_.jobs); ++i) {
      std::optional<ReduceCandidate> candidate = Changed(changes[i]);
      if (candidate.has_value()) candidates.push_back(*std::move(candidate));
      ahead_ = i + 1;
    }
    std::vector<const ReduceCandidate*> pointers;
    for (const ReduceCandidate& candidate : candidates) pointers.push_back(&candidate);
    return prober_.Ahead(pointers);
  }

  const ReduceOptions& options_;
  const CandidateMaker maker_;
  const bool reads_values_;
  Prober prober_;
  KnownModel known_;  // start of the search for nodes, later the best
  Reduced reduced_;
  std::string step_;
  int nodes_ = 0;
  size_t ahead_ = 0;  // changes before this one have been tried
};

}  // namespace

absl::StatusOr<Reduced> Reduce(FedModel whole, const OpRegistry& registry,
                               const ReduceOptions& options, FailureTest* test) {
  return ModelReducer(registry, options, whole, test).Run(std::move(whole));
}

}  // namespace onnxcmp
