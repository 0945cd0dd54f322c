// onnxcmp LEFT RIGHT --samples from outside.
#include <cmath>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "tests/cli/models.h"
#include "tests/cli/program.h"
#include "tests/support/recorded_arrays.h"

namespace onnxcmp {
namespace {

using ::nlohmann::json;
using ::onnxcmp::testing::NpyOf;
using ::onnxcmp::testing::Onnxcmp;
using ::onnxcmp::testing::OnnxcmpInterrupted;
using ::onnxcmp::testing::Outcome;
using ::onnxcmp::testing::ReadFile;
using ::onnxcmp::testing::WriteFile;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Two layers and three classes; `first` is an element of the first layer's weights.
std::string Classifier(const std::string& first) {
  return absl::StrCat(
      "(float[batch,3] x) => (float[batch,3] scores) {\n"
      "  w = Constant <value = float[3,3] {",
      first,
      ", 0, 0.25, 0, 1, 0, 0.5, 0, 1}> ()\n"
      "  v = Constant <value = float[3,3] {1, 0.25, 0, 0, 1, 0.25, 0.25, 0, 1}> ()\n"
      "  h = MatMul (x, w)\n  r = Relu (h)\n  scores = MatMul (r, v)\n}");
}

class CompareSamplesTest : public testing::ModelFolderTest {
 protected:
  std::string Samples() const {
    return WriteFile(
        folder_ + "/x.npy",
        NpyOf(Tensor::Of<float>({5, 3}, {3, 1, 0, 0, 2, 1, 1, 0, 4, 2, 1, 1, 0, 5, 1})));
  }
  std::string Left() const { return Model("left", Classifier("1")); }
  std::string Right(const std::string& first) const { return Model("right", Classifier(first)); }

  json Report(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--format", "json"});
    const Outcome outcome = Onnxcmp(arguments);
    json report = json::parse(outcome.out, nullptr, /*allow_exceptions=*/false);
    EXPECT_FALSE(report.is_discarded()) << outcome.out << outcome.err;
    EXPECT_EQ(report["exit_status"], outcome.status);
    return report;
  }
};

TEST_F(CompareSamplesTest, EqualModels) {
  const json report = Report({Left(), Right("1"), "--samples", Samples()});
  EXPECT_EQ(report["exit_status"], 0);
  EXPECT_EQ(report["headline"], "top-1 agrees on 5 of 5 samples, no difference");
  EXPECT_EQ(report["equal_layers"], 3);
  EXPECT_TRUE(report["layers"].empty());
}

TEST_F(CompareSamplesTest, FaultyLayerComesFirstAndTheWorstSampleIsNamed) {
  const json report = Report({Left(), Right("0.25"), "--samples", Samples()});
  EXPECT_EQ(report["exit_status"], 1);
  EXPECT_EQ(report["layers"][0]["result"], "h");
  EXPECT_EQ(report["layers"][0]["begins"], true);
  // The first input is 3, 0, 1, 2 and 0: samples 1 and 4 do not depend on the weight.
  EXPECT_EQ(report["samples"][1]["agrees"], true);
  EXPECT_EQ(report["samples"][4]["sqnr"], nullptr);
  EXPECT_EQ(report["samples"][0]["alike"], false);
  EXPECT_EQ(report["outputs"][0]["sqnr"]["least"]["sample"], "[0]");
  EXPECT_NEAR(report["outputs"][0]["figures"]["top1"].get<double>(), 0.6, 1e-12);
  const Outcome text = Onnxcmp({Left(), Right("0.25"), "--samples", Samples()});
  EXPECT_THAT(text.out, StartsWith("different  top-1 agrees on 3 of 5 samples"));
  EXPECT_THAT(text.out, HasSubstr("worst sample [0]"));
  EXPECT_THAT(text.out, HasSubstr("--sample '[0]'"));
  EXPECT_THAT(text.out, HasSubstr("cause"));
}

TEST_F(CompareSamplesTest, OneSampleAlone) {
  const Outcome differs =
      Onnxcmp({Left(), Right("0.25"), "--samples", Samples(), "--sample", "[0]"});
  EXPECT_EQ(differs.status, 1);
  EXPECT_THAT(differs.out, HasSubstr("3.1875 | 0.9375"));
  EXPECT_EQ(Onnxcmp({Left(), Right("0.25"), "--samples", Samples(), "--sample", "[4]"}).status, 0);
  const Outcome unknown =
      Onnxcmp({Left(), Right("0.25"), "--samples", Samples(), "--sample", "[7]"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("[7]"));
}

TEST_F(CompareSamplesTest, ConditionsDecide) {
  const auto status = [&](const char* condition) {
    return Onnxcmp({Left(), Right("0.25"), "--samples", Samples(), "--fail-if", condition}).status;
  };
  EXPECT_EQ(status("top1 < 0.5"), 0);
  EXPECT_EQ(status("top1 < 0.99"), 1);
  EXPECT_EQ(status("scores.sqnr < 60"), 1);
  EXPECT_EQ(status("different > 0.6"), 0);
  EXPECT_EQ(status("top9 < 1"), 2);
  EXPECT_EQ(status("top1"), 2);
}

TEST_F(CompareSamplesTest, BatchesGiveTheSameFigures) {
  const json one = Report({Left(), Right("0.25"), "--samples", Samples()});
  for (const char* batch : {"2", "5", "8"}) {
    const json report = Report({Left(), Right("0.25"), "--samples", Samples(), "--batch", batch});
    EXPECT_EQ(report["outputs"], one["outputs"]) << batch;
    EXPECT_EQ(report["layers"], one["layers"]) << batch;
    EXPECT_EQ(report["samples"], one["samples"]) << batch;
  }
}

TEST_F(CompareSamplesTest, InterruptedRunTellsWhatIsDone) {
  const std::string many =
      WriteFile(folder_ + "/many.npy",
                NpyOf(Tensor::Of<float>({200'000, 3}, std::vector<float>(600'000, 1))));
  const Outcome outcome =
      OnnxcmpInterrupted({Left(), Right("0.25"), "--samples", many}, SIGINT, 700);
  EXPECT_EQ(outcome.status, -SIGINT);
  EXPECT_THAT(outcome.out, HasSubstr("of 200000 samples compared; interrupted"));
  EXPECT_THAT(outcome.out, HasSubstr("MatMul"));
}

TEST_F(CompareSamplesTest, PartsAreMergedToTheSameBits) {
  const std::vector<std::string> measured = {Left(), Right("0.25"), "--samples", Samples()};
  const json whole = Report(measured);
  for (const int parts : {1, 2, 3, 7}) {
    std::vector<std::string> merging = measured;
    // The last one first.
    for (int part = parts; part-- > 0;) {
      const std::string file = absl::StrCat(folder_, "/", part, ".json");
      std::vector<std::string> one = measured;
      one.insert(one.end(), {"--part", absl::StrCat(part, "/", parts), "--figures", file});
      Onnxcmp(one);
      merging.insert(merging.end(), {"--merge", file});
    }
    EXPECT_EQ(Report(merging), whole) << parts;
  }
}

TEST_F(CompareSamplesTest, PartsThatDoNotFit) {
  const std::string samples = Samples();
  const auto write = [&](const std::string& right, const std::string& part) {
    const std::string file = folder_ + "/figures.json";
    Onnxcmp({Left(), right, "--samples", samples, "--part", part, "--figures", file});
    return ReadFile(file);
  };
  const std::string other = Model("other", Classifier("0.5"));
  const std::string first = WriteFile(folder_ + "/a.json", write(Right("0.25"), "0/2"));
  const std::string second = WriteFile(folder_ + "/b.json", write(other, "1/2"));
  const auto error = [&](const std::vector<std::string>& files) {
    std::vector<std::string> arguments = {Left(), Right("0.25"), "--samples", samples};
    for (const std::string& file : files) arguments.insert(arguments.end(), {"--merge", file});
    const Outcome outcome = Onnxcmp(arguments);
    EXPECT_EQ(outcome.status, 2);
    return outcome.err;
  };
  EXPECT_THAT(error({first}), HasSubstr("1 of 2 parts are there"));
  EXPECT_THAT(error({first, first}), HasSubstr("part 0/2 is there twice"));
  EXPECT_THAT(error({first, second}), HasSubstr("is of other models or samples"));
  EXPECT_THAT(error({samples}), HasSubstr("is no file of --figures"));
  const std::string text = ReadFile(first);
  const std::string torn = WriteFile(folder_ + "/torn.json", text.substr(0, text.size() / 2));
  EXPECT_THAT(error({torn}), HasSubstr("is no file of --figures"));
  for (const char* part : {"2/2", "-1/2", "1", "a/b"}) {
    const Outcome outcome = Onnxcmp({Left(), Right("1"), "--samples", samples, "--part", part});
    EXPECT_EQ(outcome.status, 2) << part;
  }
}

TEST_F(CompareSamplesTest, LabelsGiveAccuracies) {
  const std::string labels = WriteFile(folder_ + "/labels.txt", "0\n1\n2\n0\n0\n");
  const json report = Report({Left(), Right("0.25"), "--samples", Samples(), "--labels", labels});
  const json figures = report["outputs"][0]["figures"];
  EXPECT_NEAR(figures["accuracy_left"].get<double>(), 0.8, 1e-12);
  EXPECT_NEAR(figures["accuracy_right"].get<double>(), 0.4, 1e-12);
  EXPECT_EQ(report["outputs"][0]["right_alone"]["left"], 2);
  const std::string other = WriteFile(folder_ + "/other.txt", "0\n1\n7\n0\n0\n");
  const Outcome outcome =
      Onnxcmp({Left(), Right("0.25"), "--samples", Samples(), "--labels", other});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("sample [2]: label 7 is none of 3 classes"));
}

TEST_F(CompareSamplesTest, SamplesThatFailAreNamed) {
  const std::string folder = folder_ + "/samples";
  std::filesystem::create_directory(folder);
  WriteFile(folder + "/good.npy", NpyOf(Tensor::Of<float>({3}, {1, 2, 3})));
  WriteFile(folder + "/short.npy", NpyOf(Tensor::Of<float>({2}, {1, 2})));
  WriteFile(folder + "/torn.npy", "NUMPY");
  const json report = Report({Left(), Right("1"), "--samples", folder});
  // What was compared agrees, but not all was compared.
  EXPECT_EQ(report["exit_status"], 2);
  EXPECT_EQ(report["compared"], 1);
  ASSERT_EQ(report["failed"].size(), 2u);
  EXPECT_EQ(report["failed"][0]["name"], "short");
  EXPECT_THAT(report["failed"][0]["why"].get<std::string>(), HasSubstr("float[1,2]"));
  EXPECT_THAT(report["failed"][1]["why"].get<std::string>(), HasSubstr("torn.npy"));
  EXPECT_EQ(Onnxcmp({Left(), Right("1"), "--samples", folder, "--fail-if", "failed > 1"}).status,
            1);
  std::filesystem::remove(folder + "/good.npy");
  const Outcome none = Onnxcmp({Left(), Right("1"), "--samples", folder});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.out, StartsWith("failed     nothing was compared: all 2 samples failed"));
}

TEST_F(CompareSamplesTest, SampleThatTestsNothingFails) {
  const float nan = std::nanf("");
  const std::string samples =
      WriteFile(folder_ + "/nan.npy", NpyOf(Tensor::Of<float>({2, 3}, {1, 2, 3, nan, nan, nan})));
  const json report = Report({Left(), Right("1"), "--samples", samples});
  EXPECT_EQ(report["exit_status"], 2);
  EXPECT_EQ(report["compared"], 1);
  EXPECT_EQ(report["failed"][0]["name"], "[1]");
  EXPECT_THAT(report["failed"][0]["why"].get<std::string>(), HasSubstr("nothing was tested"));
}

TEST_F(CompareSamplesTest, LostOutputIsADifference) {
  const std::string both =
      Model("both", "(float[n,3] x) => (float[n,3] y, float[n,3] z) { y = Neg(x) z = Exp(x) }");
  const std::string one = Model("one", "(float[n,3] x) => (float[n,3] y) { y = Neg(x) }");
  EXPECT_EQ(Onnxcmp({both, one, "--samples", Samples()}).status, 1);
  EXPECT_EQ(Onnxcmp({one, both, "--samples", Samples()}).status, 1);
  EXPECT_EQ(Onnxcmp({both, one, "--samples", Samples(), "--partial"}).status, 0);
}

TEST_F(CompareSamplesTest, LoopsOfOtherLengths) {
  const auto looping = [&](const char* name, const char* factor) {
    return Model(name,
                 absl::StrCat("(int64[1] k, float[1] x) => (float[1] y) {\n  c = Constant "
                              "<value = bool {1}> ()\n  t = Squeeze (k)\n  s, u = Loop (t, c, "
                              "x) <body = b (int64 i, bool ci, float[1] v) => (bool co, "
                              "float[1] w, float[1] o) { co = Identity (ci) w = Add (v, v) o = "
                              "Identity (v) }>\n  p = Mul (s, ",
                              factor, ")\n  y = Neg (p)\n}"));
  };
  const std::string lines =
      WriteFile(folder_ + "/k.jsonl",
                "{\"k\":[1],\"x\":[2.0]}\n{\"k\":[3],\"x\":[2.0]}\n{\"k\":[5],\"x\":[1.5]}\n");
  const json report = Report({looping("a", "s"), looping("b", "x"), "--samples", lines});
  EXPECT_EQ(report["compared"], 3);
  for (const json& sample : report["samples"]) EXPECT_EQ(sample["agrees"], false) << sample;
}

TEST_F(CompareSamplesTest, SamplesOfUnequalSizes) {
  const std::string lines = WriteFile(folder_ + "/t.jsonl", "[1, 2, 3]\n[4]\n[1, 1]\n");
  const std::string same =
      Model("b",
            "(int64[n,t] ids) => (float[n,1] y) { f = Cast <to = 1> (ids) o = Identity (f) a = "
            "Constant <value = int64[1] {1}> () y = ReduceMean (o, a) }");
  const std::string first =
      Model("c",
            "(int64[n,t] ids) => (float[n,1] y) { f = Cast <to = 1> (ids) a = Constant <value = "
            "int64[1] {1}> () y = ReduceMax (f, a) }");
  const json equal = Report({same, same, "--samples", lines, "--batch", "2"});
  EXPECT_EQ(equal["exit_status"], 0) << equal;
  EXPECT_EQ(equal["compared"], 3);
  const json report = Report({same, first, "--samples", lines});
  EXPECT_EQ(report["compared"], 3);
  EXPECT_EQ(report["exit_status"], 1);
  EXPECT_EQ(report["samples"][1]["agrees"], true);
}

TEST_F(CompareSamplesTest, DetectorsWithUnlikeNumbersOfBoxes) {
  const auto detector = [&](const char* name, const char* least) {
    return Model(name,
                 absl::StrCat("(float[3] s) => (float[n,4] boxes, int64[n] classes, float[n] "
                              "scores) {\n  all = Constant <value = float[3,4] {0, 0, 1, 1, 2, "
                              "2, 4, 4, 5, 5, 9, 9}> ()\n  kinds = Constant <value = int64[3] "
                              "{1, 2, 3}> ()\n  least = Constant <value = float {",
                              least,
                              "}> ()\n  kept = Greater (s, least)\n  boxes = Compress <axis "
                              "= 0> (all, kept)\n  classes = Compress <axis = 0> (kinds, "
                              "kept)\n  scores = Compress <axis = 0> (s, kept)\n}"));
  };
  const std::string samples = WriteFile(
      folder_ + "/s.npy", NpyOf(Tensor::Of<float>({2, 3}, {0.9F, 0.8F, 0.6F, 0.9F, 0.4F, 0.8F})));
  const json report = Report({detector("a", "0.3"), detector("b", "0.5"), "--samples", samples});
  EXPECT_EQ(report["exit_status"], 1) << report;
  EXPECT_EQ(report["outputs"][0]["task"], "boxes");
  EXPECT_NEAR(report["outputs"][0]["figures"]["f1"].get<double>(), 10.0 / 11, 1e-12);
  EXPECT_EQ(report["samples"][0]["alike"], true);
  EXPECT_EQ(report["samples"][1]["alike"], false);
}

TEST_F(CompareSamplesTest, Reports) {
  const std::vector<std::string> arguments = {Left(), Right("0.25"), "--samples", Samples()};
  std::vector<std::string> with = arguments;
  for (const char* format : {"html", "json", "markdown", "junit", "csv"}) {
    with.insert(with.end(), {absl::StrCat("--", format), absl::StrCat(folder_, "/r.", format)});
  }
  EXPECT_EQ(Onnxcmp(with).status, 1);
  EXPECT_THAT(ReadFile(folder_ + "/r.html"), HasSubstr("<svg role=\"img\""));
  EXPECT_THAT(ReadFile(folder_ + "/r.html"), Not(HasSubstr("<script")));
  EXPECT_THAT(ReadFile(folder_ + "/r.csv"), HasSubstr("\n\"h\",\"h\",\"MatMul\","));
  EXPECT_THAT(ReadFile(folder_ + "/r.junit"), HasSubstr("name=\"[0]\""));
  EXPECT_THAT(ReadFile(folder_ + "/r.markdown"), HasSubstr("| MatMul | h |"));
  for (const char* format : {"dot", "svg"}) {
    std::vector<std::string> other = arguments;
    other.insert(other.end(), {"--format", format});
    EXPECT_EQ(Onnxcmp(other).status, 2) << format;
  }
}

TEST_F(CompareSamplesTest, OptionsThatDoNotFit) {
  const std::string samples = Samples();
  const auto error = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {Left(), Right("1")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = Onnxcmp(arguments);
    EXPECT_EQ(outcome.status, 2);
    return outcome.err;
  };
  EXPECT_THAT(error({"--fail-if", "top1 < 1"}), HasSubstr("need --samples PATH"));
  EXPECT_THAT(error({"--samples", samples, "--inputs", samples}), HasSubstr("excludes"));
  EXPECT_THAT(error({"--samples", samples, "--target", "top1 > 1"}), HasSubstr("--sensitivity"));
  EXPECT_THAT(error({"--samples", samples, "--prove"}), HasSubstr("add --sample NAME"));
  EXPECT_THAT(error({"--samples", samples, "--task", "scores=clases"}), HasSubstr("is no task"));
  EXPECT_THAT(error({"--samples", samples, "--task", "scors=classes"}), HasSubstr("scors"));
  EXPECT_THAT(error({"--samples", samples, "--json", samples}), HasSubstr("not written over"));
}

}  // namespace
}  // namespace onnxcmp
