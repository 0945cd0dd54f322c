#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/observer_chain.h"
#include "cli/print_value.h"
#include "cli/process/heap.h"
#include "cli/process/interruption.h"
#include "cli/process/messages.h"
#include "cli/process/progress.h"
#include "cli/process/terminal.h"
#include "cli/runtimes/runtime_options.h"
#include "compare/not_finite/find_not_finite.h"
#include "compare/sides/model_side.h"
#include "compare/sides/runtime_side.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/load_model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/run/profile.h"
#include "feed/feeds.h"
#include "ops/operation_count.h"
#include "record/recordings/recording.h"
#include "reports/render_profile.h"
#include "reports/words/not_finite_text.h"
#include "tools/backend_tests/backend_test.h"

namespace onnxcmp::cli {
namespace {

struct Options {
  std::string model;
  std::string inputs;
  std::string save;
  std::string save_all;
  bool partial = false;
  bool nan = false;
  bool profile = false;
  std::string trace;
  bool expand_functions = false;
  std::string runtime;  // "": our interpreter
  RuntimeArguments runtimes;
  RunOptions run;
};

// True if the output is a test in a folder rather than an archive.
bool NamesFolder(const std::string& path) {
  std::error_code error;
  return path.ends_with('/') || std::filesystem::is_directory(path, error);
}

// The recorders that the options request.
absl::StatusOr<std::vector<std::unique_ptr<RecordingWriter>>> OpenRecordings(
    const Options& options, Interruption& interruption) {
  std::vector<std::unique_ptr<RecordingWriter>> writers;
  for (const auto& [path, outputs_only] :
       {std::pair(options.save, true), std::pair(options.save_all, false)}) {
    if (!path.empty() && !NamesFolder(path)) {
      OC_ASSIGN_OR_RETURN(std::unique_ptr<RecordingWriter> writer,
                          RecordingWriter::Create(path, outputs_only));
      interruption.RemoveAtEnd(writer->folder());
      writers.push_back(std::move(writer));
    }
  }
  return writers;
}

// The places where the model's numbers become NaN or infinite, a line each.
absl::StatusOr<std::string> NotFiniteLines(std::shared_ptr<const Model> model, const Feeds& feeds,
                                           const OpRegistry& registry,
                                           const EvaluatorOptions& options) {
  OC_ASSIGN_OR_RETURN(const std::unique_ptr<ModelSide> side,
                      ModelSide::Create(std::move(model), registry, options));
  side->SetFeeds(feeds);
  const ResultStream stream =
      side->Record({}, [](int, const StreamResult&, const Value&) { return absl::OkStatus(); });
  OC_RETURN_IF_ERROR(side->summary().status);
  OC_ASSIGN_OR_RETURN(const NotFinite found,
                      FindNotFinite({.side = side.get(), .stream = &stream}, "again", nullptr));
  const std::vector<std::string> lines = NotFiniteText(found, stream);
  if (lines.empty()) return std::string("not finite: nothing, all results are finite\n");
  std::string text;
  for (const std::string& line : lines) absl::StrAppend(&text, "not finite: ", line, "\n");
  return text;
}

// The outputs that a runtime gives. The observer sees all results.
absl::StatusOr<std::vector<Value>> RunInRuntime(const Options& options,
                                                std::shared_ptr<const Model> model,
                                                const OpRegistry& registry, const Feeds& feeds,
                                                Observer* observer) {
  OC_ASSIGN_OR_RETURN(std::shared_ptr<Runtime> runtime,
                      options.runtimes.Open(options.runtime, options.run.evaluator().max_tensor));
  OC_ASSIGN_OR_RETURN(std::unique_ptr<ModelSide> ours,
                      ModelSide::Create(std::move(model), registry, options.run.evaluator()));
  OC_ASSIGN_OR_RETURN(const std::unique_ptr<RuntimeSide> side,
                      RuntimeSide::Create(std::move(ours), std::move(runtime)));
  side->SetFeeds(feeds);
  if (!options.run.quiet) PrintNote(absl::StrCat("runs in ", side->name()));
  std::vector<Value> outputs;
  RecordOptions recording;
  recording.watcher = observer;
  side->Record(recording, [&](int, const StreamResult& result, const Value& value) {
    if (result.kind == ResultKind::kOutput) outputs.push_back(value);
    return absl::OkStatus();
  });
  if (!options.run.quiet) {
    for (const std::string& note : side->summary().notes) PrintNote(note);
  }
  OC_RETURN_IF_ERROR(side->summary().status);
  return outputs;
}

// Refuses --runtime with options that only our interpreter has.
absl::Status CheckRuntime(const Options& options) {
  if (options.runtime.empty()) return absl::OkStatus();
  for (const auto& [given, name] :
       {std::pair(options.profile, "--profile"), std::pair(!options.trace.empty(), "--trace"),
        std::pair(options.nan, "--nan"),
        std::pair(options.expand_functions, "--expand-functions")}) {
    if (given) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " is of our interpreter: it excludes --runtime"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> RunAndSummarize(const Options& options, Interruption& interruption) {
  ExpectModels({options.model});
  const OpRegistry registry = options.run.operators();
  OC_ASSIGN_OR_RETURN(std::shared_ptr<const Model> model,
                      LoadModel(options.model, registry, options.run.load()));
  OC_ASSIGN_OR_RETURN(MatchedFeeds matched,
                      options.run.feeds(model->graph, options.inputs, options.partial));
  if (!options.run.quiet) {
    for (const std::string& note : matched.notes) {
      PrintNote(note);
    }
    if (const std::string note = options.run.Assumption(model->graph); !note.empty()) {
      PrintNote(note);
    }
  }
  EvaluatorOptions evaluator_options = options.run.evaluator();
  evaluator_options.expand_functions = options.expand_functions;
  OC_ASSIGN_OR_RETURN(Evaluator evaluator, Evaluator::Create(model, registry, evaluator_options));
  OC_ASSIGN_OR_RETURN(std::vector<std::unique_ptr<RecordingWriter>> writers,
                      OpenRecordings(options, interruption));
  std::vector<Value> outputs;
  Profiler profiler({.operations = OperationCount, .keep_runs = !options.trace.empty()});
  {
    Progress progress("", options.run.quiet, interruption);
    std::vector<Observer*> observers = {&progress};
    for (const std::unique_ptr<RecordingWriter>& writer : writers) {
      observers.push_back(writer.get());
    }
    if (options.profile || !options.trace.empty()) observers.push_back(&profiler);
    ObserverChain chain(std::move(observers));
    if (!options.runtime.empty()) {
      OC_ASSIGN_OR_RETURN(outputs, RunInRuntime(options, model, registry, matched.feeds, &chain));
    } else {
      OC_ASSIGN_OR_RETURN(Run run, evaluator.Start(matched.feeds, &chain));
      // The run releases an input after its last reader.
      if (!options.nan && !NamesFolder(options.save)) matched.feeds.clear();
      while (true) {
        OC_ASSIGN_OR_RETURN(const bool more, run.Step());
        if (!more) break;
      }
      outputs = run.TakeOutputs();
    }
  }
  for (const std::unique_ptr<RecordingWriter>& writer : writers) {
    OC_RETURN_IF_ERROR(writer->Finish());
  }
  if (!options.trace.empty()) {
    OC_RETURN_IF_ERROR(WriteTrace(profiler.profile(), options.model, options.trace));
  }
  if (NamesFolder(options.save)) {
    OC_RETURN_IF_ERROR(WriteBackendTest(options.save, options.model, registry, options.run.load(),
                                        matched.feeds, outputs));
  }
  std::string summary;
  for (size_t i = 0; i < outputs.size(); ++i) {
    absl::StrAppend(&summary, ValueSummary(model->graph.outputs[i].name, outputs[i]));
  }
  if (options.profile) {
    const TableOptions look = {.width = OutputWidth(), .ascii = OutputIsAscii()};
    absl::StrAppend(&summary, summary.empty() ? "" : "\n", RenderProfile(profiler.profile(), look));
  }
  if (options.nan) {
    OC_ASSIGN_OR_RETURN(const std::string lines,
                        NotFiniteLines(model, matched.feeds, registry, evaluator_options));
    summary += lines;
  }
  return summary;
}

}  // namespace

int RunCommand(const std::vector<std::string>& arguments) {
  Interruption interruption;
  Options options;
  CLI::App app("Runs a model and prints its outputs in short.", "onnxcmp run");
  SetUsage(app, "onnxcmp run [OPTIONS] MODEL");
  app.add_option("MODEL", options.model, "The model: .onnx, or .onnxtxt as text")->type_name(" ");
  app.add_option("--inputs", options.inputs, "An .npz, or a folder of input_N.pb")->type_name("F");
  app.add_flag("--nan", options.nan, "Say where numbers become NaN or infinite, and how");
  app.add_flag("--partial", options.partial, "Accept what the file has and the model lacks");
  app.add_flag("--profile", options.profile, "Print where the time went, by operator and node");
  app.add_option("--trace", options.trace, "Write when each node ran, for Perfetto or Chrome")
      ->type_name("F");
  app.add_option("--save", options.save, "Save the outputs as an .npz, or a test in DIR/")
      ->type_name("F");
  app.add_option("--save-all", options.save_all, "Save every result as an .npz")->type_name("F");
  AddExpandFunctions(app, options.expand_functions);
  app.add_option("--runtime", options.runtime, "Run it in a runtime; onnxcmp runtimes lists them")
      ->group("Runtimes")
      ->type_name("R[:K=V,...]");
  options.runtimes.AddLimits(app);
  options.run.AddTo(app);
  if (const std::optional<int> status = Parse(app, arguments, interruption)) {
    return *status;
  }
  if (options.model.empty()) {
    PrintError("a model is needed: onnxcmp run MODEL; see onnxcmp run --help");
    return kFailed;
  }
  if (!options.save.empty() && options.save == options.save_all) {
    PrintError("--save and --save-all need different files");
    return kFailed;
  }
  absl::Status status = CheckRuntime(options);
  status.Update(
      CheckWritten({NamesFolder(options.save) ? "" : options.save, options.save_all, options.trace},
                   {options.model, options.inputs}));
  if (!status.ok()) {
    PrintError(status.message());
    return kFailed;
  }
  const absl::StatusOr<std::string> summary = RunAndSummarize(options, interruption);
  if (!summary.ok()) {
    PrintError(summary.status().message());
    return kFailed;
  }
  return PrintOutput(*summary) ? kAgree : kFailed;
}

}  // namespace onnxcmp::cli
