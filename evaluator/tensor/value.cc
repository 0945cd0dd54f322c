#include "evaluator/tensor/value.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace onnxcmp {
namespace {

std::string ElementType(DType known, const Value* first) {
  if (known != DType::kUndefined) return std::string(DTypeName(known));
  return first == nullptr ? "?" : first->TypeString();
}

}  // namespace

Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
Value& Value::operator=(const Value& other) = default;
Value& Value::operator=(Value&& other) noexcept = default;
Value::~Value() = default;

std::string Value::TypeString() const {
  if (empty()) return "absent";
  if (is_tensor()) return tensor().TypeString();
  if (is_sequence()) {
    const Sequence& s = sequence();
    return absl::StrCat("seq(",
                        ElementType(s.element_dtype, s.elements.empty() ? nullptr : &s.elements[0]),
                        ")[", s.elements.size(), "]");
  }
  if (is_optional()) {
    const Optional& o = optional();
    return o.element == nullptr ? "optional(empty)"
                                : absl::StrCat("optional(", o.element->TypeString(), ")");
  }
  if (is_map()) {
    return absl::StrCat("map(", DTypeName(map().keys.dtype()), ")[", map().keys.num_elements(),
                        "]");
  }
  return absl::StrCat("sparse(", DTypeName(sparse().values.dtype()), "[",
                      absl::StrJoin(sparse().dims, ","), "])");
}

}  // namespace onnxcmp
