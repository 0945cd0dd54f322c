// JSON against a JSON Schema, as far as the project's own schemas go.
#ifndef ONNXCMP_TESTS_SUPPORT_JSON_SCHEMA_H_
#define ONNXCMP_TESTS_SUPPORT_JSON_SCHEMA_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace onnxcmp::testing {

// docs/comparison.schema.json.
nlohmann::json ComparisonSchema();

// Errors, a line each, with the place in front: "/rows/0/left: ...". Knows type, const, enum,
// anyOf, required, properties, additionalProperties, items, minimum, maximum, pattern and $ref into
// $defs; another keyword is an error. Members that `properties` does not name are errors too,
// though the schema allows them to those who come later.
std::vector<std::string> SchemaErrors(const nlohmann::json& value, const nlohmann::json& schema);

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_SUPPORT_JSON_SCHEMA_H_
