// A few nodes on given values, built a node at a time and run at once.
#ifndef ONNXCMP_COMPARE_INSIDE_STEP_MODEL_H_
#define ONNXCMP_COMPARE_INSIDE_STEP_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

class StepModel {
 public:
  using Attributes = std::map<std::string, Attribute, std::less<>>;

  StepModel();

  // The name under which nodes read a value.
  std::string Given(const Value& value);
  // Numbers, in the type of the value that `like` names.
  std::string Number(float number, const std::string& like);
  std::string Integers(const std::vector<int64_t>& numbers);

  // Adds a node with one output, and returns the output's name.
  std::string Add(absl::string_view op_type, const std::vector<std::string>& inputs,
                  Attributes attributes = {});
  // The same with several outputs.
  std::vector<std::string> AddSeveral(absl::string_view op_type,
                                      const std::vector<std::string>& inputs, Attributes attributes,
                                      size_t outputs);
  // Adds a node of a model with other inputs; returns its first output.
  std::string AddLike(const Node& node, const std::vector<std::string>& inputs,
                      Attributes attributes);

  // The values of the nodes, as far as they can run.
  std::vector<Value> Run(const Evaluator& evaluator) const;

 private:
  std::string NewName();

  std::shared_ptr<Model> model_;
  std::shared_ptr<const OpsetImports> imports_;
  Feeds feeds_;
  int names_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INSIDE_STEP_MODEL_H_
