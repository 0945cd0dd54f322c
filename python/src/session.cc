#include "python/src/session.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "compare/compare.h"
#include "compare/sides/model_side.h"
#include "compare/sides/pair_values.h"
#include "compare/sides/recording_side.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/load_model.h"
#include "tools/repro/write_repro.h"

namespace onnxcmp::python {

absl::StatusOr<std::shared_ptr<Session>> Session::Create(
    const std::vector<std::string>& command_line, PerSide<Source> sources,
    std::vector<GivenInputs> inputs, SharedArrays shared, bool letters, const std::string& python) {
  std::shared_ptr<Session> session(new Session);
  cli::CompareArguments& arguments = session->arguments_;
  std::vector<std::string> whole = command_line;
  whole.insert(whole.end(), {"--", sources.left.label, sources.right.label});
  OC_RETURN_IF_ERROR(cli::ReadCompareArguments(whole, &arguments));
  arguments.run.quiet = true;
  arguments.runtimes.python = python;
  if (letters) arguments.format = "json";  // which is what letters are made for
  session->shared_ = std::move(shared);
  session->sources_ = std::move(sources);
  session->tools_.emplace(arguments.run, session->interruption_);
  session->tools_->stop = session->stop_;
  session->tools_->watch = [progress = session->progress_](absl::string_view run) {
    return std::make_unique<ProgressObserver>(progress, run);
  };
  for (GivenInputs& given : inputs) {
    OC_ASSIGN_OR_RETURN(InputFiles files, InputFiles::Of(given.name, std::move(given.sets),
                                                         arguments.inputs.each, given.by_name));
    arguments.inputs.in_memory.emplace(given.name, std::move(files));
  }
  return session;
}

// Null: CompareSession opens the file.
absl::StatusOr<std::unique_ptr<Side>> Session::Open(Source& source) {
  if (source.is_file) return nullptr;
  if (!source.model.has_value()) {
    return std::make_unique<RecordingSide>(source.label, std::move(source.sets));
  }
  LoadOptions load = arguments_.run.load();
  load.weights = tools_->weights;
  OC_ASSIGN_OR_RETURN(std::shared_ptr<const Model> model,
                      LoadModelFromBytes(*source.model, tools_->registry, load, source.folder));
  EvaluatorOptions running = arguments_.run.evaluator();
  running.spare_memory = tools_->spare;
  running.stop = stop_;
  source.model->clear();
  return ModelSide::Create(std::move(model), tools_->registry, running);
}

void Session::Label(Comparison* comparison) const {
  for (const SideId side : kBothSides) {
    SideSummary& summary =
        side == SideId::kLeft ? comparison->left_summary : comparison->right_summary;
    if (!sources_[side].is_file) summary.source = sources_[side].label;
  }
}

absl::StatusOr<std::vector<ComparedSet>> Session::Run() {
  const std::lock_guard<std::mutex> lock(mutex_);
  PerSide<std::unique_ptr<Side>> given;
  for (const SideId side : kBothSides) {
    absl::StatusOr<std::unique_ptr<Side>> opened = Open(sources_[side]);
    if (!opened.ok()) {
      return absl::Status(opened.status().code(),
                          absl::StrCat(SideName(side), ": ", opened.status().message()));
    }
    given[side] = *std::move(opened);
  }
  std::vector<ComparedSet> compared;
  comparison_.emplace(arguments_, *tools_);
  comparison_->GiveSides(std::move(given));
  const auto take = [&](Comparison& comparison, int64_t set, int64_t /*sets*/,
                        const std::string& name) -> absl::StatusOr<bool> {
    ComparedSet& one = compared.emplace_back();
    one.name = name;
    one.set = set;
    const PerSide<Side*> sides = comparison_->sides();
    for (const SideId side : kBothSides) {
      if (sides[side]->feeds() != nullptr) one.feeds[side] = *sides[side]->feeds();
    }
    Label(&comparison);
    one.comparison = std::move(comparison);
    return true;
  };
  OC_RETURN_IF_ERROR(comparison_->Run(take).status());
  OC_RETURN_IF_ERROR(shared_.CheckUnchanged());
  return compared;
}

// Makes the sides what they were for that set.
absl::Status Session::Restore(const ComparedSet& set) {
  stop_->store(false);
  OC_RETURN_IF_ERROR(shared_.CheckUnchanged());
  const PerSide<Side*> sides = comparison_->sides();
  for (const SideId side : kBothSides) {
    sides[side]->SetFeeds(set.feeds[side]);
    if (sides[side]->sets() == 1) continue;
    sides[side]->ChooseSet(set.set);
    const Side& other = *sides[Other(side)];
    if (other.evaluator() == nullptr) continue;
    OC_RETURN_IF_ERROR(sides[side]->RecordedInputs(other.evaluator()->model().graph).status());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Value>> Session::Values(const ComparedSet& set, SideId side,
                                                   const std::vector<int>& results) {
  const std::lock_guard<std::mutex> lock(mutex_);
  OC_RETURN_IF_ERROR(Restore(set));
  Side& asked = *comparison_->sides()[side];
  const size_t size =
      (side == SideId::kLeft ? set.comparison.left : set.comparison.right).results.size();
  std::vector<bool> wanted(size, false);
  for (const int result : results) {
    if (result < 0 || static_cast<size_t>(result) >= size) {
      return absl::InvalidArgumentError(absl::StrCat("there is no result ", result));
    }
    wanted[static_cast<size_t>(result)] = true;
  }
  // Runtimes and recordings know what they gave for the last inputs that they were asked for.
  if (asked.sets() > 1 || asked.node_runner() != nullptr) {
    asked.Record({.max_depth = arguments_.options.max_depth},
                 [](int, const StreamResult&, const Value&) { return absl::OkStatus(); });
  }
  std::vector<std::optional<Value>> found(size);
  OC_RETURN_IF_ERROR(
      VisitAgain({.side = &asked}, "", nullptr, wanted, [&](int result, const Value& value) {
        found[static_cast<size_t>(result)] = value;
        return absl::OkStatus();
      }));
  std::vector<Value> values;
  for (const int result : results) {
    if (!found[static_cast<size_t>(result)].has_value()) {
      return absl::InternalError("the run did not come to the result again");
    }
    values.push_back(*found[static_cast<size_t>(result)]);
  }
  return values;
}

absl::StatusOr<Comparison> Session::CompareAgain(const ComparedSet& set) {
  OC_RETURN_IF_ERROR(Restore(set));
  CompareOptions options = comparison_->options();
  options.made_up = set.comparison.made_up_sets > 0;
  options.made_up_inputs = set.comparison.made_up_inputs;
  const PerSide<Side*> sides = comparison_->sides();
  OC_ASSIGN_OR_RETURN(Comparison again, Compare(*sides.left, *sides.right, options));
  OC_RETURN_IF_ERROR(shared_.CheckUnchanged());
  Label(&again);
  return again;
}

absl::StatusOr<Comparison> Session::Explain(const ComparedSet& set, const std::string& what) {
  const std::lock_guard<std::mutex> lock(mutex_);
  arguments_.options.explain = what;
  absl::StatusOr<Comparison> again = CompareAgain(set);
  arguments_.options.explain.clear();
  return again;
}

absl::StatusOr<Comparison> Session::WriteRepros(const ComparedSet& set, const std::string& folder) {
  const std::lock_guard<std::mutex> lock(mutex_);
  OC_RETURN_IF_ERROR(CheckReproTarget(folder));
  arguments_.repro = folder;
  absl::StatusOr<Comparison> again = CompareAgain(set);
  arguments_.repro.clear();
  OC_RETURN_IF_ERROR(again.status());
  OC_RETURN_IF_ERROR(ClearReproTarget(folder));
  ReproOptions options;
  options.dir = folder;
  options.load = arguments_.run.load();
  options.evaluator = arguments_.run.evaluator();
  OC_RETURN_IF_ERROR(onnxcmp::WriteRepros(tools_->registry, options, &*again));
  return again;
}

}  // namespace onnxcmp::python
