#include "compare/sides/model_side.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/sides/shared_nodes.h"
#include "compare/sides/value_bank.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/module_paths.h"
#include "record/text/attribute_text.h"

namespace onnxcmp {
namespace {

// Passes a run to a watcher, which may be null, and numbers its results for derived classes.
class Taker : public Observer {
 public:
  Taker(Observer* watcher, int max_depth) : watcher_(watcher), max_depth_(max_depth) {}

  void OnNodeStart(const NodeStart& start) override {
    if (watcher_ != nullptr) watcher_->OnNodeStart(start);
  }
  void OnGraphStart(const GraphStart& start) override {
    if (watcher_ != nullptr) watcher_->OnGraphStart(start);
  }
  absl::Status OnResult(const Result& result, std::optional<Value>* replacement) override {
    if (watcher_ != nullptr) OC_RETURN_IF_ERROR(watcher_->OnResult(result, replacement));
    return result.depth > max_depth_ ? absl::OkStatus() : Take(next_++, result);
  }

 protected:
  // Results have the numbers of StreamRecorder.
  virtual absl::Status Take(int number, const Result& result) = 0;

 private:
  Observer* watcher_;
  int max_depth_;
  int next_ = 0;
};

class RecordingTaker : public Taker {
 public:
  RecordingTaker(const RecordOptions& options, StreamRecorder* recorder, Side::RecordVisitor visit)
      : Taker(options.watcher, options.max_depth),
        max_depth_(options.max_depth),
        shared_(options.shared),
        recorder_(recorder),
        visit_(visit) {}

  std::optional<std::vector<Value>> KnownOutputs(const PendingNode& run) override {
    if (shared_ == nullptr || run.depth > max_depth_) return std::nullopt;
    return shared_->Find(run);
  }
  void OnNodeOutputs(const PendingNode& run, absl::Span<Value> outputs, bool drew) override {
    if (shared_ != nullptr && run.depth <= max_depth_) shared_->Add(run, outputs, drew);
  }
  void OnGraphStart(const GraphStart& start) override {
    Taker::OnGraphStart(start);
    recorder_->OnGraphStart(start);
  }
  absl::Status OnResult(const Result& result, std::optional<Value>* replacement) override {
    OC_RETURN_IF_ERROR(recorder_->OnResult(result, replacement));
    return Taker::OnResult(result, replacement);
  }

 private:
  absl::Status Take(int number, const Result& result) override {
    return visit_(number, recorder_->stream().results.back(), result.value);
  }

  int max_depth_;
  SharedNodes* shared_;
  StreamRecorder* recorder_;
  Side::RecordVisitor visit_;
};

class RevisitingTaker : public Taker {
 public:
  RevisitingTaker(const std::vector<bool>& wanted, int max_depth, Observer* watcher,
                  Side::Visitor visit)
      : Taker(watcher, max_depth), wanted_(wanted), visit_(visit) {
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i]) last_ = static_cast<int>(i);
    }
  }

  // True if the run was ended because no more results are wanted.
  bool done() const { return done_; }

 private:
  absl::Status Take(int number, const Result& result) override {
    if (number <= last_ && wanted_[Index(number)]) {
      LeaveMemoryAccount(result.value);
      OC_RETURN_IF_ERROR(visit_(number, result.value));
    }
    done_ = number >= last_;
    return done_ ? absl::CancelledError("all that was wanted has been seen") : absl::OkStatus();
  }

  const std::vector<bool>& wanted_;
  Side::Visitor visit_;
  int last_ = -1;
  bool done_ = false;
};

SideSummary Summarize(const Model& model) {
  SideSummary summary;
  summary.source = model.path;
  std::error_code error;
  const auto bytes = std::filesystem::file_size(model.path, error);
  if (!error) summary.bytes = static_cast<int64_t>(bytes);
  summary.nodes = static_cast<int64_t>(model.graph.nodes.size());
  std::set<std::pair<absl::string_view, absl::string_view>> operators;
  for (const Node& node : model.graph.nodes) {
    operators.insert({node.domain, node.op_type});
    // Optimizers import more domains than they use.
    const auto import = model.imports.find(node.domain);
    if (import != model.imports.end()) summary.opsets.insert(*import);
  }
  summary.operators = static_cast<int64_t>(operators.size());
  summary.initializers = static_cast<int64_t>(model.graph.initializers.size());
  summary.notes = model.notes;
  return summary;
}

// "axis=-1, keepdims=0": the attributes that a node gives, without its bodies.
std::string AttributesText(const Node& node) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : node.attributes) {
    if (std::holds_alternative<std::shared_ptr<const Graph>>(value) ||
        std::holds_alternative<std::vector<std::shared_ptr<const Graph>>>(value)) {
      continue;
    }
    texts.push_back(absl::StrCat(name, "=", AttributeText(value)));
  }
  std::sort(texts.begin(), texts.end());
  return absl::StrJoin(texts, ", ");
}

// Records for each node of the main graph what its attributes are, for readers.
void AddAttributes(const Graph& graph, ResultStream* stream) {
  absl::flat_hash_map<absl::string_view, const Node*> makers;  // by output
  for (const Node& node : graph.nodes) {
    if (node.attributes.empty()) continue;
    for (const std::string& output : node.outputs) makers[output] = &node;
  }
  for (StreamNode& node : stream->nodes) {
    const auto* const first = std::find_if(node.outputs.begin(), node.outputs.end(),
                                           [](int output) { return output != kNone; });
    if (first == node.outputs.end()) continue;
    const StreamResult& result = stream->results[Index(*first)];
    const auto it = result.depth > 0 ? makers.end() : makers.find(result.name);
    if (it != makers.end()) node.attributes_text = AttributesText(*it->second);
  }
}

// Records for each node of the main graph the module and the line that it comes from.
void AddModules(const std::string& path, ResultStream* stream) {
  const absl::flat_hash_map<std::string, ProgramPlace> places = ReadProgramPlaces(path);
  if (places.empty()) return;
  for (StreamNode& node : stream->nodes) {
    if (node.outputs.empty() || node.outputs.front() == kNone) continue;
    const StreamResult& first = stream->results[Index(node.outputs.front())];
    const auto it = first.depth > 0 ? places.end() : places.find(first.name);
    if (it == places.end()) continue;
    node.module = it->second.module;
    node.source_line = it->second.line;
  }
}

}  // namespace

ModelSide::ModelSide(Evaluator evaluator, const OpRegistry& registry, SideSummary summary)
    : registry_(registry), evaluator_(std::move(evaluator)), summary_(std::move(summary)) {}

absl::StatusOr<std::unique_ptr<ModelSide>> ModelSide::Open(const std::string& path,
                                                           const OpRegistry& registry,
                                                           const LoadOptions& load,
                                                           const EvaluatorOptions& options) {
  OC_ASSIGN_OR_RETURN(std::shared_ptr<const Model> model, LoadModel(path, registry, load));
  return Create(std::move(model), registry, options);
}

absl::StatusOr<std::unique_ptr<ModelSide>> ModelSide::Create(std::shared_ptr<const Model> model,
                                                             const OpRegistry& registry,
                                                             const EvaluatorOptions& options) {
  OC_ASSIGN_OR_RETURN(Evaluator evaluator, Evaluator::Create(std::move(model), registry, options));
  SideSummary summary = Summarize(evaluator.model());
  return absl::WrapUnique(new ModelSide(std::move(evaluator), registry, std::move(summary)));
}

std::unique_ptr<Side> ModelSide::Again() const {
  SideSummary summary = summary_;
  summary.status = absl::OkStatus();
  return absl::WrapUnique(new ModelSide(evaluator_.Share(), registry_, std::move(summary)));
}

class ModelSide::Recording : public RecordRun {
 public:
  Recording(ModelSide* side, const RecordOptions& options, RecordVisitor visit)
      : side_(*side),
        modules_(options.modules),
        recorder_(side->registry_,
                  {options.max_depth, options.pool, options.cache,
                   options.shared != nullptr ? &options.shared->facts() : nullptr, options.glance}),
        taker_(options, &recorder_, visit) {
    recorder_.Expect(side->graph());
    absl::StatusOr<Run> run = side_.evaluator_.Start(side_.feeds_, &taker_);
    side_.summary_.status = run.status();
    if (run.ok()) run_.emplace(*std::move(run));
  }

  bool Step() override {
    if (!run_.has_value()) return false;
    const absl::StatusOr<bool> more = run_->Step();
    side_.summary_.status = more.status();
    if (!more.ok() || !*more) run_.reset();
    return run_.has_value();
  }

  ResultStream TakeStream() override {
    ResultStream stream = recorder_.TakeStream();
    stream.source = side_.summary_.source;
    if (modules_) {
      AddModules(side_.summary_.source, &stream);
      AddAttributes(side_.evaluator_.model().graph, &stream);
    }
    return stream;
  }

 private:
  ModelSide& side_;
  bool modules_;
  StreamRecorder recorder_;
  RecordingTaker taker_;
  std::optional<Run> run_;  // nothing: it has ended
};

std::unique_ptr<RecordRun> ModelSide::StartRecord(const RecordOptions& options,
                                                  RecordVisitor visit) {
  max_depth_ = options.max_depth;
  return std::make_unique<Recording>(this, options, visit);
}

void ModelSide::TakeRecordOf(const Side& same, const RecordOptions& options) {
  max_depth_ = options.max_depth;
  summary_.status = same.summary().status;
}

absl::Status ModelSide::Revisit(const std::vector<bool>& wanted, Observer* watcher, Visitor visit) {
  RevisitingTaker taker(wanted, max_depth_, watcher, visit);
  const absl::Status status = evaluator_.Run(feeds_, &taker).status();
  return taker.done() ? absl::OkStatus() : status;
}

}  // namespace onnxcmp
