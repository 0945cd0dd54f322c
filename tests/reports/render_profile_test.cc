#include "reports/render_profile.h"

#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/load_test.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

using std::chrono::nanoseconds;
using ::testing::HasSubstr;
using ::testing::Not;

// A product of 2 ms in one run, a loop with 1 ms of its own and an addition of 1 ms in 4 runs.
Profile SmallProfile() {
  Profile profile;
  profile.types = {{{"float[64,64]", "float[64,64]"}, {"float[64,64]"}},
                   {{"float[8]"}, {"float[8]"}}};
  NodeProfile product;
  product.name = "product";
  product.op_type = "MatMul";
  product.runs = 1;
  product.own = product.total = nanoseconds(2000000);
  product.bytes = 49152;
  product.operations = 524288;
  NodeProfile loop;
  loop.name = "loop\n\xff";
  loop.op_type = "Loop";
  loop.has_inner_nodes = true;
  loop.runs = 1;
  loop.own = nanoseconds(1000000);
  loop.total = nanoseconds(2000000);
  loop.bytes = 100;
  loop.first_types = 1;
  NodeProfile sum = product;
  sum.name = "sum";
  sum.op_type = "Add";
  sum.path = "loop[*]";
  sum.parent = 1;
  sum.runs = 4;
  sum.own = sum.total = nanoseconds(1000000);
  sum.bytes = 4000;
  sum.operations.reset();
  sum.first_types = 1;
  profile.nodes = {product, loop, sum};
  profile.duration = nanoseconds(4500000);
  NodeRun run;
  run.start = nanoseconds(1500);
  run.duration = nanoseconds(2000000);
  run.bytes = 49152;
  run.operations = 524288;
  NodeRun looped;
  looped.node = 1;
  looped.types = 1;
  looped.start = nanoseconds(2001500);
  looped.duration = nanoseconds(2000000);
  profile.runs = {run, looped};
  return profile;
}

TEST(RenderProfileTest, ListsOperatorsAndNodes) {
  TableOptions options;
  options.width = 140;
  EXPECT_EQ(RenderProfile(SmallProfile(), options),
            R"(profile: 3 nodes ran 6 times in 4.000 ms, and 0.500 ms went by between them

operator   nodes    runs    own, ms   share     bytes   GFLOP/s     GB/s
MatMul         1       1      2.000  50.0 %   49.2 kB     0.262   0.0246
Add            1       4      1.000  25.0 %   4.00 kB              0.004
Loop           1       1      1.000  25.0 %     100 B

node         operator    runs    own, ms   share     bytes   GFLOP/s     GB/s  inputs
product      MatMul         1      2.000  50.0 %   49.2 kB     0.262   0.0246  float[64,64], float[64,64]
loop\n�      Loop           1      1.000  25.0 %     100 B                     float[8]
loop[*]/sum  Add            4      1.000  25.0 %   4.00 kB              0.004  float[8]
)");
}

TEST(RenderProfileTest, SumsUpWhatTookLeast) {
  Profile profile;
  profile.types = {{}};
  for (int i = 0; i < 23; ++i) {
    NodeProfile node;
    node.name = "n" + std::to_string(i);
    node.op_type = "Relu";
    node.runs = 1;
    node.own = nanoseconds(1000000 * (i + 1));
    profile.nodes.push_back(node);
  }
  EXPECT_THAT(RenderProfile(profile), HasSubstr("… 3 more nodes, 6.000 ms\n"));
  TableOptions all;
  all.rows = TableOptions::Rows::kAll;
  EXPECT_THAT(RenderProfile(profile, all), Not(HasSubstr("more node")));
  EXPECT_EQ(RenderProfile({}),
            "profile: 0 nodes ran 0 times in 0.000 ms, and 0.000 ms went by between them\n");
}

TEST(RenderProfileTest, WritesATrace) {
  const testing::TestFolder folder;
  const std::string path = folder.path() + "/trace.json";
  ASSERT_TRUE(WriteTrace(SmallProfile(), "m.onnx", path).ok());
  const nlohmann::json trace = nlohmann::json::parse(std::ifstream(path));
  const nlohmann::json& events = trace.at("traceEvents");
  ASSERT_EQ(events.size(), 4);  // the names of process and thread, two runs
  EXPECT_EQ(events[0].at("args").at("name"), "m.onnx");
  const nlohmann::json& product = events[2];
  EXPECT_EQ(product.at("ph"), "X");
  EXPECT_EQ(product.at("name"), "product");
  EXPECT_EQ(product.at("ts"), 1.5);
  EXPECT_EQ(product.at("dur"), 2000.0);
  EXPECT_EQ(product.at("args").at("op"), "MatMul");
  EXPECT_EQ(product.at("args").at("inputs")[0], "float[64,64]");
  EXPECT_EQ(product.at("args").at("bytes"), 49152);
  EXPECT_EQ(product.at("args").at("operations"), 524288);
  EXPECT_EQ(events[3].at("name"), "loop\n\uFFFD");
  EXPECT_FALSE(events[3].at("args").contains("operations"));
  EXPECT_THAT(std::string(WriteTrace({}, "m", folder.path() + "/no/trace").message()),
              HasSubstr("/no/trace: No such file or directory"));
}

}  // namespace
}  // namespace onnxcmp
