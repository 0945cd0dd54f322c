// The page of a comparison: what it is made of, and that no name in a model becomes markup.
#include "reports/render_html.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "compare/outcome/comparison.h"
#include "compare/pictures/value_picture.h"
#include "reports/page_bundle.h"
#include "reports/render_chain.h"
#include "reports/render_json.h"
#include "tests/support/json_schema.h"
#include "tests/support/stream_builder.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

constexpr absl::string_view kDataBegins = "<script type=\"application/json\" id=\"onnxcmp\">";

// y = f(x) on both sides, with this name for the right's result.
Comparison NamedComparison(const std::string& name = "y") {
  const Tensor x = Tensor::Of<float>({2}, {1, -1});
  const Tensor other = Tensor::Of<float>({2}, {1.0000001f, -1.25f});
  testing::StreamBuilder left;
  const int left_x = left.Input("x", x);
  const int left_y = left.Node("Relu", {left_x}, "y", x);
  testing::StreamBuilder right;
  const int right_x = right.Input("x", x);
  const int right_y = right.Node("Gelu", {right_x}, name, other);

  Comparison comparison;
  comparison.left = left.stream();
  comparison.right = right.stream();
  comparison.left_summary.source = "models/left.onnx";
  comparison.right_summary.source = "right.onnx";
  ComparedRow inputs;
  inputs.aligned.left = {left_x};
  inputs.aligned.right = {right_x};
  inputs.relation = Relation::kSame;
  ComparedRow results;
  results.aligned.left = {left_y};
  results.aligned.right = {right_y};
  results.relation = Relation::kDifferent;
  results.difference =
      std::make_shared<const TensorDifference>(TensorDifferenceOf(x, other, DifferenceOptions()));
  comparison.rows = {inputs, results};
  Cause cause;
  cause.left = left_y;
  cause.right = right_y;
  cause.text = "operator: Relu | Gelu";
  comparison.causes = {cause};
  return comparison;
}

std::string DataOf(absl::string_view page) {
  const size_t begin = page.find(kDataBegins);
  if (begin == absl::string_view::npos) return "";
  page.remove_prefix(begin + kDataBegins.size());
  return std::string(page.substr(0, page.find("</script>")));
}

Json ReportOf(const std::string& page) { return Json::parse(DataOf(page), nullptr, false); }

size_t CountOf(absl::string_view text, absl::string_view what) {
  return std::vector<std::string>(absl::StrSplit(text, what)).size() - 1;
}

TEST(RenderHtmlTest, HasTheReportAsTheSchemaSays) {
  HtmlOptions options;
  options.command = "onnxcmp a.onnx 'b c.onnx'";
  const Json report = ReportOf(RenderHtml(NamedComparison(), options));
  ASSERT_TRUE(report.is_object());
  EXPECT_THAT(testing::SchemaErrors(report, testing::ComparisonSchema()), IsEmpty());
  EXPECT_EQ(report["verdict"], "different");
  EXPECT_EQ(report["rows"].size(), 2U);
  EXPECT_EQ(report["rows"][1]["diff"]["worst"].size(), 2U);
  EXPECT_EQ(report["page"]["command"], "onnxcmp a.onnx 'b c.onnx'");
  EXPECT_FALSE(report["page"].contains("sets"));
  EXPECT_THAT(report["page"]["left_out"], IsEmpty());
  EXPECT_EQ(report["left"]["results"][1]["inputs"], Json(std::vector<int>{0}));
  const Json empty = ReportOf(RenderHtml(Comparison()));
  EXPECT_THAT(testing::SchemaErrors(empty, testing::ComparisonSchema()), IsEmpty());
}

TEST(RenderHtmlTest, SaysWhatJsonSays) {
  const Comparison comparison = NamedComparison();
  const Json page = ReportOf(RenderHtml(comparison));
  const Json json = Json::parse(RenderJson(comparison), nullptr, false);
  for (const char* member : {"words", "causes", "outputs", "exit", "notes"}) {
    EXPECT_EQ(page[member], json[member]) << member;
  }
  const Json& ours = page["rows"][1]["diff"];
  const Json& theirs = json["rows"][1]["diff"];
  for (const auto& [name, value] : ours.items()) {
    if (value.is_number()) {
      const double exact = theirs[name].get<double>();
      EXPECT_NEAR(value.get<double>(), exact, 1e-5 * std::max(1.0, std::abs(exact))) << name;
    } else if (name != "worst") {
      EXPECT_EQ(value, theirs[name]) << name;
    }
  }
  EXPECT_EQ(page["left"]["results"][1]["statistics"]["max"], 1);
  // The left says it for both where the bits are the same.
  EXPECT_TRUE(page["left"]["results"][0].contains("statistics"));
  EXPECT_FALSE(page["right"]["results"][0].contains("statistics"));
  EXPECT_TRUE(page["right"]["results"][1].contains("statistics"));
}

TEST(RenderHtmlTest, IsOneFileThatLoadsNothing) {
  const std::string page = RenderHtml(NamedComparison());
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>\n<html lang=\"en\" data-verdict=\"different\">\n"));
  EXPECT_THAT(page, HasSubstr("<title>different: left.onnx | right.onnx - onnxcmp</title>"));
  // Outside of script and style.
  std::string shell = page;
  const PageBundle& bundle = GetPageBundle();
  for (const absl::string_view part : {bundle.script, bundle.style}) {
    const size_t at = shell.find(std::string(part));
    ASSERT_NE(at, std::string::npos);
    shell.erase(at, part.size());
  }
  for (const char* loading : {"src=", "href=", "http:", "https:", "@import", "url("}) {
    EXPECT_THAT(shell, Not(HasSubstr(loading)));
  }
  EXPECT_THAT(std::string(bundle.style), Not(HasSubstr("url(")));
  EXPECT_THAT(std::string(bundle.script), Not(HasSubstr("innerHTML")));
}

TEST(RenderHtmlTest, ThePolicyAllowsItsOwnScriptAlone) {
  const std::string page = RenderHtml(NamedComparison());
  const PageBundle& bundle = GetPageBundle();
  const auto source = [](absl::string_view hex) {
    return absl::StrCat("'sha256-", absl::Base64Escape(absl::HexStringToBytes(hex)), "'");
  };
  EXPECT_THAT(page,
              HasSubstr(absl::StrCat(
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';"
                  " script-src ",
                  source(bundle.script_sha256), "; style-src ", source(bundle.style_sha256),
                  "; img-src blob:; worker-src blob:; base-uri 'none'; form-action 'none'\">")));
  EXPECT_THAT(page, HasSubstr(absl::StrCat("<script>", bundle.script, "</script>")));
  EXPECT_THAT(page, HasSubstr(absl::StrCat("<style>", bundle.style, "</style>")));
  // Before anything that it is to rule.
  EXPECT_LT(page.find("Content-Security-Policy"), page.find("<style>"));
  EXPECT_THAT(page, Not(HasSubstr("unsafe-")));
}

TEST(RenderHtmlTest, HostileNamesAreText) {
  const std::string long_name(10000, 'n');
  for (const std::string& name :
       {std::string("</script><script>alert(1)</script>"), std::string("<!--<script>"),
        std::string("\"><img src=x onerror=alert(1)>"), std::string("a\0b\x01\x1b\x7f", 6),
        std::string("\xe2\x80\xae"
                    "abc\xe2\x80\x8b"),
        std::string("\xff\xfe"), long_name}) {
    Comparison comparison = NamedComparison(name);
    comparison.causes[0].text = name;
    comparison.right_summary.source = name;
    comparison.notes = {name};
    HtmlOptions options;
    options.command = name;
    const std::string page = RenderHtml(comparison, options);
    EXPECT_EQ(CountOf(page, "<script"), 2U) << name;
    EXPECT_EQ(CountOf(page, "</script"), 2U) << name;
    EXPECT_EQ(CountOf(page, "<!--"), 0U) << name;
    EXPECT_EQ(CountOf(page, "<img"), 0U) << name;
    EXPECT_THAT(DataOf(page), Not(HasSubstr("<"))) << name;
    const Json report = ReportOf(page);
    ASSERT_TRUE(report.is_object()) << name;
    const Json json = Json::parse(RenderJson(comparison), nullptr, false);
    EXPECT_EQ(report["right"]["results"][1]["name"], json["right"]["results"][1]["name"]);
  }
}

TEST(RenderHtmlTest, SetsLinkToEachOther) {
  HtmlOptions options;
  options.set = 1;
  options.set_name = "entry 1";
  options.sets = {"r.0.html", "r.1.html"};
  const Json report = ReportOf(RenderHtml(NamedComparison(), options));
  EXPECT_EQ(report["page"]["set"], 1);
  EXPECT_EQ(report["page"]["sets"], Json({"r.0.html", "r.1.html"}));
  EXPECT_THAT(testing::SchemaErrors(report, testing::ComparisonSchema()), IsEmpty());
}

TEST(RenderHtmlTest, LeavesDetailsOutThatAreTooMuch) {
  const PageBundle& bundle = GetPageBundle();
  EXPECT_LT(bundle.script.size() + bundle.style.size(), 200'000U);
  const size_t whole = RenderHtml(NamedComparison()).size();
  EXPECT_LT(whole, bundle.script.size() + bundle.style.size() + 5000);
  HtmlOptions options;
  options.most_bytes = 1;
  const std::string page = RenderHtml(NamedComparison(), options);
  EXPECT_LT(page.size(), whole);
  const Json report = ReportOf(page);
  EXPECT_THAT(testing::SchemaErrors(report, testing::ComparisonSchema()), IsEmpty());
  EXPECT_FALSE(report["left"]["results"][1].contains("statistics"));
  // A cause keeps its elements.
  EXPECT_TRUE(report["rows"][1]["diff"].contains("worst"));
  EXPECT_THAT(report["page"]["left_out"], ElementsAre("statistics of results"));
  Comparison without_cause = NamedComparison();
  without_cause.causes.clear();
  const Json other = ReportOf(RenderHtml(without_cause, options));
  EXPECT_FALSE(other["rows"][1]["diff"].contains("worst"));
  EXPECT_THAT(other["page"]["left_out"],
              ElementsAre("the worst elements of rows", "statistics of results"));
}

// A comparison whose second row has a picture of tensors of this shape, which differ in one
// element.
Comparison WithPicture(const std::vector<int64_t>& shape) {
  int64_t size = 1;
  for (const int64_t dim : shape) size *= dim;
  std::vector<float> values(static_cast<size_t>(size));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7) - 3;
  const Tensor left = Tensor::Of<float>(shape, values);
  values.back() += 0.5F;
  const Tensor right = Tensor::Of<float>(shape, values);
  Comparison comparison = NamedComparison();
  ComparedRow& row = comparison.rows[1];
  const TensorDifference difference = TensorDifferenceOf(left, right, DifferenceOptions());
  row.picture = PictureOf(left, right, difference);
  row.difference = std::make_shared<const TensorDifference>(difference);
  return comparison;
}

TEST(RenderHtmlTest, FewElementsAreNumbers) {
  const Json report = ReportOf(RenderHtml(WithPicture({2, 3})));
  EXPECT_THAT(testing::SchemaErrors(report, testing::ComparisonSchema()), IsEmpty());
  EXPECT_FALSE(report["rows"][0].contains("values"));
  const Json& values = report["rows"][1]["values"];
  EXPECT_EQ(values["left"], Json({-3, -2, -1, 0, 1, 2}));
  EXPECT_EQ(values["right"], Json({-3, -2, -1, 0, 1, 2.5}));
  EXPECT_EQ(values["decades"], Json::parse("[[-1,1]]"));
  EXPECT_EQ(values["equal"], 5);
  EXPECT_FALSE(values.contains("slices"));
}

TEST(RenderHtmlTest, ManyElementsAreMaps) {
  const Json report = ReportOf(RenderHtml(WithPicture({5, 40, 64})));
  EXPECT_THAT(testing::SchemaErrors(report, testing::ComparisonSchema()), IsEmpty());
  const Json& values = report["rows"][1]["values"];
  EXPECT_EQ(values["size"], Json({40, 64}));
  EXPECT_EQ(values["cells"], Json({32, 32}));
  EXPECT_EQ(values["scale"], Json({-3, 3}));
  EXPECT_EQ(values["all_slices"], 5);
  ASSERT_EQ(values["slices"].size(), 3U);
  EXPECT_EQ(values["slices"][0]["at"], "[4]");
  std::string bytes;
  ASSERT_TRUE(absl::Base64Unescape(values["slices"][0]["difference"].get<std::string>(), &bytes));
  ASSERT_EQ(bytes.size(), 1024U);
  EXPECT_EQ(CountOf(bytes, std::string(1, '\0')), 1023U);
  EXPECT_EQ(bytes.back(), '\x01');
  ASSERT_TRUE(absl::Base64Unescape(values["slices"][0]["left"].get<std::string>(), &bytes));
  EXPECT_EQ(static_cast<unsigned char>(bytes[0]), 254);  // 3
}

TEST(RenderHtmlTest, ThePageSaysWhichElementsItLacks) {
  HtmlOptions options;
  options.most_bytes = 700'000;
  options.parts = 20;
  const Json report = ReportOf(RenderHtml(WithPicture({5, 40, 64}), options));
  EXPECT_FALSE(report["rows"][1].contains("values"));
  EXPECT_THAT(report["page"]["left_out"], ElementsAre("elements and maps of rows"));
  EXPECT_THAT(testing::SchemaErrors(report, testing::ComparisonSchema()), IsEmpty());
}

TEST(RenderHtmlTest, ReprosAreWhereThePageSeesThem) {
  Comparison comparison = NamedComparison();
  comparison.causes[0].repro_folder = "out/repros/cause_1";
  HtmlOptions options;
  options.folder = "out/pages/";
  Json report = ReportOf(RenderHtml(comparison, options));
  EXPECT_EQ(report["page"]["repro"],
            Json::parse(R"([{"cause": 0, "folder": "../repros/cause_1"}])"));
  EXPECT_THAT(testing::SchemaErrors(report, testing::ComparisonSchema()), IsEmpty());
  // Nobody knows where standard output goes.
  report = ReportOf(RenderHtml(comparison));
  EXPECT_FALSE(report["page"].contains("repro"));
}

TEST(RenderHtmlTest, AChainHasAllStepsInOneFile) {
  const Comparison comparison = NamedComparison("</script>");
  Chain chain;
  chain.models = {"a.onnx", "b.onnx"};
  ChainStep step;
  step.right = 1;
  EXPECT_TRUE(AddSet("set 0", comparison, &step));
  EXPECT_FALSE(AddSet("set 1", comparison, &step));
  chain.steps = {step};
  const std::string page =
      RenderChainHtml(chain, {PageData(comparison, HtmlOptions())}, "onnxcmp chain a b");
  EXPECT_THAT(page, HasSubstr("data-verdict=\"different\""));
  EXPECT_EQ(CountOf(page, "<script"), 3U);
  const Json overview = ReportOf(page);
  EXPECT_EQ(overview["steps"].size(), 1U);
  EXPECT_EQ(overview["command"], "onnxcmp chain a b");
  const std::string begin = "<script type=\"application/json\" id=\"onnxcmp-0\">";
  std::string data = page.substr(page.find(begin) + begin.size());
  data = data.substr(0, data.find("</script>"));
  EXPECT_THAT(testing::SchemaErrors(Json::parse(data, nullptr, false), testing::ComparisonSchema()),
              IsEmpty());
}

TEST(RenderHtmlTest, WithoutScriptsItSaysTheVerdict) {
  const std::string page = RenderHtml(NamedComparison("<y>"));
  const size_t begin = page.find("<noscript>");
  const size_t end = page.find("</noscript>");
  ASSERT_LT(begin, end);
  const std::string text = page.substr(begin, end - begin);
  EXPECT_THAT(text, HasSubstr("<h1>different</h1>"));
  EXPECT_THAT(text, HasSubstr("cause: y | &lt;y&gt;: operator: Relu | Gelu"));
}

}  // namespace
}  // namespace onnxcmp
