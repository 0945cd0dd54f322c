// An attribute's value as text.
#ifndef ONNXCMP_COMPARE_TEXT_ATTRIBUTE_TEXT_H_
#define ONNXCMP_COMPARE_TEXT_ATTRIBUTE_TEXT_H_

#include <string>
#include <vector>

#include "evaluator/model/model.h"

namespace onnxcmp {

// "1e-05", "\"same_upper\"", "[1,2,3,...]", "a graph of 3 nodes"; "not given".
std::string AttributeText(const Node& node, const std::string& name);

// The names of all attributes that one of two nodes has, sorted. Either may be null.
std::vector<std::string> AttributeNames(const Node* left, const Node* right);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_TEXT_ATTRIBUTE_TEXT_H_
