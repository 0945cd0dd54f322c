// Two models on many samples: --samples of the comparison, and --sample, which takes one of them.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "cli/commands.h"
#include "cli/compare_arguments.h"
#include "cli/compare_flags.h"
#include "cli/compare_session.h"
#include "cli/process/heap.h"
#include "cli/process/interruption.h"
#include "cli/process/messages.h"
#include "cli/process/progress.h"
#include "compare/sides/recording_side.h"
#include "compare/sides/runtime_side.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/load_model.h"
#include "feed/input_files.h"
#include "record/base/write_file.h"
#include "record/recordings/recorded_values.h"
#include "record/text/meant_name.h"
#include "samples/figures_file.h"
#include "samples/files/sample_list.h"
#include "samples/measure_samples.h"
#include "samples/render_samples.h"
#include "samples/samples_words.h"
#include "samples/sensitivity.h"

namespace onnxcmp::cli {
namespace {

absl::StatusOr<std::vector<double>> Numbers(const std::string& text, absl::string_view option) {
  std::vector<double> numbers;
  for (const absl::string_view word : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    double number = 0;
    if (!absl::SimpleAtod(word, &number)) {
      return absl::InvalidArgumentError(
          absl::StrCat(option, " has to be numbers, as 0.485,0.456,0.406: ", text));
    }
    numbers.push_back(number);
  }
  return numbers;
}

absl::StatusOr<SampleOptions> OptionsOf(const CompareArguments& arguments) {
  const SamplesArguments& given = arguments.samples;
  SampleOptions options;
  options.limit = given.limit;
  options.seed = arguments.run.seed;
  options.labels = given.labels;
  options.images.resize = given.resize;
  options.images.layout = given.layout;
  options.images.range = given.range;
  options.images.bgr = given.bgr;
  options.max_tensor = arguments.run.evaluator().max_tensor;
  OC_ASSIGN_OR_RETURN(options.images.mean, Numbers(given.mean, "--mean"));
  OC_ASSIGN_OR_RETURN(options.images.std, Numbers(given.std, "--std"));
  return options;
}

// The command that compares one sample when its name is added.
std::string CommandFor(const CompareArguments& arguments) {
  const SamplesArguments& given = arguments.samples;
  std::vector<std::string> words = {arguments.left, arguments.right, "--samples", given.path};
  const auto add = [&](const char* option, const std::string& value) {
    if (value.empty()) return;
    words.emplace_back(option);
    words.push_back(value);
  };
  add("--resize", given.resize);
  add("--mean", given.mean);
  add("--std", given.std);
  add("--layout", given.layout);
  if (given.range > 0) add("--range", absl::StrCat(given.range));
  if (given.bgr) words.emplace_back("--bgr");
  add("--left-runtime", arguments.runtimes.names.left);
  add("--right-runtime", arguments.runtimes.names.right);
  return ShellLine("onnxcmp", words);
}

// "2/8": the third of eight parts.
absl::Status ReadPart(const std::string& text, MeasureOptions* options) {
  if (text.empty()) return absl::OkStatus();
  const std::vector<std::string> words = absl::StrSplit(text, '/');
  if (words.size() == 2 && absl::SimpleAtoi(words[0], &options->part) &&
      absl::SimpleAtoi(words[1], &options->parts) && options->part >= 0 &&
      options->part < options->parts) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--part has to be one of 0/N to N-1/N for N parts: ", text));
}

class SamplesRun {
 public:
  SamplesRun(const CompareArguments& arguments, Interruption& interruption)
      : arguments_(arguments),
        interruption_(interruption),
        tools_(arguments.run, interruption),
        command_(CommandFor(arguments)) {}

  absl::StatusOr<int> Run() {
    OC_RETURN_IF_ERROR(ReadConditions());
    if (!arguments_.samples.merge.empty()) return Merge();
    for (const SideId side : kBothSides) OC_RETURN_IF_ERROR(Open(side));
    OC_ASSIGN_OR_RETURN(const SampleOptions options, OptionsOf(arguments_));
    OC_ASSIGN_OR_RETURN(const SampleList list, OpenSamples(arguments_.samples.path,
                                                           sides_.left->evaluator()->model().graph,
                                                           tools_.registry, options));
    OC_ASSIGN_OR_RETURN(const MeasureOptions measure, MeasureOptionsOf(list));
    const PerSide<Side*> sides = {sides_.left.get(), sides_.right.get()};
    SampleMeasurer measurer(sides, list, measure);
    interruption_.CallAtEnd([&] { PrintInterrupted(measurer, list); });
    const absl::Status measured = MeasureAll(&measurer, static_cast<int64_t>(list.names.size()));
    interruption_.CallAtEnd(nullptr);
    OC_RETURN_IF_ERROR(measured);
    OC_RETURN_IF_ERROR(tools_.weights->CheckUnchanged());
    SamplesReport report = ReportOf(measurer.Report(), list);
    if (!arguments_.samples.figures.empty()) {
      OC_RETURN_IF_ERROR(
          WriteFile(arguments_.samples.figures, WriteFigures(ReportOf(measurer.Figures(), list))));
    }
    if (arguments_.samples.sensitivity) {
      OC_ASSIGN_OR_RETURN(report.sensitivity, Sensitivity(sides, measurer, report, measure));
    }
    return Show(std::move(report));
  }

 private:
  absl::StatusOr<int> Merge() {
    std::vector<std::string> texts;
    for (const std::string& path : arguments_.samples.merge) {
      OC_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
      texts.emplace_back(file->bytes());
    }
    OC_ASSIGN_OR_RETURN(SamplesReport report, MergeFigures(texts, arguments_.samples.merge));
    return Show(std::move(report));
  }

  absl::StatusOr<int> Show(SamplesReport report) const {
    if (!report.outcomes.empty()) {
      OC_ASSIGN_OR_RETURN(report.conditions, CheckFailIf(conditions_, FiguresByOutput(report)));
    }
    for (const auto& [format, path] : arguments_.reports) {
      OC_RETURN_IF_ERROR(WriteFile(path, Render(report, format)));
    }
    const std::string text = Render(report, arguments_.format);
    if (!arguments_.output.empty()) {
      OC_RETURN_IF_ERROR(WriteFile(arguments_.output, text));
    } else if (!PrintOutput(text)) {
      return kFailed;
    }
    return report.ExitStatus();
  }

  absl::Status Open(SideId id) {
    LoadOptions load = arguments_.run.load();
    load.weights = tools_.weights;
    EvaluatorOptions running = arguments_.run.evaluator();
    running.spare_memory = tools_.spare;
    const std::string& path = OfSide(arguments_, id);
    absl::StatusOr<std::unique_ptr<Side>> side = OpenSide(path, tools_.registry, load, running);
    if (!side.ok()) return ErrorOf(id, side.status());
    if ((*side)->evaluator() == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, " is a recording: samples are for two models"));
    }
    sides_[id] = *std::move(side);
    const std::string& name = arguments_.runtimes.names[id];
    if (name.empty()) return absl::OkStatus();
    OC_ASSIGN_OR_RETURN(std::shared_ptr<Runtime> runtime,
                        arguments_.runtimes.Open(name, running.max_tensor));
    OC_ASSIGN_OR_RETURN(sides_[id], RuntimeSide::Create(std::move(sides_[id]), std::move(runtime)));
    return absl::OkStatus();
  }

  absl::Status ReadConditions() {
    for (const std::string& text : arguments_.samples.fail_if) {
      OC_ASSIGN_OR_RETURN(FailIf condition, ReadFailIf(text));
      conditions_.push_back(std::move(condition));
    }
    if (arguments_.samples.target.empty()) return absl::OkStatus();
    OC_ASSIGN_OR_RETURN(target_, ReadFailIf(arguments_.samples.target));
    return absl::OkStatus();
  }

  absl::StatusOr<MeasureOptions> MeasureOptionsOf(const SampleList& list) const {
    MeasureOptions options;
    options.compare = arguments_.options;
    options.compare.threads = arguments_.run.threads;
    options.compare.letters = false;
    options.inputs = arguments_.inputs;
    options.inputs.partial = arguments_.options.partial;
    options.batch = arguments_.samples.batch;
    options.labels = list.labels;
    OC_RETURN_IF_ERROR(ReadPart(arguments_.samples.part, &options));
    for (const std::string& text : arguments_.samples.tasks) {
      const size_t at = text.rfind('=');
      if (at == std::string::npos) {
        return absl::InvalidArgumentError(
            absl::StrCat("--task has to be OUTPUT=classes or another task: ", text));
      }
      OC_ASSIGN_OR_RETURN(options.tasks[text.substr(0, at)], TaskOfName(text.substr(at + 1)));
    }
    return options;
  }

  absl::Status MeasureAll(SampleMeasurer* measurer, int64_t samples) {
    const ProgressLine line(arguments_.run.quiet, interruption_, [&](double seconds) {
      const int64_t done = done_;
      return absl::StrFormat("sample %d of %d, %.0f s", done, samples, seconds);
    });
    for (int64_t first = 0; first < samples; first += arguments_.samples.batch) {
      const std::lock_guard lock(mutex_);
      OC_RETURN_IF_ERROR(measurer->Measure(first));
      done_ = std::min(first + arguments_.samples.batch, samples);
    }
    return absl::OkStatus();
  }

  SamplesReport ReportOf(SamplesReport report, const SampleList& list) const {
    report.path = arguments_.samples.path;
    report.notes.insert(report.notes.begin(), list.notes.begin(), list.notes.end());
    return report;
  }

  // On the thread that ends the program: what is done by then.
  void PrintInterrupted(const SampleMeasurer& measurer, const SampleList& list) {
    const std::lock_guard lock(mutex_);
    SamplesReport report = ReportOf(measurer.Report(), list);
    report.interrupted = true;
    if (!report.outcomes.empty()) PrintOutput(Render(report, arguments_.format));
  }

  absl::StatusOr<SensitivityReport> Sensitivity(const PerSide<Side*>& sides,
                                                const SampleMeasurer& measurer,
                                                const SamplesReport& report,
                                                const MeasureOptions& measure) {
    std::atomic<int64_t> done = 0, all = 0;
    SensitivityOptions options;
    options.target = target_;
    options.modules = arguments_.samples.granularity == "module";
    options.announce = [&](int64_t runs, int64_t samples) {
      if (!arguments_.run.quiet) {
        PrintNote(absl::StrCat("onnxcmp: --sensitivity runs about ", runs, " nodes on ", samples,
                               samples == 1 ? " sample" : " samples"));
      }
      return true;
    };
    options.progress = [&](int64_t now, int64_t of) {
      done = now;
      all = of;
    };
    const ProgressLine line(arguments_.run.quiet, interruption_, [&](double seconds) {
      return absl::StrFormat("sensitivity: trial %d of %d, %.0f s", done.load(), all.load(),
                             seconds);
    });
    return FindSensitivity(sides, measurer, report, measure, options);
  }

  std::string Render(const SamplesReport& report, const std::string& format) const {
    return format == "json"       ? RenderSamplesJson(report)
           : format == "csv"      ? RenderSamplesCsv(report)
           : format == "junit"    ? RenderSamplesJunit(report)
           : format == "markdown" ? RenderSamplesMarkdown(report, command_)
           : format == "html"     ? RenderSamplesHtml(report, command_)
                                  : RenderSamples(report, command_, LookOf(arguments_));
  }

  const CompareArguments& arguments_;
  Interruption& interruption_;
  ComparisonTools tools_;
  const std::string command_;
  PerSide<std::unique_ptr<Side>> sides_;
  std::vector<FailIf> conditions_;
  std::optional<FailIf> target_;
  std::mutex mutex_;  // held while a sample is measured
  std::atomic<int64_t> done_ = 0;
};

}  // namespace

absl::Status CheckSamples(const CompareArguments& arguments) {
  const SamplesArguments& given = arguments.samples;
  const bool any = !given.one.empty() || given.batch > 1 || given.limit > 0 ||
                   !given.resize.empty() || !given.labels.empty() || !given.fail_if.empty() ||
                   !given.tasks.empty() || given.sensitivity || !given.target.empty() ||
                   !given.mean.empty() || !given.std.empty() || !given.layout.empty() ||
                   given.range > 0 || given.bgr || !given.part.empty() || !given.figures.empty() ||
                   !given.merge.empty();
  if (given.path.empty()) {
    return any ? absl::InvalidArgumentError("options of samples need --samples PATH")
               : absl::OkStatus();
  }
  const InputOptions& inputs = arguments.inputs;
  const char* other =
      !inputs.inputs.empty() || !inputs.left_inputs.empty() || !inputs.right_inputs.empty()
          ? "inputs that are given"
      : arguments.search.has_value() ? "--search"
      : arguments.sizes              ? "--sizes"
      : arguments.classic            ? "--classic"
                                     : nullptr;
  if (other != nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("--samples excludes ", other));
  }
  if (given.sensitivity && (!given.part.empty() || !given.merge.empty())) {
    return absl::InvalidArgumentError("--sensitivity is of all samples: it excludes parts");
  }
  if (!given.merge.empty() && !(given.part.empty() && given.figures.empty())) {
    return absl::InvalidArgumentError("--merge measures nothing: it excludes --part and --figures");
  }
  if (!given.target.empty() && !given.sensitivity) {
    return absl::InvalidArgumentError("--target needs --sensitivity");
  }
  if (!given.one.empty()) return absl::OkStatus();
  for (const char* format : {"dot", "svg"}) {
    if (WantsReport(arguments, format)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", format, " shows one comparison: add --sample NAME"));
    }
  }
  if (arguments.prove || !arguments.fix.empty() || !arguments.repro.empty() ||
      !arguments.options.explain.empty()) {
    return absl::InvalidArgumentError(
        "--prove, --fix, --repro and --explain are for one comparison: add --sample NAME");
  }
  return absl::OkStatus();
}

absl::Status TakeSample(CompareArguments* arguments) {
  const OpRegistry registry = arguments->run.operators();
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> model,
                      LoadModel(arguments->left, registry, arguments->run.load()));
  OC_ASSIGN_OR_RETURN(const SampleOptions options, OptionsOf(*arguments));
  OC_ASSIGN_OR_RETURN(const SampleList list,
                      OpenSamples(arguments->samples.path, model->graph, registry, options));
  OC_ASSIGN_OR_RETURN(const std::string name,
                      MeantName(arguments->samples.one, list.names, "samples"));
  const auto at = std::find(list.names.begin(), list.names.end(), name) - list.names.begin();
  OC_ASSIGN_OR_RETURN(GivenSample sample, list.read(at));
  if (!sample.folder.empty()) {
    arguments->inputs.inputs = sample.folder;
    return absl::OkStatus();
  }
  std::vector<ValueInMemory> values;
  for (NamedValue& value : sample.values) {
    ValueInMemory& held = values.emplace_back();
    held.result.name = value.name;
    held.value = std::move(value.value);
    held.opaque = value.opaque;
  }
  std::vector<RecordedSet> sets;
  sets.push_back({"", RecordValuesInMemory(std::move(values), /*described=*/false)});
  const std::string source = absl::StrCat("sample ", name);
  OC_ASSIGN_OR_RETURN(InputFiles files, InputFiles::Of(source, std::move(sets), /*each=*/false));
  arguments->inputs.in_memory.emplace(source, std::move(files));
  arguments->inputs.inputs = source;
  return absl::OkStatus();
}

int CompareSamples(const CompareArguments& arguments, Interruption& interruption) {
  ExpectModels({arguments.left, arguments.right});
  const absl::StatusOr<int> status = SamplesRun(arguments, interruption).Run();
  if (status.ok()) return *status;
  PrintError(status.status().message());
  return kFailed;
}

}  // namespace onnxcmp::cli
