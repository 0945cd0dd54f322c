// The renderers of a comparison, given one that was made by hand.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/alignment/mark_names.h"
#include "compare/outcome/comparison.h"
#include "reports/render_csv.h"
#include "reports/render_dot.h"
#include "reports/render_json.h"
#include "reports/render_junit.h"
#include "reports/render_markdown.h"
#include "tests/support/json_schema.h"
#include "tests/support/stream_builder.h"

namespace onnxcmp {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Json = nlohmann::json;

constexpr int64_t kBig = 9007199254740993;  // 2^53 + 1
constexpr double kInfinite = std::numeric_limits<double>::infinity();

Marks operator|(Mark a, Mark b) {
  return static_cast<Marks>(static_cast<Marks>(a) | static_cast<Marks>(b));
}

ComparedRow Row(FewResults left, FewResults right, Relation relation, Marks marks = 0) {
  ComparedRow row;
  row.aligned.left = std::move(left);
  row.aligned.right = std::move(right);
  row.aligned.marks = marks;
  row.relation = relation;
  return row;
}

// Two models, y = relu(x + w): the right one fused both and its weight differs.
Comparison MakeComparison() {
  const Tensor x = Tensor::Of<float>({2}, {1, -1});
  const Tensor w = Tensor::Of<float>({2}, {0.5f, 0});
  const Tensor other = Tensor::Of<float>({2}, {0.5f, std::numeric_limits<float>::quiet_NaN()});
  testing::StreamBuilder left;
  const int left_w = left.Initializer("w", w);
  const int left_x = left.Input("x", x);
  testing::StreamBuilder::NodeOptions inside;
  inside.path = "loop[3]/if[then]";
  const int sum = left.Node("Add", {left_x, left_w}, "a|b,\"c\"\n<&>\xff", x, inside);
  const int left_y = left.Node("Relu", {sum}, "y", w);
  left.Output("y", left_y);
  testing::StreamBuilder right;
  const int right_w = right.Initializer("w", other);
  const int right_x = right.Input("x", x);
  testing::StreamBuilder::NodeOptions custom;
  custom.domain = "com.microsoft";
  const int right_y = right.Node("FusedAdd", {right_x, right_w}, "y", other, custom);
  right.Output("y", right_y);

  Comparison comparison;
  comparison.left = left.stream();
  comparison.right = right.stream();
  comparison.left_summary.source = "left.onnx";
  comparison.left_summary.nodes = 2;
  comparison.left_summary.bytes = kBig;
  comparison.left_summary.opsets = {{"", 18}};
  comparison.right_summary.source = "right.onnx";
  comparison.right_summary.opsets = {{"", 18}, {"com.microsoft", 1}};
  comparison.right_summary.notes = {"a note"};
  comparison.right_summary.status = absl::InvalidArgumentError("node <11> failed");
  ComparedRow weights = Row({left_w}, {right_w}, Relation::kDifferent);
  DifferenceOptions options;
  options.tolerance = Tolerance{1e-4, 1e-5};
  weights.difference =
      std::make_shared<const TensorDifference>(TensorDifferenceOf(w, other, options));
  ComparedRow fused =
      Row({sum, left_y}, {right_y}, Relation::kDifferent, Mark::kFused | Mark::kMoved);
  fused.difference = weights.difference;
  comparison.rows = {weights, Row({left_x}, {right_x}, Relation::kSame), fused,
                     Row({4}, {}, Relation::kLeftOnly), Row({}, {3}, Relation::kRightOnly)};
  comparison.outputs = CompareOutputs(std::vector<NamedOutput>{{"y", w}, {"z", w}},
                                      std::vector<NamedOutput>{{"y", other}}, ToleranceOptions());
  Cause cause;
  cause.left = left_w;
  cause.right = right_w;
  cause.kind = CauseKind::kInitializer;
  cause.text = "1 of 2 elements differ";
  cause.local = *weights.difference;
  Cause elsewhere;
  elsewhere.kind = CauseKind::kInput;
  comparison.causes = {cause, elsewhere};
  comparison.notes = {"x made up"};
  return comparison;
}

TEST(RenderJsonTest, IsAsTheSchemaSays) {
  const Json schema = testing::ComparisonSchema();
  ASSERT_TRUE(schema.is_object());
  const std::string text = RenderJson(MakeComparison());
  const Json json = Json::parse(text, nullptr, false);
  ASSERT_TRUE(json.is_object()) << text;
  EXPECT_THAT(testing::SchemaErrors(json, schema), IsEmpty());
  const Json empty = Json::parse(RenderJson(Comparison()), nullptr, false);
  EXPECT_THAT(testing::SchemaErrors(empty, schema), IsEmpty());
}

TEST(RenderJsonTest, TheSchemaRefusesOtherThings) {
  const Json schema = testing::ComparisonSchema();
  const Json good = Json::parse(RenderJson(MakeComparison()), nullptr, false);
  Json bad = good;
  bad["verdict"] = "perhaps";
  bad["rows"][0]["left"][0] = -1;
  bad["rows"][1].erase("marks");
  bad["causes"][0]["new"] = 1;
  bad["left"]["results"][0]["letters"] = "abcd";
  EXPECT_EQ(testing::SchemaErrors(bad, schema).size(), 5u);
}

TEST(RenderJsonTest, Members) {
  const Json json = Json::parse(RenderJson(MakeComparison()), nullptr, false);
  EXPECT_EQ(json["format"], "onnxcmp");
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["verdict"], "failed");
  const Json& left = json["left"];
  EXPECT_EQ(left["source"], "left.onnx");
  EXPECT_EQ(left["bytes"], "9007199254740993");  // a string: it is no double
  EXPECT_EQ(left["nodes"], 2);
  EXPECT_FALSE(left.contains("error"));
  EXPECT_EQ(json["right"]["error"], "node <11> failed");
  EXPECT_EQ(json["right"]["opsets"]["com.microsoft"], 1);

  const Json& sum = left["results"][2];
  EXPECT_EQ(sum["kind"], "RESULT");
  EXPECT_EQ(sum["name"], "a|b,\"c\"\n<&>\xEF\xBF\xBD");
  EXPECT_EQ(sum["op_type"], "Add");
  EXPECT_EQ(sum["domain"], "");
  EXPECT_EQ(sum["path"], Json({"loop[3]", "if[then]"}));
  EXPECT_EQ(sum["dtype"], "float32");
  EXPECT_EQ(sum["shape"], Json({2}));
  EXPECT_EQ(left["results"][0]["path"], Json::array());
  EXPECT_FALSE(left["results"][0].contains("op_type"));
  EXPECT_EQ(left["results"][4]["source"], 3);
  EXPECT_EQ(json["right"]["results"][0]["statistics"]["nans"], 1);

  const Json& fused = json["rows"][2];
  EXPECT_EQ(fused["relation"], "different");
  EXPECT_EQ(fused["left"], Json({2, 3}));
  EXPECT_EQ(fused["right"], Json({2}));
  EXPECT_EQ(fused["marks"], Json({"moved", "fused"}));
  EXPECT_EQ(fused["diff"]["max_absolute"], "Infinity");
  EXPECT_EQ(fused["diff"]["beyond"], 1);
  EXPECT_EQ(fused["diff"]["rtol"], 1e-4);
  EXPECT_EQ(fused["diff"]["worst"][0]["right"], "nan");
  EXPECT_FALSE(json["rows"][1].contains("diff"));
  EXPECT_EQ(json["rows"][3]["right"], Json::array());
  EXPECT_EQ(json["summary"], "right: node <11> failed");
  EXPECT_EQ(json["causes"][0]["left_name"], json["left"]["results"][0]["name"]);
  EXPECT_FALSE(json["causes"][0].contains("left_node"));  // no node gives it
  EXPECT_FALSE(json["causes"][1].contains("left_name"));
  EXPECT_EQ(json["causes"][0]["kind"], "initializer");
  EXPECT_EQ(json["causes"][0]["left"], 0);
  EXPECT_EQ(json["causes"][1]["left"], Json());
  EXPECT_EQ(json["outputs"][0]["diff"]["agree"], false);
  EXPECT_EQ(json["outputs_left_only"], Json({"z"}));
}

TEST(RenderJsonTest, ItsPartsAreTheWhole) {
  const Comparison comparison = MakeComparison();
  Json json = Json::parse(RenderJsonHead(comparison), nullptr, false);
  EXPECT_EQ(json["rows"], Json::array());
  json["rows"] = Json::parse(RenderJsonRows(comparison), nullptr, false);
  json["left"]["results"] = Json::parse(RenderJsonResults(comparison.left), nullptr, false);
  json["right"]["results"] = Json::parse(RenderJsonResults(comparison.right), nullptr, false);
  EXPECT_EQ(json, Json::parse(RenderJson(comparison), nullptr, false));
}

TEST(RenderJsonTest, AllThatACauseMayCarry) {
  Comparison comparison = MakeComparison();
  Cause& cause = comparison.causes[0];
  cause.effect = 0.25;
  cause.mending = Mending{.before = 0.25, .after = 0.0625, .agree = true};
  cause.count = 12;
  cause.truth = TruthFinding{.nearer = Nearer::kLeft, .factor = kInfinite, .left = 0, .right = 0.5};
  cause.apart = 0.125;
  cause.repro_folder = "faults/cause_1";
  NotFiniteOrigin origin;
  origin.result = 2;
  origin.index = "[1]";
  origin.text = "0 / 0";
  origin.made_from = {{"x", "[1]", "0"}};
  comparison.right_not_finite.origins = {origin};
  const Json json = Json::parse(RenderJson(comparison), nullptr, false);
  EXPECT_THAT(testing::SchemaErrors(json, testing::ComparisonSchema()), IsEmpty());
  EXPECT_EQ(json["causes"][0]["effect"], 0.25);
  EXPECT_EQ(json["causes"][0]["verified"], true);
  EXPECT_EQ(json["causes"][0]["gain"], 0.1875);
  EXPECT_EQ(json["causes"][0]["certificate"], "mending it makes the outputs agree");
  EXPECT_EQ(json["causes"][0]["count"], 12);
  EXPECT_EQ(json["causes"][0]["truth"]["nearer"], "left");
  EXPECT_FALSE(json["causes"][0]["truth"].contains("factor"));
  EXPECT_EQ(json["causes"][0]["apart"], 0.125);
  EXPECT_EQ(json["causes"][0]["repro"], "faults/cause_1");
  EXPECT_FALSE(json["causes"][1].contains("repro"));
  EXPECT_EQ(json["not_finite_right"][0]["made_from"][0]["value"], "0");
}

TEST(RenderTest, ChangesAreToldOnceEachWithTheirRows) {
  Comparison comparison = MakeComparison();
  // Of a run that ended early most results seem to be lost.
  EXPECT_EQ(Json::parse(RenderJson(comparison), nullptr, false)["changes"], Json::array());
  EXPECT_THAT(RenderMarkdown(comparison), Not(HasSubstr("What changed")));
  comparison.right_summary.status = absl::OkStatus();
  const Json changes = Json::parse(RenderJson(comparison), nullptr, false)["changes"];
  EXPECT_THAT(
      changes,
      Contains(
          Json({{"kind", "fused"}, {"text", "Add+Relu → FusedAdd"}, {"count", 1}, {"rows", {2}}})));
  EXPECT_THAT(
      changes,
      Contains(Json({{"kind", "changed"}, {"text", "moved"}, {"count", 1}, {"rows", {2}}})));
  EXPECT_THAT(RenderMarkdown(comparison),
              AllOf(HasSubstr("### What changed\n\n"), HasSubstr("\n- fused: `Add+Relu → "),
                    HasSubstr("\n- changed: `1 moved`")));
  // A recording lacks most results and changes none.
  comparison.right.recorded = true;
  EXPECT_EQ(Json::parse(RenderJson(comparison), nullptr, false)["changes"], Json::array());
}

TEST(RenderTest, WhatARecordingSaysMadeAResult) {
  Comparison comparison = MakeComparison();
  StreamResult& recorded = comparison.right.results[3];  // in the last row, on its own
  recorded.kind = ResultKind::kResult;
  recorded.op_type = "Linear";
  recorded.domain = "torch";
  const Json json = Json::parse(RenderJson(comparison), nullptr, false);
  EXPECT_EQ(json["right"]["results"][3]["op_type"], "Linear");
  EXPECT_EQ(json["right"]["results"][3]["domain"], "torch");
  EXPECT_FALSE(json["right"]["results"][3].contains("node"));
  EXPECT_THAT(testing::SchemaErrors(json, testing::ComparisonSchema()), IsEmpty());
  EXPECT_THAT(RenderCsv(comparison), HasSubstr("RESULT,y,Linear,torch,"));
  EXPECT_THAT(RenderMarkdown(comparison), HasSubstr("`Linear` `y`"));
}

TEST(RenderJsonTest, NumbersThatJsonLacks) {
  Comparison comparison = MakeComparison();
  TensorDifference difference = *comparison.rows[0].difference;
  difference.sqnr = -kInfinite;
  difference.values.cosine = std::numeric_limits<double>::quiet_NaN();
  difference.values.elements = -kBig;
  difference.values.beyond = kBig - 1;
  comparison.rows[0].difference = std::make_shared<const TensorDifference>(difference);
  const Json json = Json::parse(RenderJson(comparison), nullptr, false);
  const Json& diff = json["rows"][0]["diff"];
  EXPECT_EQ(diff["sqnr_db"], "-Infinity");
  EXPECT_EQ(diff["cosine"], "NaN");
  EXPECT_EQ(diff["elements"], "-9007199254740993");
  EXPECT_EQ(diff["beyond"], kBig - 1);
  EXPECT_THAT(testing::SchemaErrors(json, testing::ComparisonSchema()), IsEmpty());
}

// The fields of a text as RFC 4180 has them.
std::vector<std::vector<std::string>> ParseCsv(const std::string& text) {
  std::vector<std::vector<std::string>> lines = {{""}};
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (quoted) {
      if (text[i] != '"') {
        lines.back().back() += text[i];
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        lines.back().back() += text[++i];
      } else {
        quoted = false;
      }
    } else if (text[i] == '"') {
      quoted = true;
    } else if (text[i] == ',') {
      lines.back().emplace_back();
    } else if (text[i] == '\r' && text[i + 1] == '\n') {
      lines.push_back({""});
      ++i;
    } else {
      lines.back().back() += text[i];
    }
  }
  lines.pop_back();
  return lines;
}

TEST(RenderCsvTest, ALineForEachRow) {
  Comparison comparison = MakeComparison();
  comparison.rows.push_back(Row({2}, {2}, Relation::kClose));
  const auto lines = ParseCsv(RenderCsv(comparison));
  ASSERT_EQ(lines.size(), 7u);
  for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
  const auto field = [&](size_t row, const std::string& column) {
    const auto it = std::find(lines[0].begin(), lines[0].end(), column);
    return it == lines[0].end() ? "no such column"
                                : lines[row + 1][static_cast<size_t>(it - lines[0].begin())];
  };
  EXPECT_EQ(field(2, "relation"), "different");
  EXPECT_EQ(field(2, "marks"), "moved fused");
  EXPECT_EQ(field(2, "left_results"), "2 3");
  EXPECT_EQ(field(2, "left_name"), "y");
  EXPECT_EQ(field(2, "left_op_type"), "Relu");
  EXPECT_EQ(field(2, "left_dtype"), "float32");
  EXPECT_EQ(field(2, "left_shape"), "[2]");
  EXPECT_EQ(field(2, "right_domain"), "com.microsoft");
  EXPECT_EQ(field(2, "max_absolute"), "inf");
  EXPECT_EQ(field(2, "rtol"), "1e-04");
  EXPECT_EQ(field(2, "nan_right"), "1");
  EXPECT_EQ(field(2, "worst_at"), "[1]");
  EXPECT_EQ(field(2, "worst_right"), "nan");
  EXPECT_EQ(field(1, "max_absolute"), "");
  EXPECT_EQ(field(3, "right_kind"), "");
  EXPECT_EQ(field(4, "left_results"), "");
  EXPECT_EQ(field(5, "left_name"), "a|b,\"c\"\n<&>\xEF\xBF\xBD");
  EXPECT_EQ(field(5, "left_path"), "loop[3]/if[then]");
}

TEST(RenderMarkdownTest, SaysWhatDiffers) {
  Comparison comparison = MakeComparison();
  comparison.rows.push_back(Row({2}, {2}, Relation::kClose));
  const std::string text = RenderMarkdown(comparison);
  EXPECT_THAT(text, HasSubstr("## onnxcmp: failed\n"));
  EXPECT_THAT(text, HasSubstr("| source | `left.onnx` | `right.onnx` |\n"));
  EXPECT_THAT(text, HasSubstr("| opsets | `ai.onnx 18` | `ai.onnx 18, com.microsoft 1` |\n"));
  EXPECT_THAT(text, HasSubstr("| error |  | `node <11> failed` |\n"));
  EXPECT_THAT(text, HasSubstr("1. initializer `w` / `w`: `1 of 2 elements differ`\n"));
  EXPECT_THAT(text,
              HasSubstr("1 the same bits, 1 close, 2 different, 1 left only, 1 right only\n"));
  EXPECT_THAT(text,
              HasSubstr("| 2 | ≠ | `Relu` `y` `float[2]` | `FusedAdd` `y` `float[2]` | max abs "
                        "inf, max rel inf, 1 of 2 beyond | moved, fused |\n"));
  // What would end the cell is escaped.
  EXPECT_THAT(text, HasSubstr("`loop[3]/if[then]/a\\|b,\"c\" <&>\xEF\xBF\xBD`"));
  EXPECT_THAT(text, HasSubstr("\n- `y float[2]: 1 of 2 elements beyond 5e-05 + "
                              "0.0001*max(|a|,|b|)`\n- `max abs inf at [1] (0 | nan)"));
  EXPECT_THAT(text, Not(HasSubstr("| = |")));
  const std::string cut = RenderMarkdown(comparison, {.max_rows = 1});
  EXPECT_THAT(cut, HasSubstr("\n4 more rows are left out.\n"));
  EXPECT_THAT(cut, Not(HasSubstr("`Relu`")));
}

TEST(RenderMarkdownTest, VerdictAndCausesComeFirst) {
  const std::string text = RenderMarkdown(MakeComparison());
  EXPECT_LT(text.find("### Causes"), text.find("<details>"));
  EXPECT_EQ(text.find("## onnxcmp: failed"), 0U);
  const size_t rows = text.find("<details><summary>Rows</summary>\n\n1 the same bits");
  EXPECT_NE(rows, std::string::npos);
  EXPECT_GT(rows, text.find("<summary>Models and notes</summary>\n\n| | left | right |"));
}

TEST(RenderMarkdownTest, FitsIntoAComment) {
  Comparison comparison = MakeComparison();
  comparison.left.results[2].name = std::string(200, 'n');
  for (int i = 0; i < 1000; ++i) comparison.rows.push_back(Row({2}, {2}, Relation::kClose));
  const std::string text = RenderMarkdown(comparison, {.max_rows = 1000});
  EXPECT_LE(text.size(), 60'000U);
  EXPECT_GT(text.size(), 57'000U);
  EXPECT_THAT(text, ContainsRegex("\n[0-9]+ more lines are left out: a comment has an end.\n"));
  EXPECT_EQ(text.substr(text.size() - 12), "\n</details>\n");
  // What comes first stays, and even that is cut if it is too much.
  const std::string least = RenderMarkdown(comparison, {.max_bytes = 2500});
  EXPECT_THAT(least, HasSubstr("## onnxcmp: failed"));
  EXPECT_LE(least.size(), 2500U);
}

TEST(RenderDotTest, BothGraphsAndTheirPairs) {
  const std::string text = RenderDot(MakeComparison());
  EXPECT_THAT(text, HasSubstr("digraph onnxcmp {\n"));
  EXPECT_THAT(text, HasSubstr("subgraph cluster_left {\n    label=\"left: left.onnx\";\n"));
  // The weights differ, and are drawn; what was absorbed has a dashed box.
  EXPECT_THAT(text, HasSubstr("l0 [label=\"init\\nw\\nf32 2\\n≠ 1 NaN\""));
  EXPECT_THAT(text, HasSubstr(R"(loop[3]/if[then]/a|b,\"c\"\\n<&>)"));
  EXPECT_THAT(text, HasSubstr("style=\"filled,dashed\""));
  EXPECT_THAT(text, HasSubstr("    l2 -> l3;\n"));
  EXPECT_THAT(text, HasSubstr("  {rank=same; l3; r2;}\n  l3 -> r2 [dir=none, style=dashed,"));
  EXPECT_THAT(text, HasSubstr("penwidth=4"));
}

TEST(RenderDotTest, ConstantsThatAreTheSameAreLeftOut) {
  Comparison comparison = MakeComparison();
  comparison.rows[0].relation = Relation::kSame;
  comparison.rows[0].difference = nullptr;
  const std::string text = RenderDot(comparison);
  EXPECT_THAT(text, Not(HasSubstr("l0")));
  EXPECT_THAT(text, HasSubstr("l1 [label=\"input"));
  EXPECT_EQ(RenderDot(Comparison()).back(), '\n');
}

TEST(RenderJunitTest, OutputsAndRunsAreTests) {
  const std::string text = RenderJunit(MakeComparison());
  EXPECT_THAT(text, HasSubstr("<testsuites name=\"onnxcmp\" tests=\"4\" failures=\"2\" "
                              "errors=\"1\">\n"
                              "  <testsuite name=\"left.onnx | right.onnx\" tests=\"4\""));
  EXPECT_THAT(text, HasSubstr("<testcase classname=\"run\" name=\"left\"/>\n"));
  EXPECT_THAT(text, HasSubstr("<testcase classname=\"run\" name=\"right\">\n      <error "
                              "message=\"node &lt;11&gt; failed\">"));
  EXPECT_THAT(text, HasSubstr("<testcase classname=\"output\" name=\"y\">\n      <failure "));
  EXPECT_THAT(text, HasSubstr("only the left model has this output"));
  EXPECT_THAT(text, HasSubstr("cause: initializer: w: 1 of 2 elements differ"));
  Comparison odd;
  odd.outputs.only_left = {"\x01\"\n\xff"};
  EXPECT_THAT(RenderJunit(odd), HasSubstr("name=\"\xEF\xBF\xBD&quot;&#10;\xEF\xBF\xBD\""));
}

TEST(MarkNamesTest, InOrder) {
  EXPECT_THAT(MarkNames(0), IsEmpty());
  EXPECT_THAT(MarkNames(127),
              ElementsAre("moved", "fused", "folded", "merged", "cast", "reshaped", "transposed"));
}

}  // namespace
}  // namespace onnxcmp
