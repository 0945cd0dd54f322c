#include "evaluator/kernels/lazy_schemas.h"

#include <set>
#include <string>
#include <tuple>

#include "evaluator/kernels/op_registry.h"
#include "gtest/gtest.h"
#include "onnx/defs/schema.h"
#include "tests/evaluator/kernels/made_schema.h"

namespace onnxcmp {
namespace {

using testing::MadeSchema;

TEST(LazySchemas, OfOnnxAreThoseOfItsRegistry) {
  const LazySchemas& all = LazySchemas::OfOnnx();
  std::set<std::tuple<std::string, std::string, int>> listed;
  for (const onnx::OpSchema& schema : onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
    const std::string& domain = schema.domain();
    const std::string& name = schema.Name();
    const int version = schema.SinceVersion();
    EXPECT_TRUE(listed.emplace(domain, name, version).second);
    EXPECT_EQ(all.SinceVersion(domain, name, version), version) << domain << " " << name;
    const onnx::OpSchema* made = all.Find(domain, name, version);
    ASSERT_NE(made, nullptr) << domain << " " << name << " " << version;
    EXPECT_EQ(made->domain(), domain);
    EXPECT_EQ(made->Name(), name);
    EXPECT_EQ(made->SinceVersion(), version);
    EXPECT_EQ(made->min_input(), schema.min_input()) << name << " " << version;
    EXPECT_EQ(made->max_output(), schema.max_output()) << name << " " << version;
    EXPECT_EQ(made->attributes().size(), schema.attributes().size()) << name << " " << version;
  }
  // As many of each, and none before the first.
  for (const auto& [domain, name, version] : listed) {
    const int before = all.SinceVersion(domain, name, version - 1);
    EXPECT_TRUE(before == 0 || listed.contains({domain, name, before})) << name << " " << before;
    EXPECT_EQ(all.Find(domain, name, 0), nullptr);
  }
  EXPECT_EQ(all.Find("acme", "Relu", 13), nullptr);
}

TEST(LazySchemas, EachIsMadeOnceAndWhenAskedFor) {
  LazySchemas schemas;
  int made = 0;
  for (const int version : {2, 5}) {
    schemas.Add("acme", "Foo", version, [&made, version] {
      ++made;
      return MadeSchema("acme", "Foo", version);
    });
  }
  EXPECT_EQ(schemas.SinceVersion("acme", "Foo", 4), 2);
  EXPECT_EQ(schemas.LatestVersion("acme"), 5);
  EXPECT_EQ(schemas.LatestVersion(""), 0);
  EXPECT_EQ(schemas.Find("acme", "Foo", 1), nullptr);
  EXPECT_EQ(made, 0);
  const onnx::OpSchema* schema = schemas.Find("acme", "Foo", 4);
  ASSERT_NE(schema, nullptr);
  EXPECT_EQ(schema->SinceVersion(), 2);
  EXPECT_EQ(schemas.Find("acme", "Foo", 3), schema);
  EXPECT_EQ(made, 1);
}

TEST(LazySchemas, ThoseThatOthersGaveOnnxAreFound) {
  auto& domains = onnx::OpSchemaRegistry::DomainToVersionRange::Instance();
  domains.AddDomainToVersion("com.others", 1, 7);
  onnx::RegisterSchema(MadeSchema("com.others", "Foo", 3));
  const OpRegistry registry;
  ASSERT_NE(registry.FindSchema("com.others", "Foo", 4), nullptr);
  EXPECT_EQ(registry.FindSchema("com.others", "Foo", 4)->SinceVersion(), 3);
  EXPECT_EQ(registry.FindSchema("com.others", "Foo", 2), nullptr);
  EXPECT_EQ(registry.LatestVersion("com.others"), 7);
  onnx::DeregisterSchema("Foo", 3, "com.others");
}

}  // namespace
}  // namespace onnxcmp
