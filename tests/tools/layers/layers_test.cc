#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "evaluator/load/load_model.h"
#include "ops/operators.h"
#include "reports/table/render_layers.h"
#include "tests/support/op_test.h"
#include "tests/support/paths.h"
#include "tools/layers/compare_layers.h"
#include "tools/layers/layer_names.h"
#include "tools/layers/read_listing.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::ExpectError;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string BytesOf(const std::string& name) {
  std::ifstream file(TestData(absl::StrCat("layers/", name)), std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

LayerListing Listing(const std::string& name) {
  absl::StatusOr<LayerListing> listing = ParseListing(BytesOf(name), name);
  EXPECT_TRUE(listing.ok()) << listing.status();
  return listing.ok() ? *std::move(listing) : LayerListing();
}

std::shared_ptr<const Model> Net() {
  auto model = LoadModel(TestData("layers/net.onnxtxt"), AllOperators());
  EXPECT_TRUE(model.ok()) << model.status();
  return *model;
}

// "split 1→3 | splits at ..."
std::vector<std::string> GroupLines(const LayerComparison& comparison) {
  std::vector<std::string> lines;
  for (const LayerGroup& group : comparison.groups) {
    std::string line = absl::StrCat(LayerRelationName(group.relation), " ", group.left.size(), "-",
                                    group.right.size(), group.reformat ? " reformat" : "",
                                    group.precision_changed() ? " precision" : "");
    if (!group.begins_at.empty()) {
      absl::StrAppend(&line, " at ", absl::StrJoin(group.begins_at, " "));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

EngineLayer Named(const std::string& name) {
  EngineLayer layer;
  ReadLayerName(name, &layer);
  return layer;
}

TEST(LayerNames, JoinNodes) {
  EXPECT_THAT(Named("conv1 + PWN(relu1)").nodes, ElementsAre("conv1", "relu1"));
  EXPECT_THAT(Named("PWN(PWN(/act/Sigmoid), /act/Mul)").nodes,
              ElementsAre("/act/Sigmoid", "/act/Mul"));
  EXPECT_THAT(Named("a/Conv || b/Conv").nodes, ElementsAre("a/Conv", "b/Conv"));
  EXPECT_THAT(Named("q/MatMul+k/MatMul_myl0_1").nodes, ElementsAre("q/MatMul", "k/MatMul"));
  EXPECT_THAT(Named("__myl_AddMul_myl0_7").nodes, IsEmpty());
  EXPECT_THAT(Named("a + (Unnamed Layer* 36) [Shuffle]").nodes,
              ElementsAre("a", "(Unnamed Layer* 36) [Shuffle]"));
  EXPECT_TRUE(Named("Reformatting CopyNode for Input Tensor 0 to conv1 + relu1").reformat);
  const EngineLayer region = Named("{ForeignNode[a + b...(Unnamed Layer* 4183) [Shuffle]]}");
  ASSERT_THAT(region.regions, SizeIs(1));
  EXPECT_THAT(region.regions[0].first, ElementsAre("a", "b"));
  EXPECT_THAT(region.regions[0].last, ElementsAre("(Unnamed Layer* 4183) [Shuffle]"));
}

TEST(LayerNames, MetadataAndFormats) {
  EXPECT_THAT(NodesOfMetadata("[ONNX Layer: a][ONNX Layer: b[0]]\x1e[ONNX Layer: a]"),
              ElementsAre("a", "b[0]"));
  EXPECT_THAT(NodesOfMetadata(""), IsEmpty());
  EXPECT_EQ(DTypeOfFormat("Thirty-two wide channel vectorized row major Int8 format"),
            DType::kInt8);
  EXPECT_EQ(DTypeOfFormat("Row major linear FP16 format"), DType::kFloat16);
  EXPECT_EQ(DTypeOfFormat("BFloat16"), DType::kBfloat16);
  EXPECT_EQ(DTypeOfFormat("E4M3 FP8 format"), DType::kFloat8E4M3FN);
  EXPECT_EQ(DTypeOfFormat("something"), DType::kUndefined);
}

TEST(ReadListing, TensorRtLogs) {
  const LayerListing names = Listing("fp16.names.log");
  EXPECT_EQ(names.form, ListingForm::kNames);
  EXPECT_TRUE(names.names_only);
  ASSERT_THAT(names.layers, SizeIs(2));
  EXPECT_EQ(names.layers[0].name, "{ForeignNode[/in/MatMul.../out/Relu]}");
  EXPECT_EQ(names.layers[0].type, "Myelin");
  EXPECT_EQ(names.layers[0].inputs[0].name, "x");
  EXPECT_EQ(names.layers[0].outputs[0].dtype, DType::kFloat16);
  EXPECT_TRUE(names.layers[1].reformat);
  const LayerListing detailed = Listing("fp16.detailed.log");
  EXPECT_EQ(detailed.form, ListingForm::kDetailed);
  ASSERT_THAT(detailed.layers, SizeIs(4));
  EXPECT_THAT(detailed.layers[1].nodes,
              ElementsAre("/attn/MatMul_1", "/attn/Softmax", "/attn/MatMul"));
  EXPECT_EQ(detailed.layers[3].outputs[0].dtype, DType::kFloat);
}

// As TensorRT 8 writes them.
TEST(ReadListing, OlderLogs) {
  const auto listing = ParseListing(
      "[V] Engine Layer Information:\n"
      "Layer(Reformat): Reformatting CopyNode for Input Tensor 0 to Conv_0 + PWN(Clip_3), Tactic: "
      "1002, inputs[Float(1,3,512,768)] -> Reformatted Input Tensor 0 to Conv_0 + PWN(Clip_3)"
      "[Int8(1,3,512,768)]\n"
      "Layer(CaskConvolution): Conv_0 + PWN(Clip_3), Tactic: 5200329514761435342, Reformatted "
      "Input "
      "Tensor 0 to Conv_0 + PWN(Clip_3)[Int8(1,3,512,768)] -> (Unnamed Layer* 1) "
      "[Activation]_output[Int8(1,32,256,384)]\n",
      "old.log");
  ASSERT_TRUE(listing.ok()) << listing.status();
  ASSERT_THAT(listing->layers, SizeIs(2));
  EXPECT_TRUE(listing->layers[0].reformat);
  EXPECT_THAT(listing->layers[1].nodes, ElementsAre("Conv_0", "Clip_3"));
  EXPECT_EQ(listing->layers[1].outputs[0].name, "(Unnamed Layer* 1) [Activation]_output");
  EXPECT_EQ(PrecisionOf(listing->layers[1]), DType::kInt8);
}

// Of layers that read nothing, of copies, of Q/DQ that became a copy of their own.
TEST(ReadListing, UnusualLines) {
  const auto listing = ParseListing(
      "Layer(Myelin): {ForeignNode[/c...(Unnamed Layer* 689) [Shuffle]]}, Tactic: 0x0,  -> "
      "/t_output_0[Float(2,12600)], (Unnamed Layer* 689) [Shuffle]_output[Float(1,1,1)]\n\n"
      "Layer(Reformat): /conv/QuantizeLinear, Tactic: 0x3ea, images[Float(1,3)] -> q[Int8(1,3)]\n"
      "Layer(Reformat): /a/Mul_output_0 copy, Tactic: 0x3ea, a[Half(1,3)] -> b[Half(1,3)]\n",
      "f");
  ASSERT_TRUE(listing.ok()) << listing.status();
  ASSERT_THAT(listing->layers, SizeIs(3));
  EXPECT_THAT(listing->layers[0].inputs, IsEmpty());
  EXPECT_THAT(listing->layers[0].outputs, SizeIs(2));
  EXPECT_FALSE(listing->layers[1].reformat);
  EXPECT_THAT(listing->layers[1].nodes, ElementsAre("/conv/QuantizeLinear"));
  EXPECT_TRUE(listing->layers[2].reformat);
}

TEST(ReadListing, JsonWithTimes) {
  LayerListing listing = Listing("int8.json");
  EXPECT_EQ(listing.form, ListingForm::kJson);
  EXPECT_FALSE(listing.names_only);
  ASSERT_THAT(listing.layers, SizeIs(7));
  EXPECT_THAT(listing.layers[1].nodes, ElementsAre("/in/MatMul", "/in/Add", "a_QuantizeLinear"));
  ASSERT_TRUE(AddTimes(BytesOf("int8.times.json"), "t", &listing).ok());
  EXPECT_DOUBLE_EQ(*listing.layers[1].milliseconds, 0.002);
  EXPECT_THAT(listing.notes, IsEmpty());
  LayerListing other = Listing("fp16.detailed.log");
  ASSERT_TRUE(AddTimes(BytesOf("int8.times.json"), "t", &other).ok());
  EXPECT_THAT(other.notes, ElementsAre("7 times of t are of no layer"));
  // Names alone.
  const auto names = ParseListing(R"({"Layers": ["a + b", "{ForeignNode[c...d]}"]})", "n.json");
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_TRUE(names->names_only);
  EXPECT_THAT(names->layers[0].nodes, ElementsAre("a", "b"));
}

TEST(ReadListing, ProfilesOfOnnxruntime) {
  const LayerListing listing = Listing("ort.profile.json");
  EXPECT_EQ(listing.form, ListingForm::kProfile);
  ASSERT_THAT(listing.layers, SizeIs(8));
  EXPECT_EQ(listing.layers[0].type, "MatMul");
  EXPECT_DOUBLE_EQ(*listing.layers[0].milliseconds, 0.015);  // the mean of 10 and 20 microseconds
  EXPECT_EQ(PrecisionOf(listing.layers[0]), DType::kFloat);
}

TEST(ReadListing, ErrorsNameFileAndLine) {
  const auto expect = [](const std::string& text, const std::string& words) {
    ExpectError(ParseListing(text, "f").status(), absl::StatusCode::kInvalidArgument, words);
  };
  expect("", "f: it lists no layers");
  expect("nothing\nof it\n", "f: it lists no layers");
  expect("\nLayer(Conv): a, Tactic: 0, x (Half[1])\n", "f:2: a layer has no ' -> '");
  expect("Name: a, LayerType: gemm, Inputs: [ { Name: x, Format", "f:1: a layer ends within");
  expect("Name: a, LayerType: gemm, Inputs: []", "f:1: a layer has no Outputs");
  expect("Name: a, LayerType: gemm, Inputs: [ x ], Outputs: []",
         "f:1: a layer has a tensor without");
  expect("{\"Layers\": [\n{\"Name\": \"a\"", "f:2: this is no JSON, or it is cut short");
  expect("{\"Layers\": [{}]}", "f: layer 0 has no Name");
  expect("{\"Bindings\": []}", "f: this JSON has no array Layers");
  expect("{\"Layers\": []}", "f: it lists no layers");
  expect("[{\"a\": 1}]", "neither TensorRT's layer information nor");
  expect(BytesOf("int8.times.json"), "these are times by trtexec --exportProfile");
  expect(R"([{"cat": "Node", "name": "a_kernel_time"}])", "the event of node 'a' has no args");
  std::string deep = "{\"a\":";
  for (int i = 0; i < 200; ++i) deep += "[";
  expect(deep, "nests too deeply");
  LayerListing listing;
  ExpectError(AddTimes("{}", "t", &listing), absl::StatusCode::kInvalidArgument, "are no times");
}

// However much of a file is there, it is read or refused.
TEST(ReadListing, TruncatedFilesDoNoHarm) {
  for (const char* name :
       {"fp16.names.log", "fp16.detailed.log", "int8.json", "ort.profile.json"}) {
    const std::string bytes = BytesOf(name);
    ASSERT_FALSE(bytes.empty());
    for (size_t size = 0; size < bytes.size(); size += 7) {
      const auto listing = ParseListing(absl::string_view(bytes).substr(0, size), name);
      if (!listing.ok()) {
        EXPECT_THAT(listing.status().message(), HasSubstr(name));
      }
    }
  }
}

TEST(CompareLayers, SplitsWithTheNodesWhereTheyBegin) {
  const LayerComparison comparison =
      CompareLayers(Listing("fp16.detailed.log"), Listing("int8.json"), nullptr);
  EXPECT_THAT(
      GroupLines(comparison),
      ElementsAre("right_only 0-1", "nodes 1-1 precision",
                  "split 1-3 precision at p_DequantizeLinear /attn/MatMul_1",
                  "right_only 0-1 reformat", "same 1-1 precision", "left_only 1-0 reformat"));
  EXPECT_THAT(comparison.groups[2].right_nodes,
              ElementsAre("p_QuantizeLinear", "p_DequantizeLinear", "s_QuantizeLinear"));
  EXPECT_FALSE(comparison.same());
  const LayerComparison back =
      CompareLayers(Listing("int8.json"), Listing("fp16.detailed.log"), nullptr);
  EXPECT_THAT(GroupLines(back),
              Contains("merged 3-1 precision at p_DequantizeLinear /attn/MatMul_1"));
}

TEST(CompareLayers, RegionsByTheModel) {
  const std::shared_ptr<const Model> net = Net();
  const LayerComparison comparison =
      CompareLayers(Listing("fp16.names.log"), Listing("int8.json"), &net->graph);
  EXPECT_THAT(GroupLines(comparison), Contains(HasSubstr("inside 1-5")));
  const LayerComparison with_model =
      CompareLayers(Listing("ort.profile.json"), ListingOfModel(net->graph, "net"), &net->graph);
  EXPECT_TRUE(with_model.same());
}

TEST(CompareLayers, NamesAgainstDetailsOfOneEngine) {
  const LayerComparison comparison =
      CompareLayers(Listing("fp16.names.log"), Listing("fp16.detailed.log"), nullptr);
  EXPECT_TRUE(comparison.one_engine);
  EXPECT_TRUE(comparison.same());
  EXPECT_THAT(GroupLines(comparison), ElementsAre("inside 1-3", "same 1-1 reformat"));
  EXPECT_THAT(comparison.notes,
              Contains(HasSubstr("2 and 4 layers do not mean that the engines differ")));
  const LayerComparison other =
      CompareLayers(Listing("fp16.names.log"), Listing("int8.json"), nullptr);
  EXPECT_FALSE(other.one_engine);
  EXPECT_FALSE(other.same());
}

// What an optimizer made of nodes covers those that computed its results.
TEST(CompareLayers, OptimizedModels) {
  const std::shared_ptr<const Model> net = Net();
  Graph optimized = net->graph;
  // /out/MatMul, /out/Add and /out/Relu as one.
  optimized.nodes.resize(6);
  optimized.nodes[5].name = "fused";
  optimized.nodes[5].op_type = "FusedGemm";
  optimized.nodes[5].inputs = {"o", "w", "b"};
  optimized.nodes[5].outputs = {"y"};
  const LayerComparison comparison =
      CompareLayers(ListingOfModel(net->graph, "l"), ListingOfModel(optimized, "r"), &net->graph);
  EXPECT_THAT(GroupLines(comparison), Contains("merged 3-1 at /out/Add /out/Relu"));
}

TEST(RenderLayers, TableAndJson) {
  LayerListing right = Listing("int8.json");
  ASSERT_TRUE(AddTimes(BytesOf("int8.times.json"), "t", &right).ok());
  const LayerComparison comparison = CompareLayers(Listing("fp16.detailed.log"), right, nullptr);
  const std::string text = RenderLayers(comparison);
  EXPECT_THAT(text, HasSubstr("split 1→3"));
  EXPECT_THAT(text, HasSubstr("splits at 'p_DequantizeLinear', '/attn/MatMul_1'"));
  EXPECT_THAT(text, HasSubstr("precision: f16 → i8"));
  EXPECT_THAT(text, HasSubstr("reformat added"));
  EXPECT_THAT(text, HasSubstr("0.012 ms"));
  const nlohmann::json json = nlohmann::json::parse(LayersJson(comparison));
  EXPECT_EQ(json["same"], false);
  EXPECT_EQ(json["groups"][2]["relation"], "split");
  EXPECT_EQ(json["groups"][2]["begins_at"][1], "/attn/MatMul_1");
  EXPECT_DOUBLE_EQ(json["groups"][2]["right_milliseconds"], 0.012);
}

}  // namespace
}  // namespace onnxcmp
