#include "tests/support/json_schema.h"

#include <fstream>
#include <regex>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tests/support/paths.h"

namespace onnxcmp::testing {
namespace {

using Json = nlohmann::json;

class Validator {
 public:
  explicit Validator(const Json& root) : root_(root) {}

  void Check(const Json& value, const Json& schema, const std::string& place,
             std::vector<std::string>* errors) const {
    const auto error = [&](const std::string& what) {
      errors->push_back(absl::StrCat(place, ": ", what));
    };
    for (const auto& [keyword, argument] : schema.items()) {
      if (keyword == "$ref") {
        const std::string name = argument.get<std::string>();
        Check(value, root_.at("$defs").at(std::string(absl::StripPrefix(name, "#/$defs/"))), place,
              errors);
      } else if (keyword == "type") {
        if (!HasType(value, argument.get<std::string>())) {
          error(absl::StrCat("is no ", argument.get<std::string>(), ": ", value.dump()));
        }
      } else if (keyword == "const") {
        if (value != argument) error(absl::StrCat("is not ", argument.dump()));
      } else if (keyword == "enum") {
        bool found = false;
        for (const Json& choice : argument) found = found || value == choice;
        if (!found) error(absl::StrCat(value.dump(), " is none of ", argument.dump()));
      } else if (keyword == "anyOf") {
        bool found = false;
        for (const Json& choice : argument) {
          std::vector<std::string> of_choice;
          Check(value, choice, place, &of_choice);
          found = found || of_choice.empty();
        }
        if (!found) error(absl::StrCat(value.dump(), " fits none of the choices"));
      } else if (keyword == "required") {
        for (const Json& name : argument) {
          if (value.is_object() && !value.contains(name.get<std::string>()))
            error(absl::StrCat("lacks ", name.dump()));
        }
      } else if (keyword == "properties") {
        if (!value.is_object()) continue;
        for (const auto& [name, member] : value.items()) {
          if (!argument.contains(name)) {
            error(absl::StrCat("has an unknown member ", name));
          } else {
            Check(member, argument.at(name), absl::StrCat(place, "/", name), errors);
          }
        }
      } else if (keyword == "additionalProperties") {
        if (!value.is_object()) continue;
        for (const auto& [name, member] : value.items()) {
          Check(member, argument, absl::StrCat(place, "/", name), errors);
        }
      } else if (keyword == "items") {
        for (size_t i = 0; value.is_array() && i < value.size(); ++i) {
          Check(value[i], argument, absl::StrCat(place, "/", i), errors);
        }
      } else if (keyword == "minimum") {
        if (value.is_number() && value < argument) error(absl::StrCat("< ", argument.dump()));
      } else if (keyword == "maximum") {
        if (value.is_number() && value > argument) error(absl::StrCat("> ", argument.dump()));
      } else if (keyword == "pattern") {
        if (value.is_string() &&
            !std::regex_search(value.get<std::string>(), std::regex(argument.get<std::string>()))) {
          error(absl::StrCat(value.dump(), " does not match ", argument.dump()));
        }
      } else if (!notes_.contains(keyword)) {
        error(absl::StrCat("the schema has an unknown keyword ", keyword));
      }
    }
  }

 private:
  static bool HasType(const Json& value, const std::string& type) {
    return type == "object"    ? value.is_object()
           : type == "array"   ? value.is_array()
           : type == "string"  ? value.is_string()
           : type == "boolean" ? value.is_boolean()
           : type == "integer" ? value.is_number_integer()
           : type == "number"  ? value.is_number()
                               : type == "null" && value.is_null();
  }

  const Json& root_;
  const absl::flat_hash_set<std::string> notes_ = {"$schema", "$defs", "title", "description"};
};

}  // namespace

Json ComparisonSchema() {
  std::ifstream file(Document("comparison.schema.json"));
  return Json::parse(file, nullptr, /*allow_exceptions=*/false);
}

std::vector<std::string> SchemaErrors(const Json& value, const Json& schema) {
  std::vector<std::string> errors;
  Validator(schema).Check(value, schema, "", &errors);
  return errors;
}

}  // namespace onnxcmp::testing
