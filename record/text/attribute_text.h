// An attribute's value as text.
#ifndef ONNXCMP_RECORD_TEXT_ATTRIBUTE_TEXT_H_
#define ONNXCMP_RECORD_TEXT_ATTRIBUTE_TEXT_H_

#include <string>
#include <vector>

#include "evaluator/model/model.h"

namespace onnxcmp {

// "1e-05", "\"same_upper\"", "[1,2,3,...]", "a graph of 3 nodes"; "not given".
std::string AttributeText(const Node& node, const std::string& name);
std::string AttributeText(const Attribute& attribute);

// The difference of two values, over all elements of lists and tensors; "" if there is none.
// Numbers are compared by value, whatever their type. "1e-05 | 0.01", "[1,1] | [2,2]", for long
// lists "1 of 20 elements differs, [13] 0.5 | 1".
std::string AttributeDifferenceText(const Attribute& left, const Attribute& right);

// The same for two nodes' attributes of a name; it is a difference if only one has it.
std::string AttributeDifferenceText(const Node& left, const Node& right, const std::string& name);

// The names of all attributes of either node, sorted. Either may be null.
std::vector<std::string> AttributeNames(const Node* left, const Node* right);

// An attribute of two nodes, of each as text; "" where there is no node.
struct AttributePair {
  std::string name;
  std::string left, right;
  bool differs = false;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_TEXT_ATTRIBUTE_TEXT_H_
