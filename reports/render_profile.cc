#include "reports/render_profile.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/version.h"
#include "record/base/work_bounds.h"
#include "record/base/write_file.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"
#include "reports/table/table_style.h"

namespace onnxcmp {
namespace {

using TraceJson = nlohmann::ordered_json;
using std::chrono::nanoseconds;

constexpr int kMostOperatorWidth = 24;
constexpr int kLeastNameWidth = 16;

double Milliseconds(nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}
double Microseconds(nanoseconds time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

// Totals of a line of the table.
struct Spent {
  nanoseconds own{0};
  int64_t nodes = 0;
  int64_t runs = 0;
  int64_t bytes = 0;
  std::optional<double> operations = 0;
  bool has_inner_nodes = false;

  void Add(const NodeProfile& node) {
    own += node.own;
    ++nodes;
    runs += node.runs;
    bytes += node.bytes;
    has_inner_nodes = has_inner_nodes || node.has_inner_nodes;
    if (operations.has_value() && node.operations.has_value()) {
      *operations += *node.operations;
    } else {
      operations.reset();
    }
  }
};

constexpr char kNumbersHead[] = "    runs    own, ms   share     bytes   GFLOP/s     GB/s";

// Rates cover a node's own work: the inner nodes of a loop have their own.
std::string Numbers(const Spent& spent, nanoseconds all) {
  const double seconds = Milliseconds(spent.own) / 1000;
  const bool has_rate = seconds > 0 && !spent.has_inner_nodes;
  const auto rate = [&](double amount) { return absl::StrFormat("%.3g", amount / seconds / 1e9); };
  const bool has_operations = has_rate && spent.operations.has_value();
  const bool has_bytes = has_rate && spent.bytes > 0;
  return absl::StrFormat("%8d %10.3f %5.1f %% %9s %9s %8s", spent.runs, Milliseconds(spent.own),
                         all.count() > 0 ? 100 * Milliseconds(spent.own) / Milliseconds(all) : 0.0,
                         spent.bytes > 0 ? BytesText(spent.bytes) : "",
                         has_operations ? rate(*spent.operations) : "",
                         has_bytes ? rate(static_cast<double>(spent.bytes)) : "");
}

class ProfileTable {
 public:
  ProfileTable(const Profile& profile, const TableOptions& options)
      : profile_(profile), options_(options), style_(options) {
    for (const NodeProfile& node : profile.nodes) {
      if (node.runs == 0) continue;
      nodes_.push_back(&node);
      all_.Add(node);
      const int width = DisplayWidth(Text(OperatorName(node.domain, node.op_type)));
      operator_width_ = std::min(std::max(operator_width_, width), kMostOperatorWidth);
    }
    std::stable_sort(nodes_.begin(), nodes_.end(),
                     [](const NodeProfile* a, const NodeProfile* b) { return a->own > b->own; });
  }

  std::string Render() const {
    std::string text =
        absl::StrFormat("profile: %s ran %s in %.3f ms, and %.3f ms went by between them\n",
                        Count(all_.nodes, "node"), Count(all_.runs, "time"), Milliseconds(all_.own),
                        std::max(0.0, Milliseconds(profile_.duration - all_.own)));
    if (nodes_.empty()) return text;
    absl::StrAppend(&text, "\n", Operators(), "\n", Nodes());
    return text;
  }

 private:
  std::string Operators() const {
    std::map<std::string, Spent> by_operator;
    for (const NodeProfile* node : nodes_) {
      by_operator[OperatorName(node->domain, node->op_type)].Add(*node);
    }
    std::vector<std::pair<std::string, Spent>> rows(by_operator.begin(), by_operator.end());
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.second.own > b.second.own; });
    std::string text =
        absl::StrCat(PadRight("operator", operator_width_), "   nodes", kNumbersHead, "\n");
    for (const auto& [name, spent] : rows) {
      Append(&text, absl::StrCat(Fitted(name, operator_width_), absl::StrFormat("%8d", spent.nodes),
                                 Numbers(spent, all_.own)));
    }
    return text;
  }

  std::string Nodes() const {
    const size_t shown = options_.rows == TableOptions::Rows::kAll
                             ? nodes_.size()
                             : std::min(nodes_.size(), size_t{work_bounds::kRows});
    int name_width = DisplayWidth("node");
    for (size_t i = 0; i < shown; ++i) {
      name_width = std::max(name_width, DisplayWidth(Text(NameOf(*nodes_[i]))));
    }
    // Long names leave room for the numbers, and for the inputs if possible.
    const int fixed = operator_width_ + 2 + static_cast<int>(sizeof(kNumbersHead)) - 1;
    name_width = std::min(name_width, std::max(kLeastNameWidth, options_.width - fixed));
    const int inputs_width = options_.width - fixed - name_width - 2;
    std::string text =
        absl::StrCat(PadRight("node", name_width), "  ", PadRight("operator", operator_width_),
                     kNumbersHead, inputs_width >= 8 ? "  inputs" : "", "\n");
    for (size_t i = 0; i < shown; ++i) {
      const NodeProfile& node = *nodes_[i];
      Spent spent;
      spent.Add(node);
      const NodeTypes& types = profile_.types[static_cast<size_t>(node.first_types)];
      std::string line =
          absl::StrCat(Fitted(NameOf(node), name_width), "  ",
                       Fitted(OperatorName(node.domain, node.op_type), operator_width_),
                       Numbers(spent, all_.own));
      if (inputs_width >= 8) {
        absl::StrAppend(
            &line, "  ",
            ShortenEnd(Text(absl::StrJoin(types.inputs, ", ")), inputs_width, style_.Ellipsis()));
      }
      Append(&text, std::move(line));
    }
    if (shown < nodes_.size()) {
      nanoseconds left{0};
      for (size_t i = shown; i < nodes_.size(); ++i) left += nodes_[i]->own;
      absl::StrAppendFormat(&text, "%s %s, %.3f ms\n", style_.Ellipsis(),
                            Count(static_cast<int64_t>(nodes_.size() - shown), "more node"),
                            Milliseconds(left));
    }
    return text;
  }

  static std::string NameOf(const NodeProfile& node) {
    return node.path.empty() ? node.name : absl::StrCat(node.path, "/", node.name);
  }

  // In printable form.
  std::string Text(absl::string_view text) const { return style_.Text(PrintableText(text)); }

  std::string Fitted(absl::string_view text, int width) const {
    return PadRight(ShortenMiddle(Text(text), width, style_.Ellipsis()), width);
  }

  static void Append(std::string* text, std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(text, line, "\n");
  }

  const Profile& profile_;
  const TableOptions& options_;
  const TableStyle style_;
  std::vector<const NodeProfile*> nodes_;  // those that ran, the slowest first
  int operator_width_ = DisplayWidth("operator");
  Spent all_;
};

TraceJson EventOf(const Profile& profile, const NodeRun& run) {
  const NodeProfile& node = profile.nodes[static_cast<size_t>(run.node)];
  const NodeTypes& types = profile.types[static_cast<size_t>(run.types)];
  TraceJson event = {{"name", node.name},
                     {"cat", "node"},
                     {"ph", "X"},
                     {"ts", Microseconds(run.start)},
                     {"dur", Microseconds(run.duration)},
                     {"pid", 1},
                     {"tid", 1}};
  TraceJson& args = event["args"];
  args = {{"op", OperatorName(node.domain, node.op_type)},
          {"path", node.path},
          {"inputs", types.inputs},
          {"outputs", types.outputs},
          {"bytes", run.bytes}};
  if (run.operations.has_value()) {
    args["operations"] = *run.operations;
    if (run.duration.count() > 0) {
      args["GFLOP/s"] = *run.operations / static_cast<double>(run.duration.count());
    }
  }
  return event;
}

}  // namespace

std::string RenderProfile(const Profile& profile, const TableOptions& options) {
  return ProfileTable(profile, options).Render();
}

absl::Status WriteTrace(const Profile& profile, const std::string& model, const std::string& path) {
  std::string text;
  // Names may not be valid UTF-8.
  const auto line = [](const TraceJson& json) {
    return json.dump(-1, ' ', false, TraceJson::error_handler_t::replace);
  };
  absl::StrAppend(
      &text, "{\"displayTimeUnit\":\"ms\",\n\"otherData\":",
      line({{"program", absl::StrCat("onnxcmp ", kVersion)}, {"model", model}}),
      ",\n\"traceEvents\":[\n",
      line({{"name", "process_name"}, {"ph", "M"}, {"pid", 1}, {"args", {{"name", model}}}}), ",\n",
      line({{"name", "thread_name"},
            {"ph", "M"},
            {"pid", 1},
            {"tid", 1},
            {"args", {{"name", "nodes"}}}}));
  for (const NodeRun& run : profile.runs)
    absl::StrAppend(&text, ",\n", line(EventOf(profile, run)));
  text += "\n]}\n";
  return WriteFile(path, text);
}

}  // namespace onnxcmp
