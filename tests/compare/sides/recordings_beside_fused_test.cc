// Recordings of a model beside the model that an optimizer made of it: other names, operators that
// do what several did; each with a twin that is wrong.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/compare.h"
#include "tests/compare/sides/recordings_beside_model.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Changed;
using ::onnxcmp::testing::RandomFloats;
using ::onnxcmp::testing::Scale;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class RecordingsBesideFusedTest : public testing::RecordingsBesideModel {
 protected:
  static constexpr char kPlain[] = R"(<ir_version: 9, opset_import: ["": 17]>
    g (float[2, 6, 8] x, float[8, 8] w, float[8, 8] v, float[8] s) => (float[2, 6, 6] y) {
      [first] q = MatMul(x, w)
      [second] k = MatMul(x, v)
      [third] n = LayerNormalization(q, s)
      [fourth] t = Transpose <perm = [0, 2, 1]> (k)
      [fifth] matmul = MatMul(n, t)
      quarter = Constant <value_float = 0.25> ()
      [sixth] onx_mul_matmul = Mul(matmul, quarter)
      [seventh] y = Softmax(onx_mul_matmul)
    })";
  static constexpr char kFused[] = R"(<ir_version: 9, opset_import: ["": 17, "com.microsoft": 1]>
    g (float[2, 6, 8] x, float[8, 8] w, float[8, 8] v, float[8] s) => (float[2, 6, 6] y) {
      [first] q = MatMul(x, w)
      [second] k = MatMul(x, v)
      [third] n = LayerNormalization(q, s)
      [fourth] onx_mul_matmul = com.microsoft.FusedMatMul <alpha = 0.25, transB = 1> (n, k)
      [fifth] y = Softmax(onx_mul_matmul)
    })";

  static Feeds SomeFeeds() {
    return {{"x", RandomFloats({2, 6, 8}, 1)},
            {"w", RandomFloats({8, 8}, 2)},
            {"v", RandomFloats({8, 8}, 3)},
            {"s", RandomFloats({8}, 4)}};
  }
  // Without the constant, which is one number.
  Arrays PlainWith(const std::string& name, const testing::Change& change) {
    Take(kPlain, SomeFeeds());
    Arrays arrays = With(name, change);
    std::erase_if(arrays, [](const auto& array) { return array.first == "quarter"; });
    Take(kFused, SomeFeeds());
    return arrays;
  }
  Arrays Plain() {
    return PlainWith("", [](std::vector<float>*) {});
  }
  static size_t At(const Arrays& arrays, const std::string& name) {
    for (size_t i = 0; i < arrays.size(); ++i) {
      if (arrays[i].first == name) return i;
    }
    ADD_FAILURE() << name;
    return 0;
  }
  static Arrays Renamed(Arrays arrays) {
    for (size_t i = 0; i < arrays.size(); ++i) arrays[i].first = "t" + std::to_string(i);
    return arrays;
  }
};

// The product before the factor has nearly the name of the product with it.
TEST_F(RecordingsBesideFusedTest, AProductWithoutItsFactor) {
  for (const bool left : {true, false}) {
    for (const bool renamed : {true, false}) {
      Arrays plain = Plain();
      if (renamed) plain = Renamed(plain);
      const Comparison right = Compared(plain, {}, left);
      EXPECT_TRUE(Agrees(right));
      EXPECT_THAT(right.causes, IsEmpty());
      EXPECT_THAT(Notes(right), HasSubstr("inside of a FusedMatMul, found so: "));
      EXPECT_THAT(Notes(right), HasSubstr("recorded as a transposition, axes 0 2 1"));
      EXPECT_THAT(Notes(right), Not(HasSubstr("NWC")));
    }
  }
}

TEST_F(RecordingsBesideFusedTest, AWrongProductWithoutItsFactor) {
  Arrays twice = Plain();
  const size_t product = At(twice, "matmul");
  twice[product].second = Changed(twice[product].second, Scale);
  EXPECT_FALSE(Agrees(Compared(twice)));
  EXPECT_FALSE(Agrees(Compared(Renamed(twice))));
  // Where the run went on with it, the first result that the model has is at fault.
  for (const bool renamed : {true, false}) {
    Arrays wrong = PlainWith("matmul", Scale);
    if (renamed) wrong = Renamed(wrong);
    const Comparison comparison = Compared(wrong);
    EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
    EXPECT_THAT(CauseNames(comparison), AllOf(Not(IsEmpty()), ::testing::Each("onx_mul_matmul")));
  }
}

// Names that an optimizer gave to other results: what the model calls "a" was recorded as "b".
TEST_F(RecordingsBesideFusedTest, NamesThatMovedOn) {
  Arrays moved = Plain();
  const size_t first = At(moved, "q");
  const size_t second = At(moved, "k");
  moved[first].first = "k";
  moved[second].first = "another";
  const Comparison right = Compared(moved);
  EXPECT_TRUE(Agrees(right));
  EXPECT_THAT(right.causes, IsEmpty());
  Arrays exchanged = Plain();
  std::swap(exchanged[first].second, exchanged[second].second);
  EXPECT_FALSE(Agrees(Compared(exchanged)));
  // It repeats another result, and nothing has what it should have.
  Arrays repeated = Plain();
  repeated[first].second = repeated[second].second;
  EXPECT_FALSE(Agrees(Compared(repeated)));
}

TEST_F(RecordingsBesideFusedTest, TheLastStepWasSkipped) {
  const Arrays plain = Plain();
  for (const bool left : {true, false}) {
    Arrays skipped = Renamed(plain);
    skipped.back().second = skipped[skipped.size() - 2].second;
    const Comparison comparison = Compared(skipped, {}, left);
    EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
    EXPECT_THAT(CauseNames(comparison), ElementsAre("y"));
    // A Dropout before the last step, which was not recorded.
    Arrays partial = Renamed(plain);
    partial.back() = {"model.dropout", partial[partial.size() - 2].second};
    EXPECT_TRUE(Agrees(Compared(partial, {}, left)));
    Arrays whole = Renamed(plain);
    whole.insert(whole.end() - 1, {"t77", whole[whole.size() - 2].second});
    EXPECT_TRUE(Agrees(Compared(whole, {}, left)));
  }
}

// A node that gave what another had given has that one's value; what comes after it tells.
TEST_F(RecordingsBesideFusedTest, ANodeThatGaveWhatAnotherHad) {
  Take(kPlain, SomeFeeds());
  const Tensor q = right_[At(right_, "q")].second;
  const auto as_q = [&](std::vector<float>* e) {
    for (size_t i = 0; i < e->size(); ++i) (*e)[i] = q.data<float>()[i];
  };
  for (const bool left : {true, false}) {
    Take(kPlain, SomeFeeds());
    const Comparison comparison = Compared(Renamed(With("k", as_q)), {}, left);
    EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
    EXPECT_THAT(CauseNames(comparison), ElementsAre("k"));
    // Repeated by a Dropout it is right.
    Arrays twice = right_;
    twice.insert(twice.begin() + 1, {"again", q});
    EXPECT_TRUE(Agrees(Compared(Renamed(twice), {}, left)));
  }
}

// Steps of a normalization that the recording has as nodes of their own.
TEST_F(RecordingsBesideFusedTest, InsideOfANormalization) {
  Arrays plain = Plain();
  const size_t at = At(plain, "q");
  const Tensor q = plain[at].second;
  std::vector<float> means;
  for (int64_t row = 0; row < 12; ++row) {
    float sum = 0;
    for (int64_t i = 0; i < 8; ++i) sum += q.data<float>()[row * 8 + i];
    means.push_back(sum / 8);
  }
  const auto beside = [&](std::vector<float> numbers) {
    Arrays arrays = plain;
    arrays.insert(arrays.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                  {"mean", Tensor::Of<float>({2, 6, 1}, numbers)});
    return arrays;
  };
  const Comparison right = Compared(beside(means));
  EXPECT_TRUE(Agrees(right));
  EXPECT_THAT(Notes(right), HasSubstr("inside of a LayerNormalization, found so: mean of n"));
  // Several are told in the order of the recording, in each run.
  std::vector<float> centred(q.data<float>(), q.data<float>() + q.num_elements());
  for (size_t i = 0; i < centred.size(); ++i) centred[i] -= means[i / 8];
  Arrays both = beside(means);
  both.insert(both.begin() + static_cast<std::ptrdiff_t>(at) + 2,
              {"centred", Tensor::Of<float>({2, 6, 8}, centred)});
  for (int run = 0; run < 6; ++run) {
    EXPECT_THAT(Notes(Compared(both)),
                HasSubstr("inside of a LayerNormalization, found so: mean of n, centred of n"));
  }
  means[3] += 0.05F;
  EXPECT_FALSE(Agrees(Compared(beside(means))));
}

// Two steps that disagree with the results that they resemble, one after the other.
TEST_F(RecordingsBesideFusedTest, AStepBeforeAnotherStep) {
  const Feeds feeds = {{"x", RandomFloats({2, 6, 8}, 1)},
                       {"w", RandomFloats({8, 8}, 2)},
                       {"v", RandomFloats({8, 8}, 3)},
                       {"b", Tensor::Of<float>({8}, {0, 0, 0, 0, 0, 0, 0, 0})}};
  constexpr char kSteps[] = R"(<ir_version: 9, opset_import: ["": 17]>
    g (float[2, 6, 8] x, float[8, 8] w, float[8, 8] v, float[8] b) => (float[2, 6, 8] y)
    <float root = {1.4142135}, float one = {1}, float half = {0.5}, float quarter = {0.25}> {
      [first] h = MatMul(x, w)
      [second] quotient = Div(h, root)
      [third] e = Erf(quotient)
      [fourth] more = Add(e, one)
      [fifth] act_mul = Mul(h, more)
      [sixth] act_mul_1 = Mul(act_mul, half)
      [seventh] matmul = MatMul(act_mul_1, v)
      [eighth] onx_mul_matmul = Mul(matmul, quarter)
      [ninth] y = Softmax(onx_mul_matmul)
    })";
  constexpr char kOneNode[] = R"(<ir_version: 9, opset_import: ["": 17, "com.microsoft": 1]>
    g (float[2, 6, 8] x, float[8, 8] w, float[8, 8] v, float[8] b) => (float[2, 6, 8] y) {
      [first] h = MatMul(x, w)
      [second] act_mul_1 = com.microsoft.BiasGelu(h, b)
      [third] onx_mul_matmul = com.microsoft.FusedMatMul <alpha = 0.25> (act_mul_1, v)
      [fourth] y = Softmax(onx_mul_matmul)
    })";
  const auto recorded = [&](const std::string& name) {
    Take(kSteps, feeds);
    Arrays arrays = With(name, Scale);
    std::erase_if(arrays, [](const auto& array) {
      return array.first == "act_mul_1" || array.first == "more" || array.first == "e";
    });
    Take(kOneNode, feeds);
    return arrays;
  };
  for (const bool left : {true, false}) {
    const Comparison right = Compared(recorded(""), {}, left);
    EXPECT_TRUE(Agrees(right));
    EXPECT_THAT(right.causes, IsEmpty());
    EXPECT_THAT(Notes(right), HasSubstr("act_mul of act_mul_1"));
    EXPECT_THAT(Notes(right), HasSubstr("matmul of onx_mul_matmul"));
    EXPECT_FALSE(Agrees(Compared(recorded("act_mul"), {}, left)));
    EXPECT_FALSE(Agrees(Compared(recorded("quotient"), {}, left)));
  }
}

// Blocks of channels have other elements at each place: what was recorded is none of them.
TEST_F(RecordingsBesideFusedTest, BlocksAreNoPartner) {
  const Tensor x = RandomFloats({2, 32, 4, 4}, 1);
  const Tensor w = RandomFloats({32, 32, 1, 1}, 2);
  // By blocks of outputs and of inputs, the outputs in a block last.
  std::vector<float> blocked;
  for (size_t outer = 0; outer < 2; ++outer) {
    for (size_t in = 0; in < 32; ++in) {
      for (size_t out = 0; out < 16; ++out) {
        blocked.push_back(w.data<float>()[(outer * 16 + out) * 32 + in]);
      }
    }
  }
  Take(R"(<ir_version: 9, opset_import: ["": 17]>
    g (float[2, 32, 4, 4] x, float[32, 32, 1, 1] w) => (float[2, 32] y) {
      [first] c = Conv(x, w)
      [second] s = Sigmoid(c)
      [third] p = GlobalAveragePool(s)
      [fourth] y = Flatten(p)
    })",
       {{"x", x}, {"w", w}});
  const Arrays plain = right_;
  Take(R"(<ir_version: 9, opset_import: ["": 17, "com.microsoft.nchwc": 1]>
    g (float[2, 32, 4, 4] x, float[32, 32, 1, 1] w) => (float[2, 32] y) {
      [first] b = com.microsoft.nchwc.ReorderInput(x)
      [second] d = com.microsoft.nchwc.Conv <activation = "Sigmoid"> (b, w)
      [third] q = com.microsoft.nchwc.GlobalAveragePool(d)
      [fourth] p = com.microsoft.nchwc.ReorderOutput <channels = 32> (q)
      [fifth] y = Flatten(p)
    })",
       {{"x", x}, {"w", Tensor::Of<float>({32, 32, 1, 1}, blocked)}});
  for (const bool left : {true, false}) {
    const Comparison comparison = Compared(plain, {}, left);
    EXPECT_THAT(comparison.causes, IsEmpty());
    EXPECT_TRUE(comparison.outputs.pairs.back().agrees());
  }
}

// One shape in two spellings.
TEST_F(RecordingsBesideFusedTest, ShapesSaidOtherwise) {
  Take(R"(<ir_version: 9, opset_import: ["": 17]>
    g (float[4, 6] x, float[6, 6] w) => (float[4, 2, 3] y)
    <int64[3] shape = {0, 2, -1}> {
      [first] m = MatMul(x, w)
      [second] r = Reshape(m, shape)
      [third] y = Relu(r)
    })",
       {{"x", RandomFloats({4, 6}, 1)}, {"w", RandomFloats({6, 6}, 2)}});
  Arrays hooks = right_;
  hooks.insert(hooks.begin() + 1, {"shape", Tensor::Of<int64_t>({3}, {4, 2, 3})});
  const Comparison right = Compared(hooks);
  EXPECT_TRUE(Agrees(right));
  EXPECT_THAT(right.causes, IsEmpty());
  hooks.back().second = Changed(hooks.back().second, Scale);
  EXPECT_FALSE(Agrees(Compared(hooks)));
}

}  // namespace
}  // namespace onnxcmp
