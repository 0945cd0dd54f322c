#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/process/interruption.h"
#include "cli/process/messages.h"
#include "cli/process/terminal.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/load_model.h"
#include "evaluator/model/value_type.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/run/result.h"
#include "ops/operation_count.h"
#include "record/base/write_file.h"
#include "reports/table/table_options.h"
#include "show/drawing.h"
#include "show/model/model_stats.h"
#include "show/model/node_selection.h"
#include "show/model/node_times.h"
#include "show/model/pair_nodes.h"
#include "show/model/read_shown_model.h"
#include "show/model/shown_model.h"
#include "show/onnx_text.h"
#include "show/render_drawing.h"
#include "show/render_model_json.h"
#include "show/render_pair_text.h"
#include "show/render_stats.h"
#include "show/render_text.h"

namespace onnxcmp::cli {
namespace {

struct ShowArguments {
  std::vector<std::string> models;
  std::string times;
  std::string format = "text";
  std::string output;
  std::string around;
  int hops = 2;
  std::string nodes;
  bool stats = false;
  bool run_it = false;
  std::string inputs;
  bool partial = false;
  bool all = false;
  TableOptions look;
  RunOptions run;
  bool functions_given = false;

  bool several() const { return models.size() > 1; }
  Functions functions() const {
    const bool keep = functions_given ? run.functions == "keep" : !several();
    return keep ? Functions::kKeep : Functions::kInline;
  }
};

// Nodes of a file and of what runs are the same if this is.
std::string KeyOf(const std::string& name, const std::vector<std::string>& outputs,
                  const std::string& op_type) {
  return absl::StrCat(name, "\n", outputs.empty() ? "" : outputs.front(), "\n", op_type);
}

// Types and operations as they come about in a run.
class RunObserver : public Observer {
 public:
  void OnNodeEnd(const NodeEnd& end) override {
    if (const auto operations = OperationCount(end.node, end.inputs, end.outputs)) {
      operations_[KeyOf(end.node.name, end.node.outputs, end.node.op_type)] += *operations;
    }
  }
  absl::Status OnResult(const Result& result, std::optional<Value>* /*replacement*/) override {
    if (types_.contains(result.name)) return absl::OkStatus();
    absl::StatusOr<TypeInfo> type = TypeAndShapeOf(result.value);
    if (type.ok()) types_.emplace(result.name, *std::move(type));
    return absl::OkStatus();
  }

  void Apply(ShownGraph* graph) const {
    const auto set_type = [&](const std::string& name) {
      if (const auto it = types_.find(name); it != types_.end()) graph->types[name] = it->second;
    };
    for (const std::string& input : graph->inputs) set_type(input);
    for (ShownNode& node : graph->nodes) {
      for (const std::string& output : node.outputs) set_type(output);
      SetOperations(&node);
      for (const auto& [name, body] : node.graphs) Apply(body.get());
    }
  }
  void SetOperations(ShownNode* node) const {
    const auto it = operations_.find(KeyOf(node->name, node->outputs, node->op_type));
    if (it != operations_.end()) node->operations = it->second;
  }

 private:
  absl::flat_hash_map<std::string, TypeInfo> types_;
  absl::flat_hash_map<std::string, double> operations_;
};

absl::Status RunShown(const ShowArguments& arguments, const OpRegistry& registry,
                      ShownModel* shown) {
  LoadOptions load;
  load.functions = arguments.functions();
  load.follow_links = arguments.run.follow_links;
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> model,
                      LoadModel(shown->path, registry, load));
  OC_ASSIGN_OR_RETURN(const MatchedFeeds matched,
                      arguments.run.feeds(model->graph, arguments.inputs, arguments.partial));
  OC_ASSIGN_OR_RETURN(const Evaluator evaluator,
                      Evaluator::Create(model, registry, arguments.run.evaluator()));
  RunObserver observer;
  OC_ASSIGN_OR_RETURN(Run run, evaluator.Start(matched.feeds, &observer));
  while (true) {
    OC_ASSIGN_OR_RETURN(const bool more, run.Step());
    if (!more) break;
  }
  observer.Apply(&shown->graph);
  // The types of bodies differ from call to call.
  for (ShownFunction& function : shown->functions) {
    for (ShownNode& node : function.body.nodes) observer.SetOperations(&node);
  }
  return absl::OkStatus();
}

absl::Status AddDimension(const std::string& dim, ShowOptions* options) {
  const size_t sign = dim.rfind('=');
  int64_t size = 0;
  if (sign == std::string::npos || !absl::SimpleAtoi(dim.substr(sign + 1), &size) || size < 0) {
    return absl::InvalidArgumentError(absl::StrCat("--dim ", dim, ": should be NAME=N"));
  }
  options->dims[dim.substr(0, sign)] = size;
  return absl::OkStatus();
}

absl::StatusOr<ShownModel> OpenShown(const ShowArguments& arguments, const std::string& path,
                                     const OpRegistry& registry) {
  ShowOptions options;
  options.follow_links = arguments.run.follow_links;
  options.functions = arguments.functions();
  options.contents = arguments.several();
  for (const std::string& dim : arguments.run.dims) {
    OC_RETURN_IF_ERROR(AddDimension(dim, &options));
  }
  // A model that runs has its sizes from the values.
  if (arguments.run_it) options.dims.clear();
  absl::StatusOr<ShownModel> read = ReadShownModel(path, registry, options);
  if (!read.ok()) return WithNearestFile(path, read.status());
  ShownModel model = *std::move(read);
  if (arguments.run_it) OC_RETURN_IF_ERROR(RunShown(arguments, registry, &model));
  if (!arguments.times.empty()) OC_RETURN_IF_ERROR(ReadNodeTimes(arguments.times, &model));
  return model;
}

SelectionOptions SelectionOf(const ShowArguments& arguments) {
  SelectionOptions options;
  options.around = arguments.around;
  options.hops = arguments.hops;
  options.operators = OperatorList(arguments.nodes);
  return options;
}

absl::StatusOr<std::string> ShowStats(const ShowArguments& arguments, const OpRegistry& registry,
                                      ShownModel model) {
  if (!model.functions.empty() && !arguments.run_it) {
    // Types in functions are known where they are called.
    ShowArguments inlined = arguments;
    inlined.functions_given = true;
    inlined.run.functions = "inline";
    OC_ASSIGN_OR_RETURN(model, OpenShown(inlined, model.path, registry));
  }
  CountOperations(&model);
  const ModelStats stats = StatsOf(model);
  return arguments.format == "json" ? StatsJson(model, stats)
                                    : RenderStats(model, stats, arguments.look);
}

std::string Drawn(const ShowArguments& arguments, const Drawing& drawing) {
  if (arguments.format == "dot") return RenderDrawingDot(drawing);
  return arguments.format == "svg" ? RenderSvg(drawing) : RenderDrawingPage(drawing);
}

absl::StatusOr<std::string> ShowOne(const ShowArguments& arguments) {
  const OpRegistry registry = arguments.run.operators();
  OC_ASSIGN_OR_RETURN(ShownModel model, OpenShown(arguments, arguments.models.front(), registry));
  if (arguments.stats) return ShowStats(arguments, registry, std::move(model));
  OC_ASSIGN_OR_RETURN(const NodeSelection selection, SelectNodes(model, SelectionOf(arguments)));
  if (arguments.format == "json") return ModelJson(model, selection);
  if (arguments.format == "text") return RenderModelText(model, selection, arguments.look);
  // Drawings have no place for them.
  for (const std::string& note : model.notes) PrintNote(note);
  return Drawn(arguments, DrawModels({&model}, {}, {selection}));
}

// The selection on a side that may lack what is named.
absl::StatusOr<NodeSelection> SelectOnSide(const ShownModel& model, const SelectionOptions& options,
                                           absl::Status* status) {
  absl::StatusOr<NodeSelection> selection = SelectNodes(model, options);
  if (selection.ok()) return selection;
  *status = selection.status();
  return NodeSelection(absl::flat_hash_set<const ShownNode*>());
}

// Adds the partners of the nodes selected in a neighbour. `own_is_left`: in its pairs.
NodeSelection WithPartners(const ShownModel& own, const ShownModel& other,
                           const NodeSelection& selection, const NodeSelection& other_selection,
                           const std::vector<NodePair>& pairs, bool own_is_left) {
  if (selection.all()) return selection;
  absl::flat_hash_set<const ShownNode*> nodes;
  ForEachNode(own.graph, [&](const ShownGraph&, const ShownNode& node) {
    if (selection.Has(node)) nodes.insert(&node);
  });
  for (const NodePair& pair : pairs) {
    const int ours = own_is_left ? pair.left : pair.right;
    const int theirs = own_is_left ? pair.right : pair.left;
    if (ours < 0 || theirs < 0) continue;
    if (other_selection.Has(other.graph.nodes[static_cast<size_t>(theirs)])) {
      nodes.insert(&own.graph.nodes[static_cast<size_t>(ours)]);
    }
  }
  return NodeSelection(std::move(nodes));
}

// The nodes that are selected in any of the models, with its partners from neighbour to neighbour.
absl::StatusOr<std::vector<NodeSelection>> SelectInAll(
    const ShowArguments& arguments, const std::vector<const ShownModel*>& models,
    const std::vector<std::vector<NodePair>>& pairs) {
  std::vector<NodeSelection> selections;
  absl::Status first_status;
  size_t lacking = 0;
  for (const ShownModel* model : models) {
    absl::Status status;
    OC_ASSIGN_OR_RETURN(NodeSelection selection,
                        SelectOnSide(*model, SelectionOf(arguments), &status));
    selections.push_back(std::move(selection));
    if (!status.ok() && lacking++ == 0) first_status = status;
  }
  if (lacking == models.size()) return first_status;
  std::vector<NodeSelection> all = selections;
  for (size_t g = 1; g < models.size(); ++g) {
    all[g] = WithPartners(*models[g], *models[g - 1], all[g], all[g - 1], pairs[g - 1], false);
  }
  for (size_t g = models.size() - 1; g-- > 0;) {
    all[g] = WithPartners(*models[g], *models[g + 1], all[g], all[g + 1], pairs[g], true);
  }
  return all;
}

absl::StatusOr<std::string> ShowSeveral(const ShowArguments& arguments) {
  const OpRegistry registry = arguments.run.operators();
  std::vector<std::unique_ptr<const ShownModel>> opened;
  std::vector<const ShownModel*> models;
  std::vector<std::vector<NodePair>> pairs;
  for (const std::string& path : arguments.models) {
    OC_ASSIGN_OR_RETURN(ShownModel model, OpenShown(arguments, path, registry));
    opened.push_back(std::make_unique<const ShownModel>(std::move(model)));
    models.push_back(opened.back().get());
    if (models.size() < 2) continue;
    pairs.push_back(PairNodes(models[models.size() - 2]->graph, models.back()->graph));
  }
  if (arguments.format == "json") return PairJson(*models[0], *models[1], pairs[0]);
  OC_ASSIGN_OR_RETURN(const std::vector<NodeSelection> selections,
                      SelectInAll(arguments, models, pairs));
  if (arguments.format == "text") {
    std::string text;
    for (size_t g = 0; g < pairs.size(); ++g) {
      absl::StrAppend(&text, g > 0 ? "\n" : "",
                      RenderPairText(*models[g], *models[g + 1], pairs[g], selections[g],
                                     selections[g + 1], arguments.look));
    }
    return text;
  }
  for (const ShownModel* model : models) {
    for (const std::string& note : model->notes) {
      PrintNote(absl::StrCat(model->path, ": ", note));
    }
  }
  return Drawn(arguments, DrawModels(models, pairs, selections));
}

// Large constants go beside a file, and among the numbers of standard output.
absl::StatusOr<std::string> ShowOnnxText(const ShowArguments& arguments) {
  OnnxTextOptions options;
  options.follow_links = arguments.run.follow_links;
  if (!arguments.output.empty()) {
    options.data_name =
        absl::StrCat(arguments.output.substr(arguments.output.rfind('/') + 1), ".data");
  }
  OC_ASSIGN_OR_RETURN(OnnxText text, ModelToOnnxText(arguments.models.front(), options));
  if (!text.data.empty()) {
    OC_RETURN_IF_ERROR(WriteFile(absl::StrCat(arguments.output, ".data"), text.data));
  }
  return std::move(text.text);
}

absl::Status CheckTogether(const ShowArguments& arguments) {
  const bool onnx_text = arguments.format == "onnxtxt";
  const bool chosen = !arguments.around.empty() || !arguments.nodes.empty();
  if (arguments.stats &&
      (arguments.several() || (arguments.format != "text" && arguments.format != "json"))) {
    return absl::InvalidArgumentError("--stats is of one model, as text or json");
  }
  if (onnx_text && (arguments.several() || chosen || arguments.run_it)) {
    return absl::InvalidArgumentError(
        "--format onnxtxt writes one model whole: it excludes a second one, --around, --nodes and "
        "--run");
  }
  if (arguments.stats && chosen) {
    return absl::InvalidArgumentError(
        "--stats is of the whole model: it excludes --around, --nodes");
  }
  if (arguments.several() && arguments.run_it) {
    return absl::InvalidArgumentError(
        "several models are shown by their structure; onnxcmp LEFT RIGHT runs them");
  }
  if (arguments.models.size() > 2 && arguments.format == "json") {
    return absl::InvalidArgumentError("--format json is of one model or two");
  }
  if (!arguments.times.empty() && (arguments.format != "html" || arguments.several())) {
    return absl::InvalidArgumentError(
        "--times needs one model and --format html, which colors nodes by them");
  }
  if (!arguments.inputs.empty() && !arguments.run_it) {
    return absl::InvalidArgumentError("--inputs needs --run");
  }
  return absl::OkStatus();
}

void AddOptions(CLI::App& app, ShowArguments& arguments) {
  app.add_option("MODEL", arguments.models, "Models (.onnx, .onnxtxt), each beside the next")
      ->type_name(" ")
      ->required();
  app.add_option("--format", arguments.format, "text, json, dot, svg, html, onnxtxt (text)")
      ->type_name("HOW")
      ->check(OneOf({"text", "json", "dot", "svg", "html", "onnxtxt"}));
  app.add_option("--output", arguments.output, "Write to a file")->type_name("F");
  app.add_option("--around", arguments.around, "Only the surroundings of a node or value")
      ->type_name("NAME");
  app.add_option("--hops", arguments.hops, "How many steps from it (2)")
      ->type_name("N")
      ->check(Quietly(CLI::Range(0, 1000000)));
  app.add_option("--nodes", arguments.nodes, "Only these operators: Conv,MatMul")->type_name("OPS");
  app.add_flag("--stats", arguments.stats, "Operators, parameters, bytes, operations in numbers");
  app.add_flag("--run", arguments.run_it, "Run it: shapes as they come about");
  app.add_option("--inputs", arguments.inputs, "What to run it on: an .npz, input_N.pb")
      ->type_name("F");
  app.add_option("--times", arguments.times, "Times of its nodes, from run --trace")
      ->type_name("F");
  app.add_flag("--partial", arguments.partial, "Accept what the file has and the model lacks");
  app.add_flag("--all", arguments.all, "Fold nothing");
  app.add_flag("--wide", arguments.look.wide, "Lines whole, however long");
  app.add_flag("--ascii", arguments.look.ascii, "No other characters");
  app.add_option("--width", arguments.look.width, "Columns (the terminal's)")
      ->type_name("N")
      ->check(Quietly(CLI::Range(40, 10000)));
  arguments.run.AddTo(app);
  app.get_option("--functions")
      ->description("Local functions: inline or keep (keep; several: inline)");
}

absl::StatusOr<std::string> Show(const ShowArguments& arguments) {
  OC_RETURN_IF_ERROR(CheckTogether(arguments));
  if (arguments.format == "onnxtxt") return ShowOnnxText(arguments);
  return arguments.several() ? ShowSeveral(arguments) : ShowOne(arguments);
}

}  // namespace

int ShowCommand(const std::vector<std::string>& command_line) {
  Interruption interruption;
  CLI::App app(
      "Shows a model: a node a line with the types that are known, its numbers, or a\n"
      "drawing. Several models stand side by side as their structure pairs them. Nothing\n"
      "is run unless it is asked for.",
      "onnxcmp show");
  SetUsage(app, "onnxcmp show [OPTIONS] MODEL ...");
  ShowArguments arguments;
  arguments.look.width = OutputWidth();
  arguments.look.ascii = OutputIsAscii();
  arguments.look.color = OutputTakesColor();
  AddOptions(app, arguments);
  if (const std::optional<int> status = Parse(app, command_line, interruption)) return *status;
  arguments.functions_given = app.get_option("--functions")->count() > 0;
  if (arguments.all) arguments.look.rows = TableOptions::Rows::kAll;
  if (!arguments.output.empty()) arguments.look.color = false;
  const absl::StatusOr<std::string> text = Show(arguments);
  if (!text.ok()) {
    PrintError(text.status().message());
    return kFailed;
  }
  if (arguments.output.empty()) return PrintOutput(*text) ? kAgree : kFailed;
  const absl::Status written = WriteFile(arguments.output, *text);
  if (written.ok()) return kAgree;
  PrintError(written.message());
  return kFailed;
}

}  // namespace onnxcmp::cli
