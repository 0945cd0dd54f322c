#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "record/recordings/recorded_values.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"
#include "tests/support/recorded_arrays.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::ExpectSameBits;
using ::onnxcmp::testing::NpyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Tensor kOne = Tensor::Of<float>({2}, {1.5, -2});
const Tensor kTwo = Tensor::Of<int64_t>({1, 3}, {7, 8, 9});

std::string Array(const std::string& text) {
  return absl::StrCat(R"({"array": ")", text, R"(", "polygraphy_class": "ndarray"})");
}
std::string Array(const Tensor& tensor) { return Array(absl::Base64Escape(NpyOf(tensor))); }

std::string Iteration(const std::string& outputs) {
  return absl::StrCat(R"({"outputs": {)", outputs,
                      R"(}, "runtime": 0.5, "runner_name": "r", "polygraphy_class": )",
                      R"("IterationResult"})");
}
std::string Lazy(const std::string& array) {
  return absl::StrCat(R"({"values": )", array, R"(, "polygraphy_class": "LazyArray"})");
}
std::string Runs(const std::string& runs) {
  return absl::StrCat(R"({"lst": [)", runs, R"(], "polygraphy_class": "RunResults"})");
}

class PolygraphyJsonTest : public ::testing::Test {
 protected:
  void Open(const std::string& json) {
    auto opened = OpenRecording(folder_.Write("out.json", json));
    ASSERT_TRUE(opened.ok()) << opened.status();
    sets_ = *std::move(opened);
  }
  std::vector<std::string> Names(size_t set) const {
    std::vector<std::string> names;
    for (const RecordedResult& result : sets_[set].values->results()) names.push_back(result.name);
    return names;
  }
  Tensor Read(size_t set, size_t index) {
    auto read = sets_[set].values->ReadValue(index);
    EXPECT_TRUE(read.ok()) << read.status();
    return read.ok() ? read->value.tensor() : Tensor();
  }
  // What is wrong with it, when it is opened or read.
  std::string Error(const std::string& json) {
    auto opened = OpenRecording(folder_.Write("out.json", json));
    absl::Status status = opened.status();
    if (status.ok()) status = (*opened)[0].values->ReadValue(0).status();
    EXPECT_FALSE(status.ok()) << json;
    EXPECT_THAT(status.message(), HasSubstr("out.json"));
    return std::string(status.message());
  }

  testing::TestFolder folder_;
  std::vector<RecordedSet> sets_;
};

TEST_F(PolygraphyJsonTest, OutputsInTheirOrder) {
  Open(Runs(absl::StrCat(
      R"(["onnxrt", [)",
      Iteration(absl::StrCat(R"("z": )", Lazy(Array(kOne)), R"(, "a": )", Lazy(Array(kTwo)))),
      "]]")));
  ASSERT_EQ(sets_.size(), 1u);
  EXPECT_EQ(sets_[0].name, "");
  EXPECT_THAT(Names(0), ElementsAre("z", "a"));
  ExpectSameBits(Read(0, 0), kOne);
  ExpectSameBits(Read(0, 1), kTwo);
}

TEST_F(PolygraphyJsonTest, IterationsAreSets) {
  Open(absl::StrCat("[{\"x\": ", Array(kOne), "}, {\"x\": ", Array(kTwo), "}]"));
  ASSERT_EQ(sets_.size(), 2u);
  EXPECT_EQ(sets_[1].name, "iteration 1");
  ExpectSameBits(Read(0, 0), kOne);
  ExpectSameBits(Read(1, 0), kTwo);
  Open(absl::StrCat("{\"x\": ", Array(kOne), "}"));  // one of a folder of them
  ASSERT_EQ(sets_.size(), 1u);
  EXPECT_THAT(Names(0), ElementsAre("x"));
}

TEST_F(PolygraphyJsonTest, SeveralRunners) {
  const std::string one = Iteration(absl::StrCat(R"("y": )", Lazy(Array(kOne))));
  const std::string two = Iteration(absl::StrCat(R"("y": )", Lazy(Array(kTwo))));
  Open(Runs(absl::StrCat(R"(["ort", [)", one, R"(]], ["trt", [)", two, "]]")));
  ASSERT_EQ(sets_.size(), 1u);
  EXPECT_THAT(Names(0), ElementsAre("y", "trt/y"));
  ExpectSameBits(Read(0, 1), kTwo);
  ASSERT_EQ(sets_[0].values->notes().size(), 1u);
  EXPECT_THAT(sets_[0].values->notes()[0], HasSubstr("ort, trt"));
}

TEST_F(PolygraphyJsonTest, OlderVersions) {
  // The bytes as characters, and another mark.
  std::string characters;
  for (const char byte : NpyOf(Tensor::Of<float>({1}, {-1.5}))) {
    absl::StrAppend(&characters, "\\u00", absl::BytesToHexString(std::string(1, byte)));
  }
  Open(absl::StrCat(R"({"x": {"array": ")", characters,
                    R"(", "__polygraphy_encoded_ndarray": "polygraphy_serialized_json_type"}})"));
  ExpectSameBits(Read(0, 0), Tensor::Of<float>({1}, {-1.5}));
}

TEST_F(PolygraphyJsonTest, OfTwoOfANameTheLastCounts) {
  Open(absl::StrCat("{\"x\": ", Array(kOne), ", \"x\": ", Array(kTwo), "}"));
  EXPECT_THAT(Names(0), ElementsAre("x"));
  ExpectSameBits(Read(0, 0), kTwo);
}

// JSON of others, and what was damaged.
TEST_F(PolygraphyJsonTest, WhatIsNotOfTheForm) {
  for (const char* json : {"{}", "[]", "[1, 2]", "{\"x\": 1}", "{\"lst\": []}", "[[1]]", "\"text\"",
                           "{\"lst\": [[\"r\", [1]]], \"polygraphy_class\": \"RunResults\"}",
                           "{\"lst\": [1], \"polygraphy_class\": \"RunResults\"}",
                           "{\"lst\": [], \"polygraphy_class\": \"RunResults\"}",
                           "{\"polygraphy_class\": \"IterationResult\"}"}) {
    Error(json);
  }
  EXPECT_THAT(Error("{\"x\": 1}"), HasSubstr("docs/recording.md"));
  // Among arrays nothing is passed over.
  EXPECT_THAT(Error(absl::StrCat("{\"x\": ", Array(kOne), ", \"y\": [1, 2]}")),
              HasSubstr("'y' is no array"));
  EXPECT_THAT(Error(R"({"x": {"tensor": "UEsDBA==", "polygraphy_class": "Tensor"}})"),
              HasSubstr("torch.Tensor"));
}

TEST_F(PolygraphyJsonTest, Damaged) {
  const std::string good = absl::Base64Escape(NpyOf(kOne));
  EXPECT_THAT(Error("{\"x\": " + Array(good.substr(0, 40) + "!" + good.substr(41)) + "}"),
              HasSubstr("base64"));
  Error("{\"x\": " + Array(good.substr(0, good.size() - 8)) + "}");
  Error("{\"x\": " + Array("") + "}");
  EXPECT_THAT(Error("{\"x\": " + Array(good)), HasSubstr("no JSON"));
  EXPECT_THAT(Error("{\"x\": \xff}"), HasSubstr("no JSON"));
  EXPECT_THAT(Error(std::string(1000000, '[')), HasSubstr("deep"));
  std::string deep = Array(kOne);
  for (int i = 0; i < 20; ++i) deep = Lazy(deep);
  EXPECT_THAT(Error("{\"x\": " + deep + "}"), HasSubstr("is no array"));
  // A shape without the bytes.
  std::string huge = NpyOf(kOne);
  huge.replace(huge.find("(2,)"), 4, "(1099511627776,)");
  Error("{\"x\": " + Array(absl::Base64Escape(huge)) + "}");
}

}  // namespace
}  // namespace onnxcmp
