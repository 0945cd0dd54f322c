#include "show/render_text.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"
#include "reports/table/table_style.h"

namespace onnxcmp {
namespace {

constexpr size_t kMostOperands = 8;  // operands of a node that are all shown
constexpr size_t kMostListed = 12;   // inputs, outputs, constants

// An operand: a constant's value or type with its name, else the name.
std::string Operand(const ShownGraph& graph, const std::string& name) {
  if (name.empty()) return "_";
  const ShownConstant* constant = graph.ConstantOf(name);
  if (constant == nullptr) return PrintableText(name);
  if (constant->inlined()) return PrintableText(constant->value);
  return absl::StrCat(PrintableText(name), ":", constant->type());
}

std::string Joined(const std::vector<std::string>& parts) {
  if (parts.size() <= kMostOperands) return absl::StrJoin(parts, ", ");
  const std::vector<std::string> first(parts.begin(), parts.begin() + kMostOperands - 2);
  return absl::StrCat(absl::StrJoin(first, ", "), ", … ", parts.size() - kMostOperands + 1,
                      " more, ", parts.back());
}

class TextWriter {
 public:
  TextWriter(const ShownModel& model, const NodeSelection& selection, const TableOptions& look)
      : model_(model), selection_(selection), look_(look), style_(look) {}

  std::string Text() {
    Head();
    if (selection_.all()) {
      Values("input", model_.graph.inputs, model_.graph);
      Values("output", model_.graph.outputs, model_.graph);
      Constants(model_.graph, 0);
    }
    if (selection_.Reaches(model_.graph)) {
      text_ += "\n";
      Nodes(model_.graph, 0);
    }
    for (const ShownFunction& function : model_.functions) Function(function);
    for (const std::string& note : model_.notes) Line("note", note);
    return style_.Text(text_);
  }

 private:
  void Line(absl::string_view label, absl::string_view text) {
    std::vector<std::string> lines =
        WrapText(PrintableText(text), look_.wide ? 1 << 20 : std::max(look_.width - 9, 20));
    for (size_t i = 0; i < lines.size(); ++i) {
      absl::StripTrailingAsciiWhitespace(&lines[i]);
      absl::StrAppend(&text_,
                      style_.Paint(PadRight(i == 0 ? label : absl::string_view(), 9), Color::kDim),
                      lines[i], "\n");
    }
  }

  void Head() {
    int64_t nodes = 0;
    ForEachNode(model_.graph, [&](const ShownGraph&, const ShownNode&) { ++nodes; });
    std::vector<std::string> opsets;
    for (const auto& [domain, version] : model_.imports) {
      opsets.push_back(domain.empty() ? absl::StrCat(version) : absl::StrCat(domain, " ", version));
    }
    int64_t parameters = 0;
    int64_t bytes = 0;
    for (const ShownConstant& constant : model_.graph.constants) {
      parameters += constant.elements;
      bytes += constant.bytes;
    }
    Line("model",
         absl::StrCat(model_.path, "  ", Count(nodes, "node"), ", ", Count(parameters, "parameter"),
                      ", ", BytesText(bytes),
                      model_.functions.empty()
                          ? ""
                          : absl::StrCat(", ", Count(static_cast<int64_t>(model_.functions.size()),
                                                     "function"))));
    Line("written",
         absl::StrCat(model_.producer.empty() ? "" : absl::StrCat("by ", model_.producer, ", "),
                      "IR version ", model_.ir_version, ", opset ", absl::StrJoin(opsets, ", ")));
  }

  // One a line: "input    x  f32[1,3,224,224]".
  void Values(absl::string_view label, const std::vector<std::string>& names,
              const ShownGraph& graph) {
    const bool all = look_.rows == TableOptions::Rows::kAll || names.size() <= kMostListed;
    const size_t shown = all ? names.size() : kMostListed - 1;
    for (size_t i = 0; i < shown; ++i) {
      const ShownConstant* constant = graph.ConstantOf(names[i]);
      Line(label, absl::StrCat(names[i], "  ", graph.TypeOf(names[i]),
                               constant == nullptr ? "" : "  (has a default)"));
    }
    if (!all) Line(label, absl::StrCat("… ", names.size() - shown, " more (--all)"));
  }

  void Constants(const ShownGraph& graph, int indent) {
    std::vector<const ShownConstant*> listed;
    int64_t inlined = 0;
    for (const ShownConstant& constant : graph.constants) {
      if (constant.inlined()) {
        ++inlined;
      } else {
        listed.push_back(&constant);
      }
    }
    const bool all = look_.rows == TableOptions::Rows::kAll || listed.size() <= kMostListed;
    if (!all) {
      // The largest ones tell most.
      std::stable_sort(listed.begin(), listed.end(),
                       [](const auto* a, const auto* b) { return a->bytes > b->bytes; });
    }
    const size_t shown = all ? listed.size() : kMostListed - 1;
    const std::string space(static_cast<size_t>(indent), ' ');
    int64_t rest = 0;
    for (size_t i = shown; i < listed.size(); ++i) rest += listed[i]->bytes;
    for (size_t i = 0; i < shown; ++i) {
      Line(space + "constant",
           absl::StrCat(listed[i]->name, "  ", listed[i]->type(), "  ", BytesText(listed[i]->bytes),
                        listed[i]->external ? ", in a file of its own" : ""));
    }
    if (!all) {
      Line(space + "constant",
           absl::StrCat("… ", listed.size() - shown, " more, ", BytesText(rest), " (--all)"));
    }
    if (inlined > 0 && indent == 0) {
      Line("constant",
           absl::StrCat(inlined, " of few elements, as their values where they are read"));
    }
  }

  void Nodes(const ShownGraph& graph, int indent) {
    const int digits = static_cast<int>(absl::StrCat(graph.nodes.size()).size());
    std::string scope;
    int64_t skipped = 0;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const ShownNode& node = graph.nodes[i];
      if (!selection_.Reaches(node)) {
        ++skipped;
        continue;
      }
      Skipped(&skipped, indent, digits);
      if (node.scope != scope) {
        scope = node.scope;
        absl::StrAppend(
            &text_, std::string(static_cast<size_t>(indent), ' '),
            style_.Paint(absl::StrCat(scope.empty() ? "(no scope)" : PrintableText(scope),
                                      node.source.empty() || scope.empty()
                                          ? ""
                                          : absl::StrCat("  ", PrintableText(node.source))),
                         Color::kBold),
            "\n");
      }
      Node(graph, node, i, indent, digits);
    }
    Skipped(&skipped, indent, digits);
  }

  void Skipped(int64_t* count, int indent, int digits) {
    if (*count == 0) return;
    absl::StrAppend(&text_, std::string(static_cast<size_t>(indent + digits + 2), ' '),
                    style_.Paint(absl::StrCat("… ", Count(*count, "node")), Color::kDim), "\n");
    *count = 0;
  }

  void Node(const ShownGraph& graph, const ShownNode& node, size_t index, int indent, int digits) {
    const int begin = indent + digits + 2;
    const std::string call = NodeCall(graph, node);
    const std::string types = OutputTypes(graph, node);
    const std::string line = absl::StrCat(call, types.empty() ? "" : "  ", types);
    const int width = look_.wide ? 1 << 20 : std::max(look_.width - begin, 30);
    std::vector<std::string> lines = WrapText(line, width);
    for (std::string& part : lines) absl::StripTrailingAsciiWhitespace(&part);
    absl::StrAppend(&text_, std::string(static_cast<size_t>(indent), ' '),
                    style_.Paint(PadLeft(absl::StrCat(index), digits + 1), Color::kDim), " ",
                    lines[0], "\n");
    for (size_t i = 1; i < lines.size(); ++i) {
      absl::StrAppend(&text_, std::string(static_cast<size_t>(begin + 4), ' '), lines[i], "\n");
    }
    for (const auto& [name, body] : node.graphs) {
      if (!selection_.Has(node) && !selection_.Reaches(*body)) continue;
      const int inner = begin + 2;
      absl::StrAppend(&text_, std::string(static_cast<size_t>(inner), ' '),
                      style_.Paint(absl::StrCat(PrintableText(name), "(", Names(body->inputs),
                                                ") -> ", Names(body->outputs)),
                                   Color::kBold),
                      "\n");
      if (selection_.all() || selection_.Reaches(*body)) Nodes(*body, inner + 2);
    }
  }

  static std::string Names(const std::vector<std::string>& names) {
    std::vector<std::string> printable;
    for (const std::string& name : names) printable.push_back(PrintableText(name));
    return Joined(printable);
  }

  void Function(const ShownFunction& function) {
    if (!selection_.Reaches(function.body)) return;
    std::vector<std::string> parts = function.body.inputs;
    parts.insert(parts.end(), function.attributes.begin(), function.attributes.end());
    std::vector<std::string> opsets;
    for (const auto& [domain, version] : function.imports) {
      opsets.push_back(domain.empty() ? absl::StrCat(version) : absl::StrCat(domain, " ", version));
    }
    absl::StrAppend(&text_, "\n",
                    style_.Paint(absl::StrCat("function ", PrintableText(function.op()), "(",
                                              Names(parts), ") -> ", Names(function.body.outputs)),
                                 Color::kBold),
                    "  opset ", absl::StrJoin(opsets, ", "), ", called ",
                    function.calls == 1 ? "once" : absl::StrCat(function.calls, " times"), "\n");
    Nodes(function.body, 2);
  }

  const ShownModel& model_;
  const NodeSelection& selection_;
  const TableOptions& look_;
  const TableStyle style_;
  std::string text_;
};

}  // namespace

std::string NodeCall(const ShownGraph& graph, const ShownNode& node) {
  std::vector<std::string> operands;
  for (const std::string& input : node.inputs) operands.push_back(Operand(graph, input));
  std::vector<std::string> parts;
  if (!operands.empty()) parts.push_back(Joined(operands));
  for (const auto& [name, value] : node.attributes) {
    parts.push_back(absl::StrCat(PrintableText(name), "=", PrintableText(value)));
  }
  std::vector<std::string> outputs;
  for (const std::string& output : node.outputs) {
    outputs.push_back(output.empty() ? "_" : PrintableText(output));
  }
  return absl::StrCat(PrintableText(node.op()), "(", absl::StrJoin(parts, ", "), ") -> ",
                      Joined(outputs));
}

std::string OutputTypes(const ShownGraph& graph, const ShownNode& node) {
  std::vector<std::string> types;
  bool known = false;
  for (const std::string& output : node.outputs) {
    const std::string type = output.empty() ? "" : graph.TypeOf(output);
    known = known || !type.empty();
    if (!output.empty()) types.push_back(type.empty() ? "?" : PrintableText(type));
  }
  return known ? Joined(types) : "";
}

std::string RenderModelText(const ShownModel& model, const NodeSelection& selection,
                            const TableOptions& look) {
  return TextWriter(model, selection, look).Text();
}

}  // namespace onnxcmp
