#include "cli/mend_model.h"

#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "compare/input_sets/compare_on_inputs.h"
#include "compare/outcome/proof_report.h"
#include "compare/sides/model_side.h"
#include "compare/sides/recording_side.h"
#include "compare/sides/runtime_side.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/load/load_model.h"
#include "evaluator/load/read_model.h"
#include "onnx/onnx_pb.h"
#include "prove/trials/prove_sizes.h"
#include "record/base/write_file.h"
#include "record/text/short_text.h"
#include "reports/render_table.h"
#include "tools/backend_tests/backend_test.h"
#include "tools/fix/fix_script.h"
#include "tools/fix/mend.h"

namespace onnxcmp::cli {
namespace {

namespace fs = std::filesystem;

// Inputs may show what others hid: mending goes on with them so many times.
constexpr int kRounds = 3;
// Bounds of the search for inputs on which the mended model differs.
constexpr absl::Duration kSearchTime = absl::Seconds(10);
constexpr int kSearchedSets = 200;

bool Agrees(const Comparison& comparison) {
  return comparison.verdict() == Verdict::kSame || comparison.verdict() == Verdict::kClose;
}

bool HaveOtherTypes(const Comparison& comparison) {
  return absl::c_any_of(comparison.outputs.pairs, [&](const OutputPair& pair) {
    return comparison.left.results[Index(pair.left_result)].dtype !=
           comparison.right.results[Index(pair.right_result)].dtype;
  });
}

class ModelMender {
 public:
  explicit ModelMender(const MendRequest& request)
      : request_(request),
        mended_(request.arguments.fix_left ? SideId::kLeft : SideId::kRight),
        path_(OfSide(request.arguments, mended_)) {}

  absl::StatusOr<FixReport> Run() {
    if (request_.sides[mended_] == nullptr || request_.sides[mended_]->evaluator() == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--fix mends a model: the ", SideName(mended_), " is a recording",
          IsRecorded(Other(mended_))  ? ""
          : mended_ == SideId::kRight ? "; --fix-left mends the other side"
                                      : "; without --fix-left the other side is mended"));
    }
    if (IsRecorded(Other(mended_))) OC_RETURN_IF_ERROR(ReadConstants());
    if (const auto* runtime = dynamic_cast<const RuntimeSide*>(request_.sides[mended_])) {
      runtime_ = runtime->runtime();
    }
    OC_ASSIGN_OR_RETURN(model_, ReadModelFile(path_, request_.arguments.run.load().max_depth));
    OC_RETURN_IF_ERROR(MendOnAll());
    if (!report_.agrees && model_->functions_size() > 0) {
      OC_ASSIGN_OR_RETURN(model_,
                          LoadModelProto(path_, request_.registry, request_.arguments.run.load()));
      model_->clear_functions();
      report_ = FixReport();
      OC_RETURN_IF_ERROR(MendOnAll());
      report_.inlined = !report_.steps.empty();
      if (report_.inlined) {
        report_.notes.emplace_back("the functions of the model are inlined in the mended one");
      }
    }
    report_.side = mended_;
    if (by_value_ && report_.agrees) {
      report_.notes.emplace_back(
          "the outputs have the types that they had: --output-types close accepts them");
    }
    // A form that does not always hold is no way around a kernel, and a guess that does not agree
    // with the recording is none.
    if (From() != EditsFrom::kLeft && !report_.agrees) report_.steps.clear();
    if (!report_.steps.empty()) OC_RETURN_IF_ERROR(Write());
    return std::move(report_);
  }

 private:
  absl::StatusOr<std::shared_ptr<const Model>> Load(const onnx::ModelProto& model) const {
    std::string bytes;
    if (!model.SerializeToString(&bytes)) {
      return absl::ResourceExhaustedError("the model is over 2 GB");
    }
    const std::string folder = fs::path(path_).parent_path().string();
    return LoadModelFromBytes(bytes, request_.registry, request_.arguments.run.load(),
                              folder.empty() ? "." : folder);
  }

  bool IsRecorded(SideId side) const { return request_.sides[side]->evaluator() == nullptr; }

  // The side that stays as it is, once more.
  absl::StatusOr<std::unique_ptr<Side>> OtherSide() const {
    const SideId other = Other(mended_);
    if (!IsRecorded(other)) return request_.sides[other]->Again();
    OC_ASSIGN_OR_RETURN(std::unique_ptr<Side> side,
                        OpenSide(OfSide(request_.arguments, other), request_.registry,
                                 request_.arguments.run.load(), {}));
    // From then on its inputs are no results.
    OC_RETURN_IF_ERROR(
        side->RecordedInputs(request_.sides[mended_]->evaluator()->model().graph).status());
    return side;
  }

  // Recorded values that are constants of the model: a left model of them alone.
  absl::Status ReadConstants() {
    const SideId other = Other(mended_);
    if (request_.sides[other]->sets() > 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("--fix takes one set of results: ", OfSide(request_.arguments, other),
                       " has ", request_.sides[other]->sets()));
    }
    OC_ASSIGN_OR_RETURN(const std::unique_ptr<Side> side, OtherSide());
    auto* const recording = dynamic_cast<RecordingSide*>(side.get());
    if (recording == nullptr) return absl::OkStatus();
    absl::flat_hash_set<std::string> names;
    for (const Initializer& own :
         request_.sides[mended_]->evaluator()->model().graph.initializers) {
      names.insert(own.name);
    }
    const std::vector<RecordedResult>& results = recording->values().results();
    for (size_t i = 0; i < results.size(); ++i) {
      if (!names.contains(results[i].name)) continue;
      OC_ASSIGN_OR_RETURN(Value value, recording->ReadResult(i));
      constants_.graph.initializers.push_back({results[i].name, std::move(value)});
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::unique_ptr<Side>> SideOf(std::shared_ptr<const Model> model) const {
    OC_ASSIGN_OR_RETURN(
        std::unique_ptr<Side> side,
        ModelSide::Create(std::move(model), request_.registry, request_.arguments.run.evaluator()));
    if (runtime_ == nullptr) return side;
    return RuntimeSide::Create(std::move(side), runtime_);
  }

  CompareOptions Options(bool causes) const {
    CompareOptions options = request_.options;
    options.causes = causes;
    options.tolerance.output_types_close |= by_value_;
    options.repro = options.shadow = options.quantization = options.fusions = false;
    options.explain.clear();
    options.pictures = 0;
    options.seen = nullptr;
    options.timings = nullptr;
    options.watch = nullptr;
    return options;
  }

  // The model that is mended is the right one, whichever it is.
  absl::StatusOr<Judged> Try(const FedInputs& fed, const onnx::ModelProto& model, bool causes) {
    Judged judged;
    OC_ASSIGN_OR_RETURN(judged.right, Load(model));
    OC_ASSIGN_OR_RETURN(const std::unique_ptr<Side> right, SideOf(judged.right));
    OC_ASSIGN_OR_RETURN(const std::unique_ptr<Side> left, OtherSide());
    left->SetFeeds(OfSide(fed, Other(mended_)));
    right->SetFeeds(OfSide(fed, mended_));
    CompareOptions options = Options(causes);
    options.made_up = request_.inputs != nullptr && request_.inputs->made_up();
    if (mended_ == SideId::kRight) options.longer = fed.longer;
    OC_ASSIGN_OR_RETURN(judged.comparison, Compare(*left, *right, options));
    const std::optional<KeepInFloat>& keep = judged.comparison.keep_in_float;
    if (by_value_ || !keep.has_value() || keep->quantized || !HaveOtherTypes(judged.comparison)) {
      return judged;
    }
    // Outputs in 16 bits are those of a conversion: no edit inside makes them float.
    by_value_ = true;
    options.tolerance.output_types_close = true;
    OC_ASSIGN_OR_RETURN(judged.comparison, Compare(*left, *right, options));
    return judged;
  }

  EditsFrom From() const {
    if (runtime_ != nullptr) return EditsFrom::kEquivalentForms;
    return IsRecorded(Other(mended_)) ? EditsFrom::kRecording : EditsFrom::kLeft;
  }

  // Mends on the inputs that show the difference, and on those that the checks find.
  absl::Status MendOnAll() {
    FedInputs fed = request_.fed;
    for (int round = 0; round < kRounds; ++round) {
      const Judge judge = [&](const onnx::ModelProto& model, bool causes) {
        return Try(fed, model, causes);
      };
      OC_ASSIGN_OR_RETURN(
          FixReport more,
          Mend(IsRecorded(Other(mended_)) ? constants_
                                          : request_.sides[Other(mended_)]->evaluator()->model(),
               request_.registry, judge, From(), model_.get()));
      report_.steps.insert(report_.steps.end(), std::make_move_iterator(more.steps.begin()),
                           std::make_move_iterator(more.steps.end()));
      if (round == 0) report_.certificates = std::move(more.certificates);
      report_.tried += more.tried;
      report_.agrees = more.agrees;
      report_.nothing_to_mend = round == 0 && more.nothing_to_mend;
      report_.notes = std::move(more.notes);
      if (!report_.agrees || report_.nothing_to_mend) break;
      if (IsRecorded(Other(mended_))) {
        report_.checks.emplace_back("agrees with the recording; other inputs cannot be tried");
        report_.verified = true;
        break;
      }
      OC_ASSIGN_OR_RETURN(std::optional<FedInputs> found, Check());
      if (!found.has_value()) break;
      fed = *std::move(found);
    }
    return absl::OkStatus();
  }

  // Inputs on which the mended model differs; nothing if there are none.
  absl::StatusOr<std::optional<FedInputs>> Check() {
    report_.checks.clear();
    report_.verified = false;
    OC_ASSIGN_OR_RETURN(std::shared_ptr<const Model> model, Load(*model_));
    OC_ASSIGN_OR_RETURN(const std::unique_ptr<Side> mended, SideOf(std::move(model)));
    const std::unique_ptr<Side> other = request_.sides[Other(mended_)]->Again();
    PerSide<Side*> sides;
    sides[mended_] = mended.get();
    sides[Other(mended_)] = other.get();
    InputSets* const given = request_.inputs;
    const int64_t sets = given == nullptr || given->made_up() ? 0 : given->size();
    for (int64_t set = 0; set < sets; ++set) {
      OC_ASSIGN_OR_RETURN(SetsResult result,
                          CompareOnInputs(*sides.left, *sides.right, given, set,
                                          Options(/*causes=*/true), SetsOptions()));
      if (Agrees(result.comparison)) continue;
      report_.checks.push_back(
          absl::StrCat("on set ", set, " of the inputs: ", SummaryOf("", result.comparison).text));
      return std::optional<FedInputs>(std::move(result.fed));
    }
    if (sets > 0) report_.checks.push_back(absl::StrCat("agrees on ", Count(sets, "given set")));
    return Search(sides);
  }

  absl::StatusOr<std::optional<FedInputs>> Search(const PerSide<Side*>& sides) {
    std::optional<FedInputs> found;
    report_.verified = !report_.checks.empty() || request_.inputs == nullptr;
    std::optional<Comparison> last;
    if (request_.made_up != nullptr && !request_.made_up->ramp()) {
      // Each set is another start of a runtime: few are tried there.
      const SetsOptions options = {
          .sets = request_.arguments.sets,
          .search = runtime_ != nullptr
                        ? std::nullopt
                        : std::optional(request_.arguments.search.value_or(kSearchTime)),
          .most_searched = kSearchedSets,
          .sizes = true};
      absl::StatusOr<SetsResult> result = CompareOnInputs(
          *sides.left, *sides.right, request_.made_up, 0, Options(/*causes=*/true), options);
      if (!result.ok()) {
        report_.checks.push_back(
            absl::StrCat("made-up inputs cannot be tried: ", OneLine(result.status().message())));
        return found;
      }
      report_.verified = AddSearched(result->comparison);
      if (result->comparison.verdict() == Verdict::kDifferent) found = std::move(result->fed);
      last = std::move(result->comparison);
    }
    if (!found.has_value() && last.has_value() && runtime_ == nullptr) AddProof(sides, *last);
    return found;
  }

  // True if nothing that was found speaks against the model.
  bool AddSearched(const Comparison& comparison) {
    const bool neither_runs =
        !comparison.left_summary.status.ok() && !comparison.right_summary.status.ok();
    if (comparison.verdict() == Verdict::kUntested || neither_runs) {
      report_.checks.emplace_back("made-up inputs tell nothing");
      return report_.verified;
    }
    if (!Agrees(comparison)) {
      report_.checks.push_back(absl::StrCat("on made-up inputs: ", SummaryOf("", comparison).text));
      return false;
    }
    int agreeing = 0;
    for (const TriedSizes& sizes : comparison.sizes) {
      if (sizes.agrees) ++agreeing;
      if (sizes.status.left.ok() != sizes.status.right.ok() ||
          (sizes.status.left.ok() && !sizes.agrees)) {
        report_.checks.push_back(absl::StrCat("differs with ", sizes.sizes));
        return false;
      }
    }
    report_.checks.push_back(absl::StrCat(
        "agrees on ", Count(comparison.made_up_sets, "made-up set"),
        agreeing == 0 ? "" : absl::StrCat(" and with ", Count(agreeing, "other size"))));
    return true;
  }

  void AddProof(const PerSide<Side*>& sides, const Comparison& comparison) {
    const ThreadPool pool(ThreadCount(request_.arguments.run.threads));
    const ProofReport proof = ProveOnSizes(
        sides, comparison, request_.made_up, Options(/*causes=*/false),
        {request_.arguments.run.evaluator().seed, &pool, &request_.made_up->mapping()});
    report_.checks.emplace_back(proof.proved ? "proved equal for all inputs"
                                             : "not proved for all inputs");
  }

  absl::Status Write() {
    const CompareArguments& arguments = request_.arguments;
    std::error_code error;
    const fs::path to = fs::absolute(fs::path(arguments.fix), error).parent_path();
    const fs::path from = fs::absolute(fs::path(path_), error).parent_path();
    // External data stay where they are, if they are found from there.
    if (!fs::equivalent(to, from, error)) {
      OC_RETURN_IF_ERROR(
          TakeInExternalData(path_, arguments.run.load().follow_links, model_.get()));
    }
    std::string bytes;
    if (!model_->SerializeToString(&bytes)) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the mended model is over 2 GB: write it beside ", path_,
                       ", whose external data it needs"));
    }
    OC_RETURN_IF_ERROR(WriteFile(arguments.fix, bytes));
    report_.file = arguments.fix;
    if (arguments.fix_script.empty()) return absl::OkStatus();
    return WriteFile(arguments.fix_script, FixScript(report_, path_));
  }

  const MendRequest& request_;
  const SideId mended_;
  const std::string& path_;
  std::shared_ptr<Runtime> runtime_;  // in which the mended model has to be right; may be null
  std::shared_ptr<onnx::ModelProto> model_;
  Model constants_;  // those of a recording
  FixReport report_;
  bool by_value_ = false;  // outputs of other types are compared by value
};

}  // namespace

absl::StatusOr<FixReport> MendModel(const MendRequest& request) {
  return ModelMender(request).Run();
}

}  // namespace onnxcmp::cli
