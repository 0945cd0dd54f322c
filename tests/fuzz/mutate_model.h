// Changes models as somebody would who wants to bring a program down: attributes, dimensions and
// types that are not what they should be, one step away from a model that runs.
#ifndef ONNXCMP_TESTS_FUZZ_MUTATE_MODEL_H_
#define ONNXCMP_TESTS_FUZZ_MUTATE_MODEL_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "onnx/onnx_pb.h"

namespace onnxcmp::fuzz {

// Debian has no libprotobuf-mutator, and mutations that know no ONNX hardly ever leave a model that
// gets as far as a kernel.
class ModelMutator {
 public:
  explicit ModelMutator(uint64_t seed) : random_(seed) {}

  // One to four changes.
  void Mutate(onnx::ModelProto* model);
  // Puts a node of `donor`, with the constants that it reads, after the nodes of `model`.
  void Cross(const onnx::ModelProto& donor, onnx::ModelProto* model);

 private:
  size_t Below(size_t count) { return count == 0 ? 0 : static_cast<size_t>(random_() % count); }
  bool OneIn(size_t count) { return Below(count) == 0; }
  template <typename Items>
  auto* Pick(Items* items) {
    return items->empty() ? nullptr : items->Mutable(static_cast<int>(Below(items->size())));
  }

  int64_t Integer(int64_t near);
  float Float(float near);
  std::string Text(const std::string& near);

  // The main graph, those of nodes at any depth, all their nodes and tensors.
  void Collect(onnx::ModelProto* model);
  void CollectNode(onnx::NodeProto* node);
  void CollectGraph(onnx::GraphProto* graph);

  void Change(onnx::ModelProto* model);
  void ChangeAttribute();
  void AddAttribute(const onnx::ModelProto& model);
  void ChangeValue(onnx::AttributeProto* attribute);
  void ChangeInputs();
  void ChangeOutputs();
  void ChangeNodes();
  void ChangeOperator();
  void ChangeGraph();
  void ChangeType(onnx::TypeProto* type);
  void ChangeTensor(onnx::TensorProto* tensor);
  void ChangeElements(onnx::TensorProto* tensor);
  // Other dimensions with as many elements as these take: a tensor that can be read.
  void Reshape(onnx::TensorProto* tensor);
  // A node goes into the branches of an If, the body of a Loop, or a function of the model.
  void NestNode(onnx::ModelProto* model);
  // The elements of a constant are said to be in a file.
  void MoveOut(onnx::TensorProto* tensor);
  // One element type becomes another one, everywhere.
  void ChangeTypeEverywhere();
  std::string ValueName();

  std::mt19937_64 random_;
  std::vector<onnx::GraphProto*> graphs_;
  std::vector<onnx::NodeProto*> nodes_;
  std::vector<onnx::TensorProto*> tensors_;
  std::vector<onnx::AttributeProto*> attributes_;
};

}  // namespace onnxcmp::fuzz

#endif  // ONNXCMP_TESTS_FUZZ_MUTATE_MODEL_H_
