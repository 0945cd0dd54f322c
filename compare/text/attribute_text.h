// An attribute's value as text.
#ifndef ONNXCMP_COMPARE_TEXT_ATTRIBUTE_TEXT_H_
#define ONNXCMP_COMPARE_TEXT_ATTRIBUTE_TEXT_H_

#include <string>
#include <vector>

#include "evaluator/model/model.h"

namespace onnxcmp {

// "1e-05", "\"same_upper\"", "[1,2,3,...]", "a graph of 3 nodes"; "not given".
std::string AttributeText(const Node& node, const std::string& name);
std::string AttributeText(const Attribute& attribute);

// How two values differ, all elements of lists and tensors looked at; "" if they do not. Numbers
// are compared as such, whatever type holds them. "1e-05 | 0.01", "[1,1] | [2,2]", of long lists
// "1 of 20 elements differs, [13] 0.5 | 1".
std::string AttributeDifferenceText(const Attribute& left, const Attribute& right);

// The same of two nodes' attributes of a name; that only one is given is a difference.
std::string AttributeDifferenceText(const Node& left, const Node& right, const std::string& name);

// The names of all attributes that one of two nodes has, sorted. Either may be null.
std::vector<std::string> AttributeNames(const Node* left, const Node* right);

// An attribute of two nodes, of each as text; "" where there is no node.
struct AttributePair {
  std::string name;
  std::string left, right;
  bool differs = false;
};

// All of them. Either node may be null. `same`: they are known to do the same, for a default is as
// good as saying it.
std::vector<AttributePair> AttributePairs(const Node* left, const Node* right, bool same);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_TEXT_ATTRIBUTE_TEXT_H_
