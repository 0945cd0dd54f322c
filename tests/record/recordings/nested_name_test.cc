#include "record/recordings/nested_name.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

std::string Readable(absl::string_view name) {
  const std::optional<NestedName> nested = ParseNestedName(name);
  return nested.has_value() ? nested->name : "no nested name";
}

TEST(NestedNameTest, WhereAValueLies) {
  EXPECT_EQ(Readable("dict_input_ids___tensor"), "input_ids");
  EXPECT_EQ(Readable("dict._mask___array"), "mask");
  EXPECT_EQ(Readable("tuple_0___list_12.___int"), "[0][12]");
  EXPECT_EQ(Readable("dict_past___DynamicCache._value_cache___list_3.___tensor"),
            "past.value_cache[3]");
  EXPECT_EQ(Readable("dict_a b___dict._c.d___float"), "[\"a b\"][\"c.d\"]");
  EXPECT_EQ(Readable("dict_0___bool"), "[\"0\"]");  // a key, and no place in a list
}

TEST(NestedNameTest, WhatModulesTookAndGave) {
  EXPECT_EQ(Readable("dict_((decoder.layers.0.attn-Attention-110,2,O))___tensor"),
            "decoder.layers.0.attn call 2 output");
  EXPECT_EQ(Readable("dict_((attn-Attention-110,0,O))___tuple_1.___dict._key___tensor"),
            "attn call 0 output [1].key");
  // Arguments, then keyword arguments.
  EXPECT_EQ(Readable("dict_((attn-Attention-110,0,I))___tuple_0___tuple_1.___tensor"),
            "attn call 0 input [1]");
  EXPECT_EQ(Readable("dict_((attn-Attention-110,0,I))___tuple_1.___dict_mask___list_0.___tensor"),
            "attn call 0 input mask[0]");
  // Anything else stays as it is.
  EXPECT_EQ(Readable("dict_((attn-Attention-110,0,I))___tuple_1.___tuple_0.___tensor"),
            "attn call 0 input [1][0]");
  EXPECT_EQ(Readable("dict._((-Model-7,0,O))___tensor"), "Model call 0 output");
  EXPECT_EQ(Readable("dict_((a,b-C-1,0,O))___tensor"), "a,b call 0 output");
  EXPECT_EQ(Readable("dict_((no class,0,O))___tensor"), "no class call 0 output");
  EXPECT_EQ(Readable("dict_((m-C-1,0,X))___tensor"), "[\"((m-C-1,0,X))\"]");
  EXPECT_EQ(Readable("dict_((m-C-1,-1,O))___tensor"), "[\"((m-C-1,-1,O))\"]");
  EXPECT_EQ(Readable("dict_((O))___tensor"), "[\"((O))\"]");
}

TEST(NestedNameTest, Facts) {
  const auto output = ParseNestedName("dict_((decoder-Block-125,3,O))___Cache._keys___tensor");
  ASSERT_TRUE(output.has_value());
  EXPECT_EQ(output->module_class, "Block");
  EXPECT_EQ(output->call, "3");
  EXPECT_TRUE(output->is_output);
  EXPECT_FALSE(output->is_root);
  EXPECT_FALSE(output->is_plain);
  const auto root = ParseNestedName("dict_((-Model-7,0,I))___tuple_1.___dict.___empty");
  ASSERT_TRUE(root.has_value());
  EXPECT_TRUE(root->is_root);
  EXPECT_FALSE(root->is_output);
  EXPECT_TRUE(root->is_plain);
  EXPECT_TRUE(root->is_empty);
}

TEST(NestedNameTest, OtherNames) {
  for (const char* name : {"", "x", "tensor", "___tensor", "x___tensor", "tuple___tensor",
                           "tuple_x___tensor", "dict_a", "dict_a___list", "dict_a____tensor",
                           "dict_a___empty", "_a___tensor", "tuple_0.0___tensor", "dict_a___"}) {
    EXPECT_EQ(Readable(name), "no nested name") << name;
  }
}

}  // namespace
}  // namespace onnxcmp
