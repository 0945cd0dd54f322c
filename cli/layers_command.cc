#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/process/messages.h"
#include "cli/process/terminal.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/load_model.h"
#include "reports/table/render_layers.h"
#include "tools/layers/compare_layers.h"
#include "tools/layers/read_listing.h"

namespace onnxcmp::cli {
namespace {

struct LayersArguments {
  std::string left, right;
  std::string model;
  std::string left_times, right_times;
  std::string format = "table";
  RunOptions run;
};

struct ListingSide {
  LayerListing listing;
  std::shared_ptr<const Model> model;  // set if the side is a model
};

absl::StatusOr<ListingSide> OpenListing(const LayersArguments& arguments, const std::string& path,
                                        const std::string& times) {
  ListingSide side;
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  if (LooksLikeListing(file->bytes())) {
    OC_ASSIGN_OR_RETURN(side.listing, ParseListing(file->bytes(), path));
  } else {
    auto model = LoadModel(path, arguments.run.operators(), arguments.run.load());
    if (!model.ok()) {
      return absl::Status(model.status().code(),
                          absl::StrCat(model.status().message(),
                                       " (nor are there lines of layers as TensorRT's log has)"));
    }
    side.model = *std::move(model);
    side.listing = ListingOfModel(side.model->graph, path);
  }
  if (!times.empty()) {
    OC_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> of_layers, MappedFile::Open(times));
    OC_RETURN_IF_ERROR(AddTimes(of_layers->bytes(), times, &side.listing));
  }
  return side;
}

absl::StatusOr<LayerComparison> CompareListings(const LayersArguments& arguments) {
  OC_ASSIGN_OR_RETURN(ListingSide left,
                      OpenListing(arguments, arguments.left, arguments.left_times));
  OC_ASSIGN_OR_RETURN(ListingSide right,
                      OpenListing(arguments, arguments.right, arguments.right_times));
  std::shared_ptr<const Model> model = left.model != nullptr ? left.model : right.model;
  if (!arguments.model.empty()) {
    OC_ASSIGN_OR_RETURN(
        model, LoadModel(arguments.model, arguments.run.operators(), arguments.run.load()));
  }
  return CompareLayers(std::move(left.listing), std::move(right.listing),
                       model == nullptr ? nullptr : &model->graph);
}

}  // namespace

int LayersCommand(const std::vector<std::string>& command_line) {
  CLI::App app(
      "The layers that runtimes made of a model, side by side by the ONNX nodes that\n"
      "they cover. A side is a log of TensorRT (names only or detailed), what\n"
      "trtexec --exportLayerInfo writes, a profile of onnxruntime, or a model.\n"
      "Exit status 0: the same layers, 1: others, 2: they could not be read.",
      "onnxcmp layers");
  SetUsage(app, "onnxcmp layers [OPTIONS] LEFT RIGHT");
  LayersArguments arguments;
  TableOptions look;
  look.width = OutputWidth();
  look.ascii = OutputIsAscii();
  look.color = OutputTakesColor();
  bool all = false;
  app.add_option("LEFT", arguments.left, "A listing of layers, or a model")
      ->type_name(" ")
      ->required();
  app.add_option("RIGHT", arguments.right, "  likewise")->type_name(" ")->required();
  app.add_option("--model", arguments.model, "The ONNX model that was built")->type_name("M");
  app.add_option("--times-left", arguments.left_times, "Times by trtexec --exportProfile")
      ->type_name("F");
  app.add_option("--times-right", arguments.right_times, "  likewise")->type_name("F");
  app.add_option("--format", arguments.format, "table, json (table)")
      ->type_name("HOW")
      ->check(OneOf({"table", "json"}));
  app.add_flag("--all", all, "Show layers that are the same, too");
  app.add_flag("--wide", look.wide, "Show names whole");
  app.add_option("--width", look.width, "Columns (the terminal's)")
      ->type_name("N")
      ->check(Quietly(CLI::Range(40, 10000)));
  if (const std::optional<int> status = Parse(app, command_line)) return *status;
  if (all) look.rows = TableOptions::Rows::kAll;
  const absl::StatusOr<LayerComparison> comparison = CompareListings(arguments);
  if (!comparison.ok()) {
    PrintError(comparison.status().message());
    return kFailed;
  }
  const std::string text =
      arguments.format == "json" ? LayersJson(*comparison) : RenderLayers(*comparison, look);
  if (!PrintOutput(text)) return kFailed;
  return comparison->same() ? kAgree : kDiffer;
}

}  // namespace onnxcmp::cli
