#include "tools/fix/equivalent_forms.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/function_body.h"
#include "evaluator/load/load_model.h"
#include "evaluator/load/name_scopes.h"
#include "evaluator/load/node_proto.h"
#include "evaluator/load/onnx_library.h"
#include "evaluator/model/outer_names.h"
#include "evaluator/protos/tensor_proto.h"
#include "onnx/defs/schema.h"
#include "onnx/onnx_pb.h"
#include "tools/fix/transplant.h"

namespace onnxcmp {
namespace {

using Kind = Operation::Kind;
using Body = std::shared_ptr<const Graph>;

// An operator as a function in ONNX's text. `attributes`: those of the node that the body uses.
struct Form {
  absl::string_view op_type;
  absl::string_view attributes;
  absl::string_view text;
};

constexpr Form kForms[] = {
    {"Abs", "", "(x) => (y) { n = Neg(x) y = Max(x, n) }"},
    {"Add", "", "(a, b) => (y) { n = Neg(b) y = Sub(a, n) }"},
    {"ArgMax", "axis, keepdims, select_last_index",
     "(x) => (y) { n = Neg(x) y = ArgMin<axis: int = @axis, keepdims: int = @keepdims, "
     "select_last_index: int = @select_last_index>(n) }"},
    {"ArgMin", "axis, keepdims, select_last_index",
     "(x) => (y) { n = Neg(x) y = ArgMax<axis: int = @axis, keepdims: int = @keepdims, "
     "select_last_index: int = @select_last_index>(n) }"},
    {"BitShift", "",
     "(x, n) => (y) { two = Constant<value_int = 2>() t = CastLike(two, x) p = Pow(t, n) "
     "y = Mul(x, p) }"},
    {"BitShift", "",
     "(x, n) => (y) { two = Constant<value_int = 2>() t = CastLike(two, x) p = Pow(t, n) "
     "y = Div(x, p) }"},
    {"Cos", "",
     "(x) => (y) { q = Constant<value_float = 1.5707963>() t = CastLike(q, x) a = Add(x, t) "
     "y = Sin(a) }"},
    {"Cosh", "",
     "(x) => (y) { n = Neg(x) e = Exp(x) f = Exp(n) s = Add(e, f) "
     "h = Constant<value_float = 0.5>() t = CastLike(h, x) y = Mul(s, t) }"},
    {"DepthToSpace", "blocksize",
     "(x) => (y) { n = Shape<start = 0, end = 1>(x) c = Shape<start = 1, end = 2>(x) "
     "h = Shape<start = 2, end = 3>(x) w = Shape<start = 3, end = 4>(x) "
     "s = Constant<value_int: int = @blocksize>() one = Constant<value_ints = [1]>() "
     "b = Reshape(s, one) bb = Mul(b, b) d = Div(c, bb) s1 = Concat<axis = 0>(n, d, b, b, h, w) "
     "r = Reshape(x, s1) t = Transpose<perm = [0, 1, 4, 2, 5, 3]>(r) hb = Mul(h, b) "
     "wb = Mul(w, b) s2 = Concat<axis = 0>(n, d, hb, wb) y = Reshape(t, s2) }"},
    {"DepthToSpace", "blocksize",
     "(x) => (y) { n = Shape<start = 0, end = 1>(x) c = Shape<start = 1, end = 2>(x) "
     "h = Shape<start = 2, end = 3>(x) w = Shape<start = 3, end = 4>(x) "
     "s = Constant<value_int: int = @blocksize>() one = Constant<value_ints = [1]>() "
     "b = Reshape(s, one) bb = Mul(b, b) d = Div(c, bb) s1 = Concat<axis = 0>(n, b, b, d, h, w) "
     "r = Reshape(x, s1) t = Transpose<perm = [0, 3, 4, 1, 5, 2]>(r) hb = Mul(h, b) "
     "wb = Mul(w, b) s2 = Concat<axis = 0>(n, d, hb, wb) y = Reshape(t, s2) }"},
    {"Div", "", "(a, b) => (y) { r = Reciprocal(b) y = Mul(a, r) }"},
    {"Erf", "",
     "(x) => (y) { k = Constant<value_float = 1.4142135>() t = CastLike(k, x) s = Mul(x, t) "
     "g = Gelu(s) r = Div(g, s) two = Constant<value_float = 2.0>() u = CastLike(two, x) "
     "m = Mul(r, u) one = Constant<value_float = 1.0>() v = CastLike(one, x) y = Sub(m, v) }"},
    {"Gelu", "",
     "(x) => (y) { k = Constant<value_float = 0.70710677>() t = CastLike(k, x) s = Mul(x, t) "
     "e = Erf(s) one = Constant<value_float = 1.0>() o = CastLike(one, x) p = Add(e, o) "
     "m = Mul(x, p) half = Constant<value_float = 0.5>() h = CastLike(half, x) y = Mul(m, h) }"},
    {"Gemm", "alpha, beta",
     "(a, b, c) => (y) { m = MatMul(a, b) f = Constant<value_float: float = @alpha>() "
     "g = CastLike(f, m) n = Mul(m, g) h = Constant<value_float: float = @beta>() "
     "i = CastLike(h, m) j = Mul(c, i) y = Add(n, j) }"},
    {"Gemm", "alpha, beta",
     "(a, b, c) => (y) { t = Transpose<perm = [1, 0]>(b) m = MatMul(a, t) "
     "f = Constant<value_float: float = @alpha>() g = CastLike(f, m) n = Mul(m, g) "
     "h = Constant<value_float: float = @beta>() i = CastLike(h, m) j = Mul(c, i) "
     "y = Add(n, j) }"},
    {"HardSwish", "",
     "(x) => (y) { h = HardSigmoid<alpha = 0.16666667, beta = 0.5>(x) y = Mul(x, h) }"},
    {"MatMul", "", "(a, b) => (y) { y = Gemm(a, b) }"},
    {"Max", "", "(a, b) => (y) { m = Neg(a) n = Neg(b) l = Min(m, n) y = Neg(l) }"},
    {"Min", "", "(a, b) => (y) { m = Neg(a) n = Neg(b) l = Max(m, n) y = Neg(l) }"},
    {"Mod", "",
     "(a, b) => (y) { q = Div(a, b) m = Abs(q) f = Floor(m) s = Sign(q) t = Mul(f, s) "
     "p = Mul(t, b) y = Sub(a, p) }"},
    {"Mod", "", "(a, b) => (y) { q = Div(a, b) f = Floor(q) p = Mul(f, b) y = Sub(a, p) }"},
    {"Neg", "", "(x) => (y) { z = Sub(x, x) y = Sub(z, x) }"},
    {"ReduceMax", "keepdims",
     "(x, axes) => (y) { n = Neg(x) m = ReduceMin<keepdims: int = @keepdims>(n, axes) "
     "y = Neg(m) }"},
    {"ReduceMin", "keepdims",
     "(x, axes) => (y) { n = Neg(x) m = ReduceMax<keepdims: int = @keepdims>(n, axes) "
     "y = Neg(m) }"},
    {"Relu", "", "(x) => (y) { z = Sub(x, x) y = Max(x, z) }"},
    {"Sigmoid", "",
     "(x) => (y) { n = Neg(x) e = Exp(n) one = Constant<value_float = 1.0>() "
     "o = CastLike(one, x) s = Add(e, o) y = Reciprocal(s) }"},
    {"Sinh", "",
     "(x) => (y) { n = Neg(x) e = Exp(x) f = Exp(n) s = Sub(e, f) "
     "h = Constant<value_float = 0.5>() t = CastLike(h, x) y = Mul(s, t) }"},
    {"SpaceToDepth", "blocksize",
     "(x) => (y) { n = Shape<start = 0, end = 1>(x) c = Shape<start = 1, end = 2>(x) "
     "h = Shape<start = 2, end = 3>(x) w = Shape<start = 3, end = 4>(x) "
     "s = Constant<value_int: int = @blocksize>() one = Constant<value_ints = [1]>() "
     "b = Reshape(s, one) hb = Div(h, b) wb = Div(w, b) s1 = Concat<axis = 0>(n, c, hb, b, wb, b) "
     "r = Reshape(x, s1) t = Transpose<perm = [0, 1, 3, 5, 2, 4]>(r) bb = Mul(b, b) d = Mul(c, bb) "
     "s2 = Concat<axis = 0>(n, d, hb, wb) y = Reshape(t, s2) }"},
    {"SpaceToDepth", "blocksize",
     "(x) => (y) { n = Shape<start = 0, end = 1>(x) c = Shape<start = 1, end = 2>(x) "
     "h = Shape<start = 2, end = 3>(x) w = Shape<start = 3, end = 4>(x) "
     "s = Constant<value_int: int = @blocksize>() one = Constant<value_ints = [1]>() "
     "b = Reshape(s, one) hb = Div(h, b) wb = Div(w, b) s1 = Concat<axis = 0>(n, c, hb, b, wb, b) "
     "r = Reshape(x, s1) t = Transpose<perm = [0, 3, 5, 1, 2, 4]>(r) bb = Mul(b, b) d = Mul(c, bb) "
     "s2 = Concat<axis = 0>(n, d, hb, wb) y = Reshape(t, s2) }"},
    {"Sqrt", "",
     "(x) => (y) { h = Constant<value_float = 0.5>() t = CastLike(h, x) y = Pow(x, t) }"},
    {"Sub", "", "(a, b) => (y) { n = Neg(b) y = Add(a, n) }"},
    {"Tan", "", "(x) => (y) { s = Sin(x) c = Cos(x) y = Div(s, c) }"},
    {"Tanh", "",
     "(x) => (y) { two = Constant<value_float = 2.0>() t = CastLike(two, x) m = Mul(x, t) "
     "s = Sigmoid(m) n = Mul(s, t) one = Constant<value_float = 1.0>() o = CastLike(one, x) "
     "y = Sub(n, o) }"},
};

// Recurrent operators with the batch in the second place, and from the end to the beginning. Both
// without states that are given.
std::vector<std::string> RecurrentForms(absl::string_view op_type, std::string* attributes) {
  *attributes = "activations, activation_alpha, activation_beta, clip, direction, hidden_size";
  std::string used =
      "activations: strings = @activations, activation_alpha: floats = @activation_alpha, "
      "activation_beta: floats = @activation_beta, clip: float = @clip, "
      "hidden_size: int = @hidden_size";
  const bool lstm = op_type == "LSTM";
  if (op_type == "GRU") {
    absl::StrAppend(attributes, ", linear_before_reset");
    absl::StrAppend(&used, ", linear_before_reset: int = @linear_before_reset");
  } else if (lstm) {
    absl::StrAppend(attributes, ", input_forget");
    absl::StrAppend(&used, ", input_forget: int = @input_forget");
  }
  const absl::string_view outputs = lstm ? "y, h, c" : "y, h";
  const absl::string_view made = lstm ? "yt, ht, ct" : "yt, ht";
  return {
      absl::StrCat("(x, w, r, b, l) => (", outputs, ") { xt = Transpose<perm = [1, 0, 2]>(x) ",
                   made, " = ", op_type, "<direction: string = @direction, ", used,
                   ">(xt, w, r, b, l) y = Transpose<perm = [2, 0, 1, 3]>(yt) "
                   "h = Transpose<perm = [1, 0, 2]>(ht) ",
                   lstm ? "c = Transpose<perm = [1, 0, 2]>(ct) " : "", "}"),
      absl::StrCat("(x, w, r, b) => (", outputs,
                   ") { last = Constant<value_ints = [-1]>() first = Constant<value_ints = "
                   "[-9223372036854775807]>() time = Constant<value_ints = [0]>() "
                   "xt = Slice(x, last, first, time, last) ",
                   lstm ? "yt, h, c" : "yt, h", " = ", op_type, "<", used,
                   ">(xt, w, r, b) y = Slice(yt, last, first, time, last) }"),
  };
}

class Rewriter {
 public:
  Rewriter(const FixScene& scene, const Node& node)
      : scene_(scene), node_(node), version_(scene.pairs.right.VersionOf(node)) {}

  std::vector<Edit> Edits() const {
    std::vector<Edit> edits;
    if (SchemaOf(node_.domain, node_.op_type) == nullptr) return edits;
    for (const Body& body : Bodies()) {
      absl::StatusOr<Edit> edit = EditOf(*body);
      if (edit.ok()) edits.push_back(*std::move(edit));
    }
    return edits;
  }

 private:
  std::vector<Body> Bodies() const {
    std::vector<Body> bodies;
    const auto add = [&](absl::StatusOr<Body> body) {
      if (body.ok() && *body != nullptr) bodies.push_back(*std::move(body));
    };
    if (node_.domain.empty()) {
      for (const Form& form : kForms) {
        if (form.op_type == node_.op_type) add(BodyOfText(form.attributes, form.text));
      }
      if (node_.op_type == "LSTM" || node_.op_type == "GRU" || node_.op_type == "RNN") {
        std::string attributes;
        for (const std::string& text : RecurrentForms(node_.op_type, &attributes)) {
          add(BodyOfText(attributes, text));
        }
      }
    }
    add(BodyOfSchema());
    return bodies;
  }

  absl::StatusOr<Body> BodyOfText(absl::string_view attributes, absl::string_view text) const {
    const std::string import = absl::StrCat("opset_import: [\"\" : ", version_);
    const std::string takes = attributes.empty() ? "" : absl::StrCat("<", attributes, ">");
    onnx::ModelProto model;
    OC_RETURN_IF_ERROR(
        ParseOnnxText(absl::StrCat("<ir_version: 8, ", import,
                                   ", \"form\" : 1]> g () => () {} <domain: \"form\", ", import,
                                   "]> Form ", takes, text),
                      &model));
    if (model.functions_size() != 1) return Body();
    if (model.functions(0).input_size() < static_cast<int>(node_.inputs.size())) return Body();
    return FunctionAsGraph(node_, Resolved(), model.functions(0), scene_.registry);
  }

  absl::StatusOr<Body> BodyOfSchema() const {
    std::vector<TypeInfo> types;
    for (const std::string& name : node_.inputs) types.push_back(TypeOf(name));
    return FunctionBody(node_, Resolved(), types, {}, scene_.registry);
  }

  ResolvedOperator Resolved() const {
    const OpsetImports& imports =
        node_.imports == nullptr ? scene_.pairs.right.model.imports : *node_.imports;
    return {SchemaOf(node_.domain, node_.op_type), version_, &imports};
  }

  const onnx::OpSchema* SchemaOf(absl::string_view domain, absl::string_view op_type) const {
    return scene_.registry.FindSchema(domain, op_type, version_);
  }

  TypeInfo TypeOf(const std::string& name) const {
    TypeInfo type;
    if (name.empty()) return type;
    // Where the runtime refuses the model, the right has no results.
    const StreamResult* result = scene_.pairs.right.ResultOf(name);
    if (result == nullptr) result = scene_.pairs.left.ResultOf(name);
    if (result == nullptr || result->dtype == DType::kUndefined) return type;
    type.kind = TypeInfo::Kind::kTensor;
    type.dtype = result->dtype;
    if (!result->shape.has_value()) return type;
    type.shape.emplace();
    for (const int64_t size : *result->shape) type.shape->push_back({size, ""});
    return type;
  }

  // The node goes, and copies of the body's nodes come into its place.
  absl::StatusOr<Edit> EditOf(const Graph& body) const {
    NameGenerator names(scene_.model.graph());
    absl::flat_hash_map<std::string, std::string> known = {{"", ""}};
    for (size_t i = 0; i < body.inputs.size(); ++i) {
      known[body.inputs[i].name] = i < node_.inputs.size() ? node_.inputs[i] : "";
    }
    std::vector<std::string> wanted;
    absl::c_copy_if(node_.outputs, std::back_inserter(wanted),
                    [](const std::string& name) { return !name.empty(); });
    for (size_t i = 0; i < std::min(wanted.size(), body.outputs.size()); ++i) {
      // An output that the body only passes on has no node to be renamed.
      if (!known.emplace(body.outputs[i].name, wanted[i]).second) {
        return absl::UnimplementedError("the body passes an input on");
      }
    }
    Edit edit;
    edit.operations.push_back({Kind::kDropNode, wanted[0]});
    const auto name_of = [&](const std::string& name) {
      const auto [it, added] = known.try_emplace(name);
      if (added) it->second = names.New(absl::StrCat(wanted[0], "_", name));
      return it->second;
    };
    for (const Initializer& initializer : body.initializers) {
      if (!initializer.value.is_tensor()) return absl::UnimplementedError("a sparse constant");
      onnx::TensorProto tensor;
      const std::string name = name_of(initializer.name);
      OC_RETURN_IF_ERROR(TensorToProto(initializer.value.tensor(), name, &tensor));
      edit.operations.push_back({Kind::kAddConstant, name, 0, "", tensor.SerializeAsString()});
    }
    std::vector<std::string> operators;
    for (const Node& node : body.nodes) {
      OC_ASSIGN_OR_RETURN(const onnx::NodeProto proto, CopyOf(node, name_of, &names));
      edit.operations.push_back({Kind::kAddNode, "", 0, "", proto.SerializeAsString()});
      if (node.op_type != "Constant") operators.push_back(node.op_type);
    }
    edit.lines.push_back(
        absl::StrCat(NodeText(node_), ": ", node_.op_type, " -> ", absl::StrJoin(operators, ", ")));
    return edit;
  }

  absl::StatusOr<onnx::NodeProto> CopyOf(const Node& node,
                                         absl::FunctionRef<std::string(const std::string&)> name_of,
                                         NameGenerator* names) const {
    OC_RETURN_IF_ERROR(CheckImport(node));
    if (!OuterNames(node).empty()) return absl::UnimplementedError("a body with graphs of its own");
    onnx::NodeProto proto;
    OC_RETURN_IF_ERROR(NodeToProto(node, &proto, [](const Node&, onnx::GraphProto*) {
      return absl::UnimplementedError("a body with graphs of its own");
    }));
    for (std::string& input : *proto.mutable_input()) input = name_of(input);
    for (std::string& output : *proto.mutable_output()) output = name_of(output);
    proto.set_name(names->New(
        absl::StrCat(node_.name.empty() ? node_.op_type : node_.name, "_", node.op_type)));
    return proto;
  }

  // By the model's import the operator has to be the body's.
  absl::Status CheckImport(const Node& node) const {
    const OpsetImports& own = scene_.pairs.right.model.imports;
    const auto import = own.find(node.domain);
    const auto* there =
        scene_.registry.FindSchema(node.domain, node.op_type, scene_.pairs.right.VersionOf(node));
    const auto* here = import == own.end()
                           ? nullptr
                           : scene_.registry.FindSchema(node.domain, node.op_type, import->second);
    if (here == nullptr || there == nullptr || here->since_version() != there->since_version()) {
      return absl::FailedPreconditionError(absl::StrCat(node.op_type, " is of another opset"));
    }
    return absl::OkStatus();
  }

  const FixScene& scene_;
  const Node& node_;
  const int64_t version_;
};

}  // namespace

std::vector<Edit> ProposeEquivalents(const FixScene& scene, const PerSide<std::string>& names) {
  const Node* node = scene.pairs.right.MakerOf(names.right);
  if (node == nullptr) return {};
  return Rewriter(scene, *node).Edits();
}

std::vector<Edit> ProposeForRefusal(const FixScene& scene, absl::string_view refusal) {
  // By operator: for each of its forms an edit of all nodes.
  absl::btree_map<std::string, std::vector<Edit>> by_operator;
  for (const Node& node : scene.pairs.right.model.graph.nodes) {
    std::vector<Edit> edits = Rewriter(scene, node).Edits();
    std::vector<Edit>& joint = by_operator.try_emplace(node.op_type, edits.size()).first->second;
    joint.resize(std::min(joint.size(), edits.size()));
    for (size_t i = 0; i < joint.size(); ++i) {
      absl::c_move(edits[i].operations, std::back_inserter(joint[i].operations));
      absl::c_move(edits[i].lines, std::back_inserter(joint[i].lines));
    }
  }
  std::vector<Edit> proposed;
  for (const bool mentioned : {true, false}) {
    for (auto& [op_type, edits] : by_operator) {
      if (absl::StrContains(refusal, op_type) != mentioned) continue;
      absl::c_move(edits, std::back_inserter(proposed));
    }
  }
  return proposed;
}

}  // namespace onnxcmp
