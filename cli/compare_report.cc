#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/commands.h"
#include "cli/compare_arguments.h"
#include "cli/compare_flags.h"
#include "cli/compare_session.h"
#include "cli/process/heap.h"
#include "cli/process/messages.h"
#include "cli/process/terminal.h"
#include "evaluator/base/status_macros.h"
#include "record/base/per_side.h"
#include "record/base/write_file.h"
#include "reports/render_csv.h"
#include "reports/render_dot.h"
#include "reports/render_html.h"
#include "reports/render_json.h"
#include "reports/render_junit.h"
#include "reports/render_markdown.h"
#include "reports/render_svg.h"
#include "reports/render_table.h"
#include "reports/table/render_fix.h"
#include "tools/model_explorer/node_data.h"

namespace onnxcmp::cli {
namespace {

// `fix`: a model that was mended; may be null.
std::string Render(const Comparison& comparison, absl::string_view format, const TableOptions& look,
                   const HtmlOptions& page, const FixReport* fix) {
  if (format == "html") return RenderHtml(comparison, page);
  if (format == "json") return RenderJson(comparison, fix);
  if (format == "csv") return RenderCsv(comparison);
  if (format == "dot") return RenderDot(comparison);
  if (format == "svg") return RenderSvg(comparison);
  if (format == "junit") return RenderJunit(comparison);
  if (format == "markdown") return RenderMarkdown(comparison, {.fix = fix});
  return absl::StrCat(RenderTable(comparison, look), fix == nullptr ? "" : RenderFix(*fix, look));
}

// Writes the requested reports of a comparison.
class Reporter {
 public:
  Reporter(const CompareArguments& arguments, ComparisonTools& tools)
      : arguments_(arguments), tools_(tools), look_(LookOf(arguments)) {}

  absl::StatusOr<int> Run() {
    if (!arguments_.model_explorer.empty()) {
      std::error_code error;
      std::filesystem::create_directories(arguments_.model_explorer, error);
      if (error) {
        return absl::PermissionDeniedError(
            absl::StrCat("cannot make the folder ", arguments_.model_explorer));
      }
    }
    const absl::StatusOr<bool> shown =
        comparison_.Run([this](const Comparison& comparison, int64_t set, int64_t sets,
                               const std::string& name) -> absl::StatusOr<bool> {
          summaries_.push_back(SummaryOf(name, comparison));
          return Report(comparison, set, sets, name);
        });
    if (!shown.ok()) {
      if (summaries_.empty()) OC_RETURN_IF_ERROR(ReportFailure(shown.status()));
      return shown.status();
    }
    if (!*shown) return kFailed;
    OC_RETURN_IF_ERROR(WritePageOfSets());
    if (summaries_.size() > 1 && arguments_.format == "table" && arguments_.output.empty() &&
        !PrintOutput(absl::StrCat("\n", RenderSetsSummary(summaries_, look_)))) {
      return kFailed;
    }
    if (arguments_.timings) PrintTimings(tools_.timings);
    return OverallExitStatus(summaries_);
  }

 private:
  // Writes the failure to reports for programs, too, so that they find that there is no comparison.
  absl::Status ReportFailure(const absl::Status& status) const {
    const Comparison comparison = comparison_.FailedComparison(status);
    for (const auto& [format, path] : arguments_.reports) {
      OC_RETURN_IF_ERROR(
          WriteFile(path, Render(comparison, format, look_, PageOf(path, 0, 1, ""), nullptr)));
    }
    if (arguments_.format != "json" && arguments_.format != "junit") return absl::OkStatus();
    const std::string text =
        Render(comparison, arguments_.format, look_, PageOf(arguments_.output, 0, 1, ""), nullptr);
    if (!arguments_.output.empty()) return WriteFile(arguments_.output, text);
    PrintOutput(text);
    return absl::OkStatus();
  }

  // `path`: the file of the page, "" for standard output.
  HtmlOptions PageOf(const std::string& path, int64_t set, int64_t sets,
                     const std::string& name) const {
    HtmlOptions page;
    page.command = arguments_.command;
    page.set = set;
    page.set_name = name;
    if (!path.empty()) page.folder = path.substr(0, path.rfind('/') + 1);
    if (arguments_.html_size.has_value()) {
      page.most_bytes = static_cast<size_t>(*arguments_.html_size);
    }
    const std::string file = path.substr(path.rfind('/') + 1);
    for (int64_t i = 0; i < sets && !file.empty(); ++i) {
      page.sets.push_back(FileOfSet(file, i, sets));
    }
    return page;
  }

  // False if writing to standard output failed (already reported).
  absl::StatusOr<bool> Report(const Comparison& comparison, int64_t set, int64_t sets,
                              const std::string& name) {
    const StepTimer timer(arguments_.timings ? &tools_.timings : nullptr, "report");
    std::vector<std::string> reports;
    for (const auto& [format, path] : arguments_.reports) {
      const HtmlOptions page = PageOf(path, set, sets, name);
      reports.push_back(Render(comparison, format, look_, page, comparison_.fix()));
      if (format != "html" || sets == 1) continue;
      HtmlOptions part = page;
      part.sets.clear();
      part.parts = static_cast<size_t>(sets);
      page_data_.push_back(PageData(comparison, part));
    }
    TableOptions look = look_;
    if (!look.page.empty()) look.page = FileOfSet(look.page, set, sets);
    const std::string text = Render(comparison, arguments_.format, look,
                                    PageOf(arguments_.output, set, sets, name), comparison_.fix());
    // Statistics of weights may have been computed only now.
    OC_RETURN_IF_ERROR(tools_.weights->CheckUnchanged());
    for (size_t i = 0; i < reports.size(); ++i) {
      OC_RETURN_IF_ERROR(WriteFile(FileOfSet(arguments_.reports[i].second, set, sets), reports[i]));
    }
    OC_RETURN_IF_ERROR(WriteForModelExplorer(comparison, set, sets));
    if (!arguments_.output.empty()) {
      OC_RETURN_IF_ERROR(WriteFile(FileOfSet(arguments_.output, set, sets), text));
      return true;
    }
    if (arguments_.format != "table") {
      for (const auto& [side, summary] : {std::pair(SideId::kLeft, &comparison.left_summary),
                                          std::pair(SideId::kRight, &comparison.right_summary)}) {
        if (!summary->status.ok()) PrintError(ErrorOf(side, summary->status).message());
      }
    }
    const bool titled = sets > 1 && arguments_.format == "table";
    return PrintOutput(
        absl::StrCat(titled ? absl::StrCat(set > 0 ? "\n" : "", name, "\n") : "", text));
  }

  absl::Status WritePageOfSets() const {
    for (const auto& [format, path] : arguments_.reports) {
      if (format != "html" || page_data_.empty()) continue;
      OC_RETURN_IF_ERROR(
          WriteFile(path, RenderSetsHtml(summaries_, page_data_, arguments_.command)));
    }
    return absl::OkStatus();
  }

  // And says how to look at it.
  absl::Status WriteForModelExplorer(const Comparison& comparison, int64_t set,
                                     int64_t sets) const {
    const std::string& dir = arguments_.model_explorer;
    if (dir.empty()) return absl::OkStatus();
    for (const SideId side : kBothSides) {
      const std::string& model = OfSide(arguments_, side);
      if (OfSide(comparison, side).recorded || OfSide(comparison, side).nodes.empty()) {
        PrintNote(absl::StrCat("Model Explorer shows no recording: nothing was written of the ",
                               SideName(side)));
        continue;
      }
      OC_ASSIGN_OR_RETURN(const std::vector<NodeDataFile> files,
                          NodeDataOfModel(comparison, side, model));
      std::vector<std::string> paths;
      for (const NodeDataFile& file : files) {
        paths.push_back(FileOfSet(absl::StrCat(dir, "/", file.name), set, sets));
        OC_RETURN_IF_ERROR(WriteFile(paths.back(), file.text));
      }
      // The program splits its arguments at commas.
      if (absl::StrContains(absl::StrCat(model, dir), ",")) {
        PrintNote("Model Explorer takes no paths with commas: rename the model or the folder");
      }
      PrintNote(ShellLine("model-explorer",
                          {model, "--extensions=model_explorer_onnx",
                           absl::StrCat("--node_data_paths=", absl::StrJoin(paths, ","))}));
    }
    return absl::OkStatus();
  }

  const CompareArguments& arguments_;
  ComparisonTools& tools_;
  const TableOptions look_;
  CompareSession comparison_{arguments_, tools_};
  std::vector<SetSummary> summaries_;
  std::vector<std::string> page_data_;  // for several sets, if there will be a page of all
};

}  // namespace

namespace {

// "file:///dir/a%20b.html".
std::string FileUrl(const std::string& path) {
  std::error_code error;
  const std::string whole = std::filesystem::absolute(path, error).string();
  std::string url = "file://";
  for (const char c : whole) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("/-_.~", c)) {
      url += c;
    } else {
      absl::StrAppend(&url, "%", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    }
  }
  return url;
}

}  // namespace

TableOptions LookOf(const CompareArguments& arguments) {
  const bool to_terminal = arguments.output.empty();
  TableOptions look;
  look.width = arguments.width > 0 ? arguments.width : OutputWidth();
  look.color = arguments.color == "always" ||
               (arguments.color == "auto" && to_terminal && OutputTakesColor());
  look.ascii = arguments.ascii || (to_terminal && OutputIsAscii());
  look.wide = arguments.wide;
  look.fixed = !arguments.fix.empty();
  look.only_not_finite = arguments.only_not_finite;
  look.coverage = arguments.coverage;
  look.rows = arguments.all              ? TableOptions::Rows::kAll
              : arguments.only_different ? TableOptions::Rows::kOnlyDifferent
              : arguments.different      ? TableOptions::Rows::kDifferent
                                         : TableOptions::Rows::kFolded;
  if (to_terminal) look.height = OutputHeight();
  // Numbers of rows lead to the page, where a terminal can be clicked.
  for (const auto& [format, path] : arguments.reports) {
    if (format == "html" && look.color && to_terminal && OutputTakesColor())
      look.page = FileUrl(path);
  }
  return look;
}

int CompareSides(const CompareArguments& arguments, Interruption& interruption) {
  ExpectModels({arguments.left, arguments.right});
  // Never freed: freeing thousands of nodes and rows one by one takes a while.
  static ComparisonTools* tools;
  tools = new ComparisonTools(arguments.run, interruption);
  static Reporter* reporter;
  reporter = new Reporter(arguments, *tools);
  const absl::StatusOr<int> status = reporter->Run();
  if (status.ok()) return *status;
  PrintError(status.status().message());
  return kFailed;
}

}  // namespace onnxcmp::cli
