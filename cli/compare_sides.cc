#include <fstream>
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
#include "cli/messages.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "compare/compare.h"
#include "compare/feeds.h"
#include "compare/generated_inputs.h"
#include "compare/model_side.h"
#include "compare/render_csv.h"
#include "compare/render_json.h"
#include "compare/render_junit.h"
#include "compare/render_markdown.h"
#include "compare/render_table.h"
#include "evaluator/status_macros.h"
#include "ops/operators.h"

namespace onnxcmp::cli {
namespace {

absl::Status OfSide(absl::string_view side, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(side, ": ", status.message()));
}

TableOptions LookOf(const CompareArguments& arguments) {
  const bool to_terminal = arguments.output.empty();
  TableOptions look;
  look.width = arguments.width > 0 ? arguments.width : OutputWidth();
  look.color = arguments.color == "always" ||
               (arguments.color == "auto" && to_terminal && OutputTakesColor());
  look.ascii = arguments.ascii || (to_terminal && OutputIsAscii());
  look.wide = arguments.wide;
  look.rows = arguments.all         ? TableOptions::Rows::kAll
              : arguments.different ? TableOptions::Rows::kDifferent
                                    : TableOptions::Rows::kFolded;
  return look;
}

std::string Render(const Comparison& comparison, absl::string_view format,
                   const TableOptions& look) {
  if (format == "json") return RenderJson(comparison);
  if (format == "csv") return RenderCsv(comparison);
  if (format == "junit") return RenderJunit(comparison);
  if (format == "markdown") return RenderMarkdown(comparison);
  return RenderTable(comparison, look);
}

absl::Status WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return file ? absl::OkStatus() : absl::PermissionDeniedError(absl::StrCat("cannot write ", path));
}

absl::StatusOr<int> Run(const CompareArguments& arguments, Interruption& interruption) {
  const OpRegistry registry = AllOperators();
  std::unique_ptr<ModelSide> sides[2];
  for (int i = 0; i < 2; ++i) {
    auto side = ModelSide::Open(i == 0 ? arguments.left : arguments.right, registry,
                                arguments.run.load(), arguments.run.evaluator());
    if (!side.ok()) return OfSide(i == 0 ? "left" : "right", side.status());
    sides[i] = *std::move(side);
  }
  OC_ASSIGN_OR_RETURN(GeneratedInputs generated,
                      arguments.run.generated({&sides[0]->graph(), &sides[1]->graph()}));
  OC_ASSIGN_OR_RETURN(std::vector<NamedValue> values, GenerateInputs(sides[0]->graph(), generated));
  for (int i = 0; i < 2; ++i) {
    OC_ASSIGN_OR_RETURN(MatchedFeeds feeds,
                        MatchFeedsByPosition(values, sides[i]->graph(), "the left model"));
    sides[i]->SetFeeds(std::move(feeds.feeds));
  }
  CompareOptions options;
  options.tolerance = arguments.tolerance;
  options.max_depth = arguments.depth;
  options.max_memory = static_cast<int64_t>(arguments.max_memory);
  options.threads = arguments.run.threads;
  options.causes = arguments.causes;
  options.watch = [&](absl::string_view run) {
    return std::make_unique<Progress>(std::string(run), arguments.run.quiet, interruption);
  };
  OC_ASSIGN_OR_RETURN(const Comparison comparison, Compare(*sides[0], *sides[1], options));
  const TableOptions look = LookOf(arguments);
  for (const auto& [format, path] : arguments.reports) {
    OC_RETURN_IF_ERROR(WriteFile(path, Render(comparison, format, look)));
  }
  const std::string text = Render(comparison, arguments.format, look);
  if (!arguments.output.empty()) {
    OC_RETURN_IF_ERROR(WriteFile(arguments.output, text));
  } else if (!PrintOutput(text)) {
    return kFailed;
  }
  return ExitStatusOf(comparison.verdict);
}

}  // namespace

int CompareSides(const CompareArguments& arguments, Interruption& interruption) {
  const absl::StatusOr<int> status = Run(arguments, interruption);
  if (status.ok()) return *status;
  PrintError(status.status().message());
  return kFailed;
}

}  // namespace onnxcmp::cli
