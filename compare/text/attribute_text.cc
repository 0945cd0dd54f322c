#include "compare/text/attribute_text.h"

#include <algorithm>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace onnxcmp {
namespace {

constexpr size_t kMaxItems = 8;

struct ToText {
  std::string operator()(int64_t number) const { return absl::StrCat(number); }
  std::string operator()(float number) const { return absl::StrCat(number); }
  std::string operator()(const std::string& text) const { return absl::StrCat("\"", text, "\""); }
  std::string operator()(const Tensor& tensor) const { return tensor.TypeString(); }
  std::string operator()(const SparseTensor&) const { return "a sparse tensor"; }
  std::string operator()(const TypeInfo&) const { return "a type"; }
  std::string operator()(const std::shared_ptr<const Graph>& graph) const {
    return absl::StrCat("a graph of ", graph->nodes.size(), " nodes");
  }
  template <typename Item>
  std::string operator()(const std::vector<Item>& items) const {
    std::vector<std::string> texts;
    for (const Item& item : items) {
      if (texts.size() == kMaxItems) {
        texts.emplace_back("...");
        break;
      }
      texts.push_back((*this)(item));
    }
    return absl::StrCat("[", absl::StrJoin(texts, ","), "]");
  }
};

}  // namespace

std::string AttributeText(const Node& node, const std::string& name) {
  const auto it = node.attributes.find(name);
  return it == node.attributes.end() ? "not given" : std::visit(ToText(), it->second);
}

std::vector<std::string> AttributeNames(const Node* left, const Node* right) {
  std::vector<std::string> names;
  for (const Node* node : {left, right}) {
    if (node == nullptr) continue;
    for (const auto& [name, value] : node->attributes) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace onnxcmp
