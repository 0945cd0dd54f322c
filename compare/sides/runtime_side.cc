#include "compare/sides/runtime_side.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "record/runtimes/model_files.h"
#include "record/runtimes/value_files.h"
#include "record/streams/stream_recorder.h"

namespace onnxcmp {
namespace {

// An empty sequence, of which a runtime does not say what it would hold.
bool IsUntyped(const Value& value) {
  return value.is_sequence() && value.sequence().elements.empty() &&
         value.sequence().element_dtype == DType::kUndefined;
}

bool IsEmptySequence(const Value& value) {
  return value.is_sequence() && value.sequence().elements.empty();
}

}  // namespace

// Makes a run of our interpreter show what the runtime gave: its nodes do not run. Results of
// graphs inside are not known of a runtime.
class RuntimeSide::Shower : public Observer {
 public:
  Shower(const RuntimeSide& side, Observer* watcher) : side_(side), watcher_(watcher) {}

  const absl::Status& status() const { return status_; }

  void OnNodeStart(const NodeStart& start) override {
    if (watcher_ != nullptr) watcher_->OnNodeStart(start);
  }
  std::optional<std::vector<Value>> KnownOutputs(const PendingNode& run) override {
    if (run.depth > 0) return std::nullopt;
    taken_ = nullptr;
    std::vector<Value> outputs;
    for (const std::string& name : run.node.outputs) {
      if (name.empty()) {
        outputs.emplace_back();
        continue;
      }
      absl::StatusOr<Value> value = side_.results_->Result(name);
      if (!value.ok()) status_ = value.status();
      // The type of an empty sequence is our node's.
      if (!value.ok() || value->empty() || IsUntyped(*value)) return std::nullopt;
      outputs.push_back(*std::move(value));
    }
    taken_ = &run.node;
    return outputs;
  }
  absl::Status OnResult(const Result& result, std::optional<Value>* replacement) override {
    OC_RETURN_IF_ERROR(status_);
    if (result.depth > 0) return absl::OkStatus();
    std::optional<Value> given;
    if (result.kind == ResultKind::kOutput) {
      OC_ASSIGN_OR_RETURN(given, side_.results_->Output(std::string(result.name)));
      for (const ValueInfo& output : side_.evaluator()->model().graph.outputs) {
        if (output.name == result.name) given = AsDeclared(*std::move(given), output.type);
      }
    } else if (result.kind == ResultKind::kResult && result.node != taken_) {
      // Its node ran here for the sake of others of its outputs, or for its graphs.
      OC_ASSIGN_OR_RETURN(given, side_.results_->Result(std::string(result.name)));
    }
    if (!given.has_value() || given->empty() ||
        (IsUntyped(*given) && IsEmptySequence(result.value))) {
      return Show(result);
    }
    const Result shown = {result.kind, result.name, result.node, result.path, result.depth, *given};
    OC_RETURN_IF_ERROR(Show(shown));
    *replacement = std::move(given);
    return absl::OkStatus();
  }

 protected:
  virtual absl::Status Take(int number, const Result& result) = 0;

 private:
  absl::Status Show(const Result& result) {
    if (watcher_ != nullptr) {
      std::optional<Value> unused;
      OC_RETURN_IF_ERROR(watcher_->OnResult(result, &unused));
    }
    return Take(next_++, result);
  }

  const RuntimeSide& side_;
  Observer* watcher_;
  absl::Status status_;
  const Node* taken_ = nullptr;  // the last node, if the runtime gave all of its outputs
  int next_ = 0;
};

// The runtime runs in the first step, all is shown in the second. If its run on these feeds is
// there, that is shown once more: another one would take as long, and may give something else.
class RuntimeSide::Recording : public RecordRun {
 public:
  Recording(RuntimeSide* side, const RecordOptions& options, RecordVisitor visit)
      : side_(*side),
        options_(options),
        visit_(visit),
        recorder_(side->evaluator()->registry(), {.max_depth = 0,
                                                  .pool = options.pool,
                                                  .cache = options.cache,
                                                  .own_outputs = true,
                                                  .runtime_precision = side->precision_}) {
    if (!side_.summary_.status.ok()) side_.results_ = nullptr;
    side_.failing_.reset();
    side_.summary_.notes = side_.model_->summary().notes;
    if (side_.results_ != nullptr) AddNotes();
  }

  bool Step() override {
    if (side_.results_ == nullptr) {
      side_.results_ =
          std::make_unique<RuntimeResults>(side_.evaluator()->model(), side_.runtime_.get());
      side_.summary_.status = side_.results_->Run(*side_.feeds());
      AddNotes();
      if (!side_.summary_.status.ok()) side_.FindWhatFails();
      return side_.summary_.status.ok();
    }
    Taker taker(side_, options_.watcher, &recorder_, visit_);
    side_.summary_.status = side_.evaluator()->Run(*side_.feeds(), &taker).status();
    if (!taker.status().ok()) side_.summary_.status = taker.status();
    return false;
  }

  ResultStream TakeStream() override {
    ResultStream stream = recorder_.TakeStream();
    stream.source = side_.summary_.source;
    return stream;
  }

 private:
  class Taker : public Shower {
   public:
    Taker(const RuntimeSide& side, Observer* watcher, StreamRecorder* recorder, RecordVisitor visit)
        : Shower(side, watcher), recorder_(recorder), visit_(visit) {}

   private:
    absl::Status Take(int number, const Result& result) override {
      std::optional<Value> unused;
      OC_RETURN_IF_ERROR(recorder_->OnResult(result, &unused));
      return visit_(number, recorder_->stream().results.back(), result.value);
    }

    StreamRecorder* recorder_;
    RecordVisitor visit_;
  };

  void AddNotes() {
    const std::vector<std::string>& notes = side_.results_->notes();
    side_.summary_.notes.insert(side_.summary_.notes.end(), notes.begin(), notes.end());
  }

  RuntimeSide& side_;
  const RecordOptions options_;
  RecordVisitor visit_;
  StreamRecorder recorder_;
};

RuntimeSide::RuntimeSide(std::unique_ptr<Side> model, std::shared_ptr<Runtime> runtime)
    : model_(std::move(model)), runtime_(std::move(runtime)), summary_(model_->summary()) {}

absl::StatusOr<std::unique_ptr<RuntimeSide>> RuntimeSide::Create(std::unique_ptr<Side> model,
                                                                 std::shared_ptr<Runtime> runtime,
                                                                 const std::string& source) {
  if (model->evaluator() == nullptr) {
    return absl::InvalidArgumentError("a runtime runs models, and this is a recording");
  }
  OC_ASSIGN_OR_RETURN(const RuntimeInfo info, runtime->Start());
  auto side = absl::WrapUnique(new RuntimeSide(std::move(model), std::move(runtime)));
  side->summary_.ran_in = info.Text();
  side->summary_.runtime = side->runtime_->spec().Text();
  side->runs_model_ = info.runs_models;
  side->precision_ = info.precision;
  if (!source.empty()) side->summary_.source = source;
  return side;
}

void RuntimeSide::FindWhatFails() {
  const absl::Status status = summary_.status;
  if (!runs_model_ || (!RuntimeRefused(status) && !RuntimeDied(status))) return;
  const Model& model = evaluator()->model();
  std::string text(status.message());
  failing_ = FindFailingNode(*evaluator(), *feeds(), status, runtime_.get());
  const bool found = failing_.has_value() && failing_->same_reason;
  if (found) {
    absl::StrAppend(&text,
                    failing_->alone ? "; the node that does it, alone too: "
                                    : "; together with the nodes before it: ",
                    failing_->text);
    if (status.message() != failing_->status.message()) {
      absl::StrAppend(&text, "; then: ", failing_->status.message());
    }
  } else {
    const std::string named = NodeNamedIn(status.message(), model);
    if (!named.empty()) absl::StrAppend(&text, "; its words name ", named);
    if (failing_.has_value()) {
      absl::StrAppend(&text, "; ", failing_->text,
                      " fails alone too, for another reason: ", failing_->status.message());
    }
    failing_.reset();
  }
  summary_.status = absl::Status(status.code(), text);
}

std::unique_ptr<Side> RuntimeSide::Again() const {
  auto side = absl::WrapUnique(new RuntimeSide(model_->Again(), runtime_));
  side->summary_.ran_in = summary_.ran_in;
  side->summary_.runtime = summary_.runtime;
  side->runs_model_ = runs_model_;
  side->precision_ = precision_;
  return side;
}

void RuntimeSide::SetFeeds(Feeds feeds) {
  model_->SetFeeds(std::move(feeds));
  results_ = nullptr;
  batch_ = nullptr;
}

std::unique_ptr<RecordRun> RuntimeSide::StartRecord(const RecordOptions& options,
                                                    RecordVisitor visit) {
  return std::make_unique<Recording>(this, options, visit);
}

absl::Status RuntimeSide::Revisit(const std::vector<bool>& wanted, Observer* watcher,
                                  Visitor visit) {
  class Taker : public Shower {
   public:
    Taker(const RuntimeSide& side, Observer* watcher, const std::vector<bool>& wanted,
          Visitor visit)
        : Shower(side, watcher), wanted_(wanted), visit_(visit) {}

   private:
    absl::Status Take(int number, const Result& result) override {
      const auto index = static_cast<size_t>(number);
      return index < wanted_.size() && wanted_[index] ? visit_(number, result.value)
                                                      : absl::OkStatus();
    }
    const std::vector<bool>& wanted_;
    Visitor visit_;
  };
  if (results_ == nullptr) return absl::FailedPreconditionError("nothing was recorded");
  Taker taker(*this, watcher, wanted, visit);
  const absl::Status status = evaluator()->Run(*feeds(), &taker).status();
  return taker.status().ok() ? status : taker.status();
}

void RuntimeSide::RunAhead(std::vector<NodeOnValues> nodes) {
  batch_ = std::make_unique<NodeBatch>(evaluator()->model(), runtime_.get());
  batch_->Run(std::move(nodes));
}

absl::StatusOr<std::vector<Value>> RuntimeSide::RunNode(int64_t index,
                                                        absl::Span<const Value> inputs,
                                                        const Feeds& captures) {
  if (!runs_model_) {
    return absl::UnimplementedError(absl::StrCat(name(), " runs no nodes of the model"));
  }
  if (batch_ != nullptr && captures.empty()) {
    if (std::optional<std::vector<Value>> known = batch_->OutputsOf(index, inputs)) {
      return *std::move(known);
    }
  }
  const Model& model = evaluator()->model();
  Feeds feeds;
  OC_ASSIGN_OR_RETURN(const Model node, OneNodeModel(model, index, inputs, captures, &feeds));
  OC_ASSIGN_OR_RETURN(std::vector<Value> wanted, RunModelInRuntime(node, feeds, runtime_.get()));
  std::vector<Value> outputs;
  size_t next = 0;
  for (const std::string& name : node.graph.nodes[0].outputs) {
    outputs.push_back(name.empty() ? Value() : std::move(wanted[next++]));
  }
  if (absl::c_any_of(outputs, IsUntyped)) {
    OC_ASSIGN_OR_RETURN(const std::vector<Value> ours,
                        evaluator()->RunNode(index, inputs, captures));
    for (size_t i = 0; i < std::min(outputs.size(), ours.size()); ++i) {
      if (IsUntyped(outputs[i]) && IsEmptySequence(ours[i])) outputs[i] = ours[i];
    }
  }
  return outputs;
}

}  // namespace onnxcmp
