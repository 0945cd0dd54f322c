// How the derivative of one operator is written: as nodes that make the gradients of its inputs
// from those of its outputs.
//
//   // Div: dA = dY / B, dB = -dY * Y / B.
//   void Div(DerivativeBuilder& d) {
//     const std::string over_b = d.Op("Div", {d.dy(), d.input(1)});
//     d.Give(0, d.SumTo(over_b, d.input(0)));
//     d.Give(1, d.SumTo(d.Op("Neg", {d.Op("Mul", {over_b, d.output(0)})}), d.input(1)));
//   }
//   rules.Add(kOnnxDomain, "Div", {7, 14}, Div);
//
// Values are names of the graph. The nodes that a rule adds are of opset kDerivativeOpset of
// ai.onnx and 1 of com.microsoft, whatever the model imports. Those with unread results are
// dropped, so a rule may give the gradients of all inputs.
#ifndef ONNXCMP_OPS_TRAINING_DERIVATIVES_DERIVATIVE_H_
#define ONNXCMP_OPS_TRAINING_DERIVATIVES_DERIVATIVE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

inline constexpr int64_t kDerivativeOpset = 22;

using Attributes = std::map<std::string, Attribute, std::less<>>;

// Where the nodes of a derivative go.
class DerivativeNodes {
 public:
  virtual ~DerivativeNodes() = default;
  // Adds a node and returns the names of its outputs, as many as are asked for.
  virtual std::vector<std::string> Add(absl::string_view domain, absl::string_view op_type,
                                       std::vector<std::string> inputs, Attributes attributes,
                                       int num_outputs) = 0;
  // The shape of a value, int64; one node for each value.
  virtual std::string ShapeOf(const std::string& value) = 0;
  // The number of dimensions of a value, if it is known without a run.
  virtual std::optional<int> Rank(const std::string& value) const = 0;

  // As many times `element` as a value has elements, in its shape and type.
  std::string FilledLike(const std::string& value, float element);
};

// A node whose derivative is taken.
struct DifferentiatedNode {
  const Node* node = nullptr;
  int version = 0;                       // since_version of its operator
  const Attributes* defaults = nullptr;  // the schema's
  // By index; "": left out. Those of gradients: nothing depends on this output.
  std::vector<std::string> inputs, outputs, gradients;
};

class DerivativeBuilder {
 public:
  DerivativeBuilder(DifferentiatedNode node, DerivativeNodes* nodes)
      : node_(std::move(node)), nodes_(*nodes), given_(node_.inputs.size()) {}

  int version() const { return node_.version; }
  int num_inputs() const { return static_cast<int>(node_.inputs.size()); }
  int num_outputs() const { return static_cast<int>(node_.outputs.size()); }
  bool HasInput(int index) const { return !At(node_.inputs, index).empty(); }
  bool HasOutput(int index) const { return !At(node_.outputs, index).empty(); }
  // "" if the node leaves it out.
  std::string input(int index) const { return At(node_.inputs, index); }
  std::string output(int index = 0) const { return At(node_.outputs, index); }
  // The gradient of an output; zeros if y does not depend on it. At least one is not.
  std::string dy(int index = 0);
  bool HasGradient(int index) const { return !At(node_.gradients, index).empty(); }

  // Attributes: the node's, else the schema's default, else the fallback. Required ones are there.
  int64_t Int(absl::string_view name, int64_t fallback = 0) const;
  float Float(absl::string_view name, float fallback = 0) const;
  std::string String(absl::string_view name) const;
  std::vector<int64_t> Ints(absl::string_view name) const;
  // The node's attributes as they are, for operators that have those of the one they belong to.
  const Attributes& attributes() const { return node_.node->attributes; }

  // Adds a node; the name of its output. An input of "" is left out.
  std::string Op(absl::string_view op_type, std::vector<std::string> inputs,
                 Attributes attributes = {});
  // One of com.microsoft.
  std::string MicrosoftOp(absl::string_view op_type, std::vector<std::string> inputs,
                          Attributes attributes = {});
  std::vector<std::string> MicrosoftOps(absl::string_view op_type, std::vector<std::string> inputs,
                                        Attributes attributes, int num_outputs);
  // Outputs of a node of ai.onnx with several.
  std::vector<std::string> Ops(absl::string_view op_type, std::vector<std::string> inputs,
                               Attributes attributes, int num_outputs);
  // Constants: a scalar of the type of `like`; a vector of int64.
  std::string Scalar(double value, const std::string& like);
  std::string Vector(const std::vector<int64_t>& values);
  std::string ShapeOf(const std::string& value) { return nodes_.ShapeOf(value); }
  std::string ZerosLike(const std::string& value) { return nodes_.FilledLike(value, 0); }
  std::string OnesLike(const std::string& value) { return nodes_.FilledLike(value, 1); }
  // The sum of a gradient over the axes along which `like` was repeated to its shape, in the shape
  // of `like`.
  std::string SumTo(const std::string& gradient, const std::string& like);
  // The sums over all axes but the second, a vector.
  std::string SumPerChannel(const std::string& value);
  // The same elements in the shape of `like`.
  std::string ReshapeTo(const std::string& value, const std::string& like);
  std::optional<int> Rank(const std::string& value) const { return nodes_.Rank(value); }

  // The gradient of an input.
  void Give(int input, std::string gradient);
  // That the result does not change with this input, or jumps: a shape, axes, indices. An input
  // that varies with an x and of which neither is said makes the node fail.
  void GiveNone(int input) { Give(input, ""); }
  // That this form of the operator has no rule, and why.
  void Refuse(std::string reason) { refusal_ = std::move(reason); }

  // By input; "": none; nothing: not said.
  const std::vector<std::optional<std::string>>& given() const { return given_; }
  const std::string& refusal() const { return refusal_; }

 private:
  static std::string At(const std::vector<std::string>& names, int index);
  const Attribute* Find(absl::string_view name) const;
  template <typename T>
  T Get(absl::string_view name, const T& fallback) const;

  DifferentiatedNode node_;
  DerivativeNodes& nodes_;
  std::vector<std::optional<std::string>> given_;
  std::string refusal_;
};

using DerivativeRule = std::function<void(DerivativeBuilder&)>;

// The rules that there are.
class DerivativeRules {
 public:
  struct Versions {
    int first, last;  // since_versions of the operator's schemas
  };
  // A second rule for the same operator is a mistake of ours (it aborts).
  void Add(absl::string_view domain, absl::string_view op_type, Versions versions,
           DerivativeRule rule);
  // Null if there is none.
  const DerivativeRule* Find(absl::string_view domain, absl::string_view op_type,
                             int version) const;

 private:
  std::map<std::pair<std::string, std::string>, std::pair<Versions, DerivativeRule>> rules_;
};

// All rules of this folder, a function for each of its files.
DerivativeRules AllDerivativeRules();
void AddActivationDerivatives(DerivativeRules& rules);
void AddArithmeticDerivatives(DerivativeRules& rules);
void AddConstantDerivatives(DerivativeRules& rules);
void AddConvolutionDerivatives(DerivativeRules& rules);
void AddFunctionDerivatives(DerivativeRules& rules);
void AddGatherDerivatives(DerivativeRules& rules);
void AddLossDerivatives(DerivativeRules& rules);
void AddNormalizationDerivatives(DerivativeRules& rules);
void AddPoolDerivatives(DerivativeRules& rules);
void AddProductDerivatives(DerivativeRules& rules);
void AddReductionDerivatives(DerivativeRules& rules);
void AddSelectionDerivatives(DerivativeRules& rules);
void AddShapeDerivatives(DerivativeRules& rules);
void AddSoftmaxDerivatives(DerivativeRules& rules);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_TRAINING_DERIVATIVES_DERIVATIVE_H_
