// Checks of a model that parses.
#include "evaluator/load/load_model.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "evaluator/load/read_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "onnx/onnx_pb.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using testing::ExpectError;
using ::testing::HasSubstr;
using testing::LoadedModel;
using testing::LoadGraph;
using testing::NodeLines;
using testing::Registry;

void ExpectInvalid(const absl::Status& status, const std::string& part) {
  ExpectError(status, absl::StatusCode::kInvalidArgument, part);
  EXPECT_FALSE(absl::StrContains(status.message(), '\n')) << status;
}

// A model of text whose message is changed before it is loaded.
template <typename Change>
LoadedModel LoadChanged(absl::string_view graph, Change change) {
  absl::StatusOr<std::shared_ptr<onnx::ModelProto>> proto = ReadModelText(
      absl::StrCat("<ir_version: 10, opset_import: [\"\" : 21]>\n", graph), /*max_depth=*/64);
  if (!proto.ok()) return proto.status();
  change(**proto);
  return LoadModelFromBytes((*proto)->SerializeAsString(), Registry());
}

constexpr char kRelu[] = "g (float[2] x) => (float[2] y) { [n] y = Relu (x) }";

TEST(LoadModelTest, ConvertsWhatAGraphHolds) {
  LoadedModel model = LoadGraph(R"(
    main (float[N, 3] x, float[3] w = {1, 2, 3}) => (float[N, 3] y)
         <float[3] b = {4, 5, 6}> {
      t = Mul (x, w)
      [add] y = Add (t, b)
    })");
  ASSERT_TRUE(model.ok()) << model.status();
  const Graph& graph = (*model)->graph;
  EXPECT_EQ(graph.name, "main");
  ASSERT_EQ(graph.inputs.size(), 2u);
  EXPECT_EQ(graph.inputs[0].type.shape->at(0).symbol, "N");
  ASSERT_EQ(graph.initializers.size(), 2u);
  EXPECT_EQ(graph.initializers[1].name, "b");
  testing::ExpectSameBits(graph.initializers[1].value.tensor(), Tensor::Of<float>({3}, {4, 5, 6}));
  EXPECT_THAT(NodeLines(graph), ElementsAre("t = Mul(x, w)", "[add] y = Add(t, b)"));
  EXPECT_EQ(graph.nodes[0].imports->at(""), 21);
  EXPECT_TRUE((*model)->notes.empty()) << (*model)->notes[0];
}

TEST(LoadModelTest, ConvertsAttributesOfAllKinds) {
  LoadedModel model = LoadGraph(R"(
    g (float[2,2] x, bool c) => (float y) {
      a = Gemm <alpha: float = 2.0, transA: int = 1> (x, x)
      b = Transpose <perm = [1, 0]> (a)
      k = Constant <value = float[1] {3}> ()
      s = Constant <value_strings = ["p", "q"]> ()
      f = Constant <value_floats: floats = [0.5]> ()
      y = If (c) <then_branch = t () => (float u) { u = Add (a, k) },
                  else_branch = e () => (float v) { v = Neg (b) }>
    })");
  ASSERT_TRUE(model.ok()) << model.status();
  const std::vector<Node>& nodes = (*model)->graph.nodes;
  EXPECT_EQ(std::get<float>(nodes[0].attributes.at("alpha")), 2.0f);
  EXPECT_EQ(std::get<int64_t>(nodes[0].attributes.at("transA")), 1);
  EXPECT_EQ(std::get<std::vector<int64_t>>(nodes[1].attributes.at("perm")),
            (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(std::get<Tensor>(nodes[2].attributes.at("value")).num_elements(), 1);
  EXPECT_EQ(std::get<std::vector<std::string>>(nodes[3].attributes.at("value_strings"))[1], "q");
  EXPECT_EQ(std::get<std::vector<float>>(nodes[4].attributes.at("value_floats"))[0], 0.5f);
  const auto& branch =
      std::get<std::shared_ptr<const Graph>>(nodes[5].attributes.at("then_branch"));
  EXPECT_THAT(NodeLines(*branch), ElementsAre("u = Add(a, k)"));
}

TEST(LoadModelTest, NormalisesTheDefaultDomain) {
  // An import of "ai.onnx" with nodes of "", and the other way round; ONNX's checker refuses both.
  for (const char* import : {"ai.onnx", ""}) {
    LoadedModel model = LoadModelFromText(
        absl::StrCat("<ir_version: 10, opset_import: [\"", import,
                     "\" : 21]> g (float x) => (float z) { y = ai.onnx.Relu (x) z = Abs (y) }"),
        Registry());
    ASSERT_TRUE(model.ok()) << model.status();
    EXPECT_EQ((*model)->graph.nodes[0].domain, "");
    EXPECT_EQ((*model)->imports, (OpsetImports{{"", 21}}));
    EXPECT_TRUE((*model)->notes.empty());
  }
}

TEST(LoadModelTest, TakesWhatExportersLeaveOut) {
  // Outputs without a type, values declared that nobody has, functions that nobody calls.
  LoadedModel model = LoadChanged(
      "g (float[2] x) => (float[2] y) <float[9] gone> { y = Relu (x) }\n"
      "<domain: \"unused\", opset_import: [\"\" : 21]> f (a) => (b) { b = other.Unknown (zzz) }",
      [](onnx::ModelProto& proto) {
        proto.mutable_graph()->mutable_output(0)->clear_type();
        proto.add_metadata_props()->set_key("k");
      });
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_TRUE((*model)->notes.empty());
  EXPECT_EQ((*model)->graph.outputs[0].type.kind, TypeInfo::Kind::kUnknown);
}

TEST(LoadModelTest, WhatTheCheckerFindsIsANote) {
  // ONNX wants every graph to have a name.
  LoadedModel model =
      LoadChanged(kRelu, [](onnx::ModelProto& proto) { proto.mutable_graph()->clear_name(); });
  ASSERT_TRUE(model.ok()) << model.status();
  ASSERT_EQ((*model)->notes.size(), 1u);
  EXPECT_THAT((*model)->notes[0], HasSubstr("ONNX's checker: "));
}

TEST(LoadModelTest, ReadsIrVersionsFromThree) {
  auto with_version = [](int64_t version) {
    return LoadChanged(kRelu, [version](onnx::ModelProto& p) { p.set_ir_version(version); });
  };
  EXPECT_TRUE(with_version(3).ok());
  ExpectInvalid(with_version(2).status(), "IR version 2 is not supported; the oldest is 3");
  ExpectInvalid(with_version(0).status(), "IR version 0");
  ExpectInvalid(with_version(-5).status(), "IR version -5");
  LoadedModel newer = with_version(99);
  ASSERT_TRUE(newer.ok()) << newer.status();
  EXPECT_THAT((*newer)->notes, ElementsAre(HasSubstr("IR version 99 is newer")));
}

TEST(LoadModelTest, WhatANewerIrVersionAddsIsNotPassedOver) {
  auto with_field = [](int64_t version) {
    return LoadChanged(kRelu, [version](onnx::ModelProto& p) {
      p.set_ir_version(version);
      onnx::NodeProto& node = *p.mutable_graph()->mutable_node(0);
      node.GetReflection()->MutableUnknownFields(&node)->AddVarint(1234, 1);
    });
  };
  ExpectInvalid(with_field(99).status(), "IR version 99 is newer than ");
  ExpectInvalid(with_field(99).status(),
                "the model uses what it adds (field 1234 of a NodeProto): update onnxcmp");
  EXPECT_TRUE(with_field(8).ok());
}

TEST(LoadModelTest, OpsetsMustBeKnown) {
  auto with_opset = [](int64_t version) {
    return LoadChanged(
        kRelu, [version](onnx::ModelProto& p) { p.mutable_opset_import(0)->set_version(version); });
  };
  ExpectInvalid(with_opset(99).status(),
                absl::StrCat("Relu 'n': opset 99 of ai.onnx is not known; the newest is ",
                             Registry().LatestVersion(""),
                             ": update onnxcmp, or convert the model with onnx.version_converter"));
  ExpectInvalid(with_opset(0).status(), "opset 0 of ai.onnx is not known; the first is 1");
  ExpectInvalid(with_opset(INT64_MIN).status(), "is not known");
  ExpectInvalid(LoadChanged(kRelu, [](onnx::ModelProto& p) { p.clear_opset_import(); }).status(),
                "the model imports no opset of ai.onnx");
  ExpectInvalid(LoadChanged(kRelu,
                            [](onnx::ModelProto& p) {
                              *p.add_opset_import() = p.opset_import(0);
                              p.mutable_opset_import(1)->set_domain("ai.onnx");
                              p.mutable_opset_import(1)->set_version(20);
                            })
                    .status(),
                "it imports versions 21 and 20");
}

TEST(LoadModelTest, ListsAllUnknownOperatorsWithTheirPaths) {
  LoadedModel model = LoadGraph(R"(
    g (float x) => (float y) {
      [one] a = acme.Foo (x)
      [call] b = acme.f (a)
      y = Mystery (b)
    }
    <domain: "acme", opset_import: ["" : 21, "acme" : 7]>
    f (a) => (c) { [two] b = acme.Foo (a) c = If (b) <then_branch = t () => (d) {
                   [three] d = acme.Bar (b) }, else_branch = e () => (h) { h = Neg (b) }> })");
  ExpectError(model.status(), absl::StatusCode::kUnimplemented,
              "operators are neither known nor a function of the model: Mystery (opset 21) at -> "
              "'y'; acme.Bar (opset 7) at 'three__1' in call; acme.Foo (opset 1) at 'one'; "
              "acme.Foo (opset 7) at 'two__1' in call");
}

TEST(LoadModelTest, ShortensLongListsOfUnknownOperators) {
  std::string nodes;
  for (int i = 0; i < 30; ++i) {
    absl::StrAppend(&nodes, "a", i, " = acme.Same (x) b", i, " = acme.Op", i, " (x) ");
  }
  LoadedModel model = LoadGraph(absl::StrCat("g (float x) => (float b0) { ", nodes, "}"));
  ExpectError(model.status(), absl::StatusCode::kUnimplemented, "; and 11 more");
  std::string one = std::string(
      LoadGraph("g (float x) => (float a) { a = acme.S (x) b = acme.S (x) c = acme.S (x) "
                "d = acme.S (x) e = acme.S (x) f = acme.S (x) h = acme.S (x) }")
          .status()
          .message());
  EXPECT_THAT(one, HasSubstr("and 2 more nodes"));
}

// Unless there is a kernel for the removed version.
TEST(LoadModelTest, RemovedOperatorsAreUnknown) {
  LoadedModel model = LoadModelFromText(
      "<ir_version: 5, opset_import: [\"\" : 10]> g (float[1,1,2,2] x, float[4] s) => (float y) "
      "{ y = Upsample (x, s) }",
      OpRegistry());
  ExpectError(model.status(), absl::StatusCode::kUnimplemented, "Upsample (removed from opset 10)");
}

TEST(LoadModelTest, NumbersOfInputsAndOutputsAreChecked) {
  ExpectInvalid(LoadGraph("g (float x) => (float y) { [n] y = Add (x) }").status(), "Add 'n': ");
  ExpectInvalid(LoadGraph("g (float x) => (float y) { [n] y = Relu (x, x) }").status(),
                "it has 2 inputs where 1 are allowed");
  ExpectInvalid(LoadGraph("g (float x) => (float y) { [n] y, z = Relu (x) }").status(),
                "it has 2 outputs");
  ExpectInvalid(LoadGraph("g (float x) => (float y) { [n] y = Add (x, \"\") }").status(),
                "its input 1 (B) is missing");
}

TEST(LoadModelTest, AttributesAreChecked) {
  ExpectInvalid(
      LoadGraph("g (float x) => (float y) { [n] y = Softmax <axis: string = \"a\"> (x) }").status(),
      "Softmax 'n': attribute axis is of type STRING instead of INT");
  ExpectInvalid(LoadGraph("g (float x) => (float y) { [n] y = Softmax <axes = 1> (x) }").status(),
                "no attribute 'axes'");
  ExpectInvalid(LoadGraph("g (float x) => (float y) { [n] y = Cast (x) }").status(),
                "attribute to is missing");
  auto change = [](auto how) {
    return LoadChanged("g (float x) => (float y) { [n] y = Softmax <axis = 0> (x) }",
                       [how](onnx::ModelProto& proto) {
                         how(*proto.mutable_graph()->mutable_node(0)->mutable_attribute(0));
                       })
        .status();
  };
  ExpectInvalid(change([](onnx::AttributeProto& a) { a.set_type(onnx::AttributeProto::FLOAT); }),
                "attribute 'axis': it is declared as FLOAT and holds a value of INT");
  ExpectInvalid(change([](onnx::AttributeProto& a) {
                  a.set_type(onnx::AttributeProto::GRAPH);
                  a.clear_i();
                }),
                "attribute 'axis': it has no value");
  ExpectInvalid(change([](onnx::AttributeProto& a) { a.clear_i(), a.clear_type(); }),
                "it has no value");
  ExpectInvalid(change([](onnx::AttributeProto& a) { a.set_ref_attr_name("k"); }),
                "it refers to the attribute 'k' of a function, but is in none");
  // Writers that know no presence of fields leave out zeros; IR version 1 had no types.
  EXPECT_TRUE(change([](onnx::AttributeProto& a) { a.clear_i(); }).ok());
  EXPECT_TRUE(change([](onnx::AttributeProto& a) { a.clear_type(); }).ok());
  ExpectInvalid(LoadChanged("g (float x) => (float y) { [n] y = Softmax <axis = 0> (x) }",
                            [](onnx::ModelProto& proto) {
                              auto* node = proto.mutable_graph()->mutable_node(0);
                              *node->add_attribute() = node->attribute(0);
                            })
                    .status(),
                "attribute 'axis': it is there twice");
}

TEST(LoadModelTest, TensorsAreChecked) {
  auto with_tensor = [](auto change) {
    return LoadChanged("g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> { y = Add (x, w) }",
                       [change](onnx::ModelProto& proto) {
                         change(*proto.mutable_graph()->mutable_initializer(0));
                       })
        .status();
  };
  ExpectInvalid(with_tensor([](onnx::TensorProto& t) { t.set_dims(0, -2); }),
                "tensor 'w': its shape [-2] has a negative dimension");
  ExpectInvalid(with_tensor([](onnx::TensorProto& t) {
                  t.set_dims(0, int64_t{1} << 40);
                  t.add_dims(int64_t{1} << 40);
                }),
                "too large");
  ExpectInvalid(with_tensor([](onnx::TensorProto& t) { t.set_dims(0, int64_t{1} << 40); }),
                "it holds 2 values");
  ExpectInvalid(with_tensor([](onnx::TensorProto& t) { t.set_data_type(77); }),
                "element type 77 is unknown");
  ExpectInvalid(with_tensor([](onnx::TensorProto& t) { t.clear_name(); }), "has no name");
  // The same inside a node.
  ExpectInvalid(
      LoadChanged(
          "g () => (float[2] y) { [k] y = Constant <value = float[2] {1, 2}> () }",
          [](onnx::ModelProto& proto) {
            proto.mutable_graph()->mutable_node(0)->mutable_attribute(0)->mutable_t()->set_dims(0,
                                                                                                3);
          })
          .status(),
      "Constant 'k': attribute 'value': tensor '': it holds 2 values where float[3]");
}

TEST(LoadModelTest, DefaultsMustFitTheirInputs) {
  ExpectInvalid(LoadChanged("g (float[2] x = {1, 2}) => (float[2] y) { y = Relu (x) }",
                            [](onnx::ModelProto& proto) {
                              auto* t = proto.mutable_graph()->mutable_initializer(0);
                              t->set_data_type(onnx::TensorProto::DOUBLE);
                              t->clear_float_data();
                              t->add_double_data(1), t->add_double_data(2);
                            })
                    .status(),
                "input 'x' is float[2] but was given double[2]");
}

TEST(LoadModelTest, InputTypesMustBeKnown) {
  ExpectInvalid(LoadChanged(kRelu,
                            [](onnx::ModelProto& proto) {
                              proto.mutable_graph()
                                  ->mutable_input(0)
                                  ->mutable_type()
                                  ->mutable_tensor_type()
                                  ->set_elem_type(1000);
                            })
                    .status(),
                "'x' has the unknown element type 1000");
}

TEST(LoadModelTest, SparseInitializersComeLast) {
  LoadedModel model = LoadChanged(
      "g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> { t = Add (x, w) y = Add (t, s) }",
      [](onnx::ModelProto& proto) {
        auto* sparse = proto.mutable_graph()->add_sparse_initializer();
        sparse->add_dims(2);
        sparse->mutable_values()->set_name("s");
        sparse->mutable_values()->set_data_type(onnx::TensorProto::FLOAT);
        sparse->mutable_values()->add_dims(1);
        sparse->mutable_values()->add_float_data(9);
        sparse->mutable_indices()->set_data_type(onnx::TensorProto::INT64);
        sparse->mutable_indices()->add_dims(1);
        sparse->mutable_indices()->add_int64_data(1);
      });
  ASSERT_TRUE(model.ok()) << model.status();
  ASSERT_EQ((*model)->graph.initializers.size(), 2u);
  EXPECT_EQ((*model)->graph.initializers[1].name, "s");
  EXPECT_TRUE((*model)->graph.initializers[1].value.is_sparse());
}

TEST(LoadModelTest, DomainsThatAreNotImportedAreTakenAtTheirNewestVersion) {
  LoadedModel model = LoadModelFromText(
      "<ir_version: 10, opset_import: [\"\" : 21]> g (float[2] x) => (float[2] y) "
      "{ y = ai.onnx.ml.Binarizer (x) }",
      Registry());
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT((*model)->notes, ::testing::Contains(HasSubstr("no opset of ai.onnx.ml")));
}

TEST(LoadModelTest, MessagesAreOneLineWhateverNamesHold) {
  absl::Status status = LoadChanged(kRelu, [](onnx::ModelProto& proto) {
                          auto* node = proto.mutable_graph()->mutable_node(0);
                          node->set_name(absl::StrCat("line\nbreak\x1b", std::string(5000, 'x')));
                          node->set_op_type("No\nSuch");
                        }).status();
  EXPECT_FALSE(absl::StrContains(status.message(), '\n'));
  EXPECT_FALSE(absl::StrContains(status.message(), '\x1b'));
  EXPECT_LT(status.message().size(), 1000u);
  ExpectInvalid(LoadChanged(kRelu,
                            [](onnx::ModelProto& proto) {
                              auto* node = proto.mutable_graph()->mutable_node(0);
                              node->add_attribute()->set_name("a\nb");
                              node->mutable_attribute(0)->set_type(onnx::AttributeProto::INT);
                            })
                    .status(),
                "no attribute 'a\\nb'");
}

TEST(LoadModelProtoTest, ReturnsTheSortedAndInlinedMessage) {
  testing::TestFolder folder;
  std::string path = folder.Write("m.onnxtxt", R"(
    <ir_version: 10, opset_import: ["ai.onnx" : 21, "acme" : 1]>
    g (float x) => (float z) { z = Abs (y) y = acme.f (x) }
    <domain: "acme", opset_import: ["" : 21, "other" : 5]>
    f (float a) => (float c) <float b> { b = Neg (a) c = Relu (b) })");
  auto proto = LoadModelProto(path, Registry());
  ASSERT_TRUE(proto.ok()) << proto.status();
  const onnx::GraphProto& graph = (*proto)->graph();
  ASSERT_EQ(graph.node_size(), 3);
  EXPECT_EQ(graph.node(0).output(0), "b__1");
  EXPECT_EQ(graph.node(2).op_type(), "Abs");
  ASSERT_EQ(graph.value_info_size(), 1);  // what the function says of its inner value
  EXPECT_EQ(graph.value_info(0).name(), "b__1");
  EXPECT_EQ((*proto)->functions_size(), 0);
  EXPECT_EQ((*proto)->opset_import(0).domain(), "");
  ASSERT_EQ((*proto)->opset_import_size(), 3);
  EXPECT_EQ((*proto)->opset_import(2).domain(), "other");

  LoadOptions keep;
  keep.functions = Functions::kKeep;
  proto = LoadModelProto(path, Registry(), keep);
  ASSERT_TRUE(proto.ok()) << proto.status();
  EXPECT_EQ((*proto)->graph().node_size(), 2);
  EXPECT_EQ((*proto)->functions_size(), 1);
}

}  // namespace
}  // namespace onnxcmp
