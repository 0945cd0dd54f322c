// Integer weights of a quantized model, and the float constants that they stand for.
#ifndef ONNXCMP_TOOLS_FIX_WEIGHT_SITES_H_
#define ONNXCMP_TOOLS_FIX_WEIGHT_SITES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"
#include "tools/fix/integer_grid.h"
#include "tools/fix/pair_index.h"

namespace onnxcmp {

// The places of integer weights among a node's inputs; -1: it has none.
struct WeightSlots {
  const char* op_type;
  int integers, scale, zero;
  int bias, input_scale;
};

// The operators that have any.
absl::Span<const WeightSlots> KnownWeightSlots();

// A left constant, and its numbers in a layout of the right.
struct FloatsOfIntegers {
  std::string name;                        // "": none was found
  std::vector<std::vector<double>> forms;  // the likeliest first
};

// Integers of the right, where they are and what they stand for now.
struct WeightSite {
  const Node* node = nullptr;        // that reads the integers
  const Node* scale_node = nullptr;  // that reads the scale
  int scale_slot = -1;
  WeightSlots slots = {};
  std::string integers, scale, zero;
  const Tensor* tensor = nullptr;
  IntegerGrid grid;
  FloatsOfIntegers floats;
};

// All of it by names of the main graphs.
class WeightSites {
 public:
  // The pairs must outlive the object.
  explicit WeightSites(const PairIndex& pairs) : left_(pairs.left), right_(pairs.right) {}

  // Nothing if the node has no constant integers with a constant scale there.
  std::optional<WeightSite> SiteOf(const Node& node, const WeightSlots& slots) const;
  // The constant that the integers go up and down with most.
  FloatsOfIntegers FloatsOf(const Tensor& integers, const IntegerGrid& grid) const;
  // The numbers of a right constant; nothing if there is none.
  std::optional<std::vector<double>> NumbersOf(const std::string& name) const;

 private:
  void FindScaleBehind(const Node& node, WeightSite* site) const;
  bool IsOf(const std::string& left, int64_t count) const;

  const SideIndex& left_;
  const SideIndex& right_;
};

// The name of an input; "" if it is absent.
std::string InputOf(const Node& node, int slot);
// "" if the node has none.
std::string FirstResultOf(const Node& node);
// The axis of a node's channels in its weights, or in those that it makes floats of.
int64_t ChannelAxis(const Node& node, int64_t rank);
// Elements of one channel that follow each other.
int64_t InnerOf(const Shape& shape, int64_t axis);
// The elements of a tensor of numbers, in order; nothing for other tensors.
std::optional<std::vector<double>> NumbersOfTensor(const Tensor& tensor);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_FIX_WEIGHT_SITES_H_
