// Samples in all the forms in which people have them.
#include "samples/files/sample_list.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "evaluator/load/load_model.h"
#include "ops/operators.h"
#include "samples/files/sound_samples.h"
#include "tests/cli/program.h"
#include "tests/support/recorded_arrays.h"

namespace onnxcmp {
namespace {

namespace fs = std::filesystem;
using ::onnxcmp::testing::NpyOf;
using ::onnxcmp::testing::WriteFile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SampleListTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& bytes) const {
    fs::create_directories((folder_ / name).parent_path());
    return WriteFile((folder_ / name).string(), bytes);
  }

  // A model with these inputs.
  const Graph& Takes(const std::string& inputs) {
    const std::string text =
        absl::StrCat("<ir_version: 10, opset_import: [\"\" : 21]>\ng (", inputs,
                     ") => (y) { y = Identity(", inputs.substr(inputs.find(' ') + 1, 1), ") }");
    model_ = *LoadModelFromText(text, registry_);
    return model_->graph;
  }

  absl::StatusOr<SampleList> Open(const std::string& path, const std::string& inputs,
                                  const SampleOptions& options = {}) {
    return OpenSamples((folder_ / path).string(), Takes(inputs), registry_, options);
  }

  const OpRegistry registry_ = AllOperators();
  std::shared_ptr<const Model> model_;
  fs::path folder_;
};

const Tensor& ValueOf(const absl::StatusOr<GivenSample>& sample) {
  return sample->values.at(0).value.tensor();
}

TEST_F(SampleListTest, ArrayWhoseFirstAxisIsTheSample) {
  Write("x.npy", NpyOf(Tensor::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6})));
  const absl::StatusOr<SampleList> list = Open("x.npy", "float[n,2] x");
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_THAT(list->names, ElementsAre("[0]", "[1]", "[2]"));
  const absl::StatusOr<GivenSample> sample = list->read(1);
  EXPECT_THAT(ValueOf(sample).shape(), ElementsAre(1, 2));
  EXPECT_THAT(ValueOf(sample).AsSpan<float>(), ElementsAre(3, 4));
}

TEST_F(SampleListTest, FixedBatch) {
  Write("x.npy", NpyOf(Tensor::Of<float>({2, 2}, {1, 2, 3, 4})));
  const absl::StatusOr<SampleList> list = Open("x.npy", "float[3,2] x");
  ASSERT_TRUE(list.ok()) << list.status();
  const absl::StatusOr<GivenSample> sample = list->read(1);
  EXPECT_THAT(ValueOf(sample).shape(), ElementsAre(3, 2));
  EXPECT_THAT(ValueOf(sample).AsSpan<float>(), ElementsAre(3, 4, 3, 4, 3, 4));
}

TEST_F(SampleListTest, FolderInNaturalOrderWithItsFolders) {
  for (const char* name : {"s10.npy", "s9.npy", "b/1.npy"}) {
    Write(name, NpyOf(Tensor::Of<float>({2}, {1, 2})));
  }
  Write("notes.txt", "no sample");
  const absl::StatusOr<SampleList> list = Open("", "float[n,2] x");
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_THAT(list->names, ElementsAre("b/1", "s9", "s10"));
  EXPECT_THAT(list->notes, ElementsAre(HasSubstr("1 file of ")));
  EXPECT_THAT(ValueOf(list->read(0)).shape(), ElementsAre(1, 2));
}

TEST_F(SampleListTest, FewOfMany) {
  Write("x.npy", NpyOf(Tensor::Of<float>({20, 1}, std::vector<float>(20))));
  const auto names = [&](SampleOptions options) {
    return Open("x.npy", "float[n,1] x", options)->names;
  };
  EXPECT_THAT(names({.limit = 2}), ElementsAre("[0]", "[1]"));
  EXPECT_EQ(names({.limit = 30}).size(), 20u);
  EXPECT_EQ(names({.limit = 5, .seed = 3}), names({.limit = 5, .seed = 3}));
  EXPECT_NE(names({.limit = 5, .seed = 3}), names({.limit = 5, .seed = 4}));
}

TEST_F(SampleListTest, LabelsBelongToTheSamplesThatAreTaken) {
  Write("x.npy", NpyOf(Tensor::Of<float>({3, 1}, {1, 2, 3})));
  const auto labels = [&](const std::string& text, int64_t limit) {
    SampleOptions options;
    options.limit = limit;
    options.labels = Write("labels.csv", text);
    return Open("x.npy", "float[n,1] x", options);
  };
  EXPECT_THAT(labels("4\n5\n6\n", 2)->labels, ElementsAre(4, 5));
  EXPECT_THAT(labels("name,label\n[2],6\n[0],4\n", 0)->labels, ElementsAre(4, std::nullopt, 6));
  EXPECT_THAT(std::string(labels("4\n5\n", 0).status().message()),
              HasSubstr("has 2 labels, and there are 3 samples"));
  EXPECT_THAT(std::string(labels("4\nfive\n6\n", 0).status().message()), HasSubstr("line 2"));
  EXPECT_THAT(std::string(labels("a,4\n", 0).status().message()), HasSubstr("names none"));
}

TEST_F(SampleListTest, Images) {
  // Two rows of two gray pixels.
  Write("cat/a.pgm", std::string("P5 2 2 255\n\x00\xff\x33\x66", 15));
  Write("broken.png", "no image");
  const absl::StatusOr<SampleList> list = Open("", "float[n,1,2,2] x");
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_THAT(list->names, ElementsAre("broken", "cat/a"));
  EXPECT_THAT(list->notes, ElementsAre("images become `x`: stretched to 2x2, gray, 0 to 1, "
                                       "channels first"));
  const absl::StatusOr<GivenSample> sample = list->read(1);
  ASSERT_TRUE(sample.ok()) << sample.status();
  EXPECT_THAT(ValueOf(sample).shape(), ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(ValueOf(sample).AsSpan<float>(),
              ElementsAre(0, 1, ::testing::FloatEq(0.2F), ::testing::FloatEq(0.4F)));
  EXPECT_THAT(std::string(list->read(0).status().message()), HasSubstr("broken.png"));
}

TEST_F(SampleListTest, ImagesAsTheModelTakesThem) {
  // Red, green.
  Write("a.ppm", std::string("P6 2 1 255\n\xff\x00\x00\x00\xff\x00", 17));
  SampleOptions options;
  options.images.mean = {0.5};
  options.images.std = {0.5, 0.25, 0.5};
  absl::StatusOr<SampleList> list = Open("", "float[n,2,2,3] x", options);
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_THAT(ValueOf(list->read(0)).AsSpan<float>(),
              ElementsAre(1, -2, -1, -1, 2, -1, 1, -2, -1, -1, 2, -1));
  list = Open("", "uint8[n,3,1,2] x");
  EXPECT_THAT(ValueOf(list->read(0)).AsSpan<uint8_t>(), ElementsAre(255, 0, 0, 255, 0, 0));
  options = {};
  options.images.bgr = true;
  options.images.range = 255;
  options.images.resize = "2x2";
  list = Open("", "float[3,2,2] x", options);
  EXPECT_THAT(ValueOf(list->read(0)).shape(), ElementsAre(3, 2, 2));
  EXPECT_THAT(ValueOf(list->read(0)).AsSpan<float>().subspan(8), ElementsAre(255, 0, 255, 0));
  options.images.mean = {1, 2};
  EXPECT_THAT(std::string(Open("", "float[n,3,2,2] x", options).status().message()),
              HasSubstr("--mean has to have one number, or 3"));
  EXPECT_FALSE(Open("", "float[n,7] x").ok());
  EXPECT_FALSE(Open("", "float[n,3,2,2] x, float[n] w").ok());
}

TEST_F(SampleListTest, ImagesInTheMiddleOfTheShorterSide) {
  // Four pixels wide, two high: the shorter side is as it has to be.
  Write("a.pgm", std::string("P5 4 2 255\n\x00\x33\x66\xff\x00\x33\x66\xff", 19));
  SampleOptions options;
  options.images.resize = "2";
  const absl::StatusOr<SampleList> list = Open("", "float[n,1,2,2] x", options);
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_THAT(ValueOf(list->read(0)).AsSpan<float>(),
              ElementsAre(::testing::FloatEq(0.2F), ::testing::FloatEq(0.4F),
                          ::testing::FloatEq(0.2F), ::testing::FloatEq(0.4F)));
}

// Sixteen bits, two channels, two frames.
std::string Wave() {
  return std::string(
      "RIFF\x2c\0\0\0WAVEfmt \x10\0\0\0\x01\0\x02\0\x80\x3e\0\0\0\xfa\0\0\x04\0\x10\0"
      "data\x08\0\0\0\x00\x40\x00\x00\x00\x80\x00\x80",
      52);
}

TEST_F(SampleListTest, Sounds) {
  const absl::StatusOr<Sound> sound = ReadWave(Wave());
  ASSERT_TRUE(sound.ok()) << sound.status();
  EXPECT_EQ(sound->rate, 16000);
  EXPECT_THAT(sound->frames.AsSpan<float>(), ElementsAre(0.5, -1, 0, -1));
  Write("a.wav", Wave());
  Write("cut.wav", Wave().substr(0, 48));
  absl::StatusOr<SampleList> list = Open("", "float[n,t] x");
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_THAT(ValueOf(list->read(0)).shape(), ElementsAre(1, 2));
  EXPECT_THAT(ValueOf(list->read(0)).AsSpan<float>(), ElementsAre(0.25, -1));
  EXPECT_THAT(std::string(list->read(1).status().message()),
              HasSubstr("cut.wav: its sound is cut"));
  list = Open("", "float[1,1,4] x");
  EXPECT_THAT(ValueOf(list->read(0)).AsSpan<float>(), ElementsAre(0.25, -1, 0, 0));
}

TEST_F(SampleListTest, Tokens) {
  Write("t.jsonl", "[5, 6, 7]\n\n{\"x\": [[1, 2]], \"text\": \"a b\"}\n[1, \"b\"]\n");
  const absl::StatusOr<SampleList> list =
      Open("t.jsonl", "int64[n,t] x, int64[n,t] attention_mask, int64[n,t] token_type_ids");
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_THAT(list->names, ElementsAre("line 1", "line 2", "line 3"));
  const absl::StatusOr<GivenSample> sample = list->read(0);
  ASSERT_EQ(sample->values.size(), 3u);
  EXPECT_THAT(ValueOf(sample).AsSpan<int64_t>(), ElementsAre(5, 6, 7));
  EXPECT_THAT(sample->values[1].value.tensor().AsSpan<int64_t>(), ElementsAre(1, 1, 1));
  EXPECT_THAT(sample->values[2].value.tensor().AsSpan<int64_t>(), ElementsAre(0, 0, 0));
  EXPECT_EQ(list->read(1)->values.size(), 1u);
  EXPECT_THAT(std::string(list->read(2).status().message()), HasSubstr("line 3"));
}

TEST_F(SampleListTest, WhatIsNoSample) {
  EXPECT_THAT(std::string(Open("", "float[n] x").status().message()), HasSubstr("has no samples"));
  EXPECT_FALSE(Open("nowhere", "float[n] x").ok());
  Write("a.npy", NpyOf(Tensor::Of<float>({1}, {1})));
  Write("a.png", "");
  EXPECT_THAT(std::string(Open("", "float[n] x").status().message()),
              HasSubstr("1 arrays and 1 images"));
}

}  // namespace
}  // namespace onnxcmp
