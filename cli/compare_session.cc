#include "cli/compare_session.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "cli/arguments.h"
#include "cli/mend_model.h"
#include "cli/process/at_once.h"
#include "cli/process/messages.h"
#include "cli/process/progress.h"
#include "cli/runtimes/optimized_side.h"
#include "cli/runtimes/second_look.h"
#include "compare/input_sets/compare_on_inputs.h"
#include "compare/outcome/proof_report.h"
#include "compare/outcome/verdict.h"
#include "compare/sides/recording_side.h"
#include "compare/sides/runtime_side.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/load/load_model.h"
#include "feed/input_files.h"
#include "prove/rewrites.h"
#include "prove/trials/prove_sizes.h"
#include "prove/trials/test_rewrites.h"
#include "record/recordings/data_sets.h"
#include "record/recordings/recording.h"
#include "record/streams/fingerprint.h"
#include "record/streams/hash128.h"
#include "record/streams/result_stream.h"
#include "record/text/short_text.h"
#include "reports/render_html.h"

namespace onnxcmp::cli {
namespace {

// True if two values certainly differ, even if one is cast to another type.
bool AreOtherValues(const Value& left, const Value& right) {
  if (left.TypeString() == right.TypeString()) return ContentOf(left) != ContentOf(right);
  return left.is_tensor() && right.is_tensor() && left.tensor().shape() != right.tensor().shape();
}

}  // namespace

ComparisonTools::ComparisonTools(const RunOptions& run, Interruption& interruption)
    : registry(run.operators()),
      interruption(interruption),
      weights(std::make_shared<SharedWeights>(ThreadCount(run.threads), spare)) {}

bool WantsLetters(const CompareArguments& arguments) {
  return arguments.format == "json" ||
         std::any_of(arguments.reports.begin(), arguments.reports.end(),
                     [](const auto& report) { return report.first == "json"; });
}

// A page has room for fewer: which of them matter most is known at the end.
constexpr int64_t kPicturesOfPage = 3;

bool WantsReport(const CompareArguments& arguments, absl::string_view format) {
  return arguments.format == format ||
         std::any_of(arguments.reports.begin(), arguments.reports.end(),
                     [&](const auto& report) { return report.first == format; });
}

absl::StatusOr<bool> CompareSession::Run(const Show& show) {
  if (!arguments_.repro.empty()) OC_RETURN_IF_ERROR(CheckReproTarget(arguments_.repro));
  OC_RETURN_IF_ERROR(OpenSides());
  OC_ASSIGN_OR_RETURN(std::optional<InputSets> inputs, OpenInputs());
  OC_ASSIGN_OR_RETURN(const int64_t sets, CountSets(inputs));
  if (!arguments_.repro.empty()) OC_RETURN_IF_ERROR(ClearReproTarget(arguments_.repro));
  for (int64_t set = 0; set < sets; ++set) {
    result_ = SetsResult();  // frees its memory for the next
    if (set > 0) OC_RETURN_IF_ERROR(ChooseSet(set, &inputs));
    OC_ASSIGN_OR_RETURN(result_, CompareSet(set, &inputs));
    OC_RETURN_IF_ERROR(tools_.weights->CheckUnchanged());
    Comparison& comparison = result_.comparison;
    FedInputs& fed = result_.fed;
    if (!arguments_.save_inputs.empty()) {
      OC_RETURN_IF_ERROR(SaveInputs(FileOfSet(arguments_.save_inputs, set, sets)));
    }
    if (inputs.has_value()) AddMappingNotes(inputs->mapping(), &comparison.notes);
    if (arguments_.prove) {
      OC_RETURN_IF_ERROR(Prove(set, &inputs, ReproOptionsOf(set, sets), &comparison));
    }
    if (!arguments_.fix.empty()) OC_RETURN_IF_ERROR(Fix(set, sets, &inputs));
    if (!arguments_.repro.empty()) OC_RETURN_IF_ERROR(WriteReprosOf(set, sets, &comparison));
    if (!input_note_.empty()) comparison.notes.push_back(input_note_);
    NoteOtherInputs(&comparison);
    for (std::string& note : fed.notes) comparison.notes.push_back(std::move(note));
    AddAssumptions("left", *left_, &comparison.notes);
    AddAssumptions("right", *right_, &comparison.notes);
    const std::string name = !fed.name.empty()           ? fed.name
                             : !left_->SetName().empty() ? left_->SetName()
                                                         : right_->SetName();
    OC_ASSIGN_OR_RETURN(const bool shown, show(comparison, set, sets, name));
    if (!shown) return false;
  }
  return true;
}

InputSets* CompareSession::MadeUp(std::optional<InputSets>* inputs,
                                  std::optional<InputSets>* made_up) const {
  if (arguments_.run.ramp || !inputs->has_value()) return nullptr;
  if ((*inputs)->made_up()) return &**inputs;
  absl::StatusOr<std::optional<InputSets>> opened = OpenInputs("");
  if (!opened.ok() || !opened->has_value() || !(*opened)->made_up()) return nullptr;
  *made_up = *std::move(opened);
  return &**made_up;
}

absl::Status CompareSession::Fix(int64_t set, int64_t sets, std::optional<InputSets>* inputs) {
  const Verdict verdict = result_.comparison.verdict();
  const bool agrees = verdict == Verdict::kSame || verdict == Verdict::kClose;
  fix_.reset();
  if (fixed_ || (agrees && set + 1 < sets)) return absl::OkStatus();
  fixed_ = true;
  const StepTimer timer(timings(), "fix");
  std::optional<InputSets> made_up;
  InputSets* const further = MadeUp(inputs, &made_up);
  OC_ASSIGN_OR_RETURN(fix_, MendModel({arguments_,
                                       tools_.registry,
                                       {left_.get(), right_.get()},
                                       inputs->has_value() ? &**inputs : nullptr,
                                       further,
                                       result_.fed,
                                       options()}));
  return absl::OkStatus();
}

// At other sizes, too, if dimensions are free: of the first set alone.
absl::Status CompareSession::Prove(int64_t set, std::optional<InputSets>* inputs,
                                   const ReproOptions& repro, Comparison* comparison) {
  const StepTimer timer(timings(), "prove");
  const ThreadPool pool(ThreadCount(arguments_.run.threads), tools_.spare);
  std::optional<InputSets> made_up;
  InputSets* const sizes = set == 0 ? MadeUp(inputs, &made_up) : nullptr;
  ProofReport report = ProveOnSizes(sides(), *comparison, sizes, options(),
                                    {arguments_.run.evaluator().seed, &pool,
                                     inputs->has_value() ? &(*inputs)->mapping() : nullptr});
  const auto hold = [&] { comparison->proof = std::make_shared<const ProofReport>(report); };
  hold();
  const bool possible = report.not_possible.empty();
  if (possible) {
    report.rewrite_faults = TestRewrites(sides(), *comparison, tools_.registry, options(), sizes);
    if (!repro.dir.empty()) {
      OC_RETURN_IF_ERROR(WriteRewrites(tools_.registry, repro, *comparison, &report));
    }
    hold();
  }
  if (!arguments_.fail_on_rewrites) return absl::OkStatus();
  report.failure = possible ? RewriteFaultOf(*comparison) : "no rewrite could be looked at";
  if (!report.failure.empty()) absl::StrAppend(&report.failure, " (--fail-on rewrites)");
  hold();
  return absl::OkStatus();
}

Comparison CompareSession::FailedComparison(const absl::Status& status) const {
  Comparison comparison;
  comparison.left_summary.source = arguments_.left;
  comparison.right_summary.source = arguments_.right;
  comparison.left_summary.status = open_status_.left;
  comparison.right_summary.status = open_status_.right;
  if (open_status_.left.ok() && open_status_.right.ok()) comparison.status = status;
  return comparison;
}

absl::StatusOr<SetsResult> CompareSession::CompareSet(int64_t set,
                                                      std::optional<InputSets>* inputs) {
  InputSets* const fed = inputs->has_value() ? &**inputs : nullptr;
  if (fed != nullptr && fed->size() > 1 && !tools_.seen.has_value()) {
    tools_.seen.emplace(WantsLetters(arguments_));
  }
  OC_ASSIGN_OR_RETURN(SetsResult result, CompareOnInputs(*left_, *right_, fed, set, options(),
                                                         {.sets = arguments_.sets,
                                                          .search = arguments_.search,
                                                          .sizes = arguments_.sizes}));
  OC_RETURN_IF_ERROR(LookAgain(result.fed, &result.comparison));
  return result;
}

// Saves the inputs by the left model's names, and those that only the right model has.
absl::Status CompareSession::SaveInputs(const std::string& path) const {
  OC_ASSIGN_OR_RETURN(std::unique_ptr<RecordingWriter> writer,
                      RecordingWriter::Create(path, /*outputs_only=*/false));
  absl::flat_hash_set<std::string> names;
  for (const Side* side : {left_.get(), right_.get()}) {
    if (side->feeds() == nullptr) continue;
    for (const ValueInfo* input : RequiredInputs(side->evaluator()->model().graph)) {
      const auto fed = side->feeds()->find(input->name);
      if (fed == side->feeds()->end() || !names.insert(input->name).second) continue;
      const Result result = {ResultKind::kInput, input->name, nullptr, "", 0, fed->second};
      std::optional<Value> replacement;
      OC_RETURN_IF_ERROR(writer->OnResult(result, &replacement));
    }
  }
  return writer->Finish();
}

absl::Status CompareSession::OpenSides() {
  LoadOptions load = arguments_.run.load();
  load.weights = tools_.weights;
  const ProgressLine line(arguments_.run.quiet, tools_.interruption, [this](double seconds) {
    const int64_t bytes = tools_.weights->bytes_seen();
    if (bytes == 0) return std::string();
    return absl::StrCat("loading: ", BytesText(bytes), " of weights, ",
                        absl::StrFormat("%.1f s", seconds));
  });
  EvaluatorOptions running = arguments_.run.evaluator();
  running.spare_memory = tools_.spare;
  running.stop = tools_.stop;
  all_files_ = given_.left == nullptr && given_.right == nullptr;
  const auto open = [&](SideId side, std::unique_ptr<Side>* to) {
    if (given_[side] != nullptr) {
      *to = std::move(given_[side]);
    } else if (opened_[side] != nullptr) {
      *to = opened_[side]->Again();
    }
    if (*to != nullptr) return InRuntime(side, to);
    auto opened = OpenSide(OfSide(arguments_, side), tools_.registry, load, running);
    if (!opened.ok()) {
      open_status_[side] = WithNearestFile(OfSide(arguments_, side), opened.status());
      return ErrorOf(side, open_status_[side]);
    }
    *to = *std::move(opened);
    return InRuntime(side, to);
  };
  const StepTimer timer(timings(), "load");
  if (all_files_ && arguments_.left == arguments_.right) {
    OC_RETURN_IF_ERROR(open(SideId::kLeft, &left_));
    if (arguments_.runtimes.names.left.empty()) right_ = left_->Again();
    return right_ != nullptr ? InRuntime(SideId::kRight, &right_) : open(SideId::kRight, &right_);
  }
  return AtOnce(
      arguments_.run.threads, [&] { return open(SideId::kLeft, &left_); },
      [&] { return open(SideId::kRight, &right_); });
}

// Puts a runtime in the place of our interpreter, if one is asked for.
absl::Status CompareSession::InRuntime(SideId id, std::unique_ptr<Side>* side) {
  const std::string& name = arguments_.runtimes.names[id];
  if (name.empty()) return absl::OkStatus();
  OC_ASSIGN_OR_RETURN(
      std::shared_ptr<Runtime> runtime,
      arguments_.runtimes.Open(name, arguments_.run.evaluator().max_tensor, tools_.stop));
  OC_ASSIGN_OR_RETURN(const RuntimeInfo info, runtime->Start());
  if (!info.runs_models && id == SideId::kRight) {
    return absl::InvalidArgumentError(
        absl::StrCat(info.Text(),
                     " runs the program that the model was made of: that is what the "
                     "model has to match, and goes left (--left-runtime)"));
  }
  if (arguments_.runtimes.fused && info.runs_models) {
    if ((*side)->evaluator() == nullptr) {
      return absl::InvalidArgumentError("--fused needs a model in a binary file");
    }
    OC_ASSIGN_OR_RETURN(
        *side, OpenOptimized((*side)->evaluator()->model(), std::move(runtime), tools_.registry,
                             arguments_.run.load(), arguments_.run.evaluator()));
    return absl::OkStatus();
  }
  absl::StatusOr<std::unique_ptr<RuntimeSide>> made =
      RuntimeSide::Create(std::move(*side), std::move(runtime));
  OC_RETURN_IF_ERROR(made.status());
  *side = *std::move(made);
  return absl::OkStatus();
}

absl::Status CompareSession::LookAgain(const FedInputs& fed, Comparison* comparison) {
  auto* const runtime = dynamic_cast<RuntimeSide*>(right_.get());
  if (runtime == nullptr || left_->node_runner() != nullptr || !arguments_.options.causes) {
    return absl::OkStatus();
  }
  const SecondLook look = {*left_,
                           *runtime,
                           {tools_.registry, arguments_.run.load(), arguments_.run.evaluator()},
                           options(),
                           arguments_.runtimes.fused};
  OC_ASSIGN_OR_RETURN(fused_, LookAgainAtRuntime(look, fed.right, comparison));
  return absl::OkStatus();
}

void CompareSession::AddAssumptions(absl::string_view name, const Side& side,
                                    std::vector<std::string>* notes) const {
  if (side.evaluator() == nullptr) return;
  const std::string note = arguments_.run.Assumption(side.evaluator()->model().graph);
  if (!note.empty()) notes->push_back(absl::StrCat(name, ": ", note));
}

ReproOptions CompareSession::ReproOptionsOf(int64_t set, int64_t sets) const {
  ReproOptions options;
  options.dir = arguments_.repro;
  options.prefix = sets == 1 ? "" : absl::StrCat("set_", set, "_");
  options.load = arguments_.run.load();
  options.evaluator = arguments_.run.evaluator();
  return options;
}

absl::Status CompareSession::WriteReprosOf(int64_t set, int64_t sets,
                                           Comparison* comparison) const {
  const ReproOptions options = ReproOptionsOf(set, sets);
  OC_RETURN_IF_ERROR(WriteRepros(tools_.registry, options, comparison));
  bool wrote = comparison->proof != nullptr &&
               std::any_of(comparison->proof->rewrite_faults.begin(),
                           comparison->proof->rewrite_faults.end(),
                           [](const RewriteFault& fault) { return !fault.folder.empty(); });
  bool wrote_node = false;
  for (const auto& side : {left_.get(), right_.get()}) {
    const auto* runtime = dynamic_cast<const RuntimeSide*>(side);
    const FailingNode* failing = runtime == nullptr ? nullptr : runtime->failing_node();
    if (failing == nullptr || wrote_node) continue;
    OC_RETURN_IF_ERROR(
        WriteFailingNode(options.dir, failing->model, failing->feeds, failing->outputs));
    comparison->notes.push_back(
        absl::StrCat("the node that fails is in ", options.dir, "/failing_node"));
    wrote = wrote_node = true;
  }
  if (comparison->causes.empty() && !wrote) {
    comparison->notes.push_back(
        absl::StrCat("no cause was named, so nothing was written to ", arguments_.repro));
  }
  return absl::OkStatus();
}

// The test data beside the models, if no inputs were specified. If there are several sets, it is
// unknown with which of them a recording was made.
std::string CompareSession::DefaultInputs() {
  const InputOptions& given = arguments_.inputs;
  if (!all_files_ || !given.inputs.empty() || !given.left_inputs.empty() ||
      !given.right_inputs.empty() || arguments_.run.seed.has_value() ||
      !arguments_.run.dims.empty() || arguments_.search.has_value() || arguments_.sizes ||
      !recorded_.values.empty()) {
    return "";
  }
  std::string beside = InputsBeside(arguments_.left, arguments_.right);
  const bool models = left_->evaluator() != nullptr && right_->evaluator() != nullptr;
  if (const size_t sets = DataSets(beside).size(); !models && sets > 0) {
    input_note_ = absl::StrCat(sets,
                               " sets of test data lie beside the model; which of them the "
                               "recording is of is not known: --inputs says it");
    return "";
  }
  return beside;
}

// Reads the model's inputs from the recording, if there is one of each.
absl::Status CompareSession::ReadRecordedInputs() {
  recorded_ = InputsOfRecording();
  for (const auto& [model, recording] : {std::pair(&left_, &right_), std::pair(&right_, &left_)}) {
    if ((*model)->evaluator() == nullptr || (*recording)->evaluator() != nullptr) continue;
    OC_ASSIGN_OR_RETURN(recorded_,
                        (*recording)->RecordedInputs((*model)->evaluator()->model().graph));
  }
  return absl::OkStatus();
}

// Several sets of results and of inputs are matched one by one.
absl::StatusOr<int64_t> CompareSession::CountSets(const std::optional<InputSets>& inputs) const {
  const int64_t fed = inputs.has_value() ? inputs->size() : 1;
  if (left_->evaluator() != nullptr && right_->evaluator() != nullptr) return fed;
  const auto sets_of = [](const Side& side) {
    return absl::StrCat(side.sets(), " sets of results");
  };
  if (!inputs.has_value()) {
    if (left_->sets() == right_->sets()) return left_->sets();
    return absl::InvalidArgumentError(
        absl::StrCat("the left side has ", sets_of(*left_), ", the right side ", right_->sets()));
  }
  const Side& recording = left_->evaluator() == nullptr ? *left_ : *right_;
  const bool own = fed == 1 && (!recorded_.values.empty() || inputs->made_up());
  if (own || fed == recording.sets()) return recording.sets();
  return absl::InvalidArgumentError(
      absl::StrCat(fed == 1 ? "there is one set" : absl::StrCat("there are ", fed, " sets"),
                   " of inputs, and the recording has ",
                   recording.sets() == 1 ? "one set of results" : sets_of(recording),
                   ": name those that belong together"));
}

absl::Status CompareSession::ChooseSet(int64_t set, std::optional<InputSets>* inputs) {
  const bool sets_of_results = left_->sets() > 1 || right_->sets() > 1;
  if (!sets_of_results) return absl::OkStatus();
  left_->ChooseSet(set);
  right_->ChooseSet(set);
  if (inputs->has_value() && (*inputs)->size() == 1) {
    OC_ASSIGN_OR_RETURN(*inputs, OpenInputs());
    return absl::OkStatus();
  }
  return ReadRecordedInputs();
}

// Notes recorded inputs that contradict the given ones.
void CompareSession::NoteOtherInputs(Comparison* comparison) const {
  const auto add_notes = [&] {
    for (const std::string& note : recorded_.notes) comparison->notes.push_back(note);
  };
  if (!comparison->fed_made_up.empty()) add_notes();
  const Side& model = left_->evaluator() == nullptr ? *right_ : *left_;
  if (model.feeds() == nullptr) return;
  bool as_recorded = comparison->fed_made_up.empty();
  for (const NamedValue& value : recorded_.values) {
    const auto fed = model.feeds()->find(value.name);
    if (fed == model.feeds()->end() || !AreOtherValues(fed->second, value.value)) continue;
    as_recorded = false;
    comparison->notes.push_back(
        absl::StrCat("the recording holds another `", value.name, "` than the model was fed"));
  }
  if (as_recorded && !recorded_.values.empty()) add_notes();
}

// Nothing if both sides are recordings.
absl::StatusOr<std::optional<InputSets>> CompareSession::OpenInputs() {
  OC_RETURN_IF_ERROR(ReadRecordedInputs());
  const std::string beside = DefaultInputs();
  if (beside.empty()) return OpenInputs(arguments_.inputs.inputs);
  absl::StatusOr<std::optional<InputSets>> inputs = OpenInputs(beside);
  if (inputs.ok() && (!inputs->has_value() || (*inputs)->Get(0).ok())) {
    if (inputs->has_value()) {
      input_note_ = absl::StrCat("inputs are those beside the models: ", beside);
    }
    return inputs;
  }
  input_note_ = absl::StrCat(beside, " lies beside the models, but does not fit them");
  return OpenInputs("");
}

absl::StatusOr<std::optional<InputSets>> CompareSession::OpenInputs(const std::string& file) const {
  std::vector<const Graph*> graphs;
  for (const Side* side : {left_.get(), right_.get()}) {
    if (side->evaluator() != nullptr) graphs.push_back(&side->evaluator()->model().graph);
  }
  InputOptions options = arguments_.inputs;
  options.inputs = file;
  options.partial = arguments_.options.partial;
  OC_ASSIGN_OR_RETURN(options.generated, arguments_.run.generated(graphs));
  absl::StatusOr<InputSets> sets;
  if (graphs.size() == 2) {
    sets = InputSets::Open(*graphs[0], *graphs[1], options);
  } else if (left_->evaluator() != nullptr) {
    sets = InputSets::OpenLeft(*graphs[0], options, recorded_);
  } else if (right_->evaluator() != nullptr) {
    sets = InputSets::OpenRight(*graphs[0], options, recorded_);
  } else {
    return std::optional<InputSets>();
  }
  OC_RETURN_IF_ERROR(sets.status());
  return std::optional<InputSets>(*std::move(sets));
}

CompareOptions CompareSession::options() {
  CompareOptions options = arguments_.options;
  // Runtimes do not show what runs inside of nodes.
  if (arguments_.runtimes.any()) options.max_depth = 0;
  options.threads = arguments_.run.threads;
  options.repro = !arguments_.repro.empty();
  options.causes = options.repro || (options.causes && !arguments_.only_not_finite);
  options.letters = WantsLetters(arguments_);
  if (WantsReport(arguments_, "html") || WantsReport(arguments_, "svg")) {
    const auto size = static_cast<int64_t>(HtmlOptions().most_bytes);
    options.pictures = kPicturesOfPage * arguments_.html_size.value_or(size);
  }
  if (tools_.seen.has_value()) options.seen = &*tools_.seen;
  options.timings = timings();
  options.stop = tools_.stop;
  options.watch = [this](absl::string_view run) -> std::unique_ptr<Observer> {
    if (tools_.watch) return tools_.watch(run);
    return std::make_unique<Progress>(std::string(run), arguments_.run.quiet, tools_.interruption);
  };
  return options;
}

std::string FileOfSet(const std::string& path, int64_t set, int64_t sets) {
  if (sets == 1) return path;
  const size_t slash = path.rfind('/');
  const size_t dot = path.rfind('.');
  const bool has_end = dot != std::string::npos && (slash == std::string::npos || dot > slash + 1);
  const std::string end = has_end ? path.substr(dot) : "";
  return absl::StrCat(path.substr(0, path.size() - end.size()), ".", set, end);
}

void PrintTimings(const Timings& timings) {
  PrintNote("timings: a step's own time; what the process held at most so far");
  double all = 0;
  for (const Timings::Step& step : timings.steps) {
    all += step.seconds;
    PrintNote(absl::StrFormat("  %-16s %9.3f s  %s", step.name, step.seconds,
                              BytesText(step.peak_bytes)));
  }
  PrintNote(absl::StrFormat("  %-16s %9.3f s", "all of these", all));
  if (timings.nodes > 0) {
    PrintNote(absl::StrFormat("  %d of %d nodes were taken from another run", timings.shared,
                              timings.nodes));
  }
  if (timings.pairing_runs > 0) {
    PrintNote(absl::StrFormat("  %d runs paired results of recordings", timings.pairing_runs));
  }
}

}  // namespace onnxcmp::cli
