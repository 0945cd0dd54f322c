#include "cli/parts/pair_parts.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/compare_session.h"
#include "cli/process/messages.h"
#include "compare/explain/explain.h"
#include "compare/outcome/comparison.h"
#include "compare/outcome/exit_status.h"
#include "compare/outputs/compared_row.h"
#include "evaluator/base/status_macros.h"
#include "record/base/per_side.h"
#include "record/base/write_file.h"
#include "reports/render_table.h"
#include "tools/backend_tests/backend_test.h"
#include "tools/parts/known_model.h"
#include "tools/parts/part.h"
#include "tools/parts/part_pair.h"
#include "tools/reduce/reduce_pair.h"

namespace onnxcmp::cli {
namespace {

namespace fs = std::filesystem;

// Both sides with their values, and the pairs that the comparison found in their main graphs.
struct KnownPair {
  PerSide<KnownModel> models;
  std::vector<MeasuredPair> pairs;
  std::optional<size_t> at;  // the pair that the user names, if he does
  std::string outcome;       // the verdict's first line

  PerSide<const KnownModel*> known() const { return {&models.left, &models.right}; }
};

absl::StatusOr<KnownModel> KnowSide(const Side& side, const std::string& path,
                                    const CompareArguments& arguments, const OpRegistry& registry) {
  if (side.feeds() == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is a recording: it cannot be cut"));
  }
  OC_ASSIGN_OR_RETURN(std::shared_ptr<onnx::ModelProto> proto,
                      ReadWholeModel(path, registry, arguments.run.load()));
  return RunKnownModel(std::move(proto), *side.feeds(), registry,
                       {arguments.run.load(), arguments.run.evaluator()});
}

// The row that is called `at`, if that is not empty, is one of them.
absl::Status AddPairs(const Comparison& comparison, bool bits, const std::string& at,
                      KnownPair* known) {
  std::optional<size_t> wanted;
  if (!at.empty()) {
    OC_ASSIGN_OR_RETURN(
        wanted,
        FindRow({comparison.left, comparison.right, comparison.alignment, comparison.rows}, at));
  }
  for (size_t i = 0; i < comparison.rows.size(); ++i) {
    const ComparedRow& row = comparison.rows[i];
    if (!row.aligned.paired()) continue;
    const StreamResult& left =
        comparison.left.results[static_cast<size_t>(row.aligned.left.back())];
    const StreamResult& right =
        comparison.right.results[static_cast<size_t>(row.aligned.right.back())];
    if (left.depth != 0 || right.depth != 0) continue;
    MeasuredPair pair;
    pair.names = {left.name, right.name};
    pair.differs =
        row.relation == Relation::kDifferent || (bits && row.relation != Relation::kSame);
    if (row.difference != nullptr) pair.tolerance = row.difference->values.tolerance;
    if (wanted == i) known->at = known->pairs.size();
    known->pairs.push_back(std::move(pair));
  }
  if (wanted.has_value() && !known->at.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--at ", at, ": choose a row that both sides have in their main graphs"));
  }
  return absl::OkStatus();
}

absl::StatusOr<KnownPair> KnowSides(const CompareArguments& arguments, const OpRegistry& registry,
                                    PerSide<Side*> sides, const Comparison& comparison,
                                    const std::string& at) {
  if (sides.left == nullptr || sides.right == nullptr) return comparison.status;
  KnownPair pair;
  OC_ASSIGN_OR_RETURN(pair.models.left, KnowSide(*sides.left, arguments.left, arguments, registry));
  OC_ASSIGN_OR_RETURN(pair.models.right,
                      KnowSide(*sides.right, arguments.right, arguments, registry));
  OC_RETURN_IF_ERROR(AddPairs(comparison, arguments.options.fail_on == FailOn::kBits, at, &pair));
  pair.outcome = SummaryOf("", comparison).text;
  return pair;
}

// On the first set of inputs on which they fail, else on the first. With the search for causes,
// which finds pairs and judges verdicts.
absl::StatusOr<KnownPair> KnowPair(const CompareArguments& arguments, const std::string& at,
                                   Interruption& interruption) {
  ComparisonTools tools(arguments.run, interruption);
  CompareSession session(arguments, tools);
  std::optional<absl::StatusOr<KnownPair>> found;
  bool fails = false;
  OC_RETURN_IF_ERROR(session
                         .Run([&](Comparison& comparison, int64_t, int64_t, const std::string&) {
                           const bool now = ExitStatusOf(comparison) != kAgree;
                           if (found.has_value() && (fails || !now))
                             return absl::StatusOr<bool>(true);
                           fails = now;
                           if (!arguments.run.quiet) {
                             for (const std::string& note : comparison.notes) PrintNote(note);
                           }
                           found = KnowSides(arguments, tools.registry, session.sides(), comparison,
                                             at);
                           return absl::StatusOr<bool>(true);
                         })
                         .status());
  if (!found.has_value()) return absl::InvalidArgumentError("nothing was compared");
  return *std::move(found);
}

absl::Status PreparePairFolder(const std::string& folder) {
  constexpr const char* kWritten[] = {"left.onnx", "right.onnx", "model.onnx", "test_data_set_0",
                                      "report.md", "before",     "after"};
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (std::find(std::begin(kWritten), std::end(kWritten), name) == std::end(kWritten)) {
      return absl::AlreadyExistsError(
          absl::StrCat(folder, " has other files, such as ", name, ": name a new folder"));
    }
  }
  for (const char* name : kWritten) fs::remove_all(fs::path(folder) / name, error);
  return absl::OkStatus();
}

// The right as a test that gives the left's output, and both models.
absl::Status WritePair(const std::string& folder, const PerSide<FedModel>& parts,
                       const std::vector<Value>& expected) {
  OC_RETURN_IF_ERROR(WriteBackendTest(folder, parts.right.proto, parts.right.feeds, expected));
  for (const SideId side : kBothSides) {
    std::string bytes;
    if (!parts[side].proto.SerializeToString(&bytes)) {
      return absl::ResourceExhaustedError("the model is over 2 GB");
    }
    OC_RETURN_IF_ERROR(WriteFile(absl::StrCat(folder, "/", SideName(side), ".onnx"), bytes));
  }
  return absl::OkStatus();
}

std::string CommandFor(const std::string& folder) {
  return absl::StrCat("onnxcmp ", folder, "/left.onnx ", folder, "/right.onnx");
}

}  // namespace

absl::StatusOr<std::string> WriteReducedPair(const CompareArguments& arguments,
                                             const std::string& folder,
                                             Interruption& interruption) {
  OC_ASSIGN_OR_RETURN(const KnownPair pair, KnowPair(arguments, "", interruption));
  const OpRegistry registry = arguments.run.operators();
  PairReductionOptions options;
  options.model = {arguments.run.load(), arguments.run.evaluator()};
  options.bits = arguments.options.fail_on == FailOn::kBits;
  absl::StatusOr<ReducedPair> made = ReducePair(pair.known(), pair.pairs, registry, options);
  if (absl::IsNotFound(made.status())) {
    return absl::FailedPreconditionError(absl::StrCat(
        made.status().message(), ": ", pair.outcome,
        options.bits
            ? ""
            : "; --fail-on bits reduces any difference, --rtol and --atol narrow the tolerance"));
  }
  OC_ASSIGN_OR_RETURN(const ReducedPair reduced, std::move(made));
  OC_RETURN_IF_ERROR(PreparePairFolder(folder));
  OC_RETURN_IF_ERROR(WritePair(folder, reduced.parts, {reduced.values.left}));
  std::string text =
      absl::StrCat(reduced.nodes_before.left, " | ", reduced.nodes_before.right, " -> ",
                   reduced.parts.left.proto.graph().node_size(), " | ",
                   reduced.parts.right.proto.graph().node_size(), " nodes\n", reduced.output.left,
                   " | ", reduced.output.right, " differs: ", reduced.difference, "\n",
                   reduced.runs, reduced.runs == 1 ? " pair of parts was" : " pairs of parts were",
                   " run; ", CommandFor(folder), " shows it\n");
  OC_RETURN_IF_ERROR(WriteFile(folder + "/report.md",
                               absl::StrCat("# Two models that differ\n\n```\n", text, "```\n")));
  return text;
}

absl::StatusOr<std::string> WriteHalves(const CompareArguments& arguments, const std::string& row,
                                        const std::string& folder, Interruption& interruption) {
  OC_ASSIGN_OR_RETURN(const KnownPair pair, KnowPair(arguments, row, interruption));
  const OpRegistry registry = arguments.run.operators();
  std::vector<NamePair> inputs, outputs;
  for (const MeasuredPair& measured : pair.pairs) {
    const NamePair& each = measured.names;
    const auto is_input = [](const KnownModel& known, const std::string& name) {
      return known.feeds.contains(name);
    };
    if (is_input(pair.models.left, each.left) && is_input(pair.models.right, each.right)) {
      inputs.push_back(each);
    }
    const auto& graph = pair.models.left.proto->graph();
    const bool is_output = std::any_of(graph.output().begin(), graph.output().end(),
                                       [&](const auto& out) { return out.name() == each.left; });
    if (is_output && std::none_of(outputs.begin(), outputs.end(),
                                  [&](const NamePair& known) { return known.left == each.left; })) {
      outputs.push_back(each);
    }
  }
  const NamePair& at = pair.pairs[pair.at.value()].names;
  if (!CanCutAt(pair.known(), at)) {
    return absl::InvalidArgumentError(
        absl::StrCat(at.left, " | ", at.right,
                     " has other types or shapes on the two sides: choose a row with the same"));
  }
  std::string text;
  OC_RETURN_IF_ERROR(PreparePairFolder(folder));
  for (const bool after : {false, true}) {
    std::vector<NamePair> from = inputs;
    if (after) from.push_back(at);
    const std::vector<NamePair> to = after ? outputs : std::vector<NamePair>{at};
    const std::string half = absl::StrCat(folder, after ? "/after" : "/before");
    absl::StatusOr<PerSide<FedModel>> parts =
        MakePartPair(pair.known(), from, to, SmallConstants::kAsTheyAre);
    if (!parts.ok()) {
      absl::StrAppend(&text, half, ": ", parts.status().message(), "\n");
      continue;
    }
    std::vector<Value> expected;
    for (const NamePair& output : to) {
      expected.push_back(pair.models.left.values.at(output.left));
    }
    for (const SideId side : kBothSides) {
      TypeOutputs(registry, OfSide(pair.models, side).values, &OfSide(*parts, side).proto);
    }
    OC_RETURN_IF_ERROR(WritePair(half, *parts, expected));
    absl::StrAppend(&text, half, ": ", parts->left.proto.graph().node_size(), " | ",
                    parts->right.proto.graph().node_size(), " nodes; ", CommandFor(half), "\n");
  }
  return text;
}

}  // namespace onnxcmp::cli
