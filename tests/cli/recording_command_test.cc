// A recording beside a model: which inputs the model runs on, and what is said if none are known.
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "evaluator/protos/tensor_proto.h"
#include "onnx/onnx_pb.h"
#include "tests/cli/models.h"
#include "tests/cli/program.h"
#include "tests/support/recorded_arrays.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::NpyOf;
using ::onnxcmp::testing::Onnxcmp;
using ::onnxcmp::testing::Outcome;
using ::onnxcmp::testing::WriteFile;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Numbers that none are made up like.
Tensor Ramp(const std::vector<int64_t>& shape, float from, float step) {
  std::vector<float> values;
  const int64_t elements = *NumElements(shape);
  for (int64_t i = 0; i < elements; ++i) values.push_back(from + step * static_cast<float>(i * i));
  return Tensor::Of<float>(Shape(shape.begin(), shape.end()), values);
}

Tensor Mapped(const Tensor& x, float (*f)(float)) {
  std::vector<float> values;
  for (const float value : x.AsSpan<float>()) values.push_back(f(value));
  return Tensor::Of<float>(x.shape(), values);
}

class RecordingCommandTest : public testing::ModelFolderTest {
 protected:
  // A folder of arrays, in the folder of the models or in a deeper one.
  std::string Arrays(const std::string& name,
                     const std::vector<std::pair<std::string, Tensor>>& arrays) {
    std::filesystem::create_directories(folder_ + "/" + name);
    for (const auto& [file, tensor] : arrays) {
      WriteFile(absl::StrCat(folder_, "/", name, "/", file, ".npy"), NpyOf(tensor));
    }
    return folder_ + "/" + name;
  }
  // A set of test data: input_0.pb is x, output_0.pb y.
  std::string DataSet(int number, const Tensor& x, const Tensor& y) {
    const std::string folder = absl::StrCat(folder_, "/test_data_set_", number);
    std::filesystem::create_directories(folder);
    EXPECT_TRUE(WriteValueFile(folder + "/input_0.pb", x, "x").ok());
    EXPECT_TRUE(WriteValueFile(folder + "/output_0.pb", y, "y").ok());
    return folder;
  }

  const std::string model_ =
      Model("m", "(float[n,6] x) => (float[n,6] y) { a = Neg(x) y = Sqrt(x) }");
  const std::string wrong_ = Model("w", "(float[n,6] x) => (float[n,6] y) { y = Abs(x) }");
  const Tensor x_ = Ramp({2, 6}, 0.25, 1.5);
  const Tensor y_ = Mapped(x_, [](float x) { return std::sqrt(x); });
};

TEST_F(RecordingCommandTest, WhatARecordingHoldsOfTheInputsIsFed) {
  const std::string recording = Arrays("r", {{"x", x_}, {"y", y_}});
  for (const bool left : {false, true}) {
    const auto compare = [&](const std::string& model) {
      return left ? Onnxcmp({recording, model}) : Onnxcmp({model, recording});
    };
    Outcome outcome = compare(model_);
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("fed    x float[2,6] 0.25"),
                                   HasSubstr("from the recording"), Not(HasSubstr("made"))));
    outcome = compare(wrong_);
    EXPECT_EQ(outcome.status, 1) << outcome.out;
  }
}

// A name alone does not feed: it may be anything's.
TEST_F(RecordingCommandTest, OfAnotherTypeOrShapeNothingIsFed) {
  for (const Tensor& other : {Ramp({2, 5}, 0.25, 1.5), Ramp({12}, 0.25, 1.5),
                              Tensor::Of<int64_t>({1, 6}, {1, 2, 3, 4, 5, 6})}) {
    const std::string recording = Arrays("r", {{"x", other}, {"y", y_}});
    const Outcome outcome = Onnxcmp({recording, model_});
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("untested   nothing was tested: the model ran on "
                                             "made-up inputs (`x`)"),
                                   HasSubstr("--inputs"), HasSubstr("(made up)"),
                                   HasSubstr("the recording's `x` is"), Not(HasSubstr("cause"))));
  }
}

TEST_F(RecordingCommandTest, MadeUpInputsCannotAgreeWithARecording) {
  const std::string recording = Arrays("r", {{"y", y_}});
  for (const std::string& model : {model_, wrong_}) {
    const Outcome outcome = Onnxcmp({model, recording});
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    EXPECT_THAT(outcome.out, HasSubstr("ran on made-up inputs (`x`)"));
    EXPECT_THAT(
        Onnxcmp({model, recording, "--format", "json"}).out,
        AllOf(HasSubstr("\"verdict\":\"untested\""), HasSubstr("\"made_up_inputs\":[\"x\"]")));
  }
  const std::string inputs = Arrays("in", {{"x", x_}});
  EXPECT_EQ(Onnxcmp({model_, recording, "--inputs", inputs}).status, 0);
  EXPECT_EQ(Onnxcmp({wrong_, recording, "--inputs", inputs}).status, 1);
}

// Results that no input can change are tested all the same, and so is a model without inputs.
TEST_F(RecordingCommandTest, WhatDependsOnNoInput) {
  const std::string model = Model("c",
                                  "(float[n,6] x) => (float[n,6] y) <float[10] w = "
                                  "{0.5,1.5,2.5,3,4,5,6,7,8,9}> "
                                  "{ [constant] c = Exp(w) y = Sqrt(x) }");
  const Tensor w = Tensor::Of<float>({10}, {0.5, 1.5, 2.5, 3, 4, 5, 6, 7, 8, 9});
  const Tensor exp = Mapped(w, [](float x) { return std::exp(x); });
  const Tensor off = Mapped(w, [](float x) { return 1.25F * std::exp(x); });
  EXPECT_EQ(Onnxcmp({model, Arrays("good", {{"c", exp}})}).status, 0);
  Outcome outcome = Onnxcmp({model, Arrays("bad", {{"c", off}})});
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_THAT(outcome.out, Not(HasSubstr("made-up inputs")));
  const std::string none =
      Model("n", "() => (float[10] y) <float[10] w = {0.5,1.5,2.5,3,4,5,6,7,8,9}> { y = Exp(w) }");
  EXPECT_EQ(Onnxcmp({none, Arrays("good2", {{"y", exp}})}).status, 0);
  EXPECT_EQ(Onnxcmp({none, Arrays("bad2", {{"y", off}})}).status, 1);
}

// Inputs made up alike for both runs test the outputs; ids that agree by chance do not.
TEST_F(RecordingCommandTest, TheSameMadeUpInputs) {
  const std::string saved = folder_ + "/saved.npz";
  ASSERT_EQ(Onnxcmp({"run", model_, "--save", saved}).status, 0);
  EXPECT_EQ(Onnxcmp({saved, model_}).status, 0);
  EXPECT_EQ(Onnxcmp({saved, wrong_}).status, 2);
  const std::string label =
      Model("label", "(float[n,6] x) => (int64[n] y) { y = ArgMax<axis = 1, keepdims = 0>(x) }");
  ASSERT_EQ(Onnxcmp({"run", label, "--save", saved}).status, 0);
  EXPECT_EQ(Onnxcmp({saved, label}).status, 2);
}

// Positions are easily the same; they say nothing of the ids.
TEST_F(RecordingCommandTest, OneKnownInputIsNotAll) {
  const std::string two = Model("two",
                                "(float[2,6] x, float[2,6] z) => (float[2,6] y) "
                                "{ a = Sqrt(x) b = Abs(z) y = Add(a, b) }");
  const Tensor sum = Mapped(y_, [](float x) { return x + 1.375F; });
  Outcome outcome = Onnxcmp({two, Arrays("r", {{"x", x_}, {"a", y_}, {"y", sum}})});
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("ran on made-up inputs (`z`)"), HasSubstr("z float[2,6]")));
  // Where only what is known goes in, a difference is one.
  const Tensor off = Mapped(y_, [](float x) { return 1.25F * x; });
  outcome = Onnxcmp({two, Arrays("s", {{"x", x_}, {"a", off}})});
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_THAT(outcome.out, Not(HasSubstr("made-up inputs")));
}

// The steps of a decoder: each set is a recording with its own inputs, whatever lies beside.
TEST_F(RecordingCommandTest, SetsOfTestDataAsSides) {
  const auto sqrt = [](float x) { return std::sqrt(x); };
  std::vector<std::string> sets;
  for (int i = 0; i < 3; ++i) {
    const Tensor x = Ramp({i + 1, 6}, 0.5F * static_cast<float>(i + 1), 0.75F);
    sets.push_back(DataSet(i, x, Mapped(x, sqrt)));
  }
  for (const std::string& set : sets) {
    const Outcome outcome = Onnxcmp({set, model_});
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, Not(HasSubstr("beside the models")));
    EXPECT_EQ(Onnxcmp({wrong_, set}).status, 1);
  }
  EXPECT_THAT(Onnxcmp({sets[1], model_}).out, HasSubstr("fed    x float[2,6] 1 "));
  // All of them, from a folder in which no model lies.
  const std::string steps = folder_ + "/steps";
  std::filesystem::create_directory(steps);
  for (int i = 0; i < 3; ++i) {
    std::filesystem::rename(sets[static_cast<size_t>(i)],
                            absl::StrCat(steps, "/test_data_set_", i));
  }
  Outcome outcome = Onnxcmp({steps, model_});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("test_data_set_0"), HasSubstr("test_data_set_2"),
                                 HasSubstr("fed    x float[3,6] 1.5")));
  EXPECT_EQ(Onnxcmp({steps, wrong_}).status, 1);
  EXPECT_EQ(Onnxcmp({steps, model_, "--inputs", steps}).status, 0);
  outcome = Onnxcmp({Arrays("one", {{"y", y_}}), model_, "--inputs", steps});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("there are 3 sets of inputs, and the recording has one"));
}

TEST_F(RecordingCommandTest, WhichOfTheSetsBesideItIsIsNotGuessed) {
  DataSet(0, x_, y_);
  DataSet(1, Ramp({1, 6}, 3, 1), Ramp({1, 6}, 3, 1));
  WriteFile(folder_ + "/y.npy", NpyOf(y_));
  const Outcome outcome = Onnxcmp({folder_ + "/y.npy", model_});
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("2 sets of test data lie beside the model"));
  EXPECT_EQ(Onnxcmp({folder_ + "/y.npy", model_, "--inputs", folder_ + "/test_data_set_0"}).status,
            0);
}

TEST_F(RecordingCommandTest, OtherInputsThanTheRecordings) {
  const std::string recording = Arrays("r", {{"x", x_}, {"y", y_}});
  const std::string inputs = Arrays("in", {{"x", Ramp({2, 6}, 0.5, 1)}});
  const Outcome outcome = Onnxcmp({recording, model_, "--inputs", inputs});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("the recording holds another `x` than the model was fed"),
                    HasSubstr(inputs)));
  EXPECT_THAT(Onnxcmp({recording, model_, "--inputs", recording + "/x.npy"}).out,
              Not(HasSubstr("another `x`")));
}

// Given inputs take precedence over recorded ones, which fill in the rest.
TEST_F(RecordingCommandTest, TheRecordingFillsIn) {
  const std::string two =
      Model("two", "(float[n,6] x, float[n,6] z) => (float[n,6] y) { a = Sqrt(x) y = Add(a, z) }");
  const Tensor sum = Mapped(x_, [](float x) { return std::sqrt(x) + x; });
  const std::string recording = Arrays("r", {{"z", x_}, {"y", sum}});
  const std::string inputs = Arrays("in", {{"x", x_}});
  Outcome outcome = Onnxcmp({recording, two, "--inputs", inputs});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("input `z` is that of the recording"));
  const std::string own = Arrays("own", {{"z", y_}, {"y", sum}});
  outcome = Onnxcmp({own, two, "--inputs", Arrays("both", {{"x", x_}, {"z", x_}})});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
}

// --inputs takes the forms that sides have.
TEST_F(RecordingCommandTest, InputsInAllForms) {
  const std::string recording = Arrays("r", {{"y", y_}});
  const std::string one = WriteFile(folder_ + "/x.npy", NpyOf(x_));
  std::filesystem::create_directory(folder_ + "/dump");
  ASSERT_TRUE(WriteValueFile(folder_ + "/dump/x.tensorproto", x_, "x").ok());
  const std::string array = absl::StrCat(R"({"array": ")", absl::Base64Escape(NpyOf(x_)),
                                         R"(", "polygraphy_class": "ndarray"})");
  const std::string json = WriteFile(folder_ + "/in.json", absl::StrCat("[{\"x\": ", array, "}]"));
  for (const std::string& inputs : {one, folder_ + "/dump", json}) {
    const Outcome outcome = Onnxcmp({recording, model_, "--inputs", inputs});
    EXPECT_EQ(outcome.status, 0) << inputs << outcome.out << outcome.err;
  }
  EXPECT_EQ(Onnxcmp({"run", model_, "--inputs", json}).status, 0);
  const std::string twice = WriteFile(folder_ + "/twice.json",
                                      absl::StrCat("[{\"x\": ", array, "}, {\"x\": ", array, "}]"));
  const Outcome outcome = Onnxcmp({model_, model_, "--inputs", twice});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("iteration 1"));
  EXPECT_EQ(Onnxcmp({"run", model_, "--inputs", twice}).status, 2);
}

TEST_F(RecordingCommandTest, WhatIsNoRecordingIsRefused) {
  const std::string pickle = WriteFile(folder_ + "/a.pt", "\x80\x02\x8a\nl\xfc\x9c");
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{pickle, model_},
                                                    {model_, pickle},
                                                    {model_, model_, "--inputs", pickle},
                                                    {"run", model_, "--inputs", pickle}}) {
    const Outcome outcome = Onnxcmp(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("pickle"), HasSubstr("docs/recording.md")));
  }
  const Outcome outcome = Onnxcmp({folder_, model_});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("holds models"), HasSubstr("m.onnxtxt")));
}

}  // namespace
}  // namespace onnxcmp
