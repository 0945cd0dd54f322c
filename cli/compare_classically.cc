#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/compare_arguments.h"
#include "cli/observer_chain.h"
#include "cli/process/at_once.h"
#include "cli/process/messages.h"
#include "cli/process/progress.h"
#include "compare/outputs/output_comparison.h"
#include "compare/tolerances/pair_tolerance.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/load/load_model.h"
#include "evaluator/protos/tensor_proto.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/shared_weights.h"
#include "feed/feeds.h"
#include "feed/generated_targets.h"
#include "onnx/onnx_pb.h"
#include "record/base/per_side.h"
#include "tools/classic/classic_alignment.h"
#include "tools/classic/classic_nodes.h"
#include "tools/classic/classic_stream.h"

namespace onnxcmp::cli {
namespace {

// One of the two models and the results of its run.
struct ClassicSide {
  std::shared_ptr<const Model> model;
  std::optional<Evaluator> evaluator;
  Feeds feeds;
  absl::Status status;
  std::vector<ClassicRow> rows;
  std::vector<NamedOutput> outputs;
};

absl::Status Load(const CompareArguments& arguments, const OpRegistry& registry,
                  PerSide<ClassicSide>* both) {
  PerSide<ClassicSide>& sides = *both;
  LoadOptions options = arguments.run.load();
  options.weights = std::make_shared<SharedWeights>(ThreadCount(arguments.run.threads));
  const auto load = [&](SideId side) {
    auto model = LoadModel(OfSide(arguments, side), registry, options);
    if (!model.ok()) {
      return ErrorOf(side, model.status());
    }
    sides[side].model = *std::move(model);
    return absl::OkStatus();
  };
  OC_RETURN_IF_ERROR(AtOnce(
      arguments.run.threads, [&] { return load(SideId::kLeft); },
      [&] { return load(SideId::kRight); }));
  for (const SideId side : kBothSides) {
    auto evaluator = Evaluator::Create(sides[side].model, registry, arguments.run.evaluator());
    if (!evaluator.ok()) {
      return ErrorOf(side, evaluator.status());
    }
    sides[side].evaluator = *std::move(evaluator);
  }
  return absl::OkStatus();
}

// The tolerances by full names of outputs, on which alone the classic verdict depends.
absl::StatusOr<ToleranceOptions> ResolveTolerance(const ToleranceOptions& given,
                                                  const PerSide<ClassicSide>& sides) {
  std::vector<std::string> names;
  for (const SideId side : kBothSides) {
    for (const ValueInfo& output : sides[side].model->graph.outputs) names.push_back(output.name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return WithWholeNames(given, names, "outputs of either side, which --classic compares");
}

absl::StatusOr<MatchedFeeds> FeedsFromFile(const std::string& path, int64_t max_tensor,
                                           const Graph& graph) {
  OC_ASSIGN_OR_RETURN(FeedFile file, FeedFile::Open(path, max_tensor));
  return file.FeedsFor(graph, /*partial=*/true);
}

absl::Status MakeFeeds(const CompareArguments& arguments, PerSide<ClassicSide>* both,
                       std::vector<std::string>* notes) {
  PerSide<ClassicSide>& sides = *both;
  OC_ASSIGN_OR_RETURN(
      GeneratedInputs generated,
      arguments.run.generated({&sides.left.model->graph, &sides.right.model->graph}));
  const bool from_files = !arguments.inputs.inputs.empty() ||
                          !arguments.inputs.left_inputs.empty() ||
                          !arguments.inputs.right_inputs.empty();
  std::vector<NamedValue> values;
  if (!from_files) {
    generated.ramp = true;
    OC_ASSIGN_OR_RETURN(values, GenerateInputs(sides.left.model->graph, generated));
  }
  std::optional<FeedFile> shared_file;  // read once for both
  if (!arguments.inputs.inputs.empty()) {
    OC_ASSIGN_OR_RETURN(shared_file, FeedFile::Open(arguments.inputs.inputs, generated.max_tensor));
  }
  for (const SideId side : kBothSides) {
    const Graph& graph = sides[side].model->graph;
    const std::string& own =
        side == SideId::kLeft ? arguments.inputs.left_inputs : arguments.inputs.right_inputs;
    absl::StatusOr<MatchedFeeds> matched;
    if (!own.empty()) {
      matched = FeedsFromFile(own, generated.max_tensor, graph);
    } else if (shared_file.has_value()) {
      matched = shared_file->FeedsFor(graph, /*partial=*/true);
    } else if (from_files) {
      matched = MatchFeeds(
          {}, graph, absl::StrCat("no file given with --inputs or --", SideName(side), "-inputs"));
    } else {
      matched = MatchFeedsByPosition(values, graph, "the left model");
    }
    if (!matched.ok()) {
      return ErrorOf(side, matched.status());
    }
    sides[side].feeds = std::move(matched->feeds);
    for (const std::string& note : matched->notes) {
      notes->push_back(absl::StrCat(SideName(side), ": ", note));
    }
  }
  return absl::OkStatus();
}

// Runs one side as far as it goes. Keeps its rows and its outputs, and releases its model.
void RunSide(const CompareArguments& arguments, SideId id, const ThreadPool& pool,
             Interruption& interruption, ClassicSide* side) {
  ClassicStream stream(arguments.table.keep_tensors, &pool);
  {
    Progress progress(std::string(SideName(id)), arguments.run.quiet, interruption);
    ObserverChain chain({&progress, stream.observer()});
    absl::StatusOr<std::vector<Value>> outputs = side->evaluator->Run(side->feeds, &chain);
    side->status = outputs.ok() ? absl::OkStatus() : ErrorOf(id, outputs.status());
    for (size_t i = 0; outputs.ok() && i < outputs->size(); ++i) {
      side->outputs.push_back({side->model->graph.outputs[i].name, std::move((*outputs)[i])});
    }
  }
  side->rows = stream.TakeRows();
  side->feeds.clear();
  side->evaluator.reset();
  side->model.reset();
}

// Aligns and prints.
absl::StatusOr<std::vector<ClassicStep>> PrintTable(const std::vector<ClassicRow>& left,
                                                    const std::vector<ClassicRow>& right,
                                                    const ClassicTableOptions& options) {
  OC_ASSIGN_OR_RETURN(std::vector<ClassicStep> steps, AlignClassic(left, right));
  if (!PrintOutput(absl::StrCat(ClassicTable(left, right, steps, options), "\n"))) {
    return absl::CancelledError("");
  }
  return steps;
}

int Fail(const absl::Status& status) {
  if (!status.message().empty()) {  // else it has been printed
    PrintError(status.message());
  }
  return kFailed;
}

int CompareRuns(const CompareArguments& arguments, Interruption& interruption) {
  const OpRegistry registry = arguments.run.operators();
  PerSide<ClassicSide> sides;
  std::vector<std::string> notes;
  if (absl::Status status = Load(arguments, registry, &sides); !status.ok()) {
    return Fail(status);
  }
  const absl::StatusOr<ToleranceOptions> tolerance =
      ResolveTolerance(arguments.options.tolerance, sides);
  if (!tolerance.ok()) return Fail(tolerance.status());
  if (absl::Status status = MakeFeeds(arguments, &sides, &notes); !status.ok()) {
    return Fail(status);
  }
  if (!arguments.run.quiet) {
    for (const std::string& note : notes) {
      PrintNote(note);
    }
  }
  {
    const ThreadPool pool(ThreadCount(arguments.run.threads));
    for (const SideId side : kBothSides) {
      RunSide(arguments, side, pool, interruption, &sides[side]);
    }
  }
  const auto steps = PrintTable(sides.left.rows, sides.right.rows, arguments.table);
  if (!steps.ok()) {
    return Fail(steps.status());
  }
  bool failed = false;
  for (const SideId side : kBothSides) {
    if (!sides[side].status.ok()) {
      PrintError(sides[side].status.message());
      failed = true;
    }
  }
  if (failed) {
    return kFailed;
  }
  const OutputComparison comparison =
      CompareOutputs(sides.left.outputs, sides.right.outputs, *tolerance);
  if (!arguments.run.quiet) {
    for (const std::string& line : DescribeOutputs(comparison)) {
      PrintNote(line);
    }
  }
  if (comparison.agree() && TellsNothing(comparison)) {
    PrintError("nothing was tested: with these inputs all outputs are NaN or empty");
    return kFailed;
  }
  return comparison.agree() ? kAgree : kDiffer;
}

absl::StatusOr<std::vector<ClassicRow>> NodeRows(const std::string& path,
                                                 const CompareArguments& arguments,
                                                 const OpRegistry& registry) {
  OC_ASSIGN_OR_RETURN(std::shared_ptr<onnx::ModelProto> model,
                      LoadModelProto(path, registry, arguments.run.load()));
  ExternalData external = ExternalData::OfModel(path, arguments.run.follow_links);
  return ClassicNodeRows(*model, &external);
}

int CompareNodes(const CompareArguments& arguments) {
  const OpRegistry registry = arguments.run.operators();
  PerSide<std::vector<ClassicRow>> rows;
  for (const SideId side : kBothSides) {
    auto of_side = NodeRows(OfSide(arguments, side), arguments, registry);
    if (!of_side.ok()) {
      return Fail(ErrorOf(side, of_side.status()));
    }
    rows[side] = *std::move(of_side);
  }
  ClassicTableOptions table = arguments.table;
  table.keep_tensors = false;  // nothing was computed
  const auto steps = PrintTable(rows.left, rows.right, table);
  if (!steps.ok()) {
    return Fail(steps.status());
  }
  return AllEqual(rows.left, rows.right, *steps) ? kAgree : kDiffer;
}

}  // namespace

int CompareClassically(const CompareArguments& arguments, Interruption& interruption) {
  return arguments.mode == "nodes" ? CompareNodes(arguments) : CompareRuns(arguments, interruption);
}

}  // namespace onnxcmp::cli
