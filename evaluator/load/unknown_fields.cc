#include "evaluator/load/unknown_fields.h"

#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/unknown_field_set.h>

#include "absl/strings/str_cat.h"

namespace onnxcmp {

std::optional<std::string> UnknownField(const google::protobuf::Message& message) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  if (const auto& unknown = reflection.GetUnknownFields(message); !unknown.empty()) {
    return absl::StrCat("field ", unknown.field(0).number(), " of a ",
                        message.GetDescriptor()->name());
  }
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      const auto& inner = field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                               : reflection.GetMessage(message, field);
      if (auto found = UnknownField(inner)) return found;
    }
  }
  return std::nullopt;
}

}  // namespace onnxcmp
