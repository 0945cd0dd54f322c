// Recordings in blocks of channels beside models that have none, and the other way round.
#include "compare/recorded/blocked_layouts.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "compare/compare.h"
#include "compare/sides/recorded_layout.h"
#include "tests/compare/sides/recordings_beside_model.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::RandomFloats;
using ::testing::HasSubstr;

class BlockedLayoutsTest : public testing::RecordingsBesideModel {
 protected:
  static constexpr char kPlain[] = R"(<ir_version: 9, opset_import: ["": 17]>
    g (float[2, 12, 4, 4] x) => (float[2, 12, 4, 4] y) {
      [first] a = Sigmoid(x)
      [second] b = Mul(a, x)
      [third] y = Neg(b)
    })";

  void SetUp() override { Take(kPlain, {{"x", RandomFloats({2, 12, 4, 4}, 1)}}); }

  // The results of the model, a and b in blocks of 8 channels, called like onnxruntime's.
  Arrays InBlocks(bool wrong = false) {
    Arrays arrays;
    for (auto& [name, tensor] : With("", [](std::vector<float>*) {})) {
      if (name != "a" && name != "b") {
        arrays.emplace_back(name, tensor);
        continue;
      }
      const RecordedLayout layout = {{}, {}, {2, 16, 4, 4}, -8};
      Tensor blocked = InLayout(Value(tensor), layout)->tensor();
      if (wrong && name == "b") {
        blocked = testing::Changed(blocked, [](auto* e) { std::reverse(e->begin(), e->end()); });
      }
      arrays.emplace_back(name == "a" ? "reorder_token_1" : "reorder_token_2", blocked);
    }
    return arrays;
  }
};

TEST_F(BlockedLayoutsTest, RecordedBlocksAreComparedAsTheModelHasThem) {
  for (const bool left : {true, false}) {
    const Comparison comparison = Compared(InBlocks(), {}, left);
    EXPECT_TRUE(Agrees(comparison)) << Notes(comparison);
    EXPECT_THAT(Notes(comparison), HasSubstr("recorded as blocks of 8 channels"));
  }
}

TEST_F(BlockedLayoutsTest, WrongBlocksAreNot) {
  for (const bool left : {true, false}) {
    EXPECT_FALSE(Agrees(Compared(InBlocks(true), {}, left)));
  }
}

// A device dumps its blocks with an axis of their own, whatever their size.
TEST_F(BlockedLayoutsTest, ABlockMayBeAnAxis) {
  for (const int block : {4, 8}) {
    for (const bool wrong : {false, true}) {
      Arrays arrays = Called(right_, {"t0", "t1", "t2"});
      for (auto& [name, tensor] : arrays) {
        const int64_t blocks = (12 + block - 1) / block;
        const RecordedLayout layout = {{}, {}, {2, blocks * block, 4, 4}, -block};
        tensor = InLayout(Value(tensor), layout)->tensor().Reshaped({2, blocks, 4, 4, block});
      }
      if (wrong) arrays[1].second = testing::Changed(arrays[1].second, testing::Scale);
      const Comparison comparison = Compared(arrays);
      EXPECT_EQ(Agrees(comparison), !wrong) << block << Notes(comparison);
      EXPECT_THAT(Notes(comparison), HasSubstr(absl::StrCat("blocks of ", block, " channels")));
    }
  }
}

TEST_F(BlockedLayoutsTest, AResultOfTheModelsNameIsInItsOrder) {
  Take(R"(<ir_version: 9, opset_import: ["": 17]>
    g (float[2, 16, 4, 4] x) => (float[2, 16, 4, 4] y) {
      [first] a = Sigmoid(x)
      [second] y = Neg(a)
    })",
       {{"x", RandomFloats({2, 16, 4, 4}, 1)}});
  Arrays arrays = With("", [](std::vector<float>*) {});
  for (auto& [name, tensor] : arrays) {
    if (name == "a") tensor = InLayout(Value(tensor), {{}, {}, {2, 16, 4, 4}, -16})->tensor();
  }
  EXPECT_FALSE(Agrees(Compared(arrays)));
}

}  // namespace
}  // namespace onnxcmp
