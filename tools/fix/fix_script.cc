#include "tools/fix/fix_script.h"

#include <nlohmann/json.hpp>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "evaluator/base/proto_text.h"

namespace onnxcmp {
namespace {

using Kind = Operation::Kind;

constexpr char kFixScript[] = R"py(#!/usr/bin/env python3
"""Applies these edits to an ONNX model:

@LINES@
Usage: python @USAGE@ [MODEL [OUTPUT]]. Needs Python's onnx. External data are not read: write the
output into the folder of the model if it has any."""

import base64
import sys

import onnx

MODEL = @MODEL@
# True if the model that was mended has no local functions any more.
INLINED = @INLINED@
# What is done, the result that names the node, the input, a name, a message.
EDITS = [
@EDITS@]

def node_of(graph, result):
    for node in graph.node:
        if result in node.output:
            return node
    sys.exit(f"no node makes {result}: the edits are for another model")

def parse(message, text):
    message.ParseFromString(base64.b64decode(text))
    return message

def graphs_of(node):
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs

def names_made(graph):
    named = [x.name for x in (*graph.input, *graph.initializer)]
    return set(named).union(*(node.output for node in graph.node))

def redirect(node, old, new):
    for i, name in enumerate(node.input):
        if name == old:
            node.input[i] = new
    for graph in graphs_of(node):
        if old in names_made(graph):
            continue
        for inner in graph.node:
            redirect(inner, old, new)
        for output in graph.output:
            if output.name == old:
                output.name = new

def set_constant(graph, name, text):
    tensor = parse(onnx.TensorProto(), text)
    tensor.name = name
    for initializer in graph.initializer:
        if initializer.name == name:
            initializer.CopyFrom(tensor)
            return
    node = node_of(graph, name)
    del node.attribute[:]
    node.attribute.append(onnx.helper.make_attribute("value", tensor))

def add_constant(model, text):
    tensor = parse(model.graph.initializer.add(), text)
    if model.ir_version < 4:
        value = onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
        model.graph.input.append(value)

def drop(items, found):
    for i in reversed(range(len(items))):
        if found(items[i]):
            del items[i]

def edit_node(node, kind, slot, name, text):
    if kind == "drop attribute":
        drop(node.attribute, lambda x: x.name == name)
    elif kind == "set attribute":
        drop(node.attribute, lambda x: x.name == name)
        parse(node.attribute.add(), text)
    elif kind == "set input":
        node.input.extend([""] * (slot + 1 - len(node.input)))
        node.input[slot] = name
        while node.input and not node.input[-1]:
            del node.input[-1]

def apply(model, kind, result, slot, name, text):
    graph = model.graph
    if kind == "set constant":
        set_constant(graph, result, text)
    elif kind == "redirect":
        for node in graph.node:
            redirect(node, result, name)
    elif kind == "rename":
        node = node_of(graph, result)
        node.output[list(node.output).index(result)] = name
    elif kind == "add node":
        parse(graph.node.add(), text)
    elif kind == "add constant":
        add_constant(model, text)
    elif kind == "import":
        model.opset_import.append(onnx.helper.make_opsetid(name, slot))
    elif kind == "drop node":
        graph.node.remove(node_of(graph, result))
    elif kind == "drop constant":
        drop(graph.initializer, lambda x: x.name == result)
    else:
        edit_node(node_of(graph, result), kind, slot, name, text)

def reads(node):
    yield from node.input
    for graph in graphs_of(node):
        for inner in graph.node:
            yield from reads(inner)
        yield from (output.name for output in graph.output)

def sort_nodes(graph):
    """Nodes move up to before the first that reads what they make."""
    nodes = [onnx.NodeProto.FromString(node.SerializeToString()) for node in graph.node]
    makers = {name: i for i, node in enumerate(nodes) for name in node.output if name}
    done, order = set(), []
    for first in range(len(nodes)):
        open_nodes = [(first, False)]
        while open_nodes:
            i, ready = open_nodes.pop()
            if ready:
                order.append(nodes[i])
            elif i not in done:
                done.add(i)
                open_nodes.append((i, True))
                needed = [makers[name] for name in reads(nodes[i]) if name in makers]
                open_nodes += [(j, False) for j in reversed(needed) if j != i]
    del graph.node[:]
    graph.node.extend(order)

def main():
    source = sys.argv[1] if len(sys.argv) > 1 else MODEL
    target = sys.argv[2] if len(sys.argv) > 2 else source.removesuffix(".onnx") + "_fixed.onnx"
    model = onnx.load(source, load_external_data=False)
    if INLINED and model.functions:
        sys.exit(f"{source} has local functions, and the edits are for their nodes, inlined: take the mended model")
    for edit in EDITS:
        apply(model, *edit)
    sort_nodes(model.graph)
    # Types of results may have changed: shape inference finds them anew.
    del model.graph.value_info[:]
    onnx.save(model, target)
    print(target)

if __name__ == "__main__":
    main()
)py";

const char* WordsOf(Kind kind) {
  switch (kind) {
    case Kind::kSetAttribute:
      return "set attribute";
    case Kind::kDropAttribute:
      return "drop attribute";
    case Kind::kSetInput:
      return "set input";
    case Kind::kSetConstant:
      return "set constant";
    case Kind::kRename:
      return "rename";
    case Kind::kRedirect:
      return "redirect";
    case Kind::kAddNode:
      return "add node";
    case Kind::kAddConstant:
      return "add constant";
    case Kind::kImport:
      return "import";
    case Kind::kDropNode:
      return "drop node";
    case Kind::kDropConstant:
      return "drop constant";
  }
  return "";
}

// Also a literal of Python.
std::string Literal(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', /*ensure_ascii=*/true,
                                   nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string FixScript(const FixReport& report, const std::string& model) {
  std::string lines, edits;
  for (const FixStep& step : report.steps) {
    for (const std::string& line : step.edit.lines) {
      absl::StrAppend(&lines, "  ", absl::StrReplaceAll(OneLine(line), {{"\\", "/"}, {"\"", "'"}}),
                      "\n");
    }
    for (const Operation& operation : step.edit.operations) {
      absl::StrAppend(&edits, "    (\"", WordsOf(operation.kind), "\", ", Literal(operation.result),
                      ", ", operation.slot, ", ", Literal(operation.name), ", \"",
                      absl::Base64Escape(operation.message), "\"),\n");
    }
  }
  return absl::StrReplaceAll(kFixScript, {{"@LINES@", lines},
                                          {"@USAGE@", "THIS_SCRIPT"},
                                          {"@MODEL@", Literal(model)},
                                          {"@INLINED@", report.inlined ? "True" : "False"},
                                          {"@EDITS@", edits}});
}

}  // namespace onnxcmp
